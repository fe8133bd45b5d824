"""The chosen claim, measured and drawn, cached for all sessions."""

from dataclasses import dataclass

from attn_core.claims import Study
from attn_figures.claims import measure_charts
from attn_figures.scene import Scene
from attn_ui.base.scenes import shared_scene
from attn_ui.base.shared_cache import shared
from attn_words import _
from pages.what_courses_say.claim import Claim, Seeds, caption_at, seeds_from
from pages.what_courses_say.claims import CLAIMS


@dataclass(frozen=True)
class State:
    """The state of the page: a claim, and the seed of its random numbers."""

    name: str
    seed: int

    @property
    def claim(self) -> Claim:
        """The claim with this name."""
        return CLAIMS[self.name]

    @property
    def seeds(self) -> Seeds:
        """The seeds of the random draws."""
        return seeds_from(self.seed)

    @property
    def study(self) -> Study:
        """The curves that decide the claim."""
        return _measure(self.name, self.seeds if self.claim.measure.seeds else ())


@shared
def _measure(name: str, seeds: Seeds) -> Study:
    return CLAIMS[name].measure(seeds)


@shared_scene
def draw_claim(state: State) -> Scene:
    """Draw every position of the slider, with the numbers there as caption."""
    claim, study = state.claim, state.study
    curves = {
        measure: {name: draws.numpy() for name, draws in study.measures[measure].items()}
        for measure in claim.charts
    }
    steps = [
        measure_charts(_(study.over), study.x, curves, at, is_log=claim.log_x, logarithmic=claim.charts)
        for at in range(len(study.x))
    ]
    return Scene(steps, captions=[caption_at(claim, study, at) for at in range(len(study.x))])
