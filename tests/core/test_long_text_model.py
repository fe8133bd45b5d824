"""Texts too long for the maps of all heads: one head's map, in parts, against the maps and a plain loop."""

import math
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import transformers
from torch.utils._python_dispatch import TorchDispatchMode

from attn_core import RealModel, load_model, sliding_window_mask
from attn_core.learned_positions import packaged_folder
from attn_core.models import head_map
from attn_core.models.head_map import HeadMap
from attn_live.pyramid import Keep, Pyramid
from tests.small_models import CONFIGS, DECODER, random_model, sentencepiece_like

N = 37
Refuses = Callable[[str], AbstractContextManager[None]]


def long_decoder(folder: Path, **settings: Any) -> RealModel:
    """A decoder with places for 4,096 tokens, and its tokenizer."""
    config = transformers.LlamaConfig(**{**DECODER, "max_position_embeddings": 4096, **settings})
    random_model(config).save_pretrained(folder)
    sentencepiece_like().save(str(folder / "tokenizer.json"))
    return load_model(folder)


@pytest.mark.parametrize("name", CONFIGS)
def test_head_map_equals_map_of_all_heads(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    random_model(CONFIGS[name]()).save_pretrained(tmp_path)
    model = load_model(tmp_path)
    ids = torch.randint(2, 300, (1, N), generator=torch.Generator().manual_seed(1))
    expected = [each.weights[0] for each in model.forward(ids)]
    for bound in ("AT_ONCE_BYTES", "AT_HAND_BYTES"):  # five rows of four heads, and parts of three
        monkeypatch.setattr(head_map, bound, 4 * 4 * N * 5)
    for layer, weights in enumerate(expected):
        for head, found in enumerate(model.reach(ids[0].tolist(), layer).maps(range(model.n_head))):
            torch.testing.assert_close(found[0:N, 0:N], weights[head], atol=1e-6, rtol=2e-5)
            # Not bit for bit: a processor may add up products of other shapes in another order.
            torch.testing.assert_close(found[3:20, 11:30], found[0:N, 0:N][3:20, 11:30], atol=1e-7, rtol=1e-5)
            for places in (0, 1, 5):
                torch.testing.assert_close(
                    found.before(places), weights[head].diagonal(-places), atol=1e-6, rtol=2e-5
                )
            if found.may is not None:
                seen = model.masks(N)[layer]
                assert seen is not None
                assert (found.may[0:N, 0:N] == seen.numpy()).all()
            else:
                assert model.masks(N)[layer] is None


def test_head_map_part_equals_a_loop() -> None:
    generator = torch.Generator().manual_seed(2)
    query, key = (torch.randn(7, 3, generator=generator, dtype=torch.float64) for _ in range(2))
    scale, cap, window = 0.8, 2.0, 3
    found = HeadMap.of(query, key, scale=scale, softcap=cap, window=window, is_causal=True)[0:7, 0:7]
    for i in range(7):
        scores = {
            j: cap * math.tanh(scale * sum(float(q * k) for q, k in zip(query[i], key[j], strict=True)) / cap)
            for j in range(max(0, i - window + 1), i + 1)
        }
        total = math.fsum(math.exp(each) for each in scores.values())
        for j in range(7):
            wanted = math.exp(scores[j]) / total if j in scores else 0.0
            assert float(found[i, j]) == pytest.approx(wanted, abs=1e-12)


def test_text_of_4096_tokens_holds_no_map(tmp_path: Path) -> None:
    model = long_decoder(tmp_path)
    text = "the cat sat on the mat " * 700
    read = model.read(text, model.longest)
    assert (model.longest, model.longest_words, len(read.ids)) == (4096, 4095, 4096)
    assert model.most_tokens < model.longest
    with Largest() as largest:
        found = model.head_of(text, 2, 3)
    assert largest.n_bytes <= head_map.AT_ONCE_BYTES + 1_000_000 < 4 * 4096**2
    assert found.shape == (4096, 4096)
    row = found[4000:4001, 0:4096]
    assert float(row.double().sum()) == pytest.approx(1, abs=1e-6)
    assert float(row[0, 4001:].abs().max()) == 0


def test_longest_is_bounded_by_vectors_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = long_decoder(tmp_path)
    monkeypatch.setattr("attn_core.models.model.MAPS_BYTES", 1)
    monkeypatch.setattr("attn_core.models.model.VECTORS_BYTES", 8 * 4 * 32 * 500)
    assert (model.most_tokens, model.longest) == (128, 500)
    monkeypatch.setattr("attn_core.models.model.VECTORS_BYTES", 1)
    assert model.longest == model.most_tokens == 128


def test_reach_refuses_misfits(tmp_path: Path, refuses: Refuses) -> None:
    model = long_decoder(tmp_path)
    with refuses("a long text must have from 1 to 4,096 tokens; got 4,097"):
        model.reach([1] * 4097, 0)
    with refuses("ids must be from 0 to 339; got 5 to 340"):
        model.reach([5, 340], 0)
    with refuses("at least one token"):
        model.head_of("", 0, 0)
    with refuses("layer must be from 0 to 2; got 3"):
        model.reach([5, 6], 3)
    model._network.layers[0].self_attn.v_proj.weight.fill_(3e38)
    with refuses("numbers must stay finite"):
        model.reach([5, 6], 1)


def test_minilm_reads_its_512_tokens_one_head_at_a_time() -> None:
    if packaged_folder() is None:
        pytest.skip("the optional package of all-MiniLM-L6-v2 is not installed")
    minilm = load_model()
    text = "the cat sat on the mat and looked at a dog " * 60
    assert (model_limits := (minilm.most_tokens, minilm.longest)) == (408, 512), model_limits
    ids = minilm.read(text, 512).ids
    assert len(ids) == 512
    expected = minilm.forward(torch.tensor([ids]))
    for layer, head in ((0, 0), (3, 7), (5, 11)):
        found = minilm.head_of(text, layer, head)
        torch.testing.assert_close(
            found[0:512, 0:512], expected[layer].weights[0, head], atol=1e-6, rtol=1e-4
        )


@pytest.mark.parametrize("keep", ["max", "mean"])
@pytest.mark.parametrize("window", [None, 100])
def test_pyramid_of_head_map_equals_that_of_array(keep: Keep, window: int | None) -> None:
    n = 1100
    query, key = torch.randn(2, n, 4, generator=torch.Generator().manual_seed(3))
    head = HeadMap.of(query, key, scale=1.0, window=window, is_causal=True)
    seen = sliding_window_mask(n, n if window is None else window - 1, is_causal=True)
    scores = (query.double() @ key.double().T).masked_fill(~seen, -torch.inf)
    whole = Pyramid(scores.softmax(dim=-1).numpy(), keep, seen.numpy())
    ours = Pyramid(head, keep, head.may)
    for level in range(len(whole.sizes)):
        np.testing.assert_allclose(ours.level(level), whole.level(level), atol=1e-6)
    read = np.frombuffer(ours.tile(0, 1, 2), "<f4").reshape(256, 256)
    np.testing.assert_allclose(read, whole.level(0)[256:512, 512:768], atol=1e-6)


class Largest(TorchDispatchMode):
    """Notes the bytes of the largest tensor that anything makes."""

    n_bytes = 0

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]  # its base has no types

    def __torch_dispatch__(self, call: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        made = call(*args, **(kwargs or {}))
        for each in made if isinstance(made, tuple | list) else (made,):
            if isinstance(each, torch.Tensor):
                self.n_bytes = max(self.n_bytes, each.untyped_storage().nbytes())
        return made


@pytest.mark.parametrize("window", [None, 3])
@pytest.mark.parametrize("is_causal", [False, True])
def test_head_map_before_equals_diagonal(window: int | None, is_causal: bool) -> None:
    query, key = torch.randn(2, 6, 4, generator=torch.Generator().manual_seed(5))
    found = HeadMap.of(query, key, scale=0.8, softcap=2.0, window=window, is_causal=is_causal)
    scores = 2 * torch.tanh(0.8 * query @ key.mT / 2)
    seen = torch.ones(6, 6, dtype=torch.bool)
    if window is not None:
        seen = sliding_window_mask(6, window - 1)
    weights = scores.masked_fill(~(seen.tril() if is_causal else seen), -torch.inf).softmax(dim=-1)
    for places in range(6):
        torch.testing.assert_close(found.before(places), weights.diagonal(-places))
