"""One head of a real model as points: queries and keys of all words in one plane."""

from dataclasses import replace

from attn_figures.numbers import as_share
from attn_figures.planes import ONE_PLANE, AttentionPlane, single_plane, split_moves
from attn_figures.scene import Scene
from attn_live.packing import Cursor
from attn_ui.base.controls import Controls
from attn_ui.base.markdown import coloured
from attn_ui.base.page import Figure, Small, View, query_rows
from attn_ui.base.planes import describe_names
from attn_ui.base.scenes import shared_scene
from attn_ui.base.shared_settings import KEY
from attn_words import _, paragraph
from pages.learned_heads import words
from pages.learned_heads.clouds import HeadClouds, clouds_of
from pages.learned_heads.compute import array
from pages.learned_heads.results import AnyResult
from pages.learned_heads.settings import FLOW_TAB
from pages.learned_heads.state import CloudState


def view(controls: Controls, state: CloudState) -> View[AnyResult]:
    """Draw the head on its text; show why if the text is too long."""
    try:
        result = clouds_of(state)
    except ValueError as error:
        controls.caption(f":material/error: {error}.")
        return View(None, None)
    figure = Figure(
        _draw(state.heads.text, state.layer, state.head, state.by_place, result),
        key="clouds",
        name=f"queries and keys of {result.model.name}, head {result.number}",
        rows=query_rows(result.labels),
        selection={"key": KEY},
    )
    notes = [_about(result), words.about_model(result.model)]
    return View(result, figure, notes=[*map(Small, notes)], tabs=FLOW_TAB)


@shared_scene
def _draw(text: str, layer: int, head: int, by_place: bool, _result: HeadClouds) -> Scene:
    """Draw the head for every query; the cache's key leaves out the model, as a process has only one."""
    del text, layer, head
    look = replace(ONE_PLANE, by_place=by_place)
    figure = AttentionPlane(
        [_result.in_plane], array(_result.weights)[None], _result.mask.numpy()[None], look
    )
    captions = [[_caption(_result, row) for row in range(len(_result.tokens))]]
    cursor = Cursor(len(_result.tokens), **split_moves(figure.follow()))
    return Scene([single_plane(figure)], cursor, captions=captions)


def _about(result: HeadClouds) -> str:
    """Return the note on how both clouds are aligned, and how to read them."""
    return _(
        "Both clouds are laid on one another, which adds one number to all scores of a query: keys are moved"
        " by {length}, queries divided by {factor} and keys multiplied by it. The plane keeps {share} of the"
        " squared distances from their centre; of two keys that are equally long, the nearer has the higher "
        "score.",
        length=f"{float(result.clouds.shift.norm()):.3g}",
        factor=f"{float(result.clouds.factor):.3g}",
        share=as_share(float(result.plane.explained.sum()), 1),
    )


def _caption(result: HeadClouds, row: int) -> str:
    """Return a query's heaviest and nearest key, and the correlation of nearness and score."""
    best = int(result.weights[row].argmax())
    nearest = int(result.distances[row].masked_fill(~result.mask[row], float("inf")).argmin())
    agreement = result.agreement(row)
    return paragraph(
        _(
            "Head {number}, query {query}: largest weight {weight} on {key}; in the plane the nearest key is "
            "{other}, weight {less}; correlation of nearness there and score {correlation}.",
            number=result.number,
            query=coloured("query", result.labels[row]),
            key=coloured("key", result.labels[best]),
            weight=f"{float(result.weights[row, best]):.3f}",
            other=coloured("key", result.labels[nearest]),
            less=f"{float(result.weights[row, nearest]):.3f}",
            correlation="–" if agreement is None else f"{agreement:.2f}".replace("-", "−"),
        ),
        describe_names(ONE_PLANE, result.labels),
    )
