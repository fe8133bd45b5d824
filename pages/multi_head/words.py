"""The sentences of the multi-head page: numbers in, one plain sentence out."""

from collections.abc import Sequence

import numpy as np

from attn_figures.block_diagrams import Shapes
from attn_figures.numbers import number
from attn_figures.ties import TIE, largest
from attn_ui.base.markdown import listed
from attn_ui.base.parameters import shown as named
from attn_ui.base.ties import as_much, differ_as_much
from attn_ui.base.weight_tables import Given, Weight
from attn_words import _, _c, _n, paragraph
from pages.multi_head.settings import HEADS_MASK, POSITIONS

MOST_HEADS_TOLD = 4  # whose numbers a sentence gives one by one


def heads(count: int) -> str:
    """Say how many heads.

    >>> heads(1), heads(4)
    ('1 head', '4 heads')
    """
    return _n("{count} head", "{count} heads", count)


def heads_of_width(count: int, width: int) -> str:
    """Say how many heads, and how wide they are."""
    return _n("{count} head of width {width}", "{count} heads of width {width}", count, width=width)


def keys(count: int) -> str:
    """Say how many keys."""
    return _n("{count} key", "{count} keys", count)


def tokens(count: int) -> str:
    """Say how many tokens."""
    return _n("{count} token", "{count} tokens", count)


def layers_of(count: int) -> str:
    """Say how many layers."""
    return _n("{count} layer", "{count} layers", count)


def first_of(names: Sequence[str]) -> str:
    """List names, the first three and how many more where they are many."""
    if len(names) <= 4:
        return listed(names)
    return listed([*names[:3], _("{count} more", count=len(names) - 3)])


def _numbers(values: Sequence[int]) -> str:
    return listed([str(value) for value in values])


def does_not_divide(wanted: int, d_model: int, allowed: Sequence[int], shown: int) -> str:
    """Say that a number of heads does not fit, and which nearest ones do.

    >>> does_not_divide(3, 8, [1, 2, 4, 8], 2)
    '3 heads do not divide d_model = 8. The nearest that do are 2 and 4; 2 is shown.'
    """
    below = [heads for heads in allowed if heads < wanted][-1:]
    above = [heads for heads in allowed if heads > wanted][:1]
    near = [*below, *above]
    if wanted > d_model:
        why = _n(
            "{wanted} heads do not divide d_model = {count}, for there is only {count} dimension.",
            "{wanted} heads do not divide d_model = {count}, for there are only {count} dimensions.",
            d_model,
            wanted=wanted,
        )
    else:
        why = _("{wanted} heads do not divide d_model = {d_model}.", wanted=wanted, d_model=d_model)
    if near == [shown]:
        fits = _("The nearest that does is {near}.", near=shown)
    else:
        fits = _n(
            "The nearest that does is {near}; {shown} is shown.",
            "The nearest that do are {near}; {shown} is shown.",
            len(near),
            near=_numbers(near),
            shown=shown,
        )
    return paragraph(why, fits)


def diagram(shapes: Shapes) -> str:
    """Say which widths heads take and make, and what becomes of them."""
    n_head, d_head, n_kv = shapes.query[0], shapes.query[-1], shapes.key[0]
    sizes = {"d_head": d_head, "d_model": shapes.x[-1]}
    said = [
        _n(
            "The one head makes queries {d_head} wide from vectors {d_model} wide, by a matrix of its own.",
            "Each of {count} heads makes queries {d_head} wide from vectors {d_model} wide, by a matrix of "
            "its own.",
            n_head,
            **sizes,
        )
    ]
    if n_kv < n_head:
        said.append(
            _n(
                "Keys and values have {count} head: {group} share it.",
                "Keys and values have {count} heads: {group} share each.",
                n_kv,
                group=n_head // n_kv,
            )
        )
    if n_head > 1:
        said.append(
            _(
                "Concat lays {n_head} outputs side by side: {n_head} × {d_head} = {width}.",
                n_head=n_head,
                d_head=d_head,
                width=shapes.concatenated[-1],
            )
        )
    if shapes.output_weight is not None:
        said.append(
            _n(
                "W_o makes vectors {width} wide of its output.",
                "W_o mixes them into vectors {width} wide.",
                n_head,
                width=shapes.output[-1],
            )
        )
    return paragraph(*said)


def which_head(head: int, count: int, *, off: bool) -> str:
    """Say which head is shown, from 0, and that it is switched off where it is."""
    if off:
        return _("Head {number} of {count}, which is switched off.", number=head + 1, count=count)
    return _("Head {number} of {count}.", number=head + 1, count=count)


def maps(
    effective: Sequence[float], n_key: int, d_head: int, d_model: int, *, some_empty: bool = False
) -> str:
    """Say how many heads there are, and which looks narrowest and widest.

    Args:
        effective: mean effective number of keys of each head, over the queries that attend.
        n_key: keys there are.
        d_head: width of a head.
        d_model: width of the model.
        some_empty: whether a query may attend to nothing.
    """
    n_head = len(effective)
    every = heads_of_width(n_head, d_head)
    if not any(effective):
        return _("{heads}: no query may attend to any key, so every weight is zero.", heads=every)
    narrow, wide = (largest(sign * np.array(effective)) for sign in (-1, 1))
    least, most = f"{effective[narrow[0]]:.1f}", f"{effective[wide[0]]:.1f}"
    spread = {"effective": least, "keys": keys(n_key)}
    if n_head == 1:
        return paragraph(
            _("{heads}: one map.", heads=every),
            _(
                "Its weights are as spread as equal weights on {effective} of {keys}, on average over the "
                "queries that may attend.",
                **spread,
            )
            if some_empty
            else _(
                "Its weights are as spread as equal weights on {effective} of {keys}, on average.", **spread
            ),
            _("More heads give more maps of the same words."),
        )
    width = n_head * d_head
    begin = (
        _("{heads}, cut from projections {width} wide.", heads=every, width=width)
        if width == d_model
        else _("{heads}.", heads=every)
    )
    if least == most:
        return paragraph(
            begin,
            _(
                "The weights of every head are as spread as equal weights on {effective} of {keys}, on "
                "average over the queries that may attend.",
                **spread,
            )
            if some_empty
            else _(
                "The weights of every head are as spread as equal weights on {effective} of {keys}, on "
                "average.",
                **spread,
            ),
        )
    return paragraph(
        begin,
        _n(
            "Head {heads} has the narrowest weights: as spread as equal weights on {effective} of {keys}, on "
            "average over the queries that may attend.",
            "Heads {heads} have the narrowest weights: as spread as equal weights on {effective} of {keys}, "
            "on average over the queries that may attend.",
            len(narrow),
            heads=_numbers([head + 1 for head in narrow]),
            **spread,
        )
        if some_empty
        else _n(
            "Head {heads} has the narrowest weights: as spread as equal weights on {effective} of {keys}, on "
            "average.",
            "Heads {heads} have the narrowest weights: as spread as equal weights on {effective} of {keys}, "
            "on average.",
            len(narrow),
            heads=_numbers([head + 1 for head in narrow]),
            **spread,
        ),
        _n(
            "Head {heads} has the widest: {effective}.",
            "Heads {heads} have the widest: {effective}.",
            len(wide),
            heads=_numbers([head + 1 for head in wide]),
            effective=most,
        ),
    )


def combined(chosen: Sequence[int], largest_row_sum: float, spread: float, *, all_attend: bool = True) -> str:
    """Say what the mean and the maximum of heads, counted from 0, are.

    Args:
        chosen: the heads.
        largest_row_sum: the most that a row of the maximum sums to.
        spread: the most by which two heads differ in one cell.
        all_attend: whether every query has a key that it may attend to.
    """
    if len(chosen) == 1:
        return paragraph(
            _("Over head {head} alone: the mean and the largest are its own map.", head=chosen[0] + 1),
            _("Take more heads to combine them."),
        )
    over = _numbers([head + 1 for head in chosen])
    if largest_row_sum == 0.0:
        return _("Over heads {heads}: no query may attend to any key, so every weight is zero.", heads=over)
    if largest_row_sum < 1.005:
        return _one_map(over, are_equal=spread < TIE, all_attend=all_attend)
    largest = f"{largest_row_sum:.2f}"
    return paragraph(
        _(
            "Over heads {heads}: rows of the mean still sum to one; rows of the largest weight sum to as "
            "much as {largest}, so they are no attention any more.",
            heads=over,
            largest=largest,
        )
        if all_attend
        else _(
            "Over heads {heads}: rows of the mean still sum to one, but for the empty ones; rows of the "
            "largest weight sum to as much as {largest}, so they are no attention any more.",
            heads=over,
            largest=largest,
        ),
        _("In one cell two heads differ by up to {spread}.", spread=number(spread, 2)),
    )


def _one_map(over: str, *, are_equal: bool, all_attend: bool) -> str:
    """Say of heads that are equal, or hardly differ, that their largest weights are attention still."""
    if are_equal and all_attend:
        return _(
            "Over heads {heads}: rows of the mean still sum to one; rows of the largest weight do too, for "
            "the heads are equal.",
            heads=over,
        )
    if are_equal:
        return _(
            "Over heads {heads}: rows of the mean still sum to one, but for the empty ones; rows of the "
            "largest weight do too, for the heads are equal.",
            heads=over,
        )
    if all_attend:
        return _(
            "Over heads {heads}: rows of the mean still sum to one; rows of the largest weight do too, for "
            "the heads hardly differ.",
            heads=over,
        )
    return _(
        "Over heads {heads}: rows of the mean still sum to one, but for the empty ones; rows of the largest "
        "weight do too, for the heads hardly differ.",
        heads=over,
    )


def against(
    one: int, other: int, largest: float, query: str, key: str, *, n_head: int = 2, n_tied: int = 0
) -> str:
    """Say where two heads, counted from 0, differ most; the words are escaped already.

    ``n_tied`` counts the other cells in which they differ as much.
    """
    if one == other:
        if n_head > 1:
            return _("Head {head} against itself: choose another to compare it with.", head=one + 1)
        return _("Head {head} against itself: there is no other to compare it with.", head=one + 1)
    if abs(largest) < TIE:
        return _("Heads {one} and {other} have the same weights in every cell.", one=one + 1, other=other + 1)
    if abs(largest) < 0.005:
        return _(
            "Heads {one} and {other} differ by less than 0.005 in every cell.", one=one + 1, other=other + 1
        )
    more, less = (one, other) if largest > 0 else (other, one)
    said = _(
        "Heads {one} and {other} differ most where {query} attends to {key}: head {more} gives {difference} "
        "more weight there than head {less}.",
        one=one + 1,
        other=other + 1,
        query=query,
        key=key,
        more=more + 1,
        less=less + 1,
        difference=f"{abs(largest):.2f}",
    )
    return paragraph(said, differ_as_much(n_tied))


def switched_off(heads: Sequence[int]) -> str:
    """Say which of the heads that are told, counted from 0, are switched off; nothing where none is."""
    if not heads:
        return ""
    return _n(
        "Head {heads} is off: it has no part in the output.",
        "Heads {heads} are off: they have no part in the output.",
        len(heads),
        heads=_numbers([head + 1 for head in heads]),
    )


def moved_most(token: str, lengths: Sequence[float], output: float, change: float | None) -> str:
    """Say which head adds most to a token, and what is gone with the heads that are off.

    >>> moved_most("cat", [0.0, 0.0], 0.5, None)
    'cat: no head adds anything to it; the whole output has length 0.5.'
    """
    most = largest(np.array(lengths))[0]
    told = {"token": token, "length": f"{lengths[most]:.3g}", "whole": f"{output:.3g}"}
    if not lengths[most]:
        said = _("{token}: no head adds anything to it; the whole output has length {whole}.", **told)
    elif len(lengths) == 1:
        said = _(
            "{token}: the head adds a vector of length {length}, and the whole output has length {whole}.",
            **told,
        )
    else:
        said = _(
            "{token}: head {head} moves it most; it adds a vector of length {length}, and the whole output "
            "has length {whole}.",
            head=most + 1,
            **told,
        )
    if change is None:
        return said
    without = _("Without the heads that are off, the output moves by {change}.", change=f"{change:.3g}")
    return paragraph(said, without)


def parameters(here: int, single: int, n_head: int, d_head: int, d_model: int) -> str:
    """Say whether several heads hold more parameters than one."""
    held = f"{here:,}"
    if n_head == 1 and d_head == d_model:
        return paragraph(
            _("One head of width {d_model} holds {held} parameters.", d_model=d_model, held=held),
            _(
                "Several heads that share this width hold as many: the projections are as wide, only cut.",
            ),
        )
    every, width = heads_of_width(n_head, d_head), n_head * d_head
    if width == d_model:
        return paragraph(
            _(
                "{heads} and one head of width {d_model} hold the same number of parameters, {held}: the "
                "projections are as wide, only cut.",
                heads=every,
                d_model=d_model,
                held=held,
            ),
            _(
                "The projections take as many operations too; scaling and softmax take more with every head, "
                "for each head does them for all pairs."
            ),
        )
    told = {
        "heads": every,
        "held": held,
        "difference": f"{abs(here - single):,}",
        "d_model": d_model,
        "d_head": d_head,
        "width": width,
    }
    if here > single:
        return _n(
            "{heads} holds {held} parameters, {difference} more than one head of width {d_model}, because "
            "{count} × {d_head} = {width} is not {d_model}: width costs, not the number of heads.",
            "{heads} hold {held} parameters, {difference} more than one head of width {d_model}, because "
            "{count} × {d_head} = {width} is not {d_model}: width costs, not the number of heads.",
            n_head,
            **told,
        )
    return _n(
        "{heads} holds {held} parameters, {difference} fewer than one head of width {d_model}, because "
        "{count} × {d_head} = {width} is not {d_model}: width costs, not the number of heads.",
        "{heads} hold {held} parameters, {difference} fewer than one head of width {d_model}, because "
        "{count} × {d_head} = {width} is not {d_model}: width costs, not the number of heads.",
        n_head,
        **told,
    )


def too_many_numbers(wanted: int, n_tokens: int, allowed: Sequence[int], shown: int) -> str:
    """Say that a number of heads is not among those that are computed at once for so many tokens.

    >>> too_many_numbers(3, 64, [1, 2, 4], 2)
    'With 64 tokens the slider offers 1, 2 and 4 heads, not 3; 2 is shown.'
    """
    return _(
        "With {tokens} tokens the slider offers {offered} heads, not {wanted}; {shown} is shown.",
        tokens=n_tokens,
        offered=_numbers(allowed),
        wanted=wanted,
        shown=shown,
    )


def notes(
    mask: str, reach: int, sizes: tuple[int, int], widths: tuple[int, int], *, unfit: str = ""
) -> list[str]:
    """Say what a newcomer may stumble over: a mask that fits nothing or leaves nothing, widths that differ.

    Args:
        mask: the mask's name; reach: its number.
        sizes: how many queries and how many keys there are.
        widths: how wide they are.
        unfit: the kind of mask that needs as many queries as keys, where there is one.

    >>> notes("sliding window", 1, (6, 2), (8, 8), unfit="sliding window")
    ['A sliding window needs as many queries as keys; here are 6 and 2. Nothing is masked.']
    """
    (n_query, n_key), (d_query, d_key) = sizes, widths
    said = []
    if d_query != d_key:
        said.append(
            paragraph(
                _(
                    "Queries are {d_query} wide and keys {d_key}: as they are, no dot product fits (it would "
                    "with {d_query} and {d_query}, or {d_key} and {d_key}).",
                    d_query=d_query,
                    d_key=d_key,
                ),
                _("W_q and W_k bring both to the width of the heads."),
            )
        )
    if unfit and n_query != n_key:
        needs = (
            _(
                "A sliding window needs as many queries as keys; here are {n_query} and {n_key}.",
                n_query=n_query,
                n_key=n_key,
            )
            if unfit == "sliding window"
            else _(
                "A {kind} mask needs as many queries as keys; here are {n_query} and {n_key}.",
                kind=named(HEADS_MASK, unfit),
                n_query=n_query,
                n_key=n_key,
            )
        )
        said.append(paragraph(needs, _("Nothing is masked.")))
    if mask == "padding" and reach >= n_key:
        every = _n(
            "The only key is padding, so every query may attend to nothing: weights and heads are zero.",
            "All {count} keys are padding, so every query may attend to nothing: weights and heads are zero.",
            n_key,
        )
        left = (
            _("With 0, nothing is padding.")
            if n_key == 1
            else _("With {most} at most, some are left.", most=n_key - 1)
        )
        said.append(paragraph(every, left))
    return said


def empty_rows(empty: Sequence[str], n_query: int) -> str:
    """Say which queries a mask leaves no key, in some head or in all; the words are escaped already.

    >>> empty_rows(["cat"], 6)
    'The mask leaves “cat” no key: its weights are zero there, where torch gives NaN. Free a cell of its row.'
    """
    if len(empty) == n_query:
        return paragraph(
            _n(
                "The mask leaves no key to the query: all weights are zero there, where torch gives NaN.",
                "The mask leaves no key to any query: all weights are zero there, where torch gives NaN.",
                n_query,
            ),
            _("Free some cells."),
        )
    return _n(
        "The mask leaves {queries} no key: its weights are zero there, where torch gives NaN. Free a cell of "
        "its row.",
        "The mask leaves {queries} no key: their weights are zero there, where torch gives NaN. Free a cell "
        "of their rows.",
        len(empty),
        queries=first_of([f"“{query}”" for query in empty]),
    )


def temperature(value: float, changes: tuple[int, int, int] | None = None) -> str:
    """Say what a temperature other than 1 does.

    Args:
        value: the temperature.
        changes: where positions add a bias to the scores, how many rows are sharper than at T = 1, how many
            are flatter, and how many there are; None where nothing is added.

    >>> temperature(10.0)
    'Scores are divided by T = 10 too: rows are flatter wherever their scores differ.'
    >>> temperature(10.0, (10, 14, 24))
    'T = 10 divides products, not the biases of places: of 24 rows, 14 are flatter than at T = 1, 10 sharper.'
    """
    said = f"{value:.3g}"
    if changes is None:
        if value < 1:
            return _(
                "Scores are divided by T = {temperature} too: rows are sharper wherever their scores differ.",
                temperature=said,
            )
        return _(
            "Scores are divided by T = {temperature} too: rows are flatter wherever their scores differ.",
            temperature=said,
        )
    sharper, flatter, full = changes
    rows = _n("{count} row", "{count} rows", full, count=f"{full:,}")
    if value < 1:
        return _n(
            "T = {temperature} divides products, not the biases of places: of {rows}, {count} is sharper "
            "than at T = 1, {others} flatter.",
            "T = {temperature} divides products, not the biases of places: of {rows}, {count} are sharper "
            "than at T = 1, {others} flatter.",
            sharper,
            temperature=said,
            rows=rows,
            others=flatter,
        )
    return _n(
        "T = {temperature} divides products, not the biases of places: of {rows}, {count} is flatter than at "
        "T = 1, {others} sharper.",
        "T = {temperature} divides products, not the biases of places: of {rows}, {count} are flatter than "
        "at T = 1, {others} sharper.",
        flatter,
        temperature=said,
        rows=rows,
        others=sharper,
    )


def last_key(key: str, means: Sequence[float], without: Sequence[float], scheme: str) -> str:
    """Say how much weight the last key draws on average, with positions and without.

    Args:
        key: its word, escaped already.
        means, without: its mean weight in each head over the queries that attend, with positions and without.
        scheme: the name of the positions.

    >>> last_key("dogs", [0.22], [0.3], "ramp")
    'On average dogs, the last key, draws 0.22 of the weight in head 1 (0.30 without the ramp).'
    """
    shown = list(range(len(means)))
    if len(means) > MOST_HEADS_TOLD:
        shown = [min(shown, key=means.__getitem__), max(shown, key=means.__getitem__)]
    first, *more = (
        {"weight": f"{means[head]:.2f}", "head": head + 1, "without": f"{without[head]:.2f}"}
        for head in shown
    )
    told = [
        _(
            "{weight} of the weight in head {head} ({without} without the {scheme})",
            scheme=named(POSITIONS, scheme),
            **first,
        )
    ]
    told += [_("{weight} in head {head} ({without})", **each) for each in more]
    if len(means) > MOST_HEADS_TOLD:
        least, most = told
        return _(
            "On average {key}, the last key, draws from {least} to {most}.", key=key, least=least, most=most
        )
    return _(
        "On average {key}, the last key, draws {weights}.", key=key, weights=_c("phrases", ", ").join(told)
    )


def pairs(attended: int, full: int, kinds: Sequence[str], n_head: int) -> str:
    """Say how many pairs a mask leaves, and which heads have which pattern, where they differ.

    Args:
        attended, full: of all maps together.
        kinds: the patterns that heads take in turn, where they differ; n_head: how many heads, and maps.

    >>> pairs(21, 36, [], 1)
    'The mask leaves 21 of 36 pairs (58.3%).'
    >>> pairs(30, 50, ["sliding window", "prefix"], 3)
    'The masks leave 30 of 50 pairs in 3 maps (60.0%); sliding window: heads 1 and 3, prefix: head 2.'
    """
    told = {
        "attended": f"{attended:,}",
        "pairs": _n("{count} pair", "{count} pairs", full, count=f"{full:,}"),
        "maps": n_head,
        "share": f"{100 * attended / full:.1f}%",
    }
    if not kinds:
        if n_head == 1:
            return _("The mask leaves {attended} of {pairs} ({share}).", **told)
        return _("The mask leaves {attended} of {pairs} in {maps} maps ({share}).", **told)
    whose = []
    for at, kind in enumerate(kinds):
        own = [head + 1 for head in range(at, n_head, len(kinds))]
        if own:
            whose.append(
                _n(
                    "{pattern}: head {heads}",
                    "{pattern}: heads {heads}",
                    len(own),
                    pattern=named(HEADS_MASK, kind),
                    heads=_numbers(own),
                )
            )
    patterns = _c("phrases", ", ").join(whose)
    if n_head == 1:
        return _("The masks leave {attended} of {pairs} ({share}); {patterns}.", patterns=patterns, **told)
    return _(
        "The masks leave {attended} of {pairs} in {maps} maps ({share}); {patterns}.",
        patterns=patterns,
        **told,
    )


def placed(scheme: str, strength: float, where: str, before: float, after: float, *, n_tied: int = 0) -> str:
    """Say what positions change most, and where; its words are escaped already.

    ``n_tied`` counts the other cells that they change as much.

    >>> placed("ramp", 1.0, "head 2, love to dogs", 0.25, 0.75)
    'Positions (ramp, strength 1): most in head 2, love to dogs, from 0.25 without them to 0.75.'
    """
    told = {"scheme": named(POSITIONS, scheme), "strength": f"{strength:g}"}
    if abs(after - before) < TIE:
        return _("Positions ({scheme}, strength {strength}) move no weight.", **told)
    if abs(after - before) < 0.001:
        return _("Positions ({scheme}, strength {strength}) move no weight by 0.001 or more.", **told)
    digits = 2 if round(before, 2) != round(after, 2) else 4
    said = _(
        "Positions ({scheme}, strength {strength}): most in {where}, from {before} without them to {after}.",
        where=where,
        before=f"{before:.{digits}f}",
        after=f"{after:.{digits}f}",
        **told,
    )
    return paragraph(said, as_much(n_tied))


def other_values(what: str, offered: Sequence[str], n_tokens: int, n_head: int) -> str:
    """Say that a slider offers few values, because the maps are large.

    >>> other_values("Temperature T", ["0.10", "1.00"], 64, 16)
    'With 64 tokens and 16 heads the slider offers 2 values of “Temperature T”: 0.10 and 1.00.'
    """
    return _(
        "With {tokens} tokens and {heads} the slider offers {values} of “{what}”: {offered}.",
        tokens=n_tokens,
        heads=heads(n_head),
        values=_n("{count} value", "{count} values", len(offered)),
        what=what,
        offered=listed(list(offered)),
    )


def odd_heads(wanted: int, d_head: int, allowed: Sequence[int], shown: int) -> str:
    """Say that so many heads would have an odd width, which a rotation cannot turn.

    >>> odd_heads(4, 5, [1, 2], 2)
    'Rotary turns pairs of dimensions, and 4 heads would be 5 wide. 1 and 2 heads fit pairs; 2 is shown.'
    """
    return paragraph(
        _(
            "Rotary turns pairs of dimensions, and {heads} would be {d_head} wide.",
            heads=heads(wanted),
            d_head=d_head,
        ),
        _n(
            "{offered} head fits pairs; {shown} is shown.",
            "{offered} heads fit pairs; {shown} is shown.",
            1 if list(allowed) == [1] else 2,
            offered=_numbers(allowed),
            shown=shown,
        ),
    )


def other_heads(
    wanted: int, shown: int, allowed: Sequence[int], d_model: int, n_tokens: int, *, turned: bool = False
) -> str:
    """Say why another number of heads than the wanted one is shown."""
    if turned and d_model % wanted == 0 and d_model // wanted % 2:
        return odd_heads(wanted, d_model // wanted, allowed, shown)
    if d_model % wanted and all(d_model % heads == 0 for heads in allowed):
        return does_not_divide(wanted, d_model, allowed, shown)
    return too_many_numbers(wanted, n_tokens, allowed, shown)


def made(weights: Sequence[Weight], given: Given) -> str:
    """Say where the projections come from: the seed, or a hand."""
    typed = [name for name, _rows in given]
    if not typed:
        return _(
            "The projections are drawn from the seed, not trained: what a head looks at here says nothing of "
            "grammar."
        )
    if len(typed) == len(weights):
        return _n(
            "{names} is as set by hand.", "{names} are as set by hand.", len(typed), names=listed(typed)
        )
    return _n(
        "{names} is as set by hand; the others are drawn from the seed, not trained.",
        "{names} are as set by hand; the others are drawn from the seed, not trained.",
        len(typed),
        names=listed(typed),
    )
