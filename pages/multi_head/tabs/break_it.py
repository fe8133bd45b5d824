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
from attn_figures.frame import Side
from attn_figures.heads_add_up import between_heads
from attn_figures.matrix import Hover, Matrix, Pick, Ramp
from attn_figures.multi_head import right_and_broken
from attn_ui.base.markdown import listed
from attn_ui.screen import controls
from attn_ui.screen.live_figure import live_figure
from attn_ui.screen.state import value
from attn_words import N_, _, _n, paragraph
from pages.multi_head import words
from pages.multi_head.asks import names_of_heads
from pages.multi_head.compute import Now, array, divisors, heads
from pages.multi_head.settings import KV_HEADS, MISTAKE, MISTAKES
from pages.multi_head.tabs.checks import largest


def show(now: Now) -> None:
    """Show a mistake beside what is right, and which check finds it."""
    mistake = MULTI_HEAD_MISTAKES[MISTAKES[controls.segment(MISTAKE, _("Mistake"))]]
    st.markdown(paragraph(_(mistake.what), _(mistake.why)))
    if mistake.needs == "shared heads":
        now = now.sharing(_some_sharing(now))
        st.caption(
            _n(
                "Here {count} head has {shared} of keys to itself.",
                "Here {count} heads share {shared} of keys.",
                now.n_head,
                shared=words.heads(now.module.num_kv_heads),
            )
        )
    if mistake.needs in ("cache", "rotation"):
        now = replace(now, setting=replace(now.setting, mask="causal"))
        st.caption(_("Written token by token, so the mask is causal here, whatever the sidebar says."))
    try:
        broken = mistake.attend(now.module, now.tokens.query, now.tokens.key, now.tokens.key, now.mask)
    except ValueError:
        st.markdown(_why_not(now, mistake.needs))
        return
    left, right, differs = PICTURES[mistake.name](now, broken)
    live_figure(
        [right_and_broken.spec(left, right, difference=differs)],
        key="broken",
        alt=_("The right numbers, the broken ones, and the difference"),
        name=mistake.name,
    )
    st.markdown(verdict(now, mistake.name, broken))


def _why_not(now: Now, needs: str) -> str:
    """Say why a mistake cannot be made here."""
    n_query, n_key = now.tokens.shape
    if needs == "one sequence":
        return paragraph(
            _(
                ":material/edit: Here this mistake does not run: a fused W_qkv reads one sequence, and here "
                "are two."
            ),
            _("Take one sentence to see it."),
        )
    if needs in ("cache", "rotation"):
        return paragraph(
            _(
                ":material/edit: Here this mistake does not run: a cache is of one sequence, and here are "
                "two."
            ),
            _("Take one sentence to see it."),
        )
    return paragraph(
        _(
            ":material/edit: Here this mistake does not run: torch refuses to multiply {n_query} positions "
            "with {n_key}.",
            n_query=n_query,
            n_key=n_key,
        ),
        _("Take one sentence, or a single query, to see it run and be wrong."),
    )


Drawn = tuple[Matrix, Matrix, bool]
SAME_MAPS = N_("the maps are those of torch")
ROUNDING = 1e-9  # of a weight, and of a score beside the largest


def _between_heads(now: Now, broken: Attention) -> Drawn:
    """The map of one head, and beside it the map between heads at one position."""
    head, (query, key) = now.look.head, now.cell
    names = names_of_heads(now.n_head)
    # A single query is broadcast against all keys: there is one map a key then.
    position, of = (query, now.tokens.queries) if len(now.tokens.queries) > 1 else (key, now.tokens.keys)
    title = _("broken: at {token}", token=escape(of[position]))
    place = _("%{y} attends to %{x}")
    wrong = between_heads("broken", array(broken.weights[position]), title, names, place)
    right = _map(now, now.result, "right", _("right: head {head}", head=head + 1), head)
    return right, replace(wrong, names_rows=True), False


def _maps(now: Now, broken: MultiHead) -> Drawn:
    return _of_head(now, broken, now.look.head)


def _second_head(now: Now, broken: MultiHead) -> Drawn:
    head = _not_the_first(now)
    return _of_head(now, broken, head, _("broken: head {head} (as head 1)", head=head + 1))


def _regrouped(now: Now, broken: MultiHead) -> Drawn:
    return _of_head(now, broken, _not_the_first(now))


def _not_the_first(now: Now) -> int:
    """The head looked at, but for head 1, which these mistakes leave as it is."""
    return min(now.look.head or 1, now.n_head - 1)


def _of_head(now: Now, broken: MultiHead, head: int, title: str = "") -> Drawn:
    title = title or _("broken: head {head}", head=head + 1)
    return (
        _map(now, now.result, "right", _("right: head {head}", head=head + 1), head),
        _map(now, broken, "broken", title, head),
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
            title,
            Side(now.tokens.queries),
            Side(columns, _("Head.dimension"), "output"),
            ramp=Ramp("scores", limit),
            hover=Hover(_("value")),
            pick=Pick(together="joined"),
        )
        for name, title, result in (
            ("right", _("right: heads side by side"), now.result),
            ("broken", _("broken: heads side by side"), broken),
        )
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
        return paragraph(_why_harmless(now, name), _("The mistake is there all the same."))
    return VERDICTS[name](now, broken)


def _fails(check: str) -> str:
    return _("Fails: *{check}*.", check=_(check))


def _off_by(off: float) -> str:
    return _("It is off by up to {off}.", off=f"{off:.3g}")


def _verdict_on_merge(now: Now, broken: MultiHead) -> str:
    off = largest(now.result.output - broken.output)
    return paragraph(
        _fails(HEADS_ADD_UP),
        _("They miss it by up to {off}.", off=f"{off:.3g}")
        if now.result.output_bias is None
        else _("With the bias b_o they miss it by up to {off}.", off=f"{off:.3g}"),
        _("Maps and shapes are all right; only the numbers stand in wrong places."),
    )


def _off(now: Now, broken: MultiHead) -> str:
    """Say by how much output and weights are off torch's, or that only weights are."""
    right = now.result
    maps = largest(right.weights - broken.weights)
    if agree(right.output, broken.output):
        return paragraph(
            _fails(SAME_MAPS),
            _(
                "Weights are off by up to {maps}; the output cannot tell, for where they differ the values "
                "are the same.",
                maps=f"{maps:.3g}",
            ),
        )
    off = largest(right.output - broken.output)
    return paragraph(
        _fails(SAME_AS_TORCH),
        _("It is off by up to {off}, weights by up to {maps}.", off=f"{off:.3g}", maps=f"{maps:.3g}"),
    )


def _verdict_on_scale(now: Now, broken: MultiHead) -> str:
    ratio = math.sqrt(now.module.d_head / now.module.d_model)
    told = {"ratio": f"{ratio:.3g}"}
    if now.scheme.adds == "bias":
        scores = (
            _("Scores are {ratio} times what they should be, too small beside the biases of places.", **told)
            if ratio < 1
            else _(
                "Scores are {ratio} times what they should be, too large beside the biases of places.", **told
            )
        )
    else:
        scores = (
            _("Scores are {ratio} times what they should be, too small, so the softmax is too flat.", **told)
            if ratio < 1
            else _(
                "Scores are {ratio} times what they should be, too large, so the softmax is too sharp.",
                **told,
            )
        )
    return paragraph(_off(now, broken), scores)


def _verdict_on_sharing(now: Now, broken: MultiHead) -> str:
    right = now.result
    off = largest(right.output - broken.output)
    if agree(right.weights, broken.weights):
        return paragraph(
            _fails(SAME_AS_TORCH),
            _("It is off by up to {off}, for all heads read one value.", off=f"{off:.3g}"),
            _("The maps cannot tell: {why}.", why=_why_same_maps(now)),
        )
    apart = largest(broken.weights - broken.weights[:1])
    if apart > 1e-9:
        return paragraph(
            _fails(SAME_AS_TORCH),
            _off_by(off),
            _(
                "All heads have the same query, key and value of a token; maps still differ, by up to "
                "{apart}, for each head has a bias or a mask of its own.",
                apart=f"{apart:.2g}",
            ),
        )
    return paragraph(
        _fails(HEADS_DIFFER),
        _(
            "The largest difference between any two maps is {apart}: {heads} heads, one view.",
            apart=f"{apart:.1g}",
            heads=now.n_head,
        ),
        _(
            "The output is still a proper output, so only a comparison with the right one, which is off by "
            "up to {off}, sees it too.",
            off=f"{off:.3g}",
        ),
    )


def _verdict_on_order(now: Now, broken: MultiHead) -> str:
    off = largest(now.result.output - broken.output)
    parts = (_("query"), _("key"), _("value"))
    mixed = []
    for made in origins(now.n_head, now.module.d_head):
        counts = [(int((made == other).sum()), name) for other, name in enumerate(parts)]
        mixed.append(
            listed([_("{count} of the {part}", count=count, part=name) for count, name in counts if count])
        )
    in_query, in_key, in_value = mixed
    return paragraph(
        _fails(SAME_AS_TORCH),
        _("It is off by up to {off}, and all shapes are right.", off=f"{off:.3g}"),
        _(
            "Of the {numbers} numbers a token in each part, what is read as the query holds {in_query}; what "
            "is read as the key holds {in_key}; what is read as the value holds {in_value}.",
            numbers=now.n_head * now.module.d_head,
            in_query=in_query,
            in_key=in_key,
            in_value=in_value,
        ),
    )


def _verdict_on_groups(now: Now, broken: MultiHead) -> str:
    right = now.result
    off = largest(right.output - broken.output)
    moved = [
        str(head + 1) for head in range(now.n_head) if not agree(right.weights[head], broken.weights[head])
    ]
    if not moved:
        return paragraph(
            _("Fails: *{check}*, by up to {off}.", check=_(SAME_AS_TORCH), off=f"{off:.3g}"),
            _("The maps cannot tell: {why}.", why=_why_same_maps(now)),
        )
    return paragraph(
        _fails(SAME_AS_TORCH),
        _n(
            "Head {heads} reads another group's keys, and the output is off by up to {off}.",
            "Heads {heads} read another group's keys, and the output is off by up to {off}.",
            len(moved),
            heads=listed(moved),
            off=f"{off:.3g}",
        ),
        _("All shapes are right."),
    )


def _verdict_on_cache(now: Now, broken: MultiHead) -> str:
    off = largest(now.result.output - broken.output)
    own = float(now.result.weights.diagonal(dim1=-2, dim2=-1).mean())
    first = largest(broken.weights[:, 0])
    told = {
        "own": f"{own:.2f}",
        "given": f"{largest(broken.weights.diagonal(dim1=-2, dim2=-1)):.2g}",
        "first": f"{first:.2g}",
    }
    return paragraph(
        _fails(SAME_AS_TORCH),
        _off_by(off),
        _(
            "A token should give itself {own} of its weight on average, and gives {given}; the first token's "
            "weights are all zero.",
            **told,
        )
        if first == 0
        else _(
            "A token should give itself {own} of its weight on average, and gives {given}; the first token's "
            "weights are up to {first}.",
            **told,
        ),
        _("Every other row still sums to one.") if len(now.tokens.queries) > 1 else "",
    )


def _verdict_on_place(now: Now, broken: MultiHead) -> str:
    return paragraph(
        _off(now, broken),
        _("The broken weights are those without positions, and all shapes are right.")
        if agree(broken.weights, now.unplaced.result.weights)
        else _("The broken weights see no places, and all shapes are right."),
    )


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
        return paragraph(
            _fails(MAP_OF_POSITIONS),
            _(
                "Torch does not refuse: the 1 query is broadcast against {rows} keys, and the map has shape "
                "{shape} where {wanted} is wanted.",
                rows=rows,
                shape=shape,
                wanted=wanted,
            ),
            _(
                "**One query comes back as {rows} rows**, {shape} in place of {wanted}, without an error, "
                "and each row's weights still sum to one.",
                rows=rows,
                shape=tuple(joined.shape),
                wanted=tuple(right.concatenated.shape),
            ),
        )
    off = largest(joined - right.concatenated)
    if shape != wanted:
        return paragraph(
            _fails(MAP_OF_POSITIONS),
            _(
                "The map has shape {shape} where {wanted} is wanted, {heads} × {heads} at each of "
                "{positions}: no token sees another.",
                shape=shape,
                wanted=wanted,
                heads=now.n_head,
                positions=_n("{count} position", "{count} positions", shape[0]),
            ),
            _(
                "Rows still sum to one, so that check is blind to it; the joined heads are off by up to "
                "{off}.",
                off=f"{off:.3g}",
            ),
        )
    if agree(joined, right.concatenated):
        return paragraph(
            _("Nothing fails here: one head at one position is the same either way."),
            _("The mistake is there all the same."),
        )
    return paragraph(
        _fails(SAME_AS_TORCH),
        _(
            "There are as many heads as positions, so the map has the shape that is wanted, {wanted}, by "
            "chance, and only the numbers tell: the joined heads are off by up to {off}.",
            wanted=wanted,
            off=f"{off:.3g}",
        ),
    )


def _some_sharing(now: Now) -> int:
    """Return the number of key heads that the page shows; a proper part of the heads where there is one."""
    offered = divisors(now.n_head)
    chosen = int(value(replace(KV_HEADS, values=tuple(offered))))
    proper = [each for each in offered if 1 < each < now.n_head]
    return chosen if chosen in proper or not proper else proper[-1]


def _why_harmless(now: Now, name: str) -> str:
    """Say that no check fails, and why."""
    module = now.module
    reasons = [
        (
            not now.result.weights.any(),
            _("Nothing fails here: no query may attend to any key, so every head is zero either way."),
        ),
        (
            name == "unpacked-in-another-order" and now.n_head * module.d_head == 1,
            _("Nothing fails here: three numbers a token lie the same way in either order."),
        ),
        (
            name == "place-forgotten" and module.rotation is None,
            paragraph(
                _("Nothing fails here: no query or key is turned."), _("Take rotary positions to see it.")
            ),
        ),
        (
            name == "place-forgotten" and now.setting.positions.strength == 0,
            _("Nothing fails here: at strength 0 nothing is turned."),
        ),
        (
            name == "place-forgotten" and len(now.tokens.queries) == 1,
            _("Nothing fails here: the only token stands first."),
        ),
        (
            name == "tiled-key-heads" and module.num_kv_heads in (1, now.n_head),
            paragraph(
                _("Nothing fails here: one head of keys, or one for each head, is the same list either way."),
                _("Take a number of heads with a divisor between, such as 4."),
            ),
        ),
        (
            name == "merge-without-transpose" and len(now.tokens.queries) == 1,
            _("Nothing fails here: with a single query the heads' rows stand in the right order by chance."),
        ),
        (
            name == "scale-by-d-model" and module.d_head == module.d_model,
            _(
                "Nothing fails here: heads as wide as the model, {d_model}, make both roots the same.",
                d_model=module.d_model,
            ),
        ),
        (
            name in ("merge-without-transpose", "shared-projections") and now.n_head == 1,
            paragraph(
                _("Nothing fails here: with one head there is no other to mix it with."),
                _("Move the slider to two or more."),
            ),
        ),
    ]
    otherwise = _("Nothing fails here: {why}, either way.", why=_why_same_maps(now))
    return next((reason for holds, reason in reasons if holds), otherwise)


def _why_same_maps(now: Now) -> str:
    """Say why weights are what they are whatever becomes of the scores, as a clause."""
    weights, scores = now.result.weights, now.result.scores
    may = torch.ones_like(weights).bool() if now.result.mask is None else now.result.mask.expand_as(weights)
    some = may.any(dim=-1)
    if int(may.sum(dim=-1).max()) <= 1:
        return _("no query may attend to more than one key, so every weight is 0 or 1")
    highest, lowest = scores.masked_fill(~may, -torch.inf), scores.masked_fill(~may, torch.inf)
    alike = (highest.amax(dim=-1) - lowest.amin(dim=-1))[some] <= ROUNDING * largest(scores)
    most = weights.amax(dim=-1, keepdim=True)
    on_top = ((weights < ROUNDING) | (weights > most - ROUNDING)).all(dim=-1)[some]
    if bool(alike.all()):
        return _("all keys that a query sees score alike")
    if bool((most[some] > 1 - ROUNDING).all()):
        return _("the scores are so far apart that every query has all its weight on one key")
    if bool((alike | on_top).all()):
        return _("all weight of a query is on the keys that score highest, which score alike")
    return _("on these numbers weights are the same")
