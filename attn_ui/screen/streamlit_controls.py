"""A page's controls as Streamlit's widgets: see `attn_ui.base.controls` for what each method does."""

from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from importlib import import_module
from typing import Any, TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.errors import StreamlitAPIException

from attn_ui.base.controls import Controls, Gap
from attn_ui.base.links import Dropped
from attn_ui.base.parameters import (
    Cells,
    Choice,
    Flag,
    Integer,
    Parameter,
    Real,
    Sight,
    Steps,
    Table,
    Tabs,
    Text,
)
from attn_ui.screen import address, state, widgets
from attn_ui.screen.progress import working
from attn_words import _

K = TypeVar("K", bound=Hashable)


class StreamlitControls(Controls):
    """The controls of one run of a page on screen; their values live in the session.

    Attributes:
        picture: the place of the figure, if controls under it are made before it is drawn.
    """

    picture: DeltaGenerator | None = None

    def __init__(self) -> None:
        """Wait for no computation: the screen shows its progress."""
        super().__init__(patience=0.0)

    choose = staticmethod(widgets.choose)
    segment = staticmethod(widgets.segment)
    whole = staticmethod(widgets.whole)
    real = staticmethod(widgets.real)
    flag = staticmethod(widgets.flag)
    line = staticmethod(widgets.line)
    several = staticmethod(widgets.several)
    step = staticmethod(widgets.step)
    pick = staticmethod(widgets.pick)
    value = staticmethod(state.value)
    between = staticmethod(state.value_between)
    exact = staticmethod(state.with_exact_value)
    text = staticmethod(state.text)
    place = staticmethod(address.index_among)
    describe = staticmethod(state.describe)
    move = staticmethod(state.move)
    working = staticmethod(working)

    @staticmethod
    def button(label: str, press: Callable[[], None], **style: Any) -> None:
        """Offer a button."""
        st.button(label, on_click=press, **style)

    @staticmethod
    def heading(text: str) -> None:
        """Show the heading of a group of controls."""
        st.subheader(text, anchor=False)

    @staticmethod
    def caption(text: str) -> None:
        """Show a sentence beside the controls."""
        st.caption(text)

    @staticmethod
    def message(text: str) -> None:
        """Show a message above the picture."""
        st.markdown(text)

    @staticmethod
    def report_dropped(bad: Dropped) -> None:
        """Show beside the controls which setting does not fit."""
        st.caption(f":material/link_off: {bad.sentence()}")

    @staticmethod
    def formula(latex: str) -> None:
        """Show a formula."""
        st.latex(latex)

    @staticmethod
    def page_link(label: str, link: str, **style: Any) -> None:
        """Offer a link."""
        st.link_button(label, link, icon=":material/arrow_forward:", **style)

    @staticmethod
    def sidebar() -> AbstractContextManager[Any]:
        """Return the sidebar."""
        return st.sidebar

    @contextmanager
    def more(self, *settings: Parameter) -> Iterator[Controls]:
        """Return the part *More settings*; while it is closed, its settings are at their defaults."""
        is_set = any(self._is_set(each) for each in settings)
        place = st.expander(_("More settings"), is_set, key="more-settings", on_change="rerun")
        if place.open or is_set:
            with place:
                yield self
            return
        for each in settings:  # else it would be back once this is opened, after Back
            st.session_state.pop(each.name, None)
        defaults = Controls()
        yield defaults
        for name, (label, reading) in defaults.labels.items():
            state.describe(name, label, reading)

    def _is_set(self, setting: Parameter) -> bool:
        if isinstance(setting, Choice | Flag | Integer | Real | Text):
            return bool(self.peek(setting) != setting.default)
        return self.linked(setting) is not None

    @staticmethod
    def row(gap: Gap = "small", label: str = "") -> AbstractContextManager[Any]:
        """Return a row."""
        row = st.container(horizontal=True, vertical_alignment="center", gap=gap)
        if label:
            row.markdown(label, width="content")
        return row

    @staticmethod
    def columns(widths: Sequence[float]) -> Sequence[AbstractContextManager[Any]]:
        """Return columns."""
        return st.columns(widths)

    def under_picture(self) -> AbstractContextManager[Any]:
        """Reserve the picture's place, and return the one under it."""
        self.picture = st.container()
        return st.container(key="under-picture")

    @staticmethod
    def space(*, is_needed: bool = True) -> AbstractContextManager[Any]:
        """Return a place to fill later."""
        return st.container() if is_needed else nullcontext()

    @staticmethod
    def part(module: str, of: Any, otherwise: str = "") -> None:
        """Call `show(of)` of a module."""
        del otherwise
        import_module(module).show(of)

    @staticmethod
    def peek(setting: Choice | Flag | Integer | Real | Text) -> Any:
        """Return the value of a control that is drawn elsewhere; before it is drawn, the address's."""
        return widgets.peek(setting)

    @staticmethod
    def linked(setting: Parameter) -> str | None:
        """Return the text of a setting in the address."""
        return st.query_params.get(setting.name)

    @staticmethod
    def link(setting: Parameter, value: Any) -> None:
        """Write a value into the address, and into its control where Streamlit has one."""
        if isinstance(setting, Steps):
            st.query_params[setting.name] = setting.text(value)
            return
        state.answer(setting.name, value)
        if value != setting.default:
            with suppress(StreamlitAPIException):  # a control that is there already writes it itself
                st.query_params[setting.name] = state.address_texts(value)

    @staticmethod
    def recall(name: str, default: K) -> K:
        """Return the value that the session holds."""
        value: K = st.session_state.get(name, default)
        return value

    @staticmethod
    def remember(name: str, value: Hashable) -> None:
        """Keep a value in the session."""
        st.session_state[name] = value

    @staticmethod
    def answer(setting: Parameter, value: Any) -> None:
        """Set the value that a control shows from the next run on."""
        state.answer(setting.name, value)

    @staticmethod
    def write(setting: Table | Cells | Sight | Tabs, text: str, *, replaces: bool = False) -> None:
        """Put a text into the address."""
        state.write_setting(setting, text, replaces=replaces)


CONTROLS = StreamlitControls()
