"""A live figure as a value: a scene, the sliders under it, and what a click does."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from attn_ui.base.controls import Controls
from attn_ui.base.parameters import Steps
from attn_ui.base.scenes import SharedScene
from attn_ui.base.shared_settings import QUERY
from attn_words import _


@dataclass(frozen=True)
class Slider:
    """A slider under a figure: a label, and the setting whose values are the figure's steps, or its rows."""

    label: str
    steps: Steps
    names: Sequence[str] = ()

    def texts(self) -> list[str]:
        """Return the read-out at each position: the steps' names if they have any, else their values."""
        return list(self.names) or self.steps.texts()


def query_rows(names: Sequence[str]) -> Slider:
    """Return the slider over the queries; its setting, `q`, is the same on every page."""
    steps = replace(QUERY, values=QUERY.values[: len(names)])
    return Slider(_("Query"), steps, list(names))


@dataclass(frozen=True)
class Cell:
    """A clicked cell: the heatmap's name, its row (query) and its column (key); or a box or a point.

    A box, whose trace has `opens` in its `meta`, is the only cell of its name. A point, whose trace has
    `picks` there, is a row.
    """

    trace: str
    row: int
    column: int


@dataclass(frozen=True, eq=False)
class Figure:
    """A live figure: see `attn_ui.screen.live_figure.live_figure` for each of its fields.

    Attributes:
        scene: what it shows at every position of its slider, and its captions.
        clicked: called with a cell or box that was clicked; changes settings.
    """

    scene: SharedScene
    key: str
    name: str
    slider: Slider | None = None
    rows: Slider | None = None
    selection: Mapping[str, Steps] = field(default_factory=dict)
    clicked: Callable[[Controls, Cell], None] | None = None
    captions_follow_choice: bool = False
    caption: str = ""
    invites: str = ""

    @property
    def steps(self) -> bytes:
        """The scene, packed for the browser."""
        return self.scene.steps

    @property
    def alt(self) -> str:
        """The alternative text: what the figure shows, for those who cannot see it."""
        return self.scene.alt

    @property
    def captions(self) -> bytes | None:
        """Its captions, packed for the browser."""
        return self.scene.captions
