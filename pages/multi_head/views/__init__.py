"""The views of all heads; each draws every position of the slider, and describes one of them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from attn_figures.picture import Spec
from attn_figures.scene import Scene
from attn_live.captions import LazyMap
from attn_live.packing import Cursor
from attn_ui.base.controls import Controls
from attn_ui.base.page import Cell
from attn_ui.base.scenes import shared_scene
from attn_words import N_, paragraph
from pages.multi_head import words
from pages.multi_head.compute import Result
from pages.multi_head.sliders import Moving
from pages.multi_head.state import HeadsOptions
from pages.multi_head.views import arcs, diagram, encoder_and_decoder, maps, points, single_vs_multi


@dataclass(frozen=True)
class HeadsView:
    """A view of the heads: `draw` returns a figure for each step, `describe` a sentence for one."""

    draw: Callable[[Sequence[Result]], Sequence[Spec]]
    describe: Callable[[Result], str]
    plain: bool = False  # whether it shows neither mask nor positions nor temperature
    follow: Callable[[Sequence[Result]], Cursor] | None = None  # what a slider over queries moves
    clicked: Callable[[Controls, Cell], None] | None = None  # the view's own reaction to a click
    about: str = ""  # a note for every position


def each(picture: Callable[[Result], Spec]) -> Callable[[Sequence[Result]], Sequence[Spec]]:
    """Return a function that draws each step with `picture`."""
    return partial(LazyMap, picture)


VIEWS: Mapping[str, HeadsView] = {
    "every head": HeadsView(maps.draw_every_head, words.describe_heads),
    "arcs": HeadsView(
        arcs.draw,
        arcs.describe,
        follow=arcs.follow,
    ),
    "points": HeadsView(
        points.draw,
        points.describe,
        follow=points.follow,
    ),
    "diagram": HeadsView(
        each(diagram.picture),
        diagram.describe,
        clicked=diagram.open_box,
        about=N_("A click on a box opens what shows it."),
    ),
    "encoder and decoder": HeadsView(
        each(encoder_and_decoder.picture),
        encoder_and_decoder.describe,
        plain=True,
        clicked=encoder_and_decoder.open_box,
        about=encoder_and_decoder.ABOUT,
    ),
    "mean and max": HeadsView(
        each(maps.mean_and_max),
        lambda result: words.describe_mean(result, maps.heads_on(result)),
    ),
    "two heads": HeadsView(
        each(maps.two_heads),
        lambda result: words.describe_pair(result, result.head, result.against),
    ),
    "threshold": HeadsView(maps.draw_removal, maps.describe_removal),
    "without": HeadsView(maps.draw_removal, maps.describe_removal),
    "single vs multi-head": HeadsView(
        each(single_vs_multi.picture),
        single_vs_multi.describe,
        plain=True,
        about=single_vs_multi.ABOUT,
    ),
}


@shared_scene
def scene(moving: Moving, look: HeadsOptions) -> Scene:
    """Draw every position of the slider, with captions."""
    heads_view, steps = VIEWS[look.view], moving.results(look)
    if not heads_view.follow:
        return Scene(heads_view.draw(steps), captions=LazyMap(caption, steps))
    queries = range(len(steps[0].tokens.queries))
    captions = LazyMap(
        lambda result: LazyMap(lambda query: caption(replace(result, cell=(query, 0))), queries), steps
    )
    return Scene(heads_view.draw(steps), heads_view.follow(steps), captions=captions)


def caption(result: Result) -> str:
    """Return a view's caption: its own sentence, then unless `plain` positions, sink and empty rows."""
    heads_view = VIEWS[result.look.view]
    more = () if heads_view.plain else (words.describe_positions, words.describe_sink, words.warning)
    return paragraph(heads_view.describe(result), *(sentence(result) for sentence in more))
