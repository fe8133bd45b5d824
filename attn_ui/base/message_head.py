"""The head of a live figure's message: names, sliders, what a click chooses, colours."""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import orjson

from attn_figures import theme
from attn_ui.base.link_options import PALETTE
from attn_ui.base.page import Slider
from attn_ui.base.parameters import Steps

Places = Callable[[Steps], int]
"""Returns the index of a setting's present value."""


def message_head(
    key: str,
    slider: Slider | None,
    rows: Slider | None,
    choices: Mapping[str, Steps],
    places: Places,
    *,
    palette: str = PALETTE.default,
    **more: Any,
) -> dict[str, Any]:
    """Return the head of a figure's message to the browser, to be written as JSON.

    Args:
        key: the figure's name on its page; palette: the name of its maps' colours.
        slider, rows, choices: `slider`, `rows` and `selection` of an `attn_ui.base.figure.Figure`.
        places: returns the position of each.
        more: further fields, named as in `attn_live/js/types.d.ts`.
    """
    return {
        "key": key,
        **more,
        "slider": _control(slider, places),
        "cursor": _control(rows, places),
        "chosen": {name: _place(steps, places) for name, steps in choices.items()},
        "palette": palette,
        "colours": _colours(palette),
    }


@cache
def _colours(palette: str) -> orjson.Fragment:
    return orjson.Fragment(orjson.dumps({name: dict(each) for name, each in theme.by_theme(palette).items()}))


def _control(control: Slider | None, places: Places) -> dict[str, Any] | None:
    if control is None:
        return None
    return {"label": control.label, "texts": control.texts(), **_place(control.steps, places)}


def _place(steps: Steps, places: Places) -> dict[str, Any]:
    return {
        "name": steps.name,
        "values": steps.texts(),
        "index": places(steps),
        "default": steps.nearest(steps.default),
    }
