"""The claim that is shown, measured and drawn; kept for whoever asks next."""

from dataclasses import dataclass

from attn_core.claims import Study
from attn_figures.claims import measure_charts
from attn_figures.scene import Scene
from attn_ui.base.scenes import shared_scene
from attn_ui.base.shared_cache import shared
from attn_words import _
from pages.what_courses_say.claim import Claim, Seeds, seeds_from, told
from pages.what_courses_say.claims import CLAIMS


@dataclass(frozen=True)
class State:
    """What is on the page: a claim, and the seed that chance is drawn from."""

    name: str
    seed: int

    @property
    def claim(self) -> Claim:
        """The claim."""
        return CLAIMS[self.name]

    @property
    def seeds(self) -> Seeds:
        """What chance is drawn from."""
        return seeds_from(self.seed)

    @property
    def study(self) -> Study:
        """The curves that decide it."""
        return _studied(self.name, self.seeds if self.claim.measure.draws else ())


@shared
def _studied(name: str, seeds: Seeds) -> Study:
    return CLAIMS[name].measure(seeds)


@shared_scene
def drawn(state: State) -> Scene:
    """Draw every position of the slider, and say its numbers."""
    claim, study = state.claim, state.study
    curves = {
        measure: {name: found.numpy() for name, found in study.measures[measure].items()}
        for measure in claim.drawn
    }
    steps = [
        measure_charts.spec(_(study.over), study.x, curves, at, is_log=claim.bent, logarithmic=claim.drawn)
        for at in range(len(study.x))
    ]
    return Scene(steps, captions=[told(claim, study, at) for at in range(len(study.x))])
