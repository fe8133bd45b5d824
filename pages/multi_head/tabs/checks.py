"""The tabs "Checks" and "Break it": the numbers on screen against torch, and the mistakes that go around."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import streamlit as st
import torch
from torch import Tensor
from torch.nn import functional as F

from attn_core import MULTI_HEAD_MISTAKES, Attention, MultiHead, merge_heads
from attn_figures.matrix import Matrix
from attn_figures.multi_head import Heads, right_and_broken
from attn_ui import controls
from attn_ui.frame import what_you_see
from attn_ui.live_figure import live_figure
from pages.multi_head.maps import Now
from pages.multi_head.numbers import array, mask, mask_array, names_of_heads
from pages.multi_head.settings import FAULT

TOLERANCE = 1e-10


@dataclass(frozen=True)
class Check:
    """One statement about the numbers on screen, and how far they are from it."""

    what: str
    error: float

    @property
    def holds(self) -> bool:
        """Whether the numbers agree to the last digits of float64."""
        return self.error <= TOLERANCE


def checks(now: Now) -> list[Check]:
    """Compute every check on the numbers on screen."""
    result = now.result
    attends = result.weights.sum(dim=-1) > 0
    found = [_against_torch(now), _against_fused(now)]
    found.append(
        Check("each row of each map sums to one", _largest((result.weights.sum(dim=-1) - 1)[attends]))
    )
    if result.mask is not None:
        found.append(Check("a masked key has weight zero", _largest(result.weights[~result.mask])))
        if not bool(attends.all()):
            found.append(
                Check("a query that may attend to nothing has output zero", _largest(result.heads[~attends]))
            )
    total = result.contributions.sum(dim=0)
    if result.output_bias is not None:
        total = total + result.output_bias
    found.append(
        Check("the contributions of the heads add up to the output", _largest(total - result.output))
    )
    found.append(
        Check(
            "joining the heads undoes splitting them",
            _largest(merge_heads(result.heads) - result.concatenated),
        )
    )
    return found


def _against_torch(now: Now) -> Check:
    """Against `nn.MultiheadAttention` with the same weights, or written out where torch has no such "
    "module."""
    module, result, n = now.module, now.result, now.tokens
    attends = (result.weights.sum(dim=-1) > 0).all(dim=0)  # torch gives NaN to a row without a key
    if module.W_o is not None and now.n_head * module.d_head == module.d_model:
        given = mask(now.setting)
        theirs = module.to_torch().eval().requires_grad_(False)
        output, weights = theirs(
            n.query, n.key, n.key, attn_mask=None if given is None else ~given, average_attn_weights=False
        )
        error = max(
            _largest((weights - result.weights)[:, attends]), _largest((output - result.output)[attends])
        )
        return Check(
            "weights and output are those of `torch.nn.MultiheadAttention` with the same weights", error
        )
    output = torch.zeros_like(result.output)
    for head in range(now.n_head):
        own = slice(head * module.d_head, (head + 1) * module.d_head)
        q, k, v = (
            F.linear(x, linear.weight[own], None if linear.bias is None else linear.bias[own])
            for linear, x in ((module.W_q, n.query), (module.W_k, n.key), (module.W_v, n.key))
        )
        attended = F.scaled_dot_product_attention(q, k, v, mask(now.setting))
        if module.W_o is None:
            output[:, own] = attended
        else:
            output += attended @ module.W_o.weight[:, own].T
    if module.W_o is not None and module.W_o.bias is not None:
        output += module.W_o.bias
    what = "the output is that of each head alone, by `torch.nn.functional.scaled_dot_product_attention`"
    return Check(what, _largest((output - result.output)[attends]))


def _against_fused(now: Now) -> Check:
    fused = now.module.fast(now.tokens.query, now.tokens.key, now.tokens.key, mask(now.setting))
    return Check(
        "torch's fused attention, which keeps no map, gives this output", _largest(fused - now.result.output)
    )


def _largest(difference: Tensor) -> float:
    return float(difference.abs().max()) if difference.numel() else 0.0


def show(now: Now) -> None:
    """Show the checks with their largest differences."""
    st.markdown("Computed just now, on the numbers on screen; each line gives the largest difference.")
    lines = ["| | Check | Largest difference |", "|:--|:--|--:|"]
    for check in checks(now):
        mark = ":material/check:" if check.holds else ":material/close: fails"
        lines.append(f"| {mark} | {check.what} | {check.error:.1e} |")
    st.markdown("\n".join(lines))
    if now.module.W_o is None or now.n_head * now.module.d_head != now.module.d_model:
        st.caption(
            "`torch.nn.MultiheadAttention` always has an output projection and d_head = d_model / n_head, "
            "so it cannot hold these weights; each head is computed alone instead."
        )


def break_it(now: Now) -> None:
    """Show a mistake beside what is right, and which check finds it."""
    mistake = MULTI_HEAD_MISTAKES[FAULTS[controls.segment(FAULT, "Mistake")]]
    st.markdown(f"{mistake.what} {mistake.why}")
    if mistake.name == "split-without-transpose" and len(now.tokens.queries) != len(now.tokens.keys):
        st.markdown(
            ":material/edit: With queries and keys of different number this mistake does not run at all: "
            f"torch cannot multiply {len(now.tokens.queries)} positions with {len(now.tokens.keys)}. Take "
            "one sentence to see it run and be wrong."
        )
        return
    if mistake.needs == "heads" and now.n_head == 1:
        st.markdown(":material/edit: With one head this makes no difference. Move the slider to two or more.")
        return
    broken = mistake.attend(now.module, now.tokens.query, now.tokens.key, now.tokens.key, mask(now.setting))
    left, right, differs = PICTURES[mistake.name](now, broken)
    live_figure(
        [right_and_broken.spec(left, right, difference=differs)],
        key="broken",
        alt="The right numbers, the broken ones, and the difference",
        name=mistake.name,
    )
    what_you_see(_verdict(now, mistake.name, mistake.breaks, broken))


FAULTS = dict(
    zip(
        FAULT.options,
        ("split-without-transpose", "merge-without-transpose", "scale-by-d-model", "shared-projections"),
        strict=True,
    )
)
Drawn = tuple[Matrix, Matrix, bool]


def _between_heads(now: Now, broken: Attention) -> Drawn:
    """The map of one head, and beside it the map between heads at one position."""
    head, position = now.look.head, now.look.cell[0]
    names = names_of_heads(now.n_head)
    wrong = Matrix(
        "broken",
        array(broken.weights[position]),
        "broken: at one position",
        rows=names,
        columns=names,
        row_title="Head",
        column_title="Head",
        row_role="ink",
        column_role="ink",
        place="%{y} attends to %{x}",
        names_rows=True,
    )
    return _map(now, now.result, "right", f"right: head {head + 1}", head), wrong, False


def _maps(now: Now, broken: MultiHead) -> Drawn:
    head = now.look.head
    return (
        _map(now, now.result, "right", f"right: head {head + 1}", head),
        _map(now, broken, "broken", f"broken: head {head + 1}", head),
        True,
    )


def _second_head(now: Now, broken: MultiHead) -> Drawn:
    # Head 1 keeps its own projections, so another one shows the mistake.
    head = now.look.head or 1
    return (
        _map(now, now.result, "right", f"right: head {head + 1}", head),
        _map(now, broken, "broken", f"broken: head {head + 1} (as head 1)", head),
        True,
    )


def _joined(now: Now, broken: MultiHead) -> Drawn:
    """The heads side by side: (n_query, n_head * d_head)."""
    d_head = now.module.d_head
    shown = min(now.result.concatenated.shape[-1], 64)
    columns = [f"{c // d_head + 1}.{c % d_head + 1}" for c in range(shown)]
    limit = _largest(now.result.concatenated) or 1.0
    left, right = (
        Matrix(
            name,
            array(result.concatenated[:, :shown]),
            f"{name}: heads side by side",
            rows=now.tokens.queries,
            columns=columns,
            column_title="Head.dimension",
            column_role="output",
            scale="scores",
            limit=limit,
            quantity="value",
            cells="joined",
        )
        for name, result in (("right", now.result), ("broken", broken))
    )
    return left, right, True


def _map(now: Now, result: MultiHead, name: str, title: str, head: int) -> Matrix:
    n = now.tokens
    heads = Heads(array(result.weights), array(result.output), n.queries, n.keys, mask_array(now.setting))
    return heads.matrix(name, heads.weights[head], title)


PICTURES: dict[str, Callable[..., Drawn]] = {
    "split-without-transpose": _between_heads,
    "merge-without-transpose": _joined,
    "scale-by-d-model": _maps,
    "shared-projections": _second_head,
}


def _verdict(now: Now, name: str, breaks: str, broken: Attention | MultiHead) -> str:
    """Say which check fails, and by how much."""
    right = now.result
    if name == "split-without-transpose":
        shape, wanted = tuple(broken.weights.shape), tuple(right.weights.shape)
        joined = broken.output.reshape(right.concatenated.shape)
        return (
            f"Fails: *{breaks}*. The map has shape {shape} where {wanted} is wanted, {now.n_head} × "
            f"{now.n_head} at each of {shape[0]} positions: no token sees another. Rows still sum to one, "
            "so that check is blind to it; the joined heads are off by up to "
            f"{_largest(joined - right.concatenated):.3g}."
        )
    assert isinstance(broken, MultiHead)
    off = _largest(right.output - broken.output)
    if name != "shared-projections" and off <= TOLERANCE:
        return f"Nothing fails here: {_why_harmless(now, name)}. The mistake is there all the same."
    if name == "merge-without-transpose":
        return (
            f"Fails: *{breaks}*. They miss it by up to {off:.3g}. Maps and shapes are all right; only the "
            "numbers stand in wrong places."
        )
    if name == "scale-by-d-model":
        ratio = math.sqrt(now.module.d_head / now.module.d_model)
        too, so = ("small", "flat") if ratio < 1 else ("large", "sharp")
        return (
            f"Fails: *{breaks}*. It is off by up to {off:.3g}, weights by up to "
            f"{_largest(right.weights - broken.weights):.3g}: scores are {ratio:.3g} times what they should "
            f"be, too {too}, so the softmax is too {so}."
        )
    apart = _largest(broken.weights - broken.weights[:1])
    return (
        f"Fails: *{breaks}*. The largest difference between any two maps is {apart:.1g}: {now.n_head} "
        "heads, one view. The output is still a proper output, so no other check sees it."
    )


def _why_harmless(now: Now, name: str) -> str:
    if name == "merge-without-transpose" and len(now.tokens.queries) == 1:
        return "with a single query the heads' rows stand in the right order by chance"
    if name == "scale-by-d-model" and now.module.d_head == now.module.d_model:
        return f"heads as wide as the model, {now.module.d_model}, make both roots the same"
    return "no query may attend to more than one key, so every weight is 0 or 1 either way"
