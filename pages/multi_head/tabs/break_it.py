"""The tab "Break it": the mistakes that go around, beside what is right."""

import math
from collections.abc import Callable
from dataclasses import replace
from html import escape

import streamlit as st
import torch

from attn_core import MULTI_HEAD_MISTAKES, Attention, MultiHead
from attn_core.checks import agree
from attn_core.head_mistakes import HEADS_ADD_UP, HEADS_DIFFER, MAP_OF_POSITIONS, origins
from attn_core.mistakes import SAME_AS_TORCH
from attn_figures.heads_add_up import between_heads
from attn_figures.matrix import Matrix
from attn_figures.multi_head import right_and_broken
from attn_figures.numbers import counted
from attn_ui.base.markdown import listed
from attn_ui.screen import controls
from attn_ui.screen.frame import what_you_see
from attn_ui.screen.live_figure import live_figure
from attn_ui.screen.state import value
from pages.multi_head.asks import names_of_heads
from pages.multi_head.compute import Now, array, divisors, heads
from pages.multi_head.settings import KV_HEADS, MISTAKE, MISTAKES
from pages.multi_head.tabs.checks import largest


def show(now: Now) -> None:
    """Show a mistake beside what is right, and which check finds it."""
    mistake = MULTI_HEAD_MISTAKES[MISTAKES[controls.segment(MISTAKE, "Mistake")]]
    st.markdown(f"{mistake.what} {mistake.why}")
    n_query, n_key = now.tokens.shape
    if mistake.needs == "shared heads":
        now = now.sharing(_some_sharing(now))
        st.caption(f"Here {now.n_head} heads share {counted(now.module.num_kv_heads, 'head')} of keys.")
    if mistake.needs in ("cache", "rotation"):
        now = replace(now, setting=replace(now.setting, mask="causal"))
        st.caption("Written token by token, so the mask is causal here, whatever the sidebar says.")
    try:
        broken = mistake.attend(now.module, now.tokens.query, now.tokens.key, now.tokens.key, now.mask)
    except ValueError:
        why = (
            "a fused W_qkv reads one sequence, and here are two. Take one sentence to see it"
            if mistake.needs == "one sequence"
            else "a cache is of one sequence, and here are two. Take one sentence to see it"
            if mistake.needs in ("cache", "rotation")
            else f"torch refuses to multiply {n_query} positions with {n_key}. Take one sentence, or a "
            "single query, to see it run and be wrong"
        )
        st.markdown(f":material/edit: Here this mistake does not run: {why}.")
        return
    left, right, differs = PICTURES[mistake.name](now, broken)
    live_figure(
        [right_and_broken.spec(left, right, difference=differs)],
        key="broken",
        alt="The right numbers, the broken ones, and the difference",
        name=mistake.name,
    )
    what_you_see(verdict(now, mistake.name, broken))


Drawn = tuple[Matrix, Matrix, bool]
SAME_MAPS = "the maps are those of torch"
ROUNDING = 1e-9  # of a weight, and of a score beside the largest


def _between_heads(now: Now, broken: Attention) -> Drawn:
    """The map of one head, and beside it the map between heads at one position."""
    head, (query, key) = now.look.head, now.cell
    names = names_of_heads(now.n_head)
    # A single query is broadcast against all keys: there is one map a key then.
    position, of = (query, now.tokens.queries) if len(now.tokens.queries) > 1 else (key, now.tokens.keys)
    title = f"broken: at {escape(of[position])}"
    wrong = between_heads("broken", array(broken.weights[position]), title, names, "%{y} attends to %{x}")
    right = _map(now, now.result, "right", f"right: head {head + 1}", head)
    return right, replace(wrong, names_rows=True), False


def _maps(now: Now, broken: MultiHead) -> Drawn:
    return _of_head(now, broken, now.look.head)


def _second_head(now: Now, broken: MultiHead) -> Drawn:
    return _of_head(now, broken, _not_the_first(now), " (as head 1)")


def _regrouped(now: Now, broken: MultiHead) -> Drawn:
    return _of_head(now, broken, _not_the_first(now))


def _not_the_first(now: Now) -> int:
    """The head looked at, but for head 1, which these mistakes leave as it is."""
    return min(now.look.head or 1, now.n_head - 1)


def _of_head(now: Now, broken: MultiHead, head: int, note: str = "") -> Drawn:
    return (
        _map(now, now.result, "right", f"right: head {head + 1}", head),
        _map(now, broken, "broken", f"broken: head {head + 1}{note}", head),
        True,
    )


def _joined(now: Now, broken: MultiHead) -> Drawn:
    """The heads side by side: (n_query, n_head * d_head)."""
    d_head = now.module.d_head
    shown = min(now.result.concatenated.shape[-1], 64)
    columns = [f"{c // d_head + 1}.{c % d_head + 1}" for c in range(shown)]
    limit = largest(now.result.concatenated) or 1.0
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
    drawn = heads(now).matrix(name, array(result.weights[head]), title, of=[head])
    own = None if result.mask is None else result.mask.expand_as(result.weights)[head].numpy()
    return drawn if result is now.result else replace(drawn, mask=own).against(drawn.mask)


PICTURES: dict[str, Callable[..., Drawn]] = {
    "split-without-transpose": _between_heads,
    "merge-without-transpose": _joined,
    "scale-by-d-model": _maps,
    "shared-projections": _second_head,
    "tiled-key-heads": _regrouped,
    "unpacked-in-another-order": _maps,
    "cached-after-attending": _maps,
    "place-forgotten": _maps,
}


def verdict(now: Now, name: str, broken: Attention | MultiHead) -> str:
    """Say which check fails and by how much, or that nothing does and why; each number is computed here."""
    if not isinstance(broken, MultiHead):
        return _verdict_on_split(now, broken)
    right = now.result
    if agree(right.output, broken.output) and agree(right.weights, broken.weights):
        return f"Nothing fails here: {_why_harmless(now, name)}. The mistake is there all the same."
    return VERDICTS[name](now, broken)


def _verdict_on_merge(now: Now, broken: MultiHead) -> str:
    off = largest(now.result.output - broken.output)
    they = "They miss" if now.result.output_bias is None else "With the bias b_o they miss"
    return (
        f"Fails: *{HEADS_ADD_UP}*. {they} it by up to {off:.3g}. Maps and shapes are all right; only the "
        "numbers stand in wrong places."
    )


def _off(now: Now, broken: MultiHead) -> str:
    """Say by how much output and weights are off torch's, or that only weights are."""
    right = now.result
    maps = largest(right.weights - broken.weights)
    if agree(right.output, broken.output):
        return (
            f"Fails: *{SAME_MAPS}*. Weights are off by up to {maps:.3g}; the output cannot tell, for where "
            "they differ the values are the same."
        )
    off = largest(right.output - broken.output)
    return f"Fails: *{SAME_AS_TORCH}*. It is off by up to {off:.3g}, weights by up to {maps:.3g}."


def _verdict_on_scale(now: Now, broken: MultiHead) -> str:
    ratio = math.sqrt(now.module.d_head / now.module.d_model)
    too, so = ("small", "flat") if ratio < 1 else ("large", "sharp")
    end = f", so the softmax is too {so}" if now.scheme.adds != "bias" else " beside the biases of places"
    return f"{_off(now, broken)} Scores are {ratio:.3g} times what they should be, too {too}{end}."


def _verdict_on_sharing(now: Now, broken: MultiHead) -> str:
    right = now.result
    off = largest(right.output - broken.output)
    if agree(right.weights, broken.weights):
        return (
            f"Fails: *{SAME_AS_TORCH}*. It is off by up to {off:.3g}, for all heads read one value. The "
            f"maps cannot tell: {_why_same_maps(now)}."
        )
    apart = largest(broken.weights - broken.weights[:1])
    if apart > 1e-9:
        return (
            f"Fails: *{SAME_AS_TORCH}*. It is off by up to {off:.3g}. All heads have the same query, key and "
            f"value of a token; maps still differ, by up to {apart:.2g}, for each head has a bias or a mask "
            "of its own."
        )
    return (
        f"Fails: *{HEADS_DIFFER}*. The largest difference between any two maps is {apart:.1g}: {now.n_head} "
        "heads, one view. The output is still a proper output, so only a comparison with the right one, "
        f"which is off by up to {off:.3g}, sees it too."
    )


def _verdict_on_order(now: Now, broken: MultiHead) -> str:
    off = largest(now.result.output - broken.output)
    parts = ("query", "key", "value")
    holds = []
    for part, made in zip(parts, origins(now.n_head, now.module.d_head), strict=True):
        counts = [(int((made == other).sum()), name) for other, name in enumerate(parts)]
        mixed = listed([f"{count} of the {name}" for count, name in counts if count])
        holds.append(f"what is read as the {part} holds {mixed}")
    return (
        f"Fails: *{SAME_AS_TORCH}*. It is off by up to {off:.3g}, and all shapes are right. Of the "
        f"{now.n_head * now.module.d_head} numbers a token in each part, {'; '.join(holds)}."
    )


def _verdict_on_groups(now: Now, broken: MultiHead) -> str:
    right = now.result
    off = largest(right.output - broken.output)
    moved = [
        str(head + 1) for head in range(now.n_head) if not agree(right.weights[head], broken.weights[head])
    ]
    if not moved:
        return f"Fails: *{SAME_AS_TORCH}*, by up to {off:.3g}. The maps cannot tell: {_why_same_maps(now)}."
    who = f"Head {moved[0]} reads" if len(moved) == 1 else f"Heads {listed(moved)} read"
    return (
        f"Fails: *{SAME_AS_TORCH}*. {who} another group's keys, and the output is off by up to {off:.3g}. "
        "All shapes are right."
    )


def _verdict_on_cache(now: Now, broken: MultiHead) -> str:
    off = largest(now.result.output - broken.output)
    own = float(now.result.weights.diagonal(dim1=-2, dim2=-1).mean())
    first = largest(broken.weights[:, 0])
    others = " Every other row still sums to one." if len(now.tokens.queries) > 1 else ""
    return (
        f"Fails: *{SAME_AS_TORCH}*. It is off by up to {off:.3g}. A token should give itself "
        f"{own:.2f} of its weight on average, and gives "
        f"{largest(broken.weights.diagonal(dim1=-2, dim2=-1)):.2g}; the first token's weights are "
        f"{'all zero' if first == 0 else f'up to {first:.2g}'}.{others}"
    )


def _verdict_on_place(now: Now, broken: MultiHead) -> str:
    same = agree(broken.weights, now.unplaced.result.weights)
    they = "are those without positions" if same else "see no places"
    return f"{_off(now, broken)} The broken weights {they}, and all shapes are right."


VERDICTS: dict[str, Callable[[Now, MultiHead], str]] = {
    "merge-without-transpose": _verdict_on_merge,
    "scale-by-d-model": _verdict_on_scale,
    "shared-projections": _verdict_on_sharing,
    "tiled-key-heads": _verdict_on_groups,
    "unpacked-in-another-order": _verdict_on_order,
    "cached-after-attending": _verdict_on_cache,
    "place-forgotten": _verdict_on_place,
}


def _verdict_on_split(now: Now, broken: Attention) -> str:
    right = now.result
    shape, wanted = tuple(broken.weights.shape), tuple(right.weights.shape)
    joined = broken.output.flatten(-2)
    rows, n_query = len(joined), len(right.concatenated)
    if rows != n_query:
        return (
            f"Fails: *{MAP_OF_POSITIONS}*. Torch does not refuse: the {counted(n_query, 'query')} is "
            f"broadcast against {rows} keys, and the map has shape {shape} where {wanted} is wanted. **One "
            f"query comes back as {rows} rows**, {tuple(joined.shape)} in place of "
            f"{tuple(right.concatenated.shape)}, without an error, and each row's weights still sum to one."
        )
    off = largest(joined - right.concatenated)
    if shape != wanted:
        return (
            f"Fails: *{MAP_OF_POSITIONS}*. The map has shape {shape} where {wanted} is wanted, {now.n_head} "
            f"× {now.n_head} at each of {counted(shape[0], 'position')}: no token sees another. Rows "
            f"still sum to one, so that check is blind to it; the joined heads are off by up to {off:.3g}."
        )
    if agree(joined, right.concatenated):
        return (
            "Nothing fails here: one head at one position is the same either way. The mistake is there all "
            "the same."
        )
    return (
        f"Fails: *{SAME_AS_TORCH}*. There are as many heads as positions, so the map has the shape that is "
        f"wanted, {wanted}, by chance, and only the numbers tell: the joined heads are off by up to "
        f"{off:.3g}."
    )


def _some_sharing(now: Now) -> int:
    """Return the number of key heads that the page shows; a proper part of the heads where there is one."""
    offered = divisors(now.n_head)
    chosen = int(value(replace(KV_HEADS, values=tuple(offered))))
    proper = [each for each in offered if 1 < each < now.n_head]
    return chosen if chosen in proper or not proper else proper[-1]


def _why_harmless(now: Now, name: str) -> str:
    module = now.module
    reasons = [
        (not now.result.weights.any(), "no query may attend to any key, so every head is zero either way"),
        (
            name == "unpacked-in-another-order" and now.n_head * module.d_head == 1,
            "three numbers a token lie the same way in either order",
        ),
        (
            name == "place-forgotten" and module.rotation is None,
            "no query or key is turned. Take rotary positions to see it",
        ),
        (
            name == "place-forgotten" and now.setting.positions.strength == 0,
            "at strength 0 nothing is turned",
        ),
        (
            name == "place-forgotten" and len(now.tokens.queries) == 1,
            "the only token stands first",
        ),
        (
            name == "tiled-key-heads" and module.num_kv_heads in (1, now.n_head),
            "one head of keys, or one for each head, is the same list either way. Take a number of heads "
            "with a divisor between, such as 4",
        ),
        (
            name == "merge-without-transpose" and len(now.tokens.queries) == 1,
            "with a single query the heads' rows stand in the right order by chance",
        ),
        (
            name == "scale-by-d-model" and module.d_head == module.d_model,
            f"heads as wide as the model, {module.d_model}, make both roots the same",
        ),
        (
            name in ("merge-without-transpose", "shared-projections") and now.n_head == 1,
            "with one head there is no other to mix it with. Move the slider to two or more",
        ),
    ]
    return next((reason for holds, reason in reasons if holds), f"{_why_same_maps(now)}, either way")


def _why_same_maps(now: Now) -> str:
    """Say why weights are what they are whatever becomes of the scores."""
    weights, scores = now.result.weights, now.result.scores
    may = torch.ones_like(weights).bool() if now.result.mask is None else now.result.mask.expand_as(weights)
    some = may.any(dim=-1)
    if int(may.sum(dim=-1).max()) <= 1:
        return "no query may attend to more than one key, so every weight is 0 or 1"
    highest, lowest = scores.masked_fill(~may, -torch.inf), scores.masked_fill(~may, torch.inf)
    alike = (highest.amax(dim=-1) - lowest.amin(dim=-1))[some] <= ROUNDING * largest(scores)
    most = weights.amax(dim=-1, keepdim=True)
    on_top = ((weights < ROUNDING) | (weights > most - ROUNDING)).all(dim=-1)[some]
    if bool(alike.all()):
        return "all keys that a query sees score alike"
    if bool((most[some] > 1 - ROUNDING).all()):
        return "the scores are so far apart that every query has all its weight on one key"
    if bool((alike | on_top).all()):
        return "all weight of a query is on the keys that score highest, which score alike"
    return "on these numbers weights are the same"
