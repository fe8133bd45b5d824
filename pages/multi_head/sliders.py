"""What the live slider moves: heads, the mask's width, temperature or positions; the others stand still."""

from dataclasses import dataclass, replace

import streamlit as st

from attn_core import SCHEMES
from attn_ui import controls, state
from attn_ui.page import Slider
from attn_ui.parameters import Steps
from attn_ui.shared_settings import STRENGTH, TEMPERATURE
from pages.multi_head.numbers import MOST_NUMBERS, Now, heads_slider, sequences, widths
from pages.multi_head.settings import MASK_REACH, MOVES, Look, Setting


@dataclass(frozen=True)
class Moving:
    """What the slider moves, and what stands still: the setting, and the number of heads."""

    what: str  # one of `MOVES`
    setting: Setting
    n_head: int  # 0 where the slider moves it
    steps: Steps  # the slider's setting with the values that the picture is drawn at
    thinned: bool = False  # whether these are fewer than there are, because the maps are large

    @property
    def heads(self) -> int:
        """Return the number of heads, where the slider stands."""
        return int(state.value(self.steps)) if self.what == "heads" else self.n_head

    @property
    def slider(self) -> Slider:
        """Return the slider under the picture."""
        labels = {
            "mask width": self.setting.width_name,
            "temperature": "Temperature T",
            "strength of positions": "Strength of positions",
        }
        return Slider(labels.get(self.what, "Heads"), self.steps)

    @property
    def still(self) -> "Moving":
        """Return the same wherever the slider stands: what the picture of all its steps is made from."""
        at = self.at(self.steps.values[0], Look("", "", 0, 0, ()))
        return replace(self, setting=at.setting)

    def at(self, value: float, look: Look, cell: tuple[int, int] = (0, 0)) -> Now:
        """Return what the page shows where the slider stands at a value."""
        setting = self.setting
        match self.what:
            case "mask width":
                setting = replace(setting, reach=int(value))
            case "temperature":
                setting = replace(setting, temperature=value)
            case "strength of positions":
                setting = replace(setting, positions=replace(setting.positions, strength=value))
            case _:
                return Now(setting, look, int(value), cell)
        return Now(setting, look, self.n_head, cell)

    def every(self, look: Look) -> list[Now]:
        """Return what the page shows at every value of the slider."""
        return [self.at(value, look) for value in self.steps.values]


def ask_moving(setting: Setting) -> Moving:
    """Ask what the slider moves, and for the values of what it does not move."""
    st.subheader("Slider", anchor=False)
    what = controls.choose(MOVES, "The slider moves")
    placed = SCHEMES[setting.positions.name].adds != "nothing"
    missing = {
        "mask width": "" if setting.width_name else "The mask here has no width to move",
        "strength of positions": "" if placed else "There are no positions here whose strength could move",
    }
    if missing.get(what):
        st.caption(f":material/info: {missing[what]}: the slider moves heads.")
        what = MOVES.default
    temperature, reach, strength = TEMPERATURE.default, MASK_REACH.default, setting.positions.strength
    if what != "temperature":
        temperature = controls.step(TEMPERATURE, "Temperature T")
    if setting.width_name and what != "mask width":
        reach = controls.step(widths(setting), setting.width_name)
    if placed and what != "strength of positions":
        strength = controls.step(STRENGTH, "Strength of positions")
    setting = replace(
        setting,
        temperature=temperature,
        reach=int(reach),
        positions=replace(setting.positions, strength=strength),
    )
    every = slider_of(what, setting)
    if what == "heads":
        return Moving(what, setting, 0, every)
    n_head = int(controls.step(heads_slider(setting), "Heads"))
    n_query, n_key = sequences(setting).shape
    steps = every.fitting(n_head * n_query * n_key, MOST_NUMBERS)
    return Moving(what, setting, n_head, state.exact(steps), len(steps.values) < len(every.values))


def slider_of(what: str, setting: Setting) -> Steps:
    """Return what moves, with all the values that there are of it."""
    match what:
        case "mask width":
            return widths(setting)
        case "temperature":
            return TEMPERATURE
        case "strength of positions":
            return STRENGTH
    return heads_slider(setting)
