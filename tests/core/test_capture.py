"""What is captured is what the model itself computes, for many kinds of model, which stay as they were."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import numpy as np
import pytest
import torch
import transformers
from torch import nn

from attn_core import capture

Refuses = Callable[[str], AbstractContextManager[None]]
SMALL: dict[str, Any] = {
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 48,
}


@pytest.fixture(autouse=True)
def seed() -> Any:
    with torch.random.fork_rng():
        torch.manual_seed(5)
        yield


def state(model: nn.Module) -> tuple[object, ...]:
    """What a captured model might be left with: hooks of ours, modes and settings.

    transformers keeps hooks of its own from the first time that any outputs are asked for.
    """
    modules = tuple(
        (
            [hook for hook in module._forward_hooks.values() if hook.__module__.startswith("attn_core")],
            len(module._forward_pre_hooks),
            module.training,
            getattr(getattr(module, "config", None), "_attn_implementation", None),
        )
        for module in model.modules()
    )
    return (*modules, torch.backends.mha.get_fastpath_enabled())


def close(captured: np.ndarray, expected: torch.Tensor, *, atol: float = 0.0) -> None:
    torch.testing.assert_close(torch.from_numpy(captured), expected, atol=atol, rtol=0)


MODELS: dict[str, Any] = {
    "bert": lambda: transformers.BertModel(transformers.BertConfig(**SMALL, vocab_size=30)),
    "gpt2": lambda: transformers.GPT2LMHeadModel(
        transformers.GPT2Config(n_embd=32, n_layer=2, n_head=4, vocab_size=30, n_positions=16)
    ),
    "vit": lambda: transformers.ViTModel(transformers.ViTConfig(**SMALL, image_size=12, patch_size=4)),
}


@pytest.mark.parametrize("kind", MODELS)
@pytest.mark.parametrize("wrapped", [False, True])
def test_transformers_models(kind: str, wrapped: bool) -> None:
    model = MODELS[kind]()  # in training mode, with the attention that keeps no weights
    if kind == "vit":
        inputs: dict[str, Any] = {"pixel_values": torch.randn(2, 3, 12, 12)}
        n = 10
    else:
        inputs = {"input_ids": torch.randint(30, (2, 7)), "attention_mask": torch.ones(2, 7).long()}
        inputs["attention_mask"][1, 5:] = 0
        n = 7
    own = MODELS[kind]()
    own.load_state_dict(model.state_dict())
    own.set_attn_implementation("eager")
    with torch.no_grad():
        expected = own.eval()(**inputs, output_attentions=True).attentions
    whole: nn.Module = model
    if wrapped:

        class Wrapper(nn.Module):
            def __init__(self) -> None:
                super().__init__()
                self.body = model

            def forward(self, **given: torch.Tensor) -> torch.Tensor:
                out: torch.Tensor = self.body(**given)[0]
                return out

        whole = Wrapper()
    before = state(whole)
    tokens = [f"t{place}" for place in range(n)]
    captured = capture(whole, **inputs, tokens=tokens, sequence=1)
    assert state(whole) == before
    assert captured.tokens == tuple(tokens)
    prefix = "body " if wrapped else ""
    assert list(captured.maps) == [f"{prefix}layer 0", f"{prefix}layer 1"]
    for weights, theirs in zip(captured.maps.values(), expected, strict=True):
        assert weights.shape == (4, n, n)
        close(weights, theirs[1])


def test_an_encoder_and_decoder_of_transformers() -> None:
    config = transformers.T5Config(d_model=16, d_kv=8, d_ff=24, num_layers=2, num_heads=2, vocab_size=20)
    model = transformers.T5Model(config)
    inputs: dict[str, Any] = {
        "input_ids": torch.randint(20, (1, 5)),
        "decoder_input_ids": torch.randint(20, (1, 3)),
    }
    captured = capture(model, **inputs)
    assert {name: weights.shape for name, weights in captured.maps.items()} == {
        f"{part} layer {layer}": shape
        for part, shape in (("encoder", (2, 5, 5)), ("decoder", (2, 3, 3)), ("cross", (2, 3, 5)))
        for layer in range(2)
    }


@pytest.mark.parametrize("training", [False, True])
@pytest.mark.parametrize("padded", [False, True])
def test_an_encoder_of_torch(training: bool, padded: bool) -> None:
    """In eval mode it takes a fast path that never calls the module; its input may become nested."""
    layer = nn.TransformerEncoderLayer(16, 4, 32, batch_first=True, dropout=0.3)
    model = nn.TransformerEncoder(layer, 2).train(training)
    x = torch.randn(2, 6, 16)
    padding = torch.arange(6) >= torch.tensor([[6], [4]]) if padded else None
    before = state(model)
    captured = capture(model, x, src_key_padding_mask=padding)
    assert state(model) == before
    assert list(captured.maps) == ["layers.0.self_attn", "layers.1.self_attn"]
    # By hand: each layer's attention asked for its weights, then the layer itself.
    model.eval()
    hidden = x
    for name, each in zip(captured.maps, model.layers, strict=True):
        assert isinstance(each, nn.TransformerEncoderLayer)
        _, weights = each.self_attn(
            hidden, hidden, hidden, key_padding_mask=padding, average_attn_weights=False
        )
        close(captured.maps[name], weights[0].detach(), atol=1e-6)
        hidden = each(hidden, src_key_padding_mask=padding)


@pytest.mark.parametrize("batch_first", [False, True])
def test_a_module_of_torch(batch_first: bool) -> None:
    module = nn.MultiheadAttention(12, 3, batch_first=batch_first, dropout=0.5)
    query, key = torch.randn(5, 4, 12), torch.randn(5 if batch_first else 6, 6 if batch_first else 4, 12)
    module.eval()
    _, expected = module(query, key, key, average_attn_weights=False)
    module.train()
    captured = capture(module, query, key=key, value=key, sequence=2)
    assert module.training
    close(captured.maps["attention"], expected[2].detach())
    single = capture(module, torch.randn(4, 12), torch.randn(6, 12), torch.randn(6, 12))
    assert single.maps["attention"].shape == (3, 4, 6)


def test_the_caller_gets_what_it_asked_for() -> None:
    seen: list[torch.Tensor | None] = []

    class Twice(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.attend = nn.MultiheadAttention(8, 2, batch_first=True)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            out: torch.Tensor
            out, none = self.attend(x, x, x, None, False)
            out, mean = self.attend(out, x, x)
            out, each = self.attend(out, x, x, average_attn_weights=False)
            seen.extend([none, mean, each])
            return out

    model, x = Twice(), torch.randn(1, 3, 8)
    maps = capture(model, x).maps
    assert list(maps) == ["attend", "attend (2)", "attend (3)"]
    assert seen[0] is None
    assert seen[1] is not None
    assert seen[2] is not None
    close(maps["attend (2)"].mean(axis=0), seen[1][0])
    close(maps["attend (3)"], seen[2][0])


def test_half_precision_is_widened() -> None:
    module = nn.MultiheadAttention(8, 2, batch_first=True).to(torch.bfloat16)
    x = torch.randn(1, 3, 8).to(torch.bfloat16)
    assert capture(module, x, x, x).maps["attention"].dtype == np.float32


def test_what_cannot_be_captured(refuses: Refuses) -> None:
    with refuses("nn.MultiheadAttention or a transformers model .* got Linear, which ran none"):
        capture(nn.Linear(2, 2), torch.ones(1, 2))
    module = nn.MultiheadAttention(8, 2, batch_first=True)
    x = torch.randn(2, 3, 8)
    before = state(module)
    with refuses("from 0 to 1; got 2"):
        capture(module, x, x, x, sequence=2)
    with pytest.raises((AssertionError, RuntimeError)):
        capture(module, x[..., :5], x, x)
    assert state(module) == before  # also after a fault
