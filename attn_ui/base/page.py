"""A page as a value: its settings, its controls, its view and its tabs.

    page.at("mask=causal&t=0.5").figure()

returns the figure of a link without a session; `attn_ui.screen.run_page` runs any page in the app.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib import import_module
from types import ModuleType
from typing import Any, Generic, TypeVar

from attn_figures import theme
from attn_figures.scene import Still
from attn_live.captions import StepCaption, pack_captions, plain_text, texts_in
from attn_ui.base import cover, predict
from attn_ui.base.controls import Controls
from attn_ui.base.figure import Cell, Figure, Slider, query_rows
from attn_ui.base.link_options import COVER, PALETTE, PREDICT, framing
from attn_ui.base.links import Dropped, read_link
from attn_ui.base.navigation import PAGES
from attn_ui.base.parameters import Choice, Parameter, Tabs
from attn_ui.base.pin import COMPARE, PIN
from attn_ui.base.pinned import PinnedPage, compare_pin, slider_labels
from attn_ui.base.programs import OneProgram, Programs
from attn_ui.base.scenes import Sentences, SharedScene
from attn_ui.base.search_entries import Place
from attn_ui.base.shared_cache import shared
from attn_ui.base.term import Term
from attn_ui.base.terms import occurring, terms_in
from attn_words import _, cached, paragraph

__all__ = [
    "At", "Cell", "Columns", "Figure", "Page", "Slider", "Small", "View", "page_at", "query_rows",
]  # fmt: skip
State = TypeVar("State")
Result = TypeVar("Result")
_DIGITS, _MINUS = b"0123456789.", "−".encode()
Columns = Mapping[str, Sequence[object]]
"""A table by the titles of its columns, all of one length."""


class Small(str):
    """A note in small letters."""


@dataclass(frozen=True, eq=False)
class View(Generic[Result]):
    """What a page shows at its settings.

    Attributes:
        result: the inputs and the results, which the tabs show in full.
        figure: the picture with its sliders and sentences; None, and no tabs, where nothing can be drawn yet.
        formula: what is computed, in LaTeX; notes: further sentences under the figure, as markdown.
        leads: links to pages that show it in full.
        is_linked: whether a link alone shows it; False if it needs a file of this session.
        below: a module of the page, whose `show(result)` draws what follows under all this; "" for none.
        tabs: some of the page's tabs, shown in place of all of them.
        name: of the view, if its formulas have letters of their own.
        covered: the panel or curve that is covered, see `covering`; then nothing but the figure is shown.
    """

    result: Result
    figure: Figure | None
    formula: str = ""
    notes: Sequence[str] = ()
    leads: Sequence[Place] = ()
    is_linked: bool = True
    below: str = ""
    tabs: Tabs | None = None
    name: str = ""
    covered: str = ""

    def covering(
        self,
        name: str,
        panel_sources: Mapping[str, Sequence[str]],
        questions: Sequence[StepCaption],
        clicked: Callable[[Controls, Cell], None] | None = None,
    ) -> "View[Result]":
        """Return the view while a panel or curve is covered: the rest of the figure, and a question.

        Args:
            name: of its trace; panel_sources: the page's own.
            questions: one for each step of the figure.
            clicked: called with a clicked cell, in place of the page's own.

        Raises:
            ValueError: there is no such panel or curve.
        """
        if self.figure is None:
            raise ValueError(_("a panel or curve of a figure, and none is shown here"))
        table = tuple((pattern, tuple(sources)) for pattern, sources in panel_sources.items())
        shared = self.figure.scene
        covering = SharedScene(
            lambda: cover.cover_panel(shared.scene, name, table),
            lambda: cover.pack_covered(shared.steps, name, table, shared),
        )
        figure = replace(
            self.figure,
            scene=covering.with_captions(Sentences(lambda: questions, lambda: pack_captions(questions))),
            captions_follow_choice=True,
            clicked=clicked,
            invites="",
        )
        return View(self.result, figure, covered=name)


@dataclass(frozen=True)
class Page(Generic[State, Result]):
    """A page of the app.

    Attributes:
        folder: its name under `pages/`; its tabs are the modules in its `tabs`, by their names.
        title: its heading; about: one sentence under it.
        settings: what a link to it can set.
        read_controls: offers the controls that the whole page follows and returns the state they give.
        view: reads the controls beside the figure, computes and draws. Only these two read settings.
        tabs: the setting of its tabs, where it has some.
        programs: returns the programs of the tab Code; if it returns None, the tab is a module.
        tables: returns the numbers on screen, by the titles of their tables.
        read_address: called before any control is made, if a link can imply settings; returns the settings to
            read it by.
        reruns_page: whether releasing a slider runs the whole page, not only what follows the slider: where a
            long run must be stopped at once, or where the page offers other controls then.
        has_sidebar: whether it has controls in the sidebar.
        panel_sources: the panels that each panel or curve is computed from, by patterns of their traces'
            names. Those computed from a covered panel are withheld with it, and those without an entry.
        mistakes: what its tab *Break it* shows, if it has one: see `attn_ui.screen.break_it`.
    """

    folder: str
    title: str
    about: str
    settings: Sequence[Parameter]
    read_controls: Callable[[Controls], State]
    view: Callable[[Controls, State], View[Result]]
    tabs: Tabs | None = None
    programs: Callable[[Result], Programs | OneProgram | None] | None = None
    tables: Callable[[Result], Mapping[str, Columns]] | None = None
    read_address: Callable[[Controls], Sequence[Parameter]] | None = None
    reruns_page: Callable[[State], bool] | None = None
    has_sidebar: bool = True
    panel_sources: Mapping[str, Sequence[str]] = field(default_factory=dict)
    mistakes: tuple[Choice, Mapping[str, Any], Callable[..., dict[str, Any]]] | None = None

    @property
    def address(self) -> str:
        """The path after the host in a link."""
        return next(each.address for each in PAGES if each.folder == self.folder)

    def letters(self, view: str) -> str:
        """Return the `Term.on` of the letters in this view's formulas: the folder, or "folder:view"."""
        return f"{self.folder}:{view}" if view else self.folder

    def terms(self, view: View[Result]) -> list[Term]:
        """Return the terms and letters that occur in a figure's captions and formulas."""
        captions = view.figure.captions if view.figure else None
        terms = _terms_of(captions) if captions else ()
        return occurring((_(self.about), *view.notes), [view.formula], self.letters(view.name), terms)

    def tab(self, name: str) -> ModuleType:
        """Import the module of a tab and return it: its `show(result)` fills the tab.

        Raises:
            ValueError: the page has no such tab.
        """
        names = self.tabs.options if self.tabs else ()
        if name not in names:
            raise ValueError(f"a tab of {self.title}: {', '.join(names) or 'none'}; got {name!r}")
        return self.module(f"tabs.{name.lower().replace(' ', '_')}")

    def pinned(self, pin: str) -> PinnedPage:
        """Return what a comparison needs of the page at the pinned link."""
        return _read_pin(self.address, pin, self)

    def module(self, name: str) -> ModuleType:
        """Return a module of the page that uses Streamlit, by its name within the page."""
        return import_module(f"pages.{self.folder}.{name}")

    def at(self, link: str = "") -> "At[Result]":
        """Return the page at a link, without a session.

        If the link pins another link (`pin`), the figure is A, B and B − A, and the caption says what
        changed.

        Args:
            link: to this page, or only what follows its question mark.
        """
        values, dropped = read_link((*self.settings, *framing(self.settings)), link)
        controls = Controls(values, dropped=dropped)
        if self.read_address:
            self.read_address(controls)
        view = self.view(controls, self.read_controls(controls))
        if view.figure:
            for control in (view.figure.slider, view.figure.rows):
                if control:
                    controls.position(control.steps)
        at = At(view, controls, controls.dropped, self)
        if at.view.figure and (name := str(values.get(COVER.name, ""))):
            return _covered(at, name, str(values.get(PREDICT.name, PREDICT.default)))
        pin = values.get(PIN)
        return at if pin is None else _compared(at, pin, values.get(COMPARE.name, ""))


def _covered(at: "At[Result]", name: str, kind: str) -> "At[Result]":
    """Return a page with a panel covered, and the question in the place of its sentence."""
    view, page = at.view, at.page
    assert view.figure is not None
    dropped = [*at.dropped]
    try:
        question, bad_kind = predict.question(
            view.figure, name, kind, lambda steps: steps.nearest(at.controls.value(steps)), page.panel_sources
        )
        possible = predict.kinds(view.figure.scene.scene, name)
        view = view.covering(name, page.panel_sources, question.sentences())
        dropped += [predict.dropped(name, bad_kind, None, possible)] if bad_kind else []
    except ValueError as error:
        dropped.append(predict.dropped(name, kind, error))
    return replace(at, view=view, dropped=dropped)


@shared
def _read_pin(address: str, pin: str, _page: Page[Any, Any]) -> PinnedPage:
    at = _page.at(f"?{pin}")
    message, labels, figure = paragraph(*at.controls.messages), at.controls.labels, at.view.figure
    if figure is None:
        return PinnedPage(address, pin, None, labels, message)
    return PinnedPage(address, pin, at.still.parts(), labels | slider_labels(figure, at.position), message)


def _compared(at: "At[Result]", pin: str, panel: str) -> "At[Result]":
    """Return a page with A, B and B − A in place of its figure."""
    view = at.view
    places = at.position if view.figure else (0, 0)
    comparison = compare_pin(
        at.page.pinned(pin), view.figure, panel=panel, labels=at.controls.labels, places=places
    )
    dropped = [*at.dropped, *comparison.dropped(panel)]
    if comparison.figure is None:
        return replace(at, view=replace(view, notes=[comparison.why, *view.notes]), dropped=dropped)
    return replace(at, view=replace(view, figure=comparison.figure), dropped=dropped)


@cached(64)  # a released slider does not change the captions, of up to 60 kB
def _terms_of(captions: bytes) -> tuple[Term, ...]:
    texts = _one_of_each(texts_in(captions))
    return tuple({term.key: term for text in texts for term in terms_in(text)}.values())


def _one_of_each(texts: Sequence[str]) -> Iterable[str]:
    """Return only the last of the texts that differ by their numbers alone, as thousands of captions do.

    >>> [*_one_of_each(["weighs 0.1", "weighs −12", "keys"])]
    ['weighs −12', 'keys']
    """
    bare = "\0".join(texts).encode().translate(None, _DIGITS).replace(_MINUS, b"").split(b"\0")
    return dict(zip(bare, texts, strict=False)).values()


def page_at(address: str) -> Page[Any, Any]:
    """Import the page at an address, such as `Page.address`, and return it.

    Raises:
        KeyError: no page has this address.
    """
    folder = next((each.folder for each in PAGES if each.address == address), None)
    if folder is None:
        raise KeyError(f"one of {', '.join(each.address for each in PAGES)}; got {address!r}")
    page: Page[Any, Any] = import_module(f"pages.{folder}.page").PAGE
    return page


@dataclass(frozen=True, eq=False)
class At(Generic[Result]):
    """A page at a link.

    Attributes:
        view: what it shows.
        controls: the link's settings; `controls.messages` are the sentences beside the controls.
        dropped: the settings of the link that could not be used, each with its `sentence()`.
        page: the page itself.
    """

    view: View[Result]
    controls: Controls
    dropped: Sequence[Dropped]
    page: Page[Any, Result]

    @property
    def _figure(self) -> Figure:
        if self.view.figure is None:
            message = _("{page} has no figure at this link.", page=_(self.page.title))
            raise LookupError(paragraph(message, *self.controls.messages))
        return self.view.figure

    @cached_property
    def position(self) -> tuple[int, int]:
        """The indices of the figure's slider and of its slider over rows; 0 where it has none."""
        step, row = (
            control.steps.nearest(self.controls.value(control.steps)) if control else 0
            for control in (self._figure.slider, self._figure.rows)
        )
        return step, row

    @property
    def still(self) -> Still:
        """What the figure shows at the link's position, with all its numbers.

        Raises:
            LookupError: there is no figure; the message has the reason.
        """
        return self._figure.scene.scene.at(*self.position)

    def figure(self) -> dict[str, Any]:
        """Return the figure at the link's position, as Plotly takes it.

        Raises:
            LookupError: there is no figure; the message has the reason.
        """
        figure = self.still.plotly()
        palette = str(self.controls.peek(PALETTE))
        if palette == PALETTE.default:
            return figure
        colours = theme.recolouring(theme.LIGHT, palette)
        return {part: theme.recolour(inner, colours) for part, inner in figure.items()}

    @property
    def sentence(self) -> str:
        """The caption of the figure, as plain text; "" where there is no figure."""
        figure = self.view.figure
        return plain_text(figure.scene.scene.caption(*self.position)) if figure else ""

    @property
    def terms(self) -> list[Term]:
        """The terms and letters that occur in its captions and formulas."""
        return self.page.terms(self.view)

    @property
    def programs(self) -> Programs | OneProgram:
        """The programs that print the numbers, and their formula.

        Raises:
            LookupError: the page has none at this link, or some of the numbers are covered.
        """
        programs = self.page.programs and not self.view.covered and self.page.programs(self.view.result)
        if not programs:
            raise LookupError(_("{page} has no programs at this link", page=_(self.page.title)))
        return programs

    @property
    def tables(self) -> Mapping[str, Columns]:
        """The tables by name."""
        return self.page.tables(self.view.result) if self.page.tables and not self.view.covered else {}
