"""A live figure as a value: a scene, the sliders under it, and what a click does."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from attn_live.packing import Cursor
from attn_ui.base.controls import Controls
from attn_ui.base.parameters import Steps
from attn_ui.base.scenes import SharedScene
from attn_ui.base.shared_settings import QUERY
from attn_words import _


@dataclass(frozen=True)
class Slider:
    """The slider under a figure: a label, and the setting whose values are the figure's steps."""

    label: str
    steps: Steps
    names: Sequence[str] = ()

    def texts(self) -> list[str]:
        """What the read-out says at each position: the step's name where it has one."""
        return list(self.names) or self.steps.texts()


@dataclass(frozen=True)
class Rows:
    """A second slider, over rows of the figure (queries, positions): what follows it is in `cursor`."""

    label: str
    steps: Steps
    cursor: Cursor
    names: Sequence[str] = ()

    def texts(self) -> list[str]:
        """What the read-out says at each position: the row's name where it has one."""
        return list(self.names) or self.steps.texts()


def query_rows(names: Sequence[str]) -> Rows:
    """Return the slider over so many queries; the chosen one is that of every page."""
    steps = replace(QUERY, values=QUERY.values[: len(names)])
    return Rows(_("Query"), steps, Cursor(len(names)), list(names))


@dataclass(frozen=True)
class Cell:
    """A cell that was clicked: the heatmap's name, its row (query) and its column (key); or a diagram's box.

    A box, whose trace says in its `meta` that it `opens` something, is the only cell of its name. Of points
    whose trace says that it `picks` each is a row.
    """

    trace: str
    row: int
    column: int


@dataclass(frozen=True, eq=False)
class Figure:
    """A live figure: see `attn_ui.screen.live_figure.live_figure` for each of its fields.

    Attributes:
        scene: what it shows at every position of its slider, and what is said of it.
        clicked: changes settings where a cell or a box is clicked.
    """

    scene: SharedScene
    key: str
    alt: str
    name: str
    slider: Slider | None = None
    rows: Rows | None = None
    chosen: Mapping[str, Steps] = field(default_factory=dict)
    clicked: Callable[[Controls, Cell], None] | None = None
    captions_follow_choice: bool = False
    caption: str = ""
    invites: str = ""

    @property
    def steps(self) -> bytes:
        """The scene, packed for the browser."""
        return self.scene.steps

    @property
    def captions(self) -> bytes | None:
        """Its sentences, packed for the browser."""
        return self.scene.captions
