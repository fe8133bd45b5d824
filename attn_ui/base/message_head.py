"""What a message says of a live figure before its steps: names, sliders, what a click chooses, colours."""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import orjson

from attn_figures import theme
from attn_ui.base.page import Rows, Slider
from attn_ui.base.parameters import Steps

Places = Callable[[Steps], int]
"""Where a setting stands: the position of its value."""


def message_head(
    key: str,
    slider: Slider | None,
    rows: Rows | None,
    chosen: Mapping[str, Steps],
    places: Places,
    **more: Any,
) -> dict[str, Any]:
    """Return what the browser is told of a figure, to be written as JSON.

    Args:
        key: the figure's name on its page; slider, rows, chosen: as `attn_ui.base.page.Figure` has them.
        places: where each of them stands.
        more: what else is told, by the names that `attn_live/js/types.d.ts` has.
    """
    return {
        "key": key,
        **more,
        "slider": _control(slider, places),
        "cursor": _control(rows, places),
        "chosen": {name: _place(steps, places) for name, steps in chosen.items()},
        "colours": _colours(),
    }


@cache
def _colours() -> orjson.Fragment:
    return orjson.Fragment(
        orjson.dumps({"dark": theme.recolouring(theme.DARK), "print": theme.recolouring(theme.PRINT)})
    )


def _control(control: Slider | Rows | None, places: Places) -> dict[str, Any] | None:
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
