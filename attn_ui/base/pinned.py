"""What a page shows while something is pinned: A, B and B − A in place of its figure, and in words.

A is the page at the pin's own link, without a session; B is what the page shows. B moves with its slider.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from attn_figures.compare import Change, Comparison, compare, comparison_steps
from attn_figures.numbers import number
from attn_figures.scene import CurvePanel, MapPanel, PanelData, Scene
from attn_live.captions import LazyMap
from attn_live.packing import TooLargeError
from attn_ui.base.cover import called
from attn_ui.base.links import Dropped
from attn_ui.base.markdown import capital, coloured, first_of, listed, plain
from attn_ui.base.pin import COMPARE
from attn_ui.base.scenes import Packed, SharedScene, packed
from attn_ui.base.shared_cache import shared
from attn_ui.base.ties import tied
from attn_words import N_, _, _c, _n, paragraph

if TYPE_CHECKING:
    from attn_ui.base.page import Figure, Page, View

Labels = Mapping[str, tuple[str, str]]  # what controls are called and what they say, by their settings' names

_MOST_NAMED = 3  # rows or panels that are named one by one
_LONGEST_WORDS = 32  # letters of what a control says
_SLIDER = N_("as the slider says")
_ROWS = (
    (N_("query"), N_("queries")),
    (N_("key"), N_("keys")),
    (N_("row"), N_("rows")),
    (N_("column"), N_("columns")),
    (N_("curve"), N_("curves")),
)
"""What rows and columns of a map are called, and a curve: one, and several."""


@dataclass(frozen=True, eq=False)
class Pinned:
    """A figure compared with what was pinned.

    Attributes:
        figure: A, B and B − A; None where nothing can be compared, and `why` says why, as markdown.
        panels: what can be compared, by short names: the panels' own titles; chosen: the one that is.
        a, b: what of their settings differs, in words.
    """

    figure: Figure | None = None
    why: str = ""
    panels: Mapping[str, str] = field(default_factory=dict)
    chosen: str = ""
    a: str = ""
    b: str = ""

    def dropped(self, panel: str) -> list[Dropped]:
        """Return the panel that a link asked for where there is none of that name to compare."""
        if not panel or not self.panels or panel in self.panels:
            return []
        wanted = _("a panel that both have: {panels}", panels=", ".join(self.panels))
        return [Dropped(COMPARE.name, panel, wanted, self.chosen)]


def pinned(
    page: Page[Any, Any], view: View[Any], pin: str, *, panel: str, labels: Labels, places: tuple[int, int]
) -> Pinned:
    """Compare what a page shows with what was pinned.

    Args:
        page: the page.
        view: what it shows: B.
        pin: the query of A's own link.
        panel: the short name of the one to compare; the usual one where there is no such.
        labels: what B's controls say.
        places: where B's sliders stand.
    """
    a = _a(page.address, pin, page)
    if a.parts is None:
        return Pinned(why=paragraph(_("There is nothing to compare here: A has no figure."), a.said))
    b_words, a_words = _words(labels, view.figure, places, a)
    if view.figure is None:
        why = _("There is nothing to compare here: the page has no figure now.")
        return Pinned(why=why, a=a_words, b=b_words)
    figure = view.figure
    mark = blake2b(figure.steps, digest_size=16).hexdigest()
    found = _drawn(page.address, pin, panel, mark=mark, row=places[1], _a=a.parts, _scene=figure.scene)
    if found.packed is None:
        return Pinned(None, found.why, found.titles, found.chosen, a_words, b_words)
    title, message, panels = found.titles[found.chosen], found.packed, a.parts

    def draw() -> Scene:
        steps = _steps(figure.scene, places[1])
        return _side_by_side(
            panels, steps, _compared(panels, steps, found.titles), found.titles, found.chosen
        )

    settings = _("A and B have the same settings.")
    if a_words or b_words:
        settings = _("A: {a}. B: {b}.", a=a_words, b=b_words)
    shown = replace(
        figure,
        scene=SharedScene(draw, lambda: message),
        alt=_(
            "{panel}, compared: A as it was pinned, B as the page is now, and the difference B minus A.",
            panel=title,
        ),
        name=f"{figure.name} compared",
        rows=None,
        chosen=figure.chosen if found.chooses else {},
        clicked=None,
        captions_follow_choice=False,
        caption=settings,
        invites="",
    )
    return Pinned(shown, "", found.titles, found.chosen, a_words, b_words)


# ---- A ----


@dataclass(frozen=True, eq=False)
class _A:
    """A, without what its page computed: its panels, what its controls say, and what it says of itself."""

    parts: Mapping[str, PanelData] | None
    labels: Labels
    said: str


@shared
def _a(address: str, pin: str, _page: Page[Any, Any]) -> _A:
    del address  # the page's; with the pin it says all
    at = _page.at(f"?{pin}")
    said = paragraph(*at.controls.messages)
    if at.view.figure is None:
        return _A(None, at.controls.labels, said)
    return _A(at.still.parts(), at.controls.labels | _sliders(at.view.figure, at.position), said)


def _sliders(figure: Figure | None, places: tuple[int, int]) -> dict[str, tuple[str, str]]:
    """Return what the sliders under a figure say."""
    controls = (figure.slider, figure.rows) if figure else ()
    return {
        control.steps.name: (control.label, control.texts()[place])
        for control, place in zip(controls, places, strict=False)
        if control
    }


def _words(labels: Labels, figure: Figure | None, places: tuple[int, int], a: _A) -> tuple[str, str]:
    """Return what of B's and of A's settings differs, in words."""
    b_labels = {**labels, **_sliders(figure, places)}
    if figure and figure.slider:
        b_labels[figure.slider.steps.name] = figure.slider.label, _(_SLIDER)
    names = [
        name for name in dict.fromkeys([*b_labels, *a.labels]) if b_labels.get(name) != a.labels.get(name)
    ]
    b, of_a = (
        _c("between parts of a sentence", ", ").join(
            _c("a setting and what it says", "{label} {said}", label=label, said=_short(words))
            for label, words in (each[n] for n in names if n in each)
        )
        for each in (b_labels, a.labels)
    )
    return b, of_a


def _short(words: str) -> str:
    one_line = " ".join(words.split())
    short = one_line if len(one_line) <= _LONGEST_WORDS else one_line[: _LONGEST_WORDS - 1] + "…"
    return f"“{short}”" if " " in short and words != _(_SLIDER) else short or _c("what was typed", "empty")


# ---- the picture ----


@dataclass(frozen=True)
class _Drawn:
    """A, B and B − A at every step, packed, with their sentences; or why there is none."""

    packed: Packed | None = None
    why: str = ""
    titles: Mapping[str, str] = field(default_factory=dict)
    chosen: str = ""
    chooses: bool = False


@shared
def _drawn(
    address: str,
    pin: str,
    panel: str,
    *,
    mark: str,
    row: int,
    _a: Mapping[str, PanelData],
    _scene: SharedScene,
) -> _Drawn:
    del address, pin, mark  # they say which two figures these are
    a, steps = _a, _steps(_scene, row)
    shown = {name for step in steps for name in step}
    common = [name for name in a if any(_is_one(a[name], step.get(name)) for step in steps)]
    if not a:
        return _Drawn(
            why=_(
                "There is nothing to compare here: maps and curves are compared, and what was pinned has "
                "neither."
            )
        )
    if not shown:
        return _Drawn(
            why=_(
                "There is nothing to compare here: maps and curves are compared, and the figure has neither."
            )
        )
    if not common:
        of_a, of_b = (listed([plain(part.title) for part in each.values()]) for each in (a, steps[0]))
        return _Drawn(why=_("There is nothing to compare here: A shows {a}, B shows {b}.", a=of_a, b=of_b))
    titles = _titles(a, steps, common)
    found = _compared(a, steps, common)
    chosen = panel if panel in common else _first(found)
    whole = a[chosen]
    chooses = isinstance(whole, MapPanel) and whole.matrix.pick.chooses
    try:
        message = packed(_side_by_side(a, steps, found, titles, chosen))
    except TooLargeError:
        why = _(
            "{panel} is too large to be compared at all positions of the slider: take fewer tokens.",
            panel=plain(titles[chosen]),
        )
        return _Drawn(why=why, titles=titles, chosen=chosen)
    return _Drawn(message, "", titles, chosen, chooses)


def _compared(
    a: Mapping[str, PanelData], steps: Sequence[Mapping[str, PanelData]], names: Iterable[str]
) -> dict[str, list[Comparison]]:
    """Compare the panels of these names at each step."""
    return {name: [compare(a[name], step.get(name)) for step in steps] for name in names}


def _side_by_side(
    a: Mapping[str, PanelData],
    steps: Sequence[Mapping[str, PanelData]],
    found: Mapping[str, Sequence[Comparison]],
    titles: Mapping[str, str],
    chosen: str,
) -> Scene:
    """Draw the chosen panel of A, of B and their difference, and say what changed."""
    curves = {name for name in found if isinstance(a[name], CurvePanel)}
    b = [step.get(chosen) for step in steps]

    def say(step: int) -> str:
        here = {name: every[step] for name, every in found.items()}
        return _said(a[chosen], b[step], titles, chosen, here, curves=curves)

    return Scene(comparison_steps(a[chosen], b), captions=LazyMap(say, range(len(steps))))


def _steps(shared: SharedScene, row: int) -> list[dict[str, PanelData]]:
    """Return the panels of each step."""
    return [shared.scene.at(step, row).parts() for step in range(shared.scene.n_steps)]


def _is_one(a: PanelData, b: PanelData | None) -> bool:
    """Whether two parts of one short name are the same panel: charts are, where they share a curve."""
    if isinstance(a, CurvePanel) and isinstance(b, CurvePanel):
        return not a.curves.keys().isdisjoint(b.curves)
    return type(a) is type(b)


def _titles(
    a: Mapping[str, PanelData], steps: Sequence[Mapping[str, PanelData]], common: Sequence[str]
) -> dict[str, str]:
    """Return the panels' titles; the short name of one whose title moves, or is another's too.

    A map that is titled otherwise in A, as another head is, has both titles.
    """
    titles = {}
    for name in common:
        said = {step[name].title for step in steps if name in step}
        moves = len(said) > 1
        titles[name] = called(name) if moves else said.pop()
        other = a[name].title
        if isinstance(a[name], MapPanel) and not moves and titles[name] != other:
            titles[name] = _("{panel} (A: {other})", panel=titles[name], other=other)
    twice = {title for title in titles.values() if list(titles.values()).count(title) > 1}
    return {name: name if title in twice else title for name, title in titles.items()}


def _first(found: Mapping[str, Sequence[Comparison]]) -> str:
    """Choose what is compared: weights where there are, else the first panel that differs anywhere."""
    if "weights" in found:
        return "weights"
    differing = (name for name, steps in found.items() if any(_differs(each) for each in steps))
    return next(differing, next(iter(found)))


def _differs(compared: Comparison) -> bool:
    return bool(compared.why or compared.largest or compared.n_unpaired)


# ---- the sentence ----


def _said(
    a: PanelData,
    b: PanelData | None,
    titles: Mapping[str, str],
    chosen: str,
    found: Mapping[str, Comparison],
    *,
    curves: Set[str],
) -> str:
    """Say what changed most in the chosen panel, and what did not change at all."""
    compared, title = found[chosen], plain(titles[chosen])
    if compared.why or b is None:
        said = [_why(compared, a, b, title)]
    else:
        said = [_most(compared, b, title), _still(compared, b)]
    others = {name: each for name, each in found.items() if name != chosen}
    # Of a chart that is named by all of its curves, those that changed.
    changed = [
        plain(each_title)
        for name, each in others.items()
        if _differs(each)
        for each_title in each.changed or [titles[name]]
    ]
    if changed and not _differs(compared):
        said.append(_("What changed is {panels}.", panels=first_of(changed, _MOST_NAMED)))
    # A curve over all positions of the slider is the same at each of them: of curves it says nothing.
    alike = [name for name, each in others.items() if not _differs(each) and name not in curves]
    still = [plain(titles[name]) for name in alike]
    if still:
        names = first_of(still, _MOST_NAMED)
        said.append(_("{names} did not change at all.", names=capital(names)))
    return paragraph(*said)


def _most(compared: Comparison, b: PanelData, title: str) -> str:
    alone = _alone(compared, b)
    if compared.largest is None:
        if compared.n_unpaired:
            return paragraph(_("In {panel}, no number that both have changed.", panel=title), alone)
        count = f"{compared.count:,}"
        if isinstance(b, CurvePanel):
            return _(
                "Nothing changed in {panel}: all {count} numbers are the same in A and in B.",
                panel=title,
                count=count,
            )
        return _(
            "Nothing changed in {panel}: all {count} cells are the same in A and in B.",
            panel=title,
            count=count,
        )
    # Of a curve, that two of its points moved as far tells nothing.
    ties = "" if isinstance(b, CurvePanel) else tied(compared.largest.n_tied)
    return paragraph(_moved(compared.largest, b, title), ties, alone)


def _moved(change: Change, b: PanelData, title: str) -> str:
    by = number(change.after - change.before, 4)
    said = {
        "before": number(change.before, 4),
        "after": number(change.after, 4),
        "difference": by if by.startswith("−") else f"+{by}",
    }
    if isinstance(b, CurvePanel):
        return _(
            "The curve “{curve}” changed most at {axis} {place}: from {before} in A to {after} in B, by "
            "**{difference}**.",
            **said,
            curve=plain(change.place[0]),
            axis=plain(b.titles[0] or "x"),
            place=plain(change.place[1]),
        )
    roles = b.matrix.rows.role, b.matrix.columns.role
    row, column = (
        _("{word} “{name}”", word=_(word), name=coloured(role, name))
        if role in ("query", "key")
        else f"{_(word)} {plain(name)}"
        for word, name, role in zip(b.matrix.words, change.place, roles, strict=True)
    )
    if b.matrix.words in (("query", "key"), (_("query"), _("key"))):
        return _(
            "In {panel}, {query} with {key} changed most: from {before} in A to {after} in B, by "
            "**{difference}**.",
            **said,
            panel=title,
            query=row,
            key=column,
        )
    return _(
        "In {panel}, {row}, {column} changed most: from {before} in A to {after} in B, by **{difference}**.",
        **said,
        panel=title,
        row=row,
        column=column,
    )


def _alone(compared: Comparison, b: PanelData) -> str:
    if not compared.n_unpaired:
        return ""
    count = f"{compared.n_unpaired:,}"
    if isinstance(b, CurvePanel):
        return _("At {count} places one of them has a gap.", count=count)
    return _n(
        "{count} cell is masked in one of them alone, and cannot be compared.",
        "{count} cells are masked in one of them alone, and cannot be compared.",
        compared.n_unpaired,
        count=count,
    )


def _still(compared: Comparison, b: PanelData) -> str:
    """Say which rows or curves did not change at all, where others did."""
    names, total = compared.unchanged, compared.total
    if not names or len(names) == total:
        return ""
    row = b.matrix.words[0] if isinstance(b, MapPanel) else _ROWS[-1][0]
    if len(names) > _MOST_NAMED:
        return _(
            "Of {total} {rows} {count} did not change at all.",
            total=total,
            rows=_plural(row),
            count=len(names),
        )
    quoted = listed([_("“{name}”", name=plain(each)) for each in names])
    rows = capital(_(row) if len(names) == 1 else _plural(row))
    return _("{rows} {names} did not change at all.", rows=rows, names=quoted)


def _plural(word: str) -> str:
    """Return what several are called of which a figure names one, in the language that is spoken."""
    known = {name: several for one, several in _ROWS for name in (one, _(one))}
    return _(known[word]) if word in known else f"{word}s" if word.isascii() else word


def _why(compared: Comparison, a: PanelData, b: PanelData | None, title: str) -> str:
    """Say why there is no difference."""
    if b is None or compared.why == "absent":
        return _("B has no {panel} at this position of the slider, so only A is drawn.", panel=title)
    if isinstance(a, MapPanel) and isinstance(b, MapPanel):
        if compared.why == "shape":
            of_a, of_b = (" × ".join(map(str, each.matrix.values.shape)) for each in (a, b))
            return _(
                "In {panel}, A has {a} cells and B {b}, so no difference is drawn.",
                panel=title,
                a=of_a,
                b=of_b,
            )
        others = [
            (list(mine), list(theirs), word)
            for mine, theirs, word in zip(_names(a), _names(b), b.matrix.words, strict=True)
            if list(mine) != list(theirs)
        ]
        which = listed([_plural(word) for _, _, word in others])
        mine, theirs = next((one, other) for one, other in zip(*others[0][:2], strict=True) if one != other)
        return _(
            "In {panel}, the {rows} are not the same (“{a}” in A stands where “{b}” stands in B), so no "
            "difference is drawn.",
            panel=title,
            rows=which,
            a=plain(mine),
            b=plain(theirs),
        )
    return _("The curves of A and of B stand at other places, so no difference is drawn.")


def _names(part: MapPanel) -> tuple[Sequence[str], Sequence[str]]:
    return part.matrix.rows.labels, part.matrix.columns.labels
