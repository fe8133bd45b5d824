"""The state of the page: the picture, the points and the kernel."""

from dataclasses import dataclass
from functools import cached_property

from attn_ui.base.shared_settings import SEED
from pages.kernel_regression.data_points import Points, typed_sample
from pages.kernel_regression.data_points import sample as toy_sample
from pages.kernel_regression.settings import LOCAL_LINES, NOISE, OWN_POINTS, POINTS, TRUTH, TWO_INPUTS, TYPED


@dataclass(frozen=True)
class SampleSettings:
    """The settings of a toy data set; `data` is "own points" for a visitor's own.

    `function` can always be read and drawn.
    """

    data: str
    n_points: int
    noise: float
    seed: int
    function: str = TRUTH.default


LIMITS_SAMPLE = SampleSettings("gap", POINTS.default, NOISE.default, SEED.default)
"""The example of the picture *Limits*, which no setting changes."""


@dataclass(frozen=True)
class State:
    """The state of the page, without the sliders under the picture.

    Attributes:
        picture, kernel: their names; sample: settings of the data set.
        x2: the second coordinate of a query with two inputs.
        own: a visitor's points, which the session keeps and no link has.
    """

    picture: str
    sample: SampleSettings
    kernel: str
    x2: float
    own: Points | None = None

    @property
    def has_two_inputs(self) -> bool:
        """Whether the picture's points have two inputs."""
        return self.picture == TWO_INPUTS

    @property
    def fits_lines(self) -> bool:
        """Whether the picture fits a line around each query, in place of a mean."""
        return self.picture == LOCAL_LINES

    @property
    def reruns_page(self) -> bool:
        """Whether releasing a slider reruns the whole page.

        A long search for the bandwidth must stop at once, and a visitor's points may change under any tab.
        """
        return self.picture == "Choose the bandwidth" or self.own is not None

    @cached_property
    def points(self) -> Points:
        """The points with one input: a toy data set, or the visitor's own (sine while there are none)."""
        settings = self.sample
        if settings.data == TYPED:
            return typed_sample(settings.function, settings.n_points, settings.noise, settings.seed)
        toy = "sine" if settings.data == OWN_POINTS else settings.data
        return self.own or toy_sample(toy, settings.n_points, settings.noise, settings.seed)
