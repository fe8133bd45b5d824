"""The sentences of the multi-head page: numbers in, one plain sentence out."""

from collections.abc import Sequence

from attn_figures.block_diagrams import Shapes
from attn_figures.numbers import counted, fixed, number
from attn_ui.base.markdown import listed
from attn_ui.base.weight_tables import Given, Weight

MOST_HEADS_TOLD = 4  # whose numbers a sentence gives one by one


def does_not_divide(wanted: int, d_model: int, allowed: Sequence[int], shown: int) -> str:
    """Say that a number of heads does not fit, and which nearest ones do.

    >>> does_not_divide(3, 8, [1, 2, 4, 8], 2)
    '3 heads do not divide d_model = 8. The nearest that do are 2 and 4; 2 is shown.'
    """
    below = [heads for heads in allowed if heads < wanted][-1:]
    above = [heads for heads in allowed if heads > wanted][:1]
    near = [str(heads) for heads in (*below, *above)]
    verb = "nearest that does is" if len(near) == 1 else "nearest that do are"
    shows = "" if near == [str(shown)] else f"; {shown} is shown"
    there = "there is only" if d_model == 1 else "there are only"
    more = f", for {there} {counted(d_model, 'dimension')}" if wanted > d_model else ""
    return f"{wanted} heads do not divide d_model = {d_model}{more}. The {verb} {listed(near)}{shows}."


def diagram(shapes: Shapes) -> str:
    """Say which widths heads take and make, and what becomes of them."""
    n_head, d_head = shapes.query[0], shapes.query[-1]
    said = f"Each of {n_head} heads makes" if n_head > 1 else "The one head makes"
    said += f" queries {d_head} wide from vectors {shapes.x[-1]} wide, by a matrix of its own."
    if shapes.key[0] < n_head:
        said += (
            f" Keys and values have {counted(shapes.key[0], 'head')}: {n_head // shapes.key[0]} share each."
        )
    if n_head > 1:
        said += (
            f" Concat lays {n_head} outputs side by side: {n_head} × {d_head} = {shapes.concatenated[-1]}."
        )
    if shapes.output_weight is not None:
        said += f" W_o mixes them into vectors {shapes.output[-1]} wide."
    return f"{said} A click on a box opens what it is: a picture, or a tab under this one."


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
    n_head, keys = len(effective), counted(n_key, "key")
    width = f"{counted(n_head, 'head')} of width {d_head}"
    average = "on average over the queries that may attend" if some_empty else "on average"
    if not any(effective):
        return f"{width}: no query may attend to any key, so every weight is zero."
    if n_head == 1:
        return (
            f"{width}: one map. Its weights are as spread as equal weights on {effective[0]:.1f} of {keys}, "
            f"{average}. More heads give more maps of the same words."
        )
    narrow = min(range(n_head), key=lambda head: effective[head])
    wide = max(range(n_head), key=lambda head: effective[head])
    shared = f", cut from projections {n_head * d_head} wide" if n_head * d_head == d_model else ""
    if round(effective[narrow], 1) == round(effective[wide], 1):
        return (
            f"{width}{shared}. The weights of every head are as spread as equal weights on "
            f"{effective[wide]:.1f} of {keys}, {average}."
        )
    return (
        f"{width}{shared}. Head {narrow + 1} has the narrowest weights: as spread as equal weights on "
        f"{effective[narrow]:.1f} of {keys}, {average}. "
        f"Head {wide + 1} has the widest: {effective[wide]:.1f}."
    )


def combined(chosen: Sequence[int], largest_row_sum: float, spread: float, *, all_attend: bool = True) -> str:
    """Say what the mean and the maximum of heads, counted from 0, are.

    Args:
        chosen: the heads.
        largest_row_sum: the most that a row of the maximum sums to.
        spread: the most by which two heads differ in one cell.
        all_attend: whether every query has a key that it may attend to.
    """
    who = (
        f"heads {listed([str(head + 1) for head in chosen])}" if len(chosen) > 1 else f"head {chosen[0] + 1}"
    )
    if len(chosen) == 1:
        return f"Over {who} alone: the mean and the largest are its own map. Take more heads to combine them."
    if largest_row_sum == 0.0:
        return f"Over {who}: no query may attend to any key, so every weight is zero."
    sums = "rows of the mean still sum to one" + ("" if all_attend else ", but for the empty ones")
    if largest_row_sum < 1.005:
        return f"Over {who}: {sums}; rows of the largest weight do too, for the heads hardly differ."
    return (
        f"Over {who}: {sums}; rows of the largest weight sum to as much as "
        f"{largest_row_sum:.2f}, so they are no attention any more. In one cell two heads differ by up to "
        f"{spread:.2f}."
    )


def against(one: int, other: int, largest: float, query: str, key: str, *, n_head: int = 2) -> str:
    """Say where two heads, counted from 0, differ most; the words are escaped already."""
    if one == other:
        other_one = "choose another" if n_head > 1 else "there is no other"
        return f"Head {one + 1} against itself: {other_one} to compare it with."
    if not largest:
        return f"Heads {one + 1} and {other + 1} have the same weights in every cell."
    if abs(largest) < 0.005:
        return f"Heads {one + 1} and {other + 1} differ by less than 0.005 in every cell."
    more, less = (one, other) if largest > 0 else (other, one)
    return (
        f"Heads {one + 1} and {other + 1} differ most where {query} attends to {key}: head {more + 1} gives "
        f"{abs(largest):.2f} more weight there than head {less + 1}."
    )


def moved_most(token: str, lengths: Sequence[float], output: float, change: float | None) -> str:
    """Say which head adds most to a token, and what is gone with the heads that are off.

    >>> moved_most("cat", [0.0, 0.0], 0.5, None)
    'cat: no head adds anything to it; the whole output has length 0.5.'
    """
    most = max(range(len(lengths)), key=lambda head: lengths[head])
    whole = f"the whole output has length {output:.3g}"
    if not lengths[most]:
        said = f"{token}: no head adds anything to it; {whole}."
    elif len(lengths) == 1:
        said = f"{token}: the head adds a vector of length {lengths[0]:.3g}, and {whole}."
    else:
        said = (
            f"{token}: head {most + 1} moves it most; it adds a vector of length {lengths[most]:.3g}, "
            f"and {whole}."
        )
    if change is None:
        return said
    return f"{said} Without the heads that are off, the output moves by {change:.3g}."


def parameters(here: int, single: int, n_head: int, d_head: int, d_model: int) -> str:
    """Say whether several heads hold more parameters than one."""
    heads = f"{counted(n_head, 'head')} of width {d_head}"
    if n_head == 1 and d_head == d_model:
        return (
            f"One head of width {d_model} holds {here:,} parameters. Several heads that share this width "
            "hold as many: the projections are as wide, only cut."
        )
    if n_head * d_head == d_model:
        return (
            f"{heads} and one head of width {d_model} hold the same number of parameters, {here:,}: the "
            "projections are as wide, only cut. Several heads cost no more."
        )
    more, hold = "more" if here > single else "fewer", "holds" if n_head == 1 else "hold"
    return (
        f"{heads} {hold} {here:,} parameters, {abs(here - single):,} {more} than one head of width "
        f"{d_model}, because {n_head} × {d_head} = {n_head * d_head} is not {d_model}: width costs, not the "
        "number of heads."
    )


def block(residual: bool, norm: str, *, some_flat: bool = False) -> str:
    """Say what stands around attention in each layer: whether the residual, and where the norm.

    Args:
        residual: whether the input is added; norm: where the norm stands.
        some_flat: whether the norm meets a vector whose numbers are all equal, which it takes to zero.
    """
    kept = {
        True: "the input is **added** to the output (the residual)",
        False: "nothing is added to the output, where a transformer adds the input (the residual)",
    }[residual]
    but = ", but for those whose numbers are all the same, which it takes to zero" if some_flat else ""
    normed = {
        "after": f"**layer norm** then brings every vector to one length{but} (post-norm)",
        "before": f"attention reads vectors that **layer norm** has brought to one length{but}, and what "
        "goes on to the next layer keeps its own (pre-norm)",
        "none": "no **layer norm** brings vectors to one length",
    }[norm]
    return (
        f"In a transformer, attention does not stand alone. In each layer here {kept}; {normed}. "
        "Layer upon layer shows what that is for."
    )


def layers(
    name: str, layer: int, before: float, after: float, alike: float | None, *, zero: Sequence[str] = ()
) -> str:
    """Say what repeated layers did to the length of the vectors and to how alike they are.

    Args:
        name: what stands around attention; layer: how many layers.
        before, after: mean lengths of the vectors that are not zero; alike: the mean cosine of two of them,
            None where there are no two.
        zero: the tokens whose vectors are zero, escaped already.
    """
    if layer == 0:
        return f"Before the first layer the vectors have a mean length of {before:.3g}."
    start = f"With {name}, after {counted(layer, 'layer')}"
    if not after:
        return f"{start} every vector is zero: none has a direction, and nothing tells tokens apart."
    who = "the vectors"
    alone = bool(zero) and alike is None
    if zero:
        shown = listed([*zero[:3], f"{len(zero) - 3} more"] if len(zero) > 4 else list(zero))
        is_zero = "vector {} is zero and has" if len(zero) == 1 else "vectors {} are zero and have"
        who = f"the {is_zero.format(f'of {shown}')} no direction; the other{'' if alone else 's'}"
    if abs(after / before - 1) < 0.05 if before else True:
        length = f"{'keeps its' if alone else 'keep their mean'} length, {after:.3g}"
    else:
        length = f"{'goes' if alone else 'go'} from a mean length of {before:.3g} to {after:.3g}"
    all_of, of = ("all of these", "of these") if zero else ("all tokens", "tokens")
    if alike is None:
        end = f"there is no second {'one' if zero else 'token'} to be compared with"
    elif alike > 1 - 1e-9:
        end = f"{all_of} point the same way, so their directions tell nothing apart"
    elif alike > 0.99:
        end = f"{all_of} point nearly the same way, their cosines {number(1 - alike, 2)} below 1 on average"
    else:
        end = f"two {of} have a cosine of {fixed(alike, 2)} on average"
    return f"{start} {who} {length}; {end}."


def too_many_numbers(wanted: int, n_tokens: int, allowed: Sequence[int], shown: int) -> str:
    """Say that a number of heads is not among those that are computed at once for so many tokens.

    >>> too_many_numbers(3, 64, [1, 2, 4], 2)
    'With 64 tokens the slider offers 1, 2 and 4 heads, not 3; 2 is shown.'
    """
    offered = listed([str(heads) for heads in allowed])
    return f"With {n_tokens} tokens the slider offers {offered} heads, not {wanted}; {shown} is shown."


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
            f"Queries are {d_query} wide and keys {d_key}: as they are, no dot product fits (it would with "
            f"{d_query} and {d_query}, or {d_key} and {d_key}). W_q and W_k bring both to the width of the "
            "heads."
        )
    if unfit and n_query != n_key:
        name = unfit if unfit == "sliding window" else f"{unfit} mask"
        said.append(
            f"A {name} needs as many queries as keys; here are {n_query} and {n_key}. Nothing is masked."
        )
    if mask == "padding" and reach >= n_key:
        left = "With 0, nothing is padding." if n_key == 1 else f"With {n_key - 1} at most, some are left."
        said.append(
            f"{'The only key is' if n_key == 1 else f'All {n_key} keys are'} padding, so every query may "
            f"attend to nothing: weights and heads are zero. {left}"
        )
    return said


def empty_rows(empty: Sequence[str], n_query: int) -> str:
    """Say which queries a mask leaves no key, in some head or in all; the words are escaped already.

    >>> empty_rows(["cat"], 6)
    'The mask leaves cat no key: its weights are zero there, where torch gives NaN. Free a cell of its row.'
    """
    if len(empty) == n_query:
        who, its = "any query" if n_query > 1 else "the query", "all weights are"
        return f"The mask leaves no key to {who}: {its} zero there, where torch gives NaN. Free some cells."
    shown = listed([*empty[:3], f"{len(empty) - 3} more"] if len(empty) > 4 else list(empty))
    its = "its weights are" if len(empty) == 1 else "their weights are"
    row = "its row" if len(empty) == 1 else "their rows"
    return f"The mask leaves {shown} no key: {its} zero there, where torch gives NaN. Free a cell of {row}."


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
    does, other = ("sharper", "flatter") if value < 1 else ("flatter", "sharper")
    if changes is None:
        return f"Scores are divided by T = {value:.3g} too: rows are {does} wherever their scores differ."
    sharper, flatter, full = changes
    most, least = (sharper, flatter) if value < 1 else (flatter, sharper)
    rows = f"of {counted(full, 'row')}, {most} {'is' if most == 1 else 'are'} {does} than at T = 1"
    return f"T = {value:.3g} divides products, not the biases of places: {rows}, {least} {other}."


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
    first = f"{means[shown[0]]:.2f} of the weight in head {shown[0] + 1}"
    told = [f"{first} ({without[shown[0]]:.2f} without the {scheme})"]
    told += [f"{means[head]:.2f} in head {head + 1} ({without[head]:.2f})" for head in shown[1:]]
    every = f"from {' to '.join(told)}" if len(means) > MOST_HEADS_TOLD else ", ".join(told)
    return f"On average {key}, the last key, draws {every}."


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
    of = "" if n_head == 1 else f" in {n_head} maps"
    left = f"{attended:,} of {counted(full, 'pair')}{of} ({100 * attended / full:.1f}%)"
    if not kinds:
        return f"The mask leaves {left}."
    whose = []
    for at, kind in enumerate(kinds):
        heads = [str(head + 1) for head in range(at, n_head, len(kinds))]
        if heads:
            whose.append(f"{kind}: {'head' if len(heads) == 1 else 'heads'} {listed(heads)}")
    return f"The masks leave {left}; {', '.join(whose)}."


def placed(scheme: str, strength: float, where: str, before: float, after: float) -> str:
    """Say what positions change most, and where; its words are escaped already.

    >>> placed("ramp", 1.0, "head 2, love to dogs", 0.25, 0.75)
    'Positions (ramp, strength 1): most in head 2, love to dogs, from 0.25 without them to 0.75.'
    """
    name = f"Positions ({scheme}, strength {strength:g})"
    if abs(after - before) < 0.001:
        return f"{name} move no weight by 0.001 or more."
    digits = 2 if round(before, 2) != round(after, 2) else 4
    return f"{name}: most in {where}, from {before:.{digits}f} without them to {after:.{digits}f}."


def other_values(what: str, offered: Sequence[str], n_tokens: int, n_head: int) -> str:
    """Say that a slider offers few values, because the maps are large.

    >>> other_values("Temperature T", ["0.10", "1.00"], 64, 16)
    'With 64 tokens and 16 heads the slider offers 2 values of “Temperature T”: 0.10 and 1.00.'
    """
    return (
        f"With {n_tokens} tokens and {counted(n_head, 'head')} the slider offers "
        f"{counted(len(offered), 'value')} of “{what}”: {listed(list(offered))}."
    )


def odd_heads(wanted: int, d_head: int, allowed: Sequence[int], shown: int) -> str:
    """Say that so many heads would have an odd width, which a rotation cannot turn.

    >>> odd_heads(4, 5, [1, 2], 2)
    'Rotary turns pairs of dimensions, and 4 heads would be 5 wide. 1 and 2 heads fit pairs; 2 is shown.'
    """
    return (
        f"Rotary turns pairs of dimensions, and {counted(wanted, 'head')} would be {d_head} wide. "
        f"{listed([str(each) for each in allowed])} {'head fits' if list(allowed) == [1] else 'heads fit'} "
        f"pairs; {shown} is shown."
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


def sharing(n_head: int, num_kv_heads: int, kept: int, full: int, off: float) -> str:
    """Say who shares keys with whom, what is kept for it, and what it does to the output.

    Args:
        n_head: heads of queries; num_kv_heads: heads of keys and values.
        kept, full: numbers kept a token, shared and with keys of one's own.
        off: the largest change of the output, as a share of its largest number.

    >>> sharing(4, 4, 16, 16, 0.0)
    'Each of the 4 heads has keys and values of its own: multi-head attention, 16 numbers kept a token.'
    """
    if num_kv_heads == n_head:
        who = "The head has" if n_head == 1 else f"Each of the {n_head} heads has"
        return f"{who} keys and values of its own: multi-head attention, {kept:,} numbers kept a token."
    group = n_head // num_kv_heads
    name, short = ("multi-query", "MQA") if num_kv_heads == 1 else ("grouped-query", "GQA")
    who = (
        f"All {n_head} heads read one head of keys and values"
        if num_kv_heads == 1
        else f"{num_kv_heads} heads of keys and values, each read by {group} heads side by side"
    )
    return (
        f"{who}: {name} attention ({short}) keeps {kept:,} numbers a token where {full:,} were kept. With "
        f"the mean of what they replace, the output is off by up to {percent(off)} of its largest number."
    )


def percent(share: float) -> str:
    """Write a share in percent.

    >>> percent(0.5839), percent(1.2345), percent(2e-7)
    ('58.4%', '123%', '2 × 10⁻⁵%')
    """
    return f"{number(100 * share, 3)}%"


def latent(d_latent: int, rank: int, full: int, off: float) -> str:
    """Say what a latent vector keeps, and what it loses.

    Args:
        d_latent: numbers kept a token; rank: of the whole.
        full: numbers kept a token without it.
        off: the largest change of the output, as a share of its largest number.
    """
    instead = "as many as without it" if d_latent == full else f"in place of {full:,}"
    kept = f"{counted(d_latent, 'number')} kept a token, {instead}"
    if d_latent == rank:
        return f"{kept}, and nothing is lost: keys and values of all heads are read from them."
    return (
        f"{kept}, from which keys and values of all heads are read: the output is off by up to "
        f"{percent(off)} of its largest number, for only {d_latent} of {counted(rank, 'direction')} "
        f"{'is' if d_latent == 1 else 'are'} left."
    )


def writing(token: str, place: int, cached: int, uncached: int, kept: int) -> str:
    """Say what is computed for one token and what is only read again; the word is escaped already.

    Args:
        token: the word; place: its own, from 0.
        cached, uncached: operations with the cache and without.
        kept: numbers kept in all heads after it.
    """
    if place == 0:
        return (
            f"{token} is the first token: nothing is kept yet, so both ways compute the same {cached:,} "
            f"operations; {kept:,} numbers are kept."
        )
    return (
        f"{token} is projected alone and reads {counted(place, 'token')} kept before it: {cached:,} "
        f"operations in place of {uncached:,}, {uncached / cached:.1f} times as many; {kept:,} numbers are "
        "kept now."
    )


def one_or_many(
    n_head: int,
    *,
    parameters: int,
    more_flops: int,
    entropies: Sequence[float],
    ranks: Sequence[float],
    stacked: tuple[int, str, float | None],
) -> str:
    """Say what one head and several have in common at one width, and what tells them apart.

    Args:
        n_head: how many heads are compared with one.
        parameters: of either; more_flops: what the several take beyond the one.
        entropies, ranks: of the weights in nats and of the scores, with one head and with several.
        stacked: after how many layers, in which way, and how far tokens are then apart, as a share of their
            size; None where layers cannot follow one another.

    >>> one_or_many(
    ...     1, parameters=256, more_flops=0, entropies=[1.4], ranks=[6.0], stacked=(0, "", None)
    ... )
    'One head holds 256 parameters; its weights have an entropy of 1.40 nats, its scores rank 6.'
    """
    if n_head == 1:
        said = (
            f"One head holds {parameters:,} parameters; its weights have an entropy of {entropies[0]:.2f} "
            f"nats, its scores rank {ranks[0]:.3g}."
        )
    else:
        said = (
            f"One head and {n_head} hold the same {parameters:,} parameters; {n_head} take {more_flops:,} "
            f"operations more. Entropy {entropies[0]:.2f} nats with one, {entropies[1]:.2f} with {n_head}; "
            f"scores have rank {ranks[0]:.3g} with one, {ranks[1]:.3g} in each of {n_head}."
        )
    layer, way, apart = stacked
    if apart is None:
        return said
    where = f"After {counted(layer, 'layer')} {way}" if layer else "Before the first layer"
    if not apart:
        left = "nothing tells tokens apart: the distance is exactly 0"
    elif apart < 1e-12:
        left = "no more than rounding tells tokens apart"
    else:
        left = f"tokens are {number(apart, 3)} of their size apart"
    return f"{said} {where} {left}."


def fitted(step: int, heads: Sequence[int], errors: Sequence[float]) -> str:
    """Say how far each number of heads has come.

    >>> fitted(5, [1, 2], [0.6, 0.25])
    'After 5 steps the mean error is 0.6 with 1 head and 0.25 with 2.'
    """
    told = zip(heads, errors, strict=True)
    each = [f"{number(error, 2)} with {'1 head' if n == 1 else n}" for n, error in told]
    return f"After {counted(step, 'step')} the mean error is {listed(each)}."


def made(weights: Sequence[Weight], given: Given) -> str:
    """Say where the projections come from: the seed, or a hand."""
    typed = [name for name, _ in given]
    if not typed:
        return (
            "The projections are drawn from the seed, not trained: what a head looks at here says nothing of "
            "grammar."
        )
    said = f"{listed(typed)} {'is' if len(typed) == 1 else 'are'} as set by hand"
    return (
        f"{said}."
        if len(typed) == len(weights)
        else f"{said}; the others are drawn from the seed, not trained."
    )
