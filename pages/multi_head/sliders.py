"""The live slider: it moves the heads, the mask's width, the temperature or the positions' strength."""

from dataclasses import dataclass, replace

from attn_ui.base.controls import Controls
from attn_ui.base.page import Slider
from attn_ui.base.parameters import Steps
from attn_ui.base.removed_weights import RemovalSlider
from attn_ui.base.shared_settings import STRENGTH, TEMPERATURE
from attn_words import _
from pages.multi_head.compute import ANY_LOOK, Result, heads_slider, widths
from pages.multi_head.state import HeadsOptions, HeadsSetting


@dataclass(frozen=True)
class Moving:
    """What the slider moves, and the values of everything else: the setting and the number of heads."""

    what: str  # one of `MOVES`, or "removal"
    setting: HeadsSetting
    n_head: int  # 0 if the slider moves it
    steps: Steps  # the slider's setting with the values that the picture is drawn at
    thinned: bool = False  # whether values were left out because the maps are large
    removals: RemovalSlider | None = None  # which weights of a head are removed at each value

    def heads(self, controls: Controls) -> int:
        """Return the number of heads at the slider's value."""
        return int(controls.value(self.steps)) if self.what == "heads" else self.n_head

    @property
    def slider(self) -> Slider:
        """Return the slider under the picture."""
        if self.removals is not None:
            return self.removals.slider
        labels = {
            "mask width": self.setting.width_name,
            "temperature": _("Temperature T"),
            "strength of positions": _("Strength of positions"),
        }
        return Slider(labels.get(self.what, _("Heads")), self.steps)

    @property
    def still(self) -> "Moving":
        """Return it without the slider's value, as the cache key of the picture of all steps."""
        at = self.at(self.steps.values[0], ANY_LOOK)
        return replace(self, setting=at.setting)

    def at(self, value: float, look: HeadsOptions, cell: tuple[int, int] = (0, 0)) -> Result:
        """Return the result at a value of the slider."""
        setting = self.setting
        if self.removals is not None:
            return Result(setting, look, self.n_head, cell, removal=self.removals.at(value))
        match self.what:
            case "mask width":
                setting = replace(setting, reach=int(value))
            case "temperature":
                setting = replace(setting, temperature=value)
            case "strength of positions":
                setting = replace(setting, positions=replace(setting.positions, strength=value))
            case _:
                return Result(setting, look, int(value), cell)
        return Result(setting, look, self.n_head, cell)

    def results(self, look: HeadsOptions) -> list[Result]:
        """Return the results at all values of the slider."""
        return [self.at(value, look) for value in self.steps.values]


def slider_of(what: str, setting: HeadsSetting) -> Steps:
    """Return the setting that moves, with all its values."""
    match what:
        case "mask width":
            return widths(setting)
        case "temperature":
            return TEMPERATURE
        case "strength of positions":
            return STRENGTH
    return heads_slider(setting)
