"""One head of a real model as points: queries and keys of all words in one plane."""

from attn_figures.clouds import InClouds, clouds, cursor, key_names
from attn_live.packing import Cursor, pack
from attn_live.says import pack_says
from attn_ui.base.ask import Ask
from attn_ui.base.page import Figure, Seen, Small, query_rows
from attn_ui.base.shared_cache import shared
from attn_ui.base.shared_settings import KEY
from attn_words import _
from pages.learned_heads import cloud_words as words
from pages.learned_heads.clouds import HeadClouds, clouds_of
from pages.learned_heads.compute import array
from pages.learned_heads.found import Found
from pages.learned_heads.model_words import about
from pages.learned_heads.settings import FLOW_TAB
from pages.learned_heads.state import Clouding

_Packed = tuple[bytes, bytes]


def see(ask: Ask, asked: Clouding) -> Seen[Found]:
    """Draw the head on its text; say why where that is too long."""
    try:
        now = clouds_of(asked)
    except ValueError as error:
        ask.say(f":material/error: {error}.")
        return Seen(None, None)
    packed, says = _packed(asked.of.text, asked.layer, asked.head, asked.by_place, now)
    figure = Figure(
        packed,
        key="clouds",
        alt=_(
            "Queries and keys of all words of one head as two clouds of points in one plane, sized by the "
            "weights of one query, with lines of equal score"
        ),
        name=f"queries and keys of {now.model.name}, head {now.number}",
        rows=query_rows(now.labels),
        chosen={"key": KEY},
        says=says,
    )
    notes = [words.laid(now), about(now.model, now.tokens)]
    return Seen(now, figure, notes=[*map(Small, notes)], tabs=FLOW_TAB)


@shared
def _packed(text: str, layer: int, head: int, by_place: bool, _now: HeadClouds) -> _Packed:
    """Draw and say it for every query; there is one model a process, so it is no part of what is asked."""
    del text, layer, head
    seen = in_clouds(_now, by_place=by_place)
    n = len(_now.tokens)
    said = pack_says([[words.seen(_now, row, left) for row, left in enumerate(key_names(seen).left)]])
    return pack([clouds.spec(seen)], Cursor(n, **cursor(seen))), said


def in_clouds(now: HeadClouds, *, by_place: bool) -> InClouds:
    """Hand one head to the figures."""
    plane = now.plane
    return InClouds(
        array(plane.queries),
        array(plane.keys),
        array(now.clouds.queries @ plane.directions.mT),
        array(plane.explained),
        array(now.weights),
        now.mask.numpy(),
        now.labels,
        by_place,
    )
