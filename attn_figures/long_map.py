"""Maps too large for a Plotly figure, in a widget that zooms from the whole map to single cells."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from attn_figures import theme
from attn_figures.attention_inputs import Numbers
from attn_figures.frame import key_title, query_title
from attn_figures.multi_head import ROOT
from attn_live.browser_words import browser_words
from attn_live.pyramid import MOST_PLACES, TILE, Keep
from attn_words import _

if TYPE_CHECKING:
    from attn_live.long_widget import LongWidget

SHORT = 256  # cells a side that a figure of Plotly draws


def meta(
    rows: Sequence[str] | None, columns: Sequence[str] | None, *, quantity: str = "", palette: str = "indigo"
) -> dict[str, Any]:
    """Return the settings that the map's script reads, except its sizes.

    Args:
        rows, columns: the words of queries and keys; None to number them.
        quantity: the name of a cell's value; "weight" when empty.
        palette: one of `theme.RAMPS`.
    """
    return {
        "tile": TILE,
        "power": ROOT,
        "rows": None if rows is None else list(rows),
        "columns": None if columns is None else list(columns),
        "quantity": quantity or _("weight"),
        "titles": {"query": query_title(), "key": key_title()},
        "looks": {"light": _look(theme.LIGHT, palette), "dark": _look(theme.DARK, palette)},
    }


def _look(palette: theme.Palette, ramps: str) -> dict[str, Any]:
    names = ("paper", "ink", "muted", "rule", "query", "key", "masked", "hatch")
    colours = {name: getattr(palette, name) for name in names}
    return {**colours, "ramp": list(theme.RAMPS[ramps](palette)[0]), "font": theme.SANS, "mono": theme.MONO}


def long_map(
    weights: Numbers,
    rows: Sequence[str] | None,
    columns: Sequence[str] | None,
    *,
    at: tuple[int, int],
    keep: Keep,
    palette: str = "indigo",
) -> "LongWidget":
    """Draw weights (layers, heads, n_query, n_key), one map at a time, of at most ``MOST_PLACES`` a side.

    Raises:
        ValueError: if there are more queries or keys.
        ImportError: if the package anywidget is not installed.
    """
    if max(weights.shape[-2:]) > MOST_PLACES:
        raise ValueError(
            f"a map may have {MOST_PLACES:,} queries and keys, got shape {weights.shape}: show a part of it, "
            f"such as attentions[..., :{MOST_PLACES}, :{MOST_PLACES}]"
        )
    try:
        from attn_live.long_widget import LongWidget  # noqa: PLC0415  (anywidget is optional, and slow to import)
    except ModuleNotFoundError as error:
        raise ImportError(
            f"a map of more than {SHORT} places needs the package anywidget: pip install anywidget"
        ) from error
    themes = {"light": theme.variables(theme.LIGHT), "dark": theme.variables(theme.DARK)}
    return LongWidget(
        weights,
        meta=meta(rows, columns, palette=palette),
        themes=themes,
        words=browser_words(),
        at=at,
        keep=keep,
        name=_("attention weights"),
    )


def ranges(labels: Sequence[str], size: int) -> list[str]:
    """Return a name for each block of labels, made of its first and its last.

    >>> ranges(["a", "b", "c"], 2)
    ['a … b', 'c']
    """
    ends = ((first, min(first + size, len(labels)) - 1) for first in range(0, len(labels), size))
    return [
        labels[first] if first == last else _("{first} … {last}", first=labels[first], last=labels[last])
        for first, last in ends
    ]
