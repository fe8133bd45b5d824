"""The state of the page: words, scheme, picture, and the sliders' values."""

from dataclasses import dataclass, replace
from typing import Any

from attn_core import SCHEMES, label_tokens
from attn_ui.base.parameters import Steps
from attn_ui.base.schemes import SchemeSettings
from attn_ui.base.shared_settings import BASE, HEAD, KEY, QUERY, RAMP_STEP, STRENGTH
from pages.positional_encoding.settings import (
    BESIDE,
    DIMENSIONS,
    DRIVES,
    FACTOR,
    LENGTH,
    LEVEL,
    MEASURE,
    OFFSET,
    ORDER,
    PLACES,
    SCALING,
    SHIFT,
    SWEEP,
    TRAINED,
)


@dataclass(frozen=True)
class State:
    """All settings of the page as plain values, so that a state can be the key of a cache."""

    picture: str
    tokens: tuple[str, ...]
    words: str
    width: int  # as set: a scheme may need another
    seed: int
    scheme: SchemeSettings
    num_heads: int
    drives: str = DRIVES.default
    measure: str = MEASURE.default
    dimensions: str = DIMENSIONS.default
    order: str = ORDER.default
    places: str = PLACES.default  # a visitor's own order
    level: str = LEVEL.default
    beside: str = BESIDE.default
    scaling: str = SCALING.default
    sweep: str = SWEEP.default
    # The values of the live sliders.
    head: int = int(HEAD.default)
    length: int = int(LENGTH.default)
    shift: int = int(SHIFT.default)
    offset: int = int(OFFSET.default)
    trained: int = int(TRAINED.default)
    factor: float = FACTOR.default
    query: int = int(QUERY.default)
    key: int = int(KEY.default)

    @property
    def is_scaled(self) -> bool:
        """Whether the picture shows a rotary scaling."""
        return self.picture == "length extrapolation" and self.scaling != SCALING.default

    @property
    def labels(self) -> list[str]:
        """The tokens, with repeated ones numbered."""
        return label_tokens(self.tokens)

    def under(self, scheme: str) -> "State":
        """Return the same state with another scheme."""
        return replace(self, scheme=replace(self.scheme, name=scheme))

    def still(self, *moving: Steps) -> "State":
        """Return it without the values of the `moving` sliders, as the cache key of a figure of all steps.

        No figure draws the chosen cell, so it is left out too.
        """
        names = {steps.name for steps in moving}
        scheme: dict[str, Any] = {
            steps.name: steps.default for steps in (STRENGTH, BASE, RAMP_STEP) if steps.name in names
        }
        own: dict[str, Any] = {
            steps.name: int(steps.default)
            for steps in (HEAD, LENGTH, SHIFT, OFFSET, TRAINED)
            if steps.name in names
        }
        if FACTOR.name in names:
            own["factor"] = FACTOR.default
        still = replace(self, scheme=replace(self.scheme, **scheme), query=0, key=0)
        return replace(still, **own)


def fitting_width(state: State) -> int:
    """Return the width nearest to `state.width` that the words and all compared schemes can take."""
    width = max(state.width, len(set(state.tokens)) if state.words == "one-hot" else 1)
    for name in sorted(compared(state), key="learned".__eq__):  # the learned table last: its width is even
        width = SCHEMES[name].fitting_width(width)
    return width


def compared(state: State) -> set[str]:
    """Return the schemes on screen: the chosen one, and the one that it is compared with, if any."""
    two = state.picture == "compare" and state.beside != "all"
    return {state.scheme.name, state.beside} if two else {state.scheme.name}
