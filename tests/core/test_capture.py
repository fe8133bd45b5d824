"""What is captured is what the model itself computes, for many kinds of model, which stay as they were."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.modules import module as all_modules

from attn_core import capture, read_attention
from attn_core.encoder_decoder import kinds_of
from tests.core.kinds import Refuses


@pytest.fixture(autouse=True)
def seed() -> Any:
    with torch.random.fork_rng():
        torch.manual_seed(5)
        yield


def state(model: nn.Module) -> tuple[object, ...]:
    """What a captured model and torch might be left with: hooks, modes and settings."""
    modules = tuple(
        (dict(module._forward_hooks), dict(module._forward_pre_hooks), module.training, dict(vars(module)))
        for module in model.modules()
    )
    hooks = (dict(all_modules._global_forward_hooks), dict(all_modules._global_forward_pre_hooks))
    settings = (torch.backends.mha.get_fastpath_enabled(), torch.is_grad_enabled())
    return (*modules, hooks, *settings, torch.overrides.has_torch_function, overrides_depth())


def overrides_depth() -> int:
    depth: int = torch._C._len_torch_function_stack()
    return depth


def close(captured: np.ndarray, expected: torch.Tensor, *, atol: float = 0.0) -> None:
    torch.testing.assert_close(torch.from_numpy(captured), expected, atol=atol, rtol=0)


@pytest.mark.parametrize("training", [False, True])
@pytest.mark.parametrize("padded", [False, True])
def test_capture_of_torch_encoder_equals_modules(training: bool, padded: bool) -> None:
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
def test_capture_of_multihead_attention_equals_module(batch_first: bool) -> None:
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


def test_captured_model_returns_what_its_caller_requests() -> None:
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


class Block(nn.Module):
    """Attention of one's own: by torch's function, or written out."""

    def __init__(self, *, written: bool = False, dropout: float = 0.0) -> None:
        super().__init__()
        self.qkv, self.out = nn.Linear(12, 36), nn.Linear(12, 12)
        self.drop = nn.Dropout(dropout)
        self.written = written

    def heads(self, x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return tuple(each.unflatten(-1, (3, 4)).transpose(1, 2) for each in self.qkv(x).chunk(3, -1))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        q, k, v = self.heads(x)
        if self.written:
            scores = (q @ k.mT / 2).masked_fill(torch.ones(x.shape[1], x.shape[1]).triu(1).bool(), -torch.inf)
            mixed = self.drop(scores.softmax(dim=-1)) @ v
        else:
            p = self.drop.p if self.training else 0.0
            mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True, dropout_p=p)
        out: torch.Tensor = self.out(mixed.transpose(1, 2).flatten(2))
        return out

    def by_hand(self, x: torch.Tensor) -> torch.Tensor:
        q, k, _ = self.heads(x)
        hidden = torch.ones(x.shape[1], x.shape[1]).triu(1).bool()
        return (torch.einsum("bhid,bhjd->bhij", q, k) / 2).masked_fill(hidden, -torch.inf).softmax(-1)


class Blocks(nn.Module):
    """Three blocks of one's own and a module of torch's."""

    def __init__(self, *, dropout: float = 0.0) -> None:
        super().__init__()
        self.blocks = nn.ModuleList(Block(written=layer == 1, dropout=dropout) for layer in range(3))
        self.attend = nn.MultiheadAttention(12, 2, batch_first=True, dropout=dropout)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for block in self.blocks:
            x = x + block(x)
        out: torch.Tensor = self.attend(x, x, x, need_weights=False)[0]
        return out


def test_capture_of_own_blocks_beside_torch_module() -> None:
    model, x = Blocks().eval(), torch.randn(2, 5, 12)
    maps = capture(model, x, sequence=1)
    assert list(maps.maps) == ["blocks.0", "blocks.1", "blocks.2", "attend"]
    hidden = x
    for name, block in zip(maps.maps, model.blocks, strict=False):
        assert isinstance(block, Block)
        close(maps.maps[name], block.by_hand(hidden)[1].detach(), atol=1e-6)
        hidden = hidden + block(hidden)
    _, expected = model.attend(hidden, hidden, hidden, average_attn_weights=False)
    close(maps.maps["attend"], expected[1].detach(), atol=1e-6)


@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors:UserWarning")
@pytest.mark.parametrize("grad", [False, True])
@pytest.mark.parametrize("as_is", [False, True])
@pytest.mark.parametrize("kind", ["blocks", "encoder", "decoder", "norm first"])
def test_capture_leaves_outputs_bit_for_bit(kind: str, as_is: bool, grad: bool) -> None:
    """In training, with its dropout and the very random numbers; in eval mode, with torch's fused layers."""
    layer = nn.TransformerEncoderLayer(
        12, 2, 16, batch_first=True, dropout=0.4, norm_first=kind == "norm first"
    )
    makes: dict[str, Callable[[], nn.Module]] = {
        "blocks": lambda: Blocks(dropout=0.4),
        "decoder": lambda: nn.Transformer(12, 2, 2, 2, 16, batch_first=True, dropout=0.4),
    }
    model = makes.get(kind, lambda: nn.TransformerEncoder(layer, 2, enable_nested_tensor=kind == "encoder"))()
    x = torch.randn(2, 6, 12)
    inputs = (x, x) if kind == "decoder" else (x,)
    given: dict[str, Any] = {}
    if kind in {"encoder", "norm first"}:
        given = {"src_key_padding_mask": torch.arange(6) >= torch.tensor([[6], [4]])}
    seen: list[tuple[torch.Tensor, torch.Tensor]] = []
    hook = model.register_forward_hook(lambda *each: seen.append((each[-1], torch.get_rng_state())))
    model.train(as_is)
    torch.manual_seed(1)
    with torch.set_grad_enabled(grad):
        model(*inputs, **given)
        model.train()
        torch.manual_seed(1)
        maps = capture(model, *inputs, **given, as_is=as_is)
    hook.remove()
    assert model.training
    without, within = seen
    assert torch.equal(without[0], within[0])
    assert torch.equal(without[1], within[1])
    for weights in maps.maps.values():  # those before dropout, which would lift them
        np.testing.assert_allclose(weights[:, :4].sum(axis=-1), 1, atol=1e-6)


@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors:UserWarning")
@pytest.mark.parametrize("grad", [False, True])
def test_capture_keeps_fused_layers_fused(grad: bool) -> None:
    """Without gradients, or of frozen parameters, torch runs a whole layer in one call without weights."""
    layer = nn.TransformerEncoderLayer(16, 4, 32, batch_first=True)
    model = nn.TransformerEncoder(layer, 2).eval().requires_grad_(False)
    x, padding = torch.randn(2, 6, 16), torch.arange(6) >= torch.tensor([[6], [4]])
    with torch.set_grad_enabled(grad):
        triangle = torch.ones(6, 6).triu(1).bool()
        asked: tuple[dict[str, Any], ...] = ({}, {"src_key_padding_mask": padding}, {"mask": triangle})
        for masks in asked:
            maps = capture(model, x, **masks, sequence=1)
            assert maps.manifest is not None
            assert {each.computed_by for each in maps.manifest.entries} == {"fused encoder layer"}
            slow = model.train()
            for each in slow.modules():
                if isinstance(each, nn.Dropout | nn.MultiheadAttention):
                    each.eval()  # the layers in training mode alone: nothing fused, nothing dropped
            expected = capture(slow, x, **masks, sequence=1, as_is=True)
            model.eval()
            n = 4 if "src_key_padding_mask" in masks else 6  # places that are padded away are none
            for ours, theirs in zip(maps.maps.values(), expected.maps.values(), strict=True):
                np.testing.assert_allclose(ours[:, :n], theirs[:, :n], atol=2e-6)


def test_torchs_functions_alone() -> None:
    class Bare(nn.Module):
        def forward(self, *args: Any, **given: Any) -> torch.Tensor:
            return F.scaled_dot_product_attention(*args, **given)

    q, k = torch.randn(2, 4, 5, 8), torch.randn(2, 2, 6, 8)
    mask = torch.rand(5, 6) > 0.4
    mask[2] = False
    maps = capture(Bare(), q, k, torch.randn(2, 2, 6, 3), mask, scale=0.7, enable_gqa=True, sequence=1)
    scores = torch.stack([q[1, head] @ k[1, head // 2].T * 0.7 for head in range(4)])
    expected = scores.masked_fill(~mask, -torch.inf).softmax(-1).nan_to_num(0)
    close(maps.maps["attention"], expected, atol=1e-6)
    single = capture(Bare(), torch.randn(5, 8), torch.randn(6, 8), torch.randn(6, 8))
    assert single.maps["attention"].shape == (1, 5, 6)

    class Functional(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.own = nn.MultiheadAttention(8, 2)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            own = self.own
            out: torch.Tensor = F.multi_head_attention_forward(
                x, x, x, 8, 2, own.in_proj_weight, own.in_proj_bias, None, None, False, 0.5,
                own.out_proj.weight, own.out_proj.bias, training=False, need_weights=False,
                attn_mask=torch.zeros(4, 4), is_causal=True,
            )[0]  # fmt: skip
            return out

    model, x = Functional(), torch.randn(4, 3, 8)
    hidden = torch.ones(4, 4).triu(1).bool()
    _, theirs = model.own(x, x, x, attn_mask=hidden, average_attn_weights=False)
    close(capture(model, x, sequence=2).maps["attention"], theirs[2].detach(), atol=1e-6)


def test_capture_of_subclass_with_own_signature() -> None:
    class Self(nn.MultiheadAttention):
        def forward(self, x: torch.Tensor, *, times: int) -> torch.Tensor:  # type: ignore[override]  # on purpose: its own signature
            for _ in range(times):
                x = super().forward(x, x, x, need_weights=False)[0]
            return x

    module, x = Self(8, 2, batch_first=True).eval(), torch.randn(2, 3, 8)
    maps = capture(module, x, times=2)
    assert list(maps.maps) == ["attention", "attention (2)"]
    _, expected = nn.MultiheadAttention.forward(module, x, x, x, average_attn_weights=False)
    assert expected is not None
    close(maps.maps["attention"], expected[0].detach(), atol=1e-6)


@pytest.mark.parametrize("equation", ["bhij,bhjd->bhid", "bhij,bjhd->bihd", "...ij,...jd->...id"])
def test_attention_written_as_sums(equation: str) -> None:
    class Sums(nn.Module):
        def forward(self, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
            weights = F.softmax(torch.einsum("bhid,bhjd->bhij", q, k), dim=-1)
            return torch.einsum(equation, weights.to(torch.float64), v)

    q = torch.randn(2, 3, 4, 5)
    v = torch.randn(2, 3, 4, 5).double()
    maps = capture(Sums(), q, q, v if equation.endswith("id") else v.transpose(1, 2), sequence=1)
    close(maps.maps["attention"], torch.softmax(q[1] @ q[1].mT, -1).double(), atol=1e-6)


def heads(x: torch.Tensor) -> torch.Tensor:
    split: torch.Tensor = x.unflatten(-1, (2, -1))
    return split.transpose(1, 2)


class LinearInFeatures(nn.Module):
    """softmax(Q) (softmax(K)^T V): no softmax is over keys."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = heads(x)
        return x.softmax(-1) @ (x.softmax(-2).mT @ x)


class Louder(nn.Module):
    """Weights times two: no file of weights may hold such rows."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = heads(x)
        return (x @ x.mT).softmax(-1) * 2 @ x


class Mapped(nn.Module):
    """A block for one sequence, mapped over the batch."""

    def __init__(self) -> None:
        super().__init__()
        self.block = Block(written=True)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        out: torch.Tensor = torch.vmap(lambda one: self.block(one[None])[0])(x)
        return out


@pytest.mark.parametrize(
    ("model", "reason"),
    [
        (LinearInFeatures(), "one softmax over features and one over places, as linear attention does"),
        (Louder(), "whose rows sum to up to 2, more than one"),
        (Mapped(), "runs inside torch.vmap, where one sequence stands for all"),
    ],
    ids=["linear in features", "louder", "mapped"],
)
def test_softmax_without_keys_is_no_map(model: nn.Module, reason: str, refuses: Refuses) -> None:
    with refuses(reason):
        capture(model, torch.randn(3, 4, 12))


def heads_of(x: torch.Tensor, n_head: int) -> list[torch.Tensor]:
    return list(x.unflatten(-1, (n_head, -1)).unbind(-2))


class HeadsFirst(nn.Module):
    """Weights of (head, batch, query, key), or of (batch, window, head, query, key)."""

    def __init__(self, order: str, n_head: int, *, tells: bool) -> None:
        super().__init__()
        self.order, self.heads = order, n_head
        if tells:
            self.num_heads = n_head

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        split = x.unflatten(-1, (self.heads, -1))  # (batch, n, head, d), or (batch, window, n, head, d)
        x = split.permute(2, 0, 1, 3) if self.order == "head first" else split.transpose(-2, -3)
        return (x @ x.mT).softmax(-1) @ x


@pytest.mark.parametrize(("n_head", "batch"), [(6, 2), (4, 2), (3, 5), (2, 1)])
@pytest.mark.parametrize("tells", [False, True])
def test_heads_before_batch_are_heads_or_missed(
    n_head: int, batch: int, tells: bool, refuses: Refuses
) -> None:
    """Against a loop over heads; where only a guess would tell which axis is which, none is made."""
    model, x = HeadsFirst("head first", n_head, tells=tells), torch.randn(batch, 4, 12)
    if not tells and batch < n_head:
        with refuses(rf"axes \({n_head}, {batch}\) before \(query, key\), which may be read in two ways"):
            capture(model, x)
        return
    (weights,) = capture(model, x, sequence=batch - 1).maps.values()
    for head, each in enumerate(heads_of(x[-1], n_head)):
        close(weights[head], (each @ each.T).softmax(-1), atol=1e-6)


def test_windows_beside_known_heads_are_parts(refuses: Refuses) -> None:
    x = torch.randn(2, 4, 5, 12)
    maps = capture(HeadsFirst("windows", 3, tells=True), x, sequence=1).maps
    assert list(maps) == [f"attention, part {part} of 4" for part in (1, 2, 3, 4)]
    for window, weights in enumerate(maps.values()):
        for head, each in enumerate(heads_of(x[1, window], 3)):
            close(weights[head], (each @ each.T).softmax(-1), atol=1e-6)
    with refuses("may be read in two ways: the inputs have a batch of 2, the module an unknown number of"):
        capture(HeadsFirst("windows", 3, tells=False), x)


@pytest.mark.parametrize("name", ["x", "input_values"])
def test_rows_unlike_any_map_are_a_batch(name: str) -> None:
    class Waves(nn.Module):
        def forward(self, **given: torch.Tensor) -> torch.Tensor:
            x = given[name].unflatten(-1, (2, 5, 4)).flatten(0, 1)  # (batch and head, n, d)
            return torch.bmm((x @ x.mT).softmax(-1), x)

    given: dict[str, Any] = {name: torch.randn(3, 40)}
    (weights,) = capture(Waves(), **given, sequence=2, heads_first=False).maps.values()
    x = given[name][2].reshape(2, 5, 4)
    close(weights, (x @ x.mT).softmax(-1), atol=1e-6)


@pytest.mark.parametrize("heads_first", [True, False])
@pytest.mark.parametrize("sequence", [0, 1])
def test_one_axis_of_batch_and_heads_needs_heads_first(
    heads_first: bool, sequence: int, refuses: Refuses
) -> None:
    """Against a loop over heads: three heads of two sequences, in both orders."""

    class OneAxis(nn.Module):
        num_heads = 3

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            split = x.unflatten(-1, (3, -1))  # (batch, n, head, d)
            split = split.permute(2, 0, 1, 3) if heads_first else split.transpose(1, 2)
            x = split.flatten(0, 1)
            return torch.bmm((x @ x.mT).softmax(-1), x)

    x = torch.randn(2, 4, 12)
    with refuses("one axis of 6 for 2 sequences and 3 heads: say with heads_first"):
        capture(OneAxis(), x)
    (weights,) = capture(OneAxis(), x, sequence=sequence, heads_first=heads_first).maps.values()
    for head, each in enumerate(heads_of(x[sequence], 3)):
        close(weights[head], (each @ each.T).softmax(-1), atol=1e-6)
    (alone,) = capture(OneAxis(), x[sequence : sequence + 1]).maps.values()
    np.testing.assert_allclose(alone, weights, atol=1e-6)


def test_exported_model_is_refused(refuses: Refuses) -> None:
    layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True).eval()
    exported = torch.export.export(layer, (torch.randn(1, 4, 8),)).module()
    with refuses("torch.export"):
        capture(exported, torch.randn(1, 4, 8))


def test_images_beside_sentences_keep_their_heads(refuses: Refuses) -> None:
    """Two sentences and three images, batch and heads in one axis of 12: 4 heads of 3, not 6 of 2."""

    class Towers(nn.Module):
        def __init__(self, n_head: int | None) -> None:
            super().__init__()
            self.num_heads = n_head

        def forward(self, input_ids: torch.Tensor, pixel_values: torch.Tensor) -> torch.Tensor:
            x = pixel_values.unflatten(-1, (4, -1)).transpose(1, 2).flatten(0, 1)
            return torch.bmm((x @ x.mT).softmax(-1), x)

    images = torch.randn(3, 5, 8)
    given: dict[str, Any] = {"input_ids": torch.ones(2, 7).long(), "pixel_values": images}
    (weights,) = capture(Towers(4), **given, sequence=1, heads_first=False).maps.values()
    for head, each in enumerate(heads_of(images[1], 4)):
        close(weights[head], (each @ each.T).softmax(-1), atol=1e-6)
    with refuses("has an axis of 12 for batch and heads, which may be read in two ways"):
        capture(Towers(None), **given, heads_first=False)


class Table(nn.Module):
    """A choice among experts: a softmax times a table that is learned."""

    def __init__(self) -> None:
        super().__init__()
        self.route, self.table = nn.Linear(12, 4), nn.Parameter(torch.randn(4, 12))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        routed: torch.Tensor = x + self.route(x).softmax(-1) @ self.table
        return routed


class SoftmaxByHand(nn.Module):
    """A softmax that torch has no name for."""

    def __init__(self, way: str) -> None:
        super().__init__()
        self.way = way

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        scores = x @ x.mT
        powers = torch.exp(scores - scores.amax(-1, keepdim=True))
        masked = powers.masked_fill(torch.zeros(scores.shape[-2:]).bool(), 0.0)
        ways: dict[str, Callable[[], torch.Tensor]] = {
            "logarithm": lambda: F.log_softmax(scores, dim=-1).exp() @ x,
            "logsumexp": lambda: torch.exp(scores - scores.logsumexp(-1, keepdim=True)) @ x,
            "by hand": lambda: (powers / powers.sum(dim=-1, keepdim=True)) @ x,
            "sums without an axis": lambda: (powers / (powers.sum(-1)[..., None] + 1e-30)) @ x,
            "masked": lambda: (masked / masked.sum(-1, keepdim=True)) @ x,
            "inverse": lambda: (powers * (1 / powers.sum(-1).unsqueeze(-1))) @ x,
            "normalised": lambda: F.normalize(powers, p=1.0, dim=-1) @ x,
            "softmin": lambda: F.softmin(-scores, dim=-1) @ x,
            "two axes": lambda: (powers / powers.sum(dim=(-2, -1), keepdim=True)) @ x,
            "two axes in one": lambda: (
                scores[:, None].flatten(-2).softmax(-1).unflatten(-1, scores.shape[-2:]) @ x[:, None]
            ),
            "late": lambda: (powers @ x) / powers.sum(-1, keepdim=True),
            "another's sum": lambda: (powers / masked.sum(-1, keepdim=True)) @ x,
        }
        return ways[self.way]()


class Chunks(nn.Module):
    """Queries some at a time, joined or written into the whole; or sequences one at a time."""

    def __init__(self, way: str, *, by_torch: bool) -> None:
        super().__init__()
        self.way, self.by_torch = way, by_torch

    def attend(self, query: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        by_torch = F.scaled_dot_product_attention
        return by_torch(query, x, x) if self.by_torch else (query @ x.mT).softmax(-1) @ x

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if self.way == "a sequence each":
            return torch.stack([self.attend(each[None], each[None]) for each in x])
        if self.way == "keys averaged":
            mixed = torch.zeros_like(x)
            for some in x.split(2, dim=-2):
                mixed = mixed + self.attend(x, some) / 2
            return mixed
        if self.way == "keys weighed":
            one, other = (self.attend(x, some) for some in x.split(2, dim=-2))
            return one / 3 + other * 2 / 3
        made = [self.attend(some, x) for some in x.split(2, dim=-2)]
        if self.way == "joined":
            return torch.cat(made, dim=-2)
        whole = torch.empty_like(x)
        whole[..., :2, :] = made[0]
        whole[..., 2:, :] = made[1]
        return whole


def test_outputs_written_whole_are_captured() -> None:
    class Writes(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            whole = torch.zeros_like(x)
            whole[0] = 1
            whole[:] = (x @ x.mT).softmax(-1) @ x
            return torch.cat([whole, x], dim=1)

    x = torch.randn(2, 3, 4, 5)
    close(capture(Writes(), x).maps["attention"], torch.softmax(x[0] @ x[0].mT, -1), atol=1e-6)


def test_choice_among_experts_is_no_attention() -> None:
    manifest = capture(nn.Sequential(Block(), Table()), torch.randn(2, 5, 12)).manifest
    assert manifest is not None
    assert manifest.summary == "all of 1 attention kept"


@pytest.mark.parametrize(
    "way",
    [
        "logarithm",
        "by hand",
        "logsumexp",
        "sums without an axis",
        "masked",
        "inverse",
        "normalised",
        "softmin",
    ],
)
def test_softmax_by_another_name_is_captured(way: str) -> None:
    x = torch.randn(2, 5, 12)
    maps = capture(nn.Sequential(SoftmaxByHand(way), Block()), x, sequence=1).maps
    assert list(maps) == ["0", "1"]
    close(maps["0"][0], (x[1] @ x[1].T).softmax(-1), atol=1e-6)


@pytest.mark.parametrize(
    ("way", "reason"),
    [
        ("two axes", r"over axes \(1, 2\) at once of 3, not over the last one"),
        ("two axes in one", r"softmax of shape \(2, 1, 25\) over several axes at once"),
        ("late", "divides by the sum of exp after the product with values"),
    ],
)
def test_softmax_over_other_axes_is_missed(way: str, reason: str, refuses: Refuses) -> None:
    with refuses(reason):
        capture(SoftmaxByHand(way), torch.randn(2, 5, 12))


def test_powers_over_another_sum_are_no_softmax(refuses: Refuses) -> None:
    with refuses("which ran none that can be seen"):
        capture(SoftmaxByHand("another's sum"), torch.randn(2, 5, 12))


def test_sum_of_two_attentions_has_two_maps() -> None:
    class Added(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            a, b = x.chunk(2, dim=-1)
            return (a @ a.mT).softmax(-1) @ a + F.scaled_dot_product_attention(b, b, b)

    assert len(capture(Added(), torch.randn(2, 5, 12)).maps) == 2


@pytest.mark.parametrize(
    ("way", "by_torch"),
    [
        ("joined", False),
        ("written", False),
        ("a sequence each", False),
        ("joined", True),
        ("written", True),
        ("keys averaged", False),
        ("keys averaged", True),
        ("keys weighed", False),
        ("keys weighed", True),
    ],
)
def test_weights_of_some_queries_are_missed(way: str, by_torch: bool, refuses: Refuses) -> None:
    with refuses("for a part of its places or sequences"):
        capture(Chunks(way, by_torch=by_torch), torch.randn(2, 4, 12))


class Scaled(nn.Module):
    def __init__(self, by: float) -> None:
        super().__init__()
        self.by = by

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * self.by


class OneHead(nn.Module):
    """Attention as a first lesson writes it: one sequence (n, d), no batch and no heads."""

    def __init__(self) -> None:
        super().__init__()
        self.q, self.k, self.v = (nn.Linear(8, 8) for _ in "qkv")

    def weights(self, x: torch.Tensor) -> torch.Tensor:
        return F.softmax(self.q(x) @ self.k(x).T / 8**0.5, dim=-1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        mixed: torch.Tensor = self.weights(x) @ self.v(x)
        return mixed


def test_one_head_without_batch_is_captured_alone_and_beside_others() -> None:
    class Both(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.one, self.several = OneHead(), nn.MultiheadAttention(8, 2, batch_first=True)
            self.classes = nn.Linear(8, 5)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            made: torch.Tensor = self.several(self.one(x), x, x)[0]
            return torch.softmax(self.classes(made), dim=-1)  # probabilities, which are no weights

    x, head, both = torch.randn(5, 8), OneHead(), Both()
    np.testing.assert_array_equal(capture(head, x).maps["attention"][0], head.weights(x).detach())
    found = capture(both, x)
    assert {name: each.shape for name, each in found.maps.items()} == {"one": (1, 5, 5), "several": (2, 5, 5)}
    np.testing.assert_array_equal(found.maps["one"][0], both.one.weights(x).detach())
    assert found.manifest is not None
    assert found.manifest.is_complete


def test_row_of_weights_per_sequence_is_no_map(refuses: Refuses) -> None:
    slots = torch.randn(7, 8)

    class Memory(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return (x.mean(dim=1) @ slots.T).softmax(-1) @ slots

    with refuses("one row of weights for each of 3 sequences"):
        capture(Memory(), torch.randn(3, 5, 8))


def test_fully_masked_row_has_nothing_beyond() -> None:
    """Its weights are zero because all is masked, not because a sink took them."""

    class Blind(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            q = x.unflatten(-1, (2, 4)).transpose(1, 2)
            may = torch.ones(5, 5, dtype=torch.bool)
            may[3] = False
            return F.scaled_dot_product_attention(q, q, q, may)

    found = capture(Blind(), torch.randn(1, 5, 8))
    ((_, weights),) = found.maps.items()
    assert (weights[:, 3] == 0).all()
    assert np.allclose(np.delete(weights, 3, axis=1).sum(axis=-1), 1)
    assert found.beyond == {}


@pytest.mark.parametrize("sequence", [0, 2])
def test_rows_of_numbers_one_at_a_time_are_not_one_sequence(sequence: int, refuses: Refuses) -> None:
    """Each row is a sequence whose tokens are parts of its numbers; nothing but their count tells so."""

    class Rows(nn.Module):
        def forward(self, x: torch.Tensor) -> list[torch.Tensor]:
            made = [row.reshape(1, 2, 5, 4) for row in x]
            return [F.scaled_dot_product_attention(q, q, q) for q in made]

    with refuses("one sequence at a time, 3 times for 3: capture each alone"):
        capture(Rows(), torch.randn(3, 40), sequence=sequence)


@pytest.mark.parametrize("way", ["torch", "module", "by hand"])
def test_sequences_one_at_a_time_are_missed(way: str, refuses: Refuses) -> None:
    class Loop(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.attend = nn.MultiheadAttention(8, 2, batch_first=True)

        def one(self, x: torch.Tensor) -> torch.Tensor:
            if way == "module":
                given: torch.Tensor = self.attend(x, x, x)[0]
                return given
            q = x.unflatten(-1, (2, 4)).transpose(1, 2)
            return F.scaled_dot_product_attention(q, q, q) if way == "torch" else (q @ q.mT).softmax(-1) @ q

        def forward(self, x: torch.Tensor) -> list[torch.Tensor]:
            return [self.one(each) for each in x.split(1)]

    x = torch.randn(3, 5, 8)
    for sequence in (0, 2):
        with refuses("one sequence at a time, 3 times for 3: capture each alone"):
            capture(Loop(), x, sequence=sequence)
    assert len(capture(Loop(), x[1:2]).maps) == 1


@pytest.mark.parametrize("kind", ["by hand", "by powers", "module", "module, a mask a head", "encoder"])
def test_fully_masked_row_is_zero_in_every_form(kind: str) -> None:
    """As by ``F.scaled_dot_product_attention``; torch's softmax makes it NaN, which nothing can show."""
    pads = torch.tensor([[False] * 4, [True] * 4])
    x = torch.randn(2, 4, 8)

    class ByHand(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            scores = (x @ x.mT).masked_fill(pads[:, None], -torch.inf)
            if kind == "by hand":
                return (scores.softmax(-1) @ x).nan_to_num()
            powers = scores.exp()
            return ((powers / powers.sum(-1, keepdim=True)) @ x).nan_to_num()

    module = nn.MultiheadAttention(8, 2, batch_first=True)
    hides = torch.stack([pads[:1].expand(4, 4)] * 2 + [torch.eye(4).bool().logical_not()] * 2)
    hides[3, 1] = True  # the second sequence's second head: one row
    encoder = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
    calls: dict[str, tuple[nn.Module, tuple[torch.Tensor, ...], dict[str, Any]]] = {
        "by hand": (ByHand(), (x,), {}),
        "by powers": (ByHand(), (x,), {}),
        "module": (module, (x, x, x), {"key_padding_mask": pads}),
        "module, a mask a head": (module, (x, x, x), {"attn_mask": hides}),
        "encoder": (encoder, (x,), {"src_key_padding_mask": pads}),
    }
    model, args, inputs = calls[kind]
    (map_of_one,) = capture(model, *args, sequence=1, **inputs).maps.values()
    whole = 1 if kind == "module, a mask a head" else 4
    sums = map_of_one[-1].sum(-1)
    assert (sums == 0).sum() == whole
    np.testing.assert_allclose(sums[sums != 0], 1, rtol=1e-6)
    assert np.isfinite(map_of_one).all()


def test_numbers_that_are_none_are_missed(refuses: Refuses) -> None:
    x = torch.randn(2, 4, 12)
    with refuses("the model makes weights that are NaN, in rows that are not masked whole"):
        capture(Block(), x * torch.nan)
    with pytest.warns(UserWarning, match="1 of 2 attentions kept; missed: 2 "):
        capture(nn.Sequential(Block(), Scaled(torch.inf), Block()), x)
    with refuses("runs on the meta device, where there are no numbers"):
        capture(nn.MultiheadAttention(8, 2, device="meta"), *[torch.randn(3, 1, 8, device="meta")] * 3)


def test_einsum_over_a_piece_is_followed(refuses: Refuses) -> None:
    """Local blocks beside global keys, as PegasusX has them: one einsum is over blocks and places."""

    class Local(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            blocks, wide = x.unflatten(1, (2, 2)), x[:, :1]
            scores = torch.cat([torch.einsum("bnqd,bgd->bnqg", blocks, wide), blocks @ blocks.mT], -1)
            weights = scores.softmax(-1)
            near = torch.einsum("bnqk,bnkd->bnqd", weights[..., 1:], blocks)
            return near + torch.einsum("bnqg,bgd->bnqd", weights[..., :1], wide)

    with refuses("in pieces, such as blocks or a local band"):
        capture(Local(), torch.randn(2, 4, 12))


def test_encoder_with_sequence_first_takes_ids() -> None:
    """Ids of (n, batch), as its layers have places first; and of (batch, n), turned by the model."""

    class Reader(nn.Module):
        def __init__(self, *, turns: bool) -> None:
            super().__init__()
            self.embed, self.turns = nn.Embedding(9, 8), turns
            layer = nn.TransformerEncoderLayer(8, 2, 16)
            self.encoder = nn.TransformerEncoder(layer, 1, enable_nested_tensor=False)

        def forward(self, ids: torch.Tensor) -> torch.Tensor:
            out: torch.Tensor = self.encoder(self.embed(ids.T if self.turns else ids))
            return out

    ids = torch.randint(0, 9, (5, 3))
    for turns in (False, True):
        model = Reader(turns=turns).eval()
        x = model.embed(ids)
        _, expected = model.encoder.layers[0].self_attn(x, x, x, average_attn_weights=False)
        (weights,) = capture(model, ids.T if turns else ids, sequence=2).maps.values()
        close(weights, expected[2].detach(), atol=1e-6)


def test_weights_overwritten_later_are_kept() -> None:
    class Tidy(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            weights = (x @ x.mT).softmax(-1)
            out = weights @ x
            weights.zero_()
            return out

    x = torch.randn(2, 3, 4, 5)
    close(capture(Tidy(), x).maps["attention"], torch.softmax(x[0] @ x[0].mT, -1), atol=1e-6)


@pytest.mark.parametrize("name", ["AttentionOutput", "AttnAdapterLayer", "SelfAttentionConvProjection"])
def test_modules_beside_attention_are_no_attention(name: str) -> None:
    beside = type(name, (nn.Linear,), {})
    manifest = capture(nn.Sequential(Block(), beside(12, 12)), torch.randn(2, 5, 12)).manifest
    assert manifest is not None
    assert manifest.summary == "all of 1 attention kept"


def test_manifest_lists_missed_modules() -> None:
    class Far(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            weights = (x @ x.mT).softmax(-1)
            return (weights[..., None] * x[:, None]).sum(-2)

    class LinearAttention(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return x @ (x.mT @ x)

    with pytest.warns((DeprecationWarning, FutureWarning), match="torch.jit.script"):
        scripted = torch.jit.script(nn.Linear(12, 12))
    model = nn.Sequential(Block(), Far(), LinearAttention(), scripted)
    with pytest.warns(UserWarning, match="Captured in part: 1 of 4 attentions kept; missed: 1 .Far., which"):
        maps = capture(model, torch.randn(2, 5, 12))
    assert maps.manifest is not None
    assert [each.module for each in maps.manifest.entries] == ["0", "1", "2", "3"]
    reasons = [each.reason for each in maps.manifest.without_maps]
    assert "no plain product with values follows" in reasons[0]
    assert "without a product of queries and keys" in reasons[1]
    assert "TorchScript" in reasons[2]
    assert str(maps.manifest).count("\n") == 4


def test_compiled_model_is_captured_eagerly() -> None:
    model, x = Block().eval(), torch.randn(1, 4, 12)
    compiled: Any = torch.compile(model, backend="eager")
    maps = capture(compiled, x)
    np.testing.assert_array_equal(maps.maps["attention"], capture(model, x).maps["attention"])


SOURCE, TARGET = tuple("abcd"), tuple("wxyz")


def test_encoder_decoder_tokens_name_their_axes(tmp_path: Path, refuses: Refuses) -> None:
    """Of equal length: no length tells whose a place is."""
    model, places = nn.Transformer(8, 2, 1, 1, 16, batch_first=True), torch.randn(1, 4, 8)
    maps = capture(model, places, places, tokens=SOURCE, decoder_tokens=TARGET)
    path = maps.save(tmp_path / "maps.npz")
    for each in (maps, read_attention(path.name, path.read_bytes())):
        kinds = {each.kinds[name]: each.tokens_of(name) for name in each.maps}
        wanted = {"encoder": (SOURCE, SOURCE), "decoder": (TARGET, TARGET), "cross": (TARGET, SOURCE)}
        assert {kind: tuple(both) for kind, both in kinds.items()} == wanted
        for kind, (rows, columns) in wanted.items():
            (name,) = each.by_kind[kind].maps
            assert tuple(each.by_kind[kind].tokens_of(name)) == (rows, columns)
    cross = replace(maps, special=(0,)).by_kind["cross"].without_special()
    assert [weights.shape for weights in cross.maps.values()] == [(2, 4, 3)]
    unnamed = capture(model, places, places, tokens=SOURCE)
    assert [unnamed.names(name)[0] for name in unnamed.maps] == [list(SOURCE), *[list("0123")] * 2]
    with refuses("decoder_tokens must be as many as the maps have places, 4; got 3"):
        capture(model, places, places, decoder_tokens=TARGET[:3])


@pytest.mark.parametrize(
    ("decoder", "kinds"),
    [
        (["decoder.0.self_attn", "decoder.0.encoder_attn"], ["encoder", "decoder", "cross"]),
        (["decoder.0.SelfAttention", "decoder.0.EncDecAttention"], ["encoder", "decoder", "cross"]),
        (["h.0.attn", "h.0.crossattention"], ["encoder", "decoder", "cross"]),
        (["decoder.b0.attention1", "decoder.b0.attention2"], ["encoder", "other", "other"]),
        (["decoder.0.attention", "decoder.0.attention (2)"], ["encoder", "decoder", "decoder"]),
        (["layers.0.self_attn", "layers.1.self_attn"], []),
    ],
)
def test_kinds_by_name_or_other(decoder: list[str], kinds: list[str]) -> None:
    assert list(kinds_of(["encoder.0.self_attn", *decoder]).values()) == kinds


def test_capture_refuses_tokens_that_do_not_fit(refuses: Refuses) -> None:
    class Across(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.attend = nn.MultiheadAttention(8, 2, batch_first=True)

        def forward(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
            out: torch.Tensor = self.attend(x, y, y)[0]
            return out

    model, x, y = Across(), torch.randn(1, 3, 8), torch.randn(1, 5, 8)
    with refuses("as many as the maps have places, 3 or 5; got 4"):
        capture(model, x, y, tokens=["a", "b", "c", "d"])
    assert capture(model, x, y, tokens=["a", "b", "c"]).tokens == ("a", "b", "c")


def test_other_threads_are_left_alone() -> None:
    """A model that runs elsewhere meanwhile is not seen, and takes torch's fused layers as before."""
    layer = nn.TransformerEncoderLayer(12, 2, 16, batch_first=True)
    other = nn.TransformerEncoder(layer, 1).eval()
    x = torch.randn(2, 6, 12)
    with torch.no_grad():
        expected = other(x)
    got: list[torch.Tensor] = []

    class Calls(Block):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            def elsewhere() -> None:
                with torch.no_grad():
                    got.append(other(x))

            thread = Thread(target=elsewhere)
            thread.start()
            thread.join()
            return super().forward(x)

    assert list(capture(Calls(), x).maps) == ["attention"]
    assert torch.equal(got[0], expected)


def test_half_precision_is_widened() -> None:
    module = nn.MultiheadAttention(8, 2, batch_first=True).to(torch.bfloat16)
    x = torch.randn(1, 3, 8).to(torch.bfloat16)
    assert capture(module, x, x, x).maps["attention"].dtype == np.float32


def test_capture_refuses_unreadable_models(refuses: Refuses) -> None:
    with refuses("an attention of torch .* got Linear, which ran none that can be seen"):
        capture(nn.Linear(2, 2), torch.ones(1, 2))
    function: Any = torch.relu
    with refuses("a torch.nn.Module; got builtin_function_or_method"):
        capture(function, torch.ones(1, 2))
    module = nn.MultiheadAttention(8, 2, batch_first=True)
    x = torch.randn(2, 3, 8)
    before = state(module)
    with refuses("from 0 to 1; got 2"):
        capture(module, x, x, x, sequence=2)
    with pytest.raises((AssertionError, RuntimeError)):
        capture(module, x[..., :5], x, x)
    assert state(module) == before  # also after a fault
