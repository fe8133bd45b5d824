"""Every colour, font and hover format of the product, for light, dark and print.

Figures are always built with the LIGHT colours. Each LIGHT colour is unique, so the theme and the ramps of a
figure are changed by replacing its colours by `recolouring(DARK, "viridis")`, which the browser does without
the server.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields, replace
from functools import cache
from types import MappingProxyType
from typing import Any

from plotly.colors import sequential, unlabel_rgb

Ramp = tuple[str, ...]


@dataclass(frozen=True)
class Palette:
    """The named colours of one theme, as #RRGGBB; each ramp runs from its lowest value to its highest."""

    paper: str
    panel: str  # the sidebar and other quiet surfaces
    ink: str
    muted: str  # captions, operators, tick marks
    rule: str  # hairlines and cell frames
    query: str
    key: str
    value: str
    output: str
    masked: str
    hatch: str
    warning: str
    weights: Ramp  # 0 to 1, from paper to deep indigo; its first colour differs invisibly from paper
    scores: Ramp  # symmetric around zero, amber to indigo, readable without red and green
    series: Ramp  # distinct lines, which differ in lightness too


LIGHT = Palette(
    paper="#FBFAF6",
    panel="#F4F1E8",
    ink="#1D1C1A",
    muted="#67645D",
    rule="#DCD7C9",
    query="#3B3F9E",
    key="#A85B00",
    value="#1B7A4B",
    output="#1E6A45",
    masked="#EAE6DA",
    hatch="#BDB6A3",
    warning="#9A3412",
    weights=(
        "#FBFAF5", "#DFE0ED", "#C3C6E4", "#A9ACDA", "#8F93CF", "#7177B7", "#555C9F", "#3B4187", "#23266F",
    ),
    scores=(
        "#8A4B08", "#B47942", "#DFAA71", "#EED3B4", "#FBFAF7", "#CED1E9", "#A3A8DC", "#646DB8", "#2E3192",
    ),
    series=("#3B3FA0", "#B86A10", "#1B7A4C", "#A23B6B", "#4A7FB5", "#6B675F"),
)  # fmt: skip

DARK = Palette(
    paper="#16171B",
    panel="#1E2026",
    ink="#ECEAE3",
    muted="#A3A099",
    rule="#3A3C45",
    query="#A9ADFF",
    key="#F0AC5A",
    value="#6FCB9A",
    output="#7AD3A4",
    masked="#26272D",
    hatch="#565862",
    warning="#FDBA8C",
    weights=(
        "#16171B", "#26293F", "#373A64", "#484C8B", "#5A5FB4", "#7980C8", "#9BA1DB", "#BEC2ED", "#E3E4FF",
    ),
    scores=(
        "#FFB86B", "#C68846", "#8F5A22", "#503825", "#16171B", "#32365F", "#5358A8", "#8489D3", "#B9BCFF",
    ),
    series=("#AAAEFF", "#F1AD5B", "#70CC9B", "#EE93BD", "#8FC1F0", "#B5B1A8"),
)  # fmt: skip

# The hatching of covered parts: wider, crossed and in ink, unlike masked cells from the back of a room.
COVERED = {"shape": "x", "size": 14, "solidity": 0.22, "fgcolor": LIGHT.muted, "bgcolor": LIGHT.masked}

# On paper: white ground and black ink, everything that carries meaning as on the screen.
PRINT = Palette(
    **(
        asdict(LIGHT)
        | {
            "paper": "#FFFFFF",
            "ink": "#000000",
            "muted": "#4A4843",
            "weights": ("#FFFFFF", *LIGHT.weights[1:]),
            "scores": (*LIGHT.scores[:4], "#FFFFFF", *LIGHT.scores[5:]),
        }
    )
)

# Last, so that they are used only for what the others lack: Chinese characters.
_CHINESE = (
    '"PingFang SC", "Hiragino Sans GB", "Microsoft YaHei", "Noto Sans CJK SC", "Source Han Sans SC", '
    '"WenQuanYi Micro Hei"'
)
SANS = f'"Source Sans", "Source Sans 3", "Source Sans Pro", sans-serif, {_CHINESE}'
SERIF = f'"Source Serif", "Source Serif 4", "Source Serif Pro", serif, {_CHINESE}'
MONO = f'"Source Code", "Source Code Pro", monospace, {_CHINESE}'
FONT_SIZE = 14

Colorscale = list[list[float | str]]


def colorscale(ramp: Ramp, power: float = 1.0) -> Colorscale:
    """Spread a ramp's colours over [0, 1], in the form that Plotly takes.

    With power 1 evenly; with power 2 the colour at place p of the ramp means p², so that the small weights
    of many keys still differ in colour, while the range stays fixed.

    >>> colorscale(("#000000", "#808080", "#FFFFFF"))
    [[0.0, '#000000'], [0.5, '#808080'], [1.0, '#FFFFFF']]
    >>> colorscale(("#000000", "#808080", "#FFFFFF"), power=2)
    [[0.0, '#000000'], [0.25, '#808080'], [1.0, '#FFFFFF']]
    """
    last = len(ramp) - 1
    return [[(position / last) ** power, colour] for position, colour in enumerate(ramp)]


def _between(*colours: str) -> Ramp:
    """Return nine colours from the first through the others to the last, evenly in sRGB.

    >>> _between("#000000", "#FFFFFF")[4], _between("#000000", "#FF0000", "#FFFFFF")[4]
    ('#808080', '#FF0000')
    """
    rgb = [[int(colour[at : at + 2], 16) for at in (1, 3, 5)] for colour in colours]
    result = []
    for step in range(9):
        at, share = divmod(step * (len(rgb) - 1) / 8, 1)
        low, high = rgb[int(at)], rgb[min(int(at) + 1, len(rgb) - 1)]
        result.append(
            "".join(f"{int(a + (b - a) * share + 0.5):02X}" for a, b in zip(low, high, strict=True))
        )
    return tuple(f"#{colour}" for colour in result)


# As matplotlib has them (CC0) and ColorBrewer (Apache-2.0), which Plotly ships.
_VIRIDIS, _CIVIDIS = _between(*sequential.Viridis), _between(*sequential.Cividis)
_YELLOW_TO_BLUE = tuple(
    "#{:02X}{:02X}{:02X}".format(*map(int, unlabel_rgb(each))) for each in sequential.YlGnBu
)
# Ends of ColorBrewer's PRGn and RdBu: on light paper, and paler ones on dark.
_PURPLE, _GREEN = ("#762A83", "#CF9BE6"), ("#1B7837", "#A6DBA0")
_RED, _BLUE = ("#B2182B", "#F4A582"), ("#2166AC", "#92C5DE")


def _around(theme: Palette, low: tuple[str, str], high: tuple[str, str]) -> Ramp:
    """Return a diverging ramp around a theme's paper."""
    dark = theme is DARK
    return _between(low[dark], theme.paper, high[dark])


def _greys(theme: Palette) -> tuple[Ramp, Ramp]:
    """Return ramps of grey; for scores 0 is the middle grey, so that signs differ without colour."""
    greys = _between(theme.paper, theme.ink)
    return greys, greys


RAMPS: Mapping[str, Callable[[Palette], tuple[Ramp, Ramp]]] = MappingProxyType(
    {
        "indigo": lambda theme: (theme.weights, theme.scores),
        "viridis": lambda theme: (_VIRIDIS, _around(theme, _PURPLE, _GREEN)),
        "cividis": lambda theme: (_CIVIDIS, _around(theme, _RED, _BLUE)),
        "ylgnbu": lambda theme: (_YELLOW_TO_BLUE, _around(theme, _RED, _BLUE)),
        "grey": _greys,
    }
)
"""The ramps of weights and of scores in a theme, by name; each is readable with colour blindness."""


@cache
def recolouring(target: Palette, ramps: str = "indigo") -> Mapping[str, str]:
    """Return a mapping from every LIGHT colour to its colour in `target`, with the named ramps.

    >>> recolouring(DARK)[LIGHT.query] == DARK.query
    True
    >>> recolouring(LIGHT, "viridis")[LIGHT.weights[0]]
    '#440154'

    Raises:
        KeyError: if there are no such ramps.
    """
    weights, scores = RAMPS[ramps](target)
    target = replace(target, weights=weights, scores=scores)
    mapping: dict[str, str] = {}
    for field in fields(Palette):
        light, other = getattr(LIGHT, field.name), getattr(target, field.name)
        pairs = zip(light, other, strict=True) if isinstance(light, tuple) else [(light, other)]
        mapping.update(pairs)
    return mapping


def by_theme(ramps: str = "indigo") -> dict[str, Mapping[str, str]]:
    """Return a live figure's colours in each theme; a theme that is missing keeps the LIGHT ones.

    >>> list(by_theme()), list(by_theme("grey"))
    (['dark', 'print'], ['light', 'dark', 'print'])
    """
    themes = {"light": LIGHT, "dark": DARK, "print": PRINT}
    if ramps == "indigo":  # figures are built in its light colours
        del themes["light"]
    return {name: recolouring(theme, ramps) for name, theme in themes.items()}


def recolour(value: Any, colours: Mapping[str, str]) -> Any:
    """Return a figure, or a part of one, with its colours replaced; arrays stay as they are.

    >>> recolour({"line": {"color": "#3B3F9E80"}}, {"#3B3F9E": "#000000"})
    {'line': {'color': '#00000080'}}
    """
    if isinstance(value, str):
        return re.sub("#[0-9A-F]{6}", lambda match: colours.get(match[0], match[0]), value)
    if isinstance(value, dict):
        return {key: recolour(inner, colours) for key, inner in value.items()}
    return [recolour(inner, colours) for inner in value] if isinstance(value, list) else value


def variables(palette: Palette) -> dict[str, str]:
    """Return the colours and fonts as the variables of the live figure's style sheet."""
    return {
        "--st-background-color": palette.paper,
        "--st-text-color": palette.ink,
        "--st-primary-color": palette.query,
        "--st-border-color": palette.rule,
        "--st-violet-text-color": palette.query,
        "--st-orange-text-color": palette.key,
        "--st-green-text-color": palette.value,
        "--st-font": SANS,
        "--st-code-font": MONO,
    }


def rgba(colour: str, alpha: float) -> str:
    """Make a #RRGGBB colour translucent, as #RRGGBBAA, so that `recolour` still finds it.

    >>> rgba("#3B3F9E", 0.5)
    '#3B3F9E80'
    """
    return f"{colour}{round(alpha * 255):02X}"


def layout(**settings: Any) -> dict[str, Any]:
    """Return the Plotly layout that every figure starts from, with `settings` on top.

    The template is empty on purpose: importing Streamlit changes Plotly's default one.
    """
    return {
        "template": {},
        "paper_bgcolor": LIGHT.paper,
        "plot_bgcolor": LIGHT.paper,
        "font": {"family": SANS, "size": FONT_SIZE, "color": LIGHT.ink},
        "margin": {"l": 0, "r": 0, "t": 0, "b": 0},
        "showlegend": False,
        "hovermode": "closest",
        "dragmode": False,
        "hoverlabel": {
            "bgcolor": LIGHT.paper,
            "bordercolor": LIGHT.muted,
            "font": {"family": SANS, "size": FONT_SIZE, "color": LIGHT.ink},
            "align": "left",
        },
    } | settings
