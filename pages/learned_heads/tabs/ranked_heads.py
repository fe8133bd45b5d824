"""The tabs of a whole model: every measure of every head, and checks on the numbers on screen."""

from functools import partial

import numpy as np
import streamlit as st
import torch
from torch import Tensor
from torch.nn import functional as F

from attn_core import AttentionMaps, Check, RealModel, compare
from attn_core.precision import coarsest, row_tolerance
from attn_live.pyramid import STRIPE, Pyramid
from attn_ui.base.markdown import capital
from attn_ui.base.parameters import label_of
from attn_words import _
from pages.learned_heads.long_text import LongText, pyramid_of
from pages.learned_heads.model_shelf import maps_of
from pages.learned_heads.ranked_heads import SHARES, SPECIAL, RankedHeads
from pages.learned_heads.settings import RANK_BY
from pages.learned_heads.state import Heads
from pages.learned_heads.tables import whole_table
from pages.learned_heads.two_texts import TwoTexts

MOST_COMPARED = 64  # queries, and as many keys, of a long map


def show_heads(ranked: RankedHeads) -> None:
    """Show a table of heads, in the order of the slider; a click on a column's name sorts by it."""
    titles = [title(name) for name in ("Head", *ranked.measures)]
    st.dataframe(
        dict(zip(titles, whole_table(ranked).values(), strict=True)),
        hide_index=True,
        width="stretch",
        column_config={
            title(name): st.column_config.ProgressColumn(
                width=110,
                min_value=0.0,
                max_value=1.0 if name in SHARES else max(ranked.all_scores[name]) or 1.0,
                format="%.3f",
            )
            for name in ranked.measures
        },
    )
    st.caption(
        _(
            "All are of the true weights, none divided by anything: mean weights from 0 to 1, entropy in "
            "nats, distance in positions."
        )
    )


def title(measure: str) -> str:
    """Return the title of a column: "Head", or the name of a measure."""
    if measure == "Head":
        return _("Head")
    if measure == SPECIAL:
        return _("On special tokens")
    return capital(label_of(RANK_BY, measure))


def checks(ranked: RankedHeads, model: RealModel | None = None, text: str = "") -> list[Check]:
    """Compute every check on the numbers on screen."""
    results = [check_rows(ranked.maps, ranked.displayed)] if ranked.is_divided else [check_rows(ranked.maps)]
    if model is not None:
        stages = model.stages(text)
        theirs = [
            _by_torch(each.query, each.key, each.value, each.mask, scale=scale, softcap=model.softcap)
            for each, scale in zip(stages, model.scales, strict=True)
        ]
        name = _("the output is that of torch")
        results.append(compare(name, torch.stack([each.heads for each in stages]), torch.stack(theirs)))
    return results


def checks_of_pair(result: TwoTexts) -> list[Check]:
    """Check the rows of both texts, and the change of each row in the chosen head."""
    shared = result.pair.alignment.shared
    first, second = result.pair.weights[:, result.head, shared]
    name = _("what moves of each row is half of `torch.cdist`, p = 1")
    return [
        check_rows(*(maps_of(text, result.model) for text in result.texts)),
        compare(name, result.pair.changes[result.head], torch.cdist(first, second, p=1).diagonal() / 2),
    ]


def check_blocks(heads: Heads) -> Check:
    """Compare the blocks of the large head's map with torch's pooling, at every level."""
    layer, within = heads.ranked.model.at(heads.head)
    weights = np.asarray(heads.ranked.layers[layer][within])
    mask = None if heads.ranked.model.may is None else heads.ranked.model.may[layer]
    return _check_pyramid(Pyramid(weights, heads.keep, mask), len(weights))


def _check_pyramid(pyramid: Pyramid, rows: int) -> Check:
    """Compare the blocks over the first `rows` rows with torch's pooling, at every level."""
    part = np.s_[:rows, :]
    values = torch.from_numpy(np.asarray(pyramid.weights[part]).astype(np.float32))
    allowed = torch.ones_like(values) if pyramid.may is None else torch.from_numpy(pyramid.may[part]).float()
    ours, theirs = [], []
    for level in range(1, len(pyramid.sizes)):
        size = 2**level
        pooled = partial(F.avg_pool2d, kernel_size=size, ceil_mode=True, count_include_pad=False)
        share = pooled(allowed[None])[0]
        if pyramid.keep == "max":
            pool = F.max_pool2d(values.masked_fill(allowed == 0, -1.0)[None], size, ceil_mode=True)[0]
        else:
            pool = pooled((values * allowed)[None])[0] / share
        ours.append(torch.tensor(pyramid.level(level)[: len(pool)]).flatten())
        theirs.append(pool.masked_fill(share == 0, torch.nan).flatten())
    return compare(
        _("each block of the long map is that of torch"),
        torch.cat(ours),
        torch.cat(theirs),
        scale=1.0,
    )


def checks_of_long(result: LongText) -> list[Check]:
    """Compute the checks of a long text's head, on some rows and a stripe of its map."""
    head, n = result.map, result.n
    places = torch.linspace(0, n - 1, min(n, MOST_COMPARED)).long().tolist()
    rows = torch.cat([head[at : at + 1, 0:n] for at in places])
    mask = (
        None
        if head.may is None
        else torch.from_numpy(np.concatenate([head.may[at : at + 1, 0:n] for at in places]))
    )
    # Unit vectors as values: the output then holds the weights of these keys.
    values = F.one_hot(torch.tensor(places), n).T.float()
    theirs = _by_torch(
        head.query[None, places], head.key[None], values[None], mask, scale=head.scale, softcap=head.softcap
    )[0]
    ours, sums = rows[:, places], rows.sum(dim=-1)
    name = _("the maps are those of torch")
    results = [
        compare(
            _("each row of weights sums to one, or is empty"),
            sums,
            torch.ones_like(sums),
        ),
        compare(name, ours, theirs, scale=1.0),
    ]
    blocks = pyramid_of(result)
    return [*results, _check_pyramid(blocks, STRIPE)] if len(blocks.sizes) > 1 else results


def _by_torch(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None, *, scale: float, softcap: float | None
) -> Tensor:
    """Attend by torch's fused attention; with a softcap, which that lacks, step by step in torch."""
    if softcap is None:
        heads: Tensor = F.scaled_dot_product_attention(query, key, value, mask, scale=scale, enable_gqa=True)
        return heads
    shared = query.shape[-3] // key.shape[-3]
    key, value = (each.repeat_interleave(shared, dim=-3) for each in (key, value))
    scores = torch.tanh(query @ key.mT * scale / softcap) * softcap
    return (scores if mask is None else scores.masked_fill(~mask, -torch.inf)).softmax(dim=-1) @ value


def check_rows(*all_maps: AttentionMaps) -> Check:
    """Compare the sums of whole rows with one, within the precision of the weights' format.

    Weight that is on no key of a map counts too: on keys cut off, or on a sink logit.
    """
    off, longest = 0.0, 1
    for maps in all_maps:
        for name, weights in maps.maps.items():
            sums = weights.sum(axis=-1, dtype=np.float64) + maps.beyond.get(name, 0.0)
            off = max(off, float(np.where(sums > 0.5, abs(sums - 1), sums).max()))
            longest = max(longest, weights.shape[-1])
    precision = coarsest(["float32", *(maps.precision for maps in all_maps)])  # held in single precision
    name = _(
        "each row of each map, keys that are not shown included, sums to one, to within what {precision} "
        "keeps, or is empty",
        precision=precision,
    )
    return Check(name, off, tolerance=row_tolerance(precision, longest))
