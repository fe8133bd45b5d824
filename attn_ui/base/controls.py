"""The controls of a page: in the app Streamlit's widgets, without a session the values of a link.

A page reads its settings in one function, `read_controls(controls)`. In the app the argument is of the class
in `attn_ui.screen.streamlit_controls`, which shows widgets; elsewhere it is a `Controls`, which returns the
link's values. So one function decides which controls exist, and a page can be computed without Streamlit.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeVar

from attn_ui.base.links import Dropped, partly_unavailable, unavailable_here
from attn_ui.base.parameters import (
    Cells,
    Choice,
    Flag,
    Integer,
    MultiChoice,
    Parameter,
    Real,
    Sight,
    Steps,
    Table,
    Tabs,
    Text,
    label_of,
)
from attn_words import _, _c

Gap = Literal["small", "xxsmall"]
K = TypeVar("K", bound=Hashable)
Progress = Callable[[float, str], None]
"""Called with the share that is done, from 0 to 1, and the name of the present activity."""


def yes_or_no(on: bool) -> str:
    """Return "yes" or "no" for a switch."""
    return _c("switch", "yes") if on else _c("switch", "no")


def list_choices(setting: MultiChoice, options: Sequence[str], names: Sequence[str] = ()) -> str:
    """Return the chosen options as a list in words."""
    labels = [names[int(each)] if names else label_of(setting, each) for each in options]
    return _(", ").join(labels) or _c("of several", "none")


@dataclass(eq=False)
class Controls:
    """What a page reads its settings from; here the values of a link.

    The methods from `choose` to `pick` each show a control, with `style` for its looks, and return its value;
    controls appear in the order of the calls. Those from `value` to `peek` return settings without a control
    of their own: live sliders, typed tables, clicked cells. Those from `answer` on change a setting; only the
    callback of a press or a click may call them.

    Attributes:
        values: by the names of the settings; a press or a click changes them.
        messages: the sentences shown beside the controls.
        labels: each control's label and the text of its value, by the name of its setting.
        dropped: the settings of the link that cannot be used, at all or with its other settings.
        patience: seconds to wait for a long computation; None for no limit.
    """

    values: dict[str, Any] = field(default_factory=dict)
    messages: list[str] = field(default_factory=list)
    labels: dict[str, tuple[str, str]] = field(default_factory=dict)
    dropped: list[Dropped] = field(default_factory=list)
    patience: float | None = None
    _memory: dict[str, Any] = field(default_factory=dict, init=False)

    def _value(self, setting: Parameter) -> Any:
        return self.values.get(setting.name, setting.default)

    def _note(self, setting: Parameter, label: str, words: str, style: Mapping[str, Any]) -> None:
        """Store a control's label and the text of its value, unless it is disabled and so changes nothing."""
        if not style.get("disabled"):
            self.labels[setting.name] = label, words

    def choose(self, choice: Choice, label: str, **style: Any) -> str:
        """Offer the options in a drop-down list; return the chosen one."""
        option = str(self._value(choice))
        self._note(choice, label, label_of(choice, option), style)
        return option

    segment = choose  # a few short options side by side

    def whole(self, setting: Integer, label: str, **style: Any) -> int:
        """Read a whole number."""
        count = int(self._value(setting))
        self._note(setting, label, str(count), style)
        return count

    def real(self, setting: Real, label: str, **style: Any) -> float:
        """Read a number."""
        number = float(self._value(setting))
        self._note(setting, label, f"{number:g}", style)
        return number

    def flag(self, setting: Flag, label: str, **style: Any) -> bool:
        """Offer a switch; return whether it is on."""
        on = bool(self._value(setting))
        self._note(setting, label, yes_or_no(on), style)
        return on

    def line(self, setting: Text, label: str, **style: Any) -> str:
        """Read a line of text."""
        text = str(self._value(setting))
        self._note(setting, label, text, style)
        return text

    def several(
        self,
        setting: MultiChoice,
        label: str,
        available: Sequence[str],
        names: Sequence[str] = (),
        **style: Any,
    ) -> list[str]:
        """Offer options of which any number can be chosen; `names` are shown for numbered options."""
        options = self._value(setting)
        usable = [each for each in options if each in available]
        if setting.name in self.values and len(usable) < len(options):
            self.dropped.append(partly_unavailable(replace(setting, options=tuple(available)), options))
        self._note(setting, label, list_choices(setting, usable, names), style)
        return usable

    def step(self, steps: Steps, label: str, **style: Any) -> float:
        """Offer the values of a slider as a control in the sidebar, where no live figure has that slider."""
        steps = self.exact(steps)
        at = self.position(steps)
        self._note(steps, label, steps.texts()[at], style)
        return steps.values[at]

    def pick(self, steps: Steps, label: str, names: Sequence[str], **style: Any) -> int:
        """Offer by name what a click can also choose; return its index."""
        available = replace(steps, values=steps.values[: len(names)])
        at = self.position(available)
        self._note(steps, label, names[at], style)
        return at

    def position(self, available: Steps) -> int:
        """Return a slider's position; report a value of the link that is not available here."""
        value = self._value(available)
        at = available.nearest(value)
        if available.name in self.values and value != available.values[at] and not available.page_explains:
            bad = unavailable_here(available, available.text(value), available.values[at], self.dropped)
            self.dropped = [*(each for each in self.dropped if each.name != bad.name), bad]
        return at

    def button(self, label: str, press: Callable[[], None], **style: Any) -> None:
        """Offer a button."""

    def heading(self, text: str) -> None:
        """Name a group of controls."""

    def caption(self, text: str) -> None:
        """Show a sentence beside the controls, as markdown."""
        self.messages.append(text)

    message = caption  # a sentence that the figure needs

    def report_dropped(self, bad: Dropped) -> None:
        """Report a setting of the link that does not fit the other settings."""
        self.dropped.append(bad)

    def formula(self, latex: str) -> None:
        """Show the formula of what is chosen."""

    def page_link(self, label: str, link: str, **style: Any) -> None:
        """Show a link to another page that has the same numbers."""

    def sidebar(self) -> AbstractContextManager[Any]:
        """Put the controls that follow into the sidebar."""
        return nullcontext()

    under_picture = sidebar  # for controls under the figure

    def space(self, *, is_needed: bool = True) -> AbstractContextManager[Any]:
        """Reserve a place here that is filled later."""
        del is_needed
        return nullcontext()

    def more(self, *settings: Parameter) -> AbstractContextManager["Controls"]:
        """Return the controls for rarely used settings, in a closed part of the sidebar.

        The part is open if one of them is not at its default. While it is closed its controls are not made.
        """
        del settings
        return nullcontext(self)

    def row(self, gap: Gap = "small", label: str = "") -> AbstractContextManager[Any]:
        """Put the controls that follow side by side, after a label."""
        del gap, label
        return nullcontext()

    def columns(self, widths: Sequence[float]) -> Sequence[AbstractContextManager[Any]]:
        """Return columns of these relative widths."""
        return [nullcontext() for _ in widths]

    def working(self) -> AbstractContextManager[Progress]:
        """Show the progress of a long computation here, until the block is left.

        If the visitor leaves or changes a setting, the computation ends at its next call of the `Progress`.
        """
        return nullcontext(lambda share, activity: None)

    def part(self, module: str, of: Any, otherwise: str = "") -> None:
        """Call `show(of)` of a module in the app; without a session add the message `otherwise`."""
        del module, of
        self.messages += [otherwise] if otherwise else []

    def value(self, steps: Steps) -> float:
        """Return the present value of a slider."""
        return steps.nearest_value(self._value(steps))

    def between(self, steps: Steps) -> float | None:
        """Return the link's value if it lies between two of the slider's; else None."""
        at = float(self._value(steps))
        inside = steps.values[0] < at < steps.values[-1]
        return at if inside and at not in steps.values and not steps.only else None

    def exact(self, steps: Steps) -> Steps:
        """Return the slider with the link's value added to its steps."""
        at = self.between(steps)
        return steps if at is None else steps.with_value(at)

    def place(self, choice: Steps, count: int) -> int:
        """Return the index of the chosen option among the first ``count``."""
        return self.position(replace(choice, values=choice.values[:count]))

    def text(self, setting: Table | Cells | Sight | Tabs) -> str:
        """Return the raw text of a table, cells, zoom or tab setting."""
        return str(self._value(setting))

    def peek(self, setting: Choice | Flag | Integer | Real | Text) -> Any:
        """Return the value of a control that is shown elsewhere."""
        return self._value(setting)

    def describe(self, name: str, label: str, reading: str) -> None:
        """Store the label of a control and the text of its value, by the name of its setting."""
        self.labels[name] = label, reading

    def linked(self, setting: Parameter) -> str | None:
        """Return the text of a setting in the link; None where the link does not have it."""
        return None if setting.name not in self.values else str(self.values[setting.name])

    def recall(self, name: str, default: K) -> K:
        """Return the value that was remembered under a name, such as the last one that could be computed."""
        value: K = self._memory.get(name, default)
        return value

    def remember(self, name: str, value: Hashable) -> None:
        """Remember a value for the rest of the session."""
        self._memory[name] = value

    def answer(self, setting: Parameter, value: Any) -> None:
        """Set the value that a control shows from the next run on."""
        self.values[setting.name] = value

    link = answer  # adds to the link a setting that it implies, before any control is read

    def move(self, steps: Steps, to: float) -> None:
        """Move a slider to a value, or to the nearest."""
        self.values[steps.name] = steps.nearest_value(to)

    def write(self, setting: Table | Cells | Sight | Tabs, text: str, *, replaces: bool = False) -> None:
        """Write a text into the address; with `replaces`, an editor that shows it starts anew."""
        del replaces  # no editor shows it
        self.values[setting.name] = text
