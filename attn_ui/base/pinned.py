"""Comparison with a pinned view: A, B and B − A in place of the figure, and in words.

A is the page at the pin's own link, without a session; B is what the page shows. B moves with its slider.
"""

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from hashlib import blake2b

from attn_figures.compare import Change, Comparison, compare, comparison_steps
from attn_figures.numbers import number
from attn_figures.scene import CurvePanel, MapPanel, PanelData, Scene
from attn_live.captions import LazyMap
from attn_live.packing import TooLargeError
from attn_ui.base.cover import panel_title
from attn_ui.base.figure import Figure
from attn_ui.base.links import Dropped
from attn_ui.base.markdown import all_of, capital, coloured, first_of, plain
from attn_ui.base.pin import COMPARE
from attn_ui.base.scenes import Packed, SharedScene, pack_scene
from attn_ui.base.shared_cache import shared
from attn_ui.base.ties import tie_sentence
from attn_words import N_, _, _c, _n, paragraph

Labels = Mapping[str, tuple[str, str]]  # labels and values of controls, by their settings' names

_MOST_NAMED = 3  # rows or panels that are named one by one
_LONGEST_WORDS = 32  # letters of a control's value
_SLIDER = N_("as the slider says")


@dataclass(frozen=True, eq=False)
class PinnedPage:
    """The pinned view A: its panels, the labels of its controls, and its message."""

    address: str
    pin: str
    parts: Mapping[str, PanelData] | None
    labels: Labels
    message: str


@dataclass(frozen=True, eq=False)
class PinComparison:
    """A figure compared with the pinned one.

    Attributes:
        figure: A, B and B − A; None if nothing can be compared, for the reason in `why`, as markdown.
        panels: titles of the panels that can be compared, by their short names; panel: the compared one.
        a, b: the settings of A and of B that differ, in words.
    """

    figure: Figure | None = None
    why: str = ""
    panels: Mapping[str, str] = field(default_factory=dict)
    panel: str = ""
    a: str = ""
    b: str = ""

    def dropped(self, panel: str) -> list[Dropped]:
        """Report a panel that the link asks for and that the two figures do not share."""
        if not panel or not self.panels or panel in self.panels:
            return []
        requirement = _("a panel that both have: {panels}", panels=", ".join(self.panels))
        return [Dropped(COMPARE.name, panel, requirement, self.panel)]


def compare_pin(
    a: PinnedPage, figure: Figure | None, *, panel: str, labels: Labels, places: tuple[int, int]
) -> PinComparison:
    """Compare the figure of a page with that of the pinned page.

    Args:
        a: the pinned page; figure: that of the page, B.
        panel: the short name of the panel to compare; if there is none such, the default is compared.
        labels: of B's controls, with their values.
        places: the positions of B's sliders.
    """
    if a.parts is None:
        return PinComparison(why=paragraph(_nothing_to_compare({}, None), a.message))
    b_words, a_words = _differences(labels, figure, places, a)
    if figure is None:
        return PinComparison(why=_nothing_to_compare(a.parts, None), a=a_words, b=b_words)
    digest = blake2b(figure.steps, digest_size=16).hexdigest()
    pair = _compare(a.address, a.pin, panel, digest=digest, row=places[1], _a=a.parts, _scene=figure.scene)
    if pair.message is None:
        return PinComparison(None, pair.why, pair.titles, pair.panel, a_words, b_words)
    message, panels = pair.message, a.parts

    def draw() -> Scene:
        steps = _step_panels(figure.scene, places[1])
        return _side_by_side(
            panels, steps, _compare_steps(panels, steps, pair.titles), pair.titles, pair.panel
        )

    settings = _("A: {a}. B: {b}.", a=a_words, b=b_words) if a_words or b_words else ""
    shown_figure = replace(
        figure,
        scene=SharedScene(draw, lambda: message),
        name=f"{figure.name} compared",
        rows=None,
        selection=figure.selection if pair.chooses else {},
        clicked=None,
        captions_follow_choice=False,
        caption=settings,
        invites="",
    )
    return PinComparison(shown_figure, "", pair.titles, pair.panel, a_words, b_words)


# ---- A ----


def slider_labels(figure: Figure | None, places: tuple[int, int]) -> dict[str, tuple[str, str]]:
    """Return the labels and values of the sliders under a figure."""
    controls = (figure.slider, figure.rows) if figure else ()
    return {
        control.steps.name: (control.label, control.texts()[place])
        for control, place in zip(controls, places, strict=False)
        if control
    }


def _differences(
    labels: Labels, figure: Figure | None, places: tuple[int, int], a: PinnedPage
) -> tuple[str, str]:
    """Return the settings that differ, in words: B's, then A's."""
    b_labels = {**labels, **slider_labels(figure, places)}
    if figure and figure.slider:
        b_labels[figure.slider.steps.name] = figure.slider.label, _(_SLIDER)
    names = [
        name for name in dict.fromkeys([*b_labels, *a.labels]) if b_labels.get(name) != a.labels.get(name)
    ]
    b, of_a = (
        _c("hover", ", ").join(
            _c("a setting and what it says", "{label} {said}", label=label, said=_shorten(words))
            for label, words in (each[n] for n in names if n in each)
        )
        for each in (b_labels, a.labels)
    )
    return b, of_a


def _shorten(words: str) -> str:
    one_line = " ".join(words.split())
    short = one_line if len(one_line) <= _LONGEST_WORDS else one_line[: _LONGEST_WORDS - 1] + "…"
    return f"“{short}”" if " " in short and words != _(_SLIDER) else short or _c("what was typed", "empty")


# ---- the picture ----


@dataclass(frozen=True)
class _Pair:
    """A, B and B − A at every step, packed, with their sentences; or why there is none."""

    message: Packed | None = None
    why: str = ""
    titles: Mapping[str, str] = field(default_factory=dict)
    panel: str = ""
    chooses: bool = False


@shared
def _compare(
    address: str,
    pin: str,
    panel: str,
    *,
    digest: str,
    row: int,
    _a: Mapping[str, PanelData],
    _scene: SharedScene,
) -> _Pair:
    del address, pin, digest  # they only identify the two figures in the cache
    a, steps = _a, _step_panels(_scene, row)
    common = [name for name in a if any(_is_same_panel(a[name], step.get(name)) for step in steps)]
    if not common:
        return _Pair(why=_nothing_to_compare(a, steps[0]))
    titles = _titles(a, steps, common)
    comparisons = _compare_steps(a, steps, common)
    name = panel if panel in common else _default_panel(comparisons)
    panel_data = a[name]
    chooses = isinstance(panel_data, MapPanel) and panel_data.matrix.pick.chooses
    try:
        message = pack_scene(_side_by_side(a, steps, comparisons, titles, name))
    except TooLargeError:
        why = _(
            "{panel} is too large to be compared at all positions of the slider: take fewer tokens.",
            panel=plain(titles[name]),
        )
        return _Pair(why=why, titles=titles, panel=name)
    return _Pair(message, "", titles, name, chooses)


def _nothing_to_compare(a: Mapping[str, PanelData], b: Mapping[str, PanelData] | None) -> str:
    of_a, of_b = (all_of([plain(part.title) for part in (each or {}).values()]) for each in (a, b))
    return _(
        "There is nothing to compare: a map or curve that both show is wanted. A shows {a}, B {b}.",
        a=of_a,
        b=of_b,
    )


def _compare_steps(
    a: Mapping[str, PanelData], steps: Sequence[Mapping[str, PanelData]], names: Iterable[str]
) -> dict[str, list[Comparison]]:
    """Compare the panels of these names at each step."""
    return {name: [compare(a[name], step.get(name)) for step in steps] for name in names}


def _side_by_side(
    a: Mapping[str, PanelData],
    steps: Sequence[Mapping[str, PanelData]],
    comparisons: Mapping[str, Sequence[Comparison]],
    titles: Mapping[str, str],
    panel: str,
) -> Scene:
    """Draw the chosen panel of A, of B and their difference, with captions of what changed."""
    curves = {name for name in comparisons if isinstance(a[name], CurvePanel)}
    b = [step.get(panel) for step in steps]

    def say(step: int) -> str:
        here = {name: each[step] for name, each in comparisons.items()}
        return _describe_change(a[panel], b[step], titles, panel, here, curves=curves)

    return Scene(comparison_steps(a[panel], b), captions=LazyMap(say, range(len(steps))))


def _step_panels(shared: SharedScene, row: int) -> list[dict[str, PanelData]]:
    """Return the panels of each step."""
    return [shared.scene.at(step, row).parts() for step in range(shared.scene.n_steps)]


def _is_same_panel(a: PanelData, b: PanelData | None) -> bool:
    """Whether two panels of one short name can be compared: two maps, or two charts that share a curve."""
    if isinstance(a, CurvePanel) and isinstance(b, CurvePanel):
        return not a.curves.keys().isdisjoint(b.curves)
    return type(a) is type(b)


def _titles(
    a: Mapping[str, PanelData], steps: Sequence[Mapping[str, PanelData]], common: Sequence[str]
) -> dict[str, str]:
    """Return the titles of panels; the short name replaces one that changes with the step or occurs twice.

    A map with another title in A, such as that of another head, has both titles.
    """
    titles = {}
    for name in common:
        step_titles = {step[name].title for step in steps if name in step}
        changes = len(step_titles) > 1
        titles[name] = panel_title(name) if changes else step_titles.pop()
        a_title = a[name].title
        if isinstance(a[name], MapPanel) and not changes and titles[name] != a_title:
            titles[name] = _("{panel} (A: {other})", panel=titles[name], other=a_title)
    duplicates = {title for title in titles.values() if list(titles.values()).count(title) > 1}
    return {name: name if title in duplicates else title for name, title in titles.items()}


def _default_panel(comparisons: Mapping[str, Sequence[Comparison]]) -> str:
    """Return the panel to compare by default: the weights, else the first panel that differs at any step."""
    if "weights" in comparisons:
        return "weights"
    differing = (name for name, steps in comparisons.items() if any(_differs(each) for each in steps))
    return next(differing, next(iter(comparisons)))


def _differs(comparison: Comparison) -> bool:
    return bool(comparison.why or comparison.largest or comparison.n_unpaired)


# ---- the sentence ----


def _describe_change(
    a: PanelData,
    b: PanelData | None,
    titles: Mapping[str, str],
    panel: str,
    comparisons: Mapping[str, Comparison],
    *,
    curves: Set[str],
) -> str:
    """Return sentences on what changed most in the chosen panel, and what did not change at all."""
    comparison, title = comparisons[panel], plain(titles[panel])
    if comparison.why or b is None:
        sentences = [_describe_missing(comparison, b, title)]
    else:
        sentences = [_describe_largest(comparison, b, title), _describe_unchanged(comparison)]
    others = {name: each for name, each in comparisons.items() if name != panel}
    # The title of a chart lists all of its curves: only those that changed are named.
    changed = [
        plain(curve_title)
        for name, each in others.items()
        if _differs(each)
        for curve_title in each.changed or [titles[name]]
    ]
    if changed and not _differs(comparison):
        sentences.append(_("What changed is {panels}.", panels=first_of(changed, _MOST_NAMED)))
    # A curve over all positions of the slider is the same at each, so curves are left out.
    unchanged_names = [name for name, each in others.items() if not _differs(each) and name not in curves]
    unchanged = [plain(titles[name]) for name in unchanged_names]
    if unchanged:
        names = first_of(unchanged, _MOST_NAMED)
        sentences.append(_("{names} did not change at all.", names=capital(names)))
    return paragraph(*sentences)


def _describe_largest(comparison: Comparison, b: PanelData, title: str) -> str:
    alone = _describe_unpaired(comparison, b)
    if comparison.largest is None:
        if comparison.n_unpaired:
            return paragraph(_("In {panel}, no number that both have changed.", panel=title), alone)
        return _("{names} did not change at all.", names=capital(title))
    # That two points of a curve moved equally far is not worth a sentence.
    ties = "" if isinstance(b, CurvePanel) else tie_sentence(comparison.largest.n_tied)
    return paragraph(_describe_largest_change(comparison.largest, b, title), ties, alone)


def _describe_largest_change(change: Change, b: PanelData, title: str) -> str:
    difference = number(change.after - change.before, 4)
    fields = {
        "before": number(change.before, 4),
        "after": number(change.after, 4),
        "difference": difference if difference.startswith("−") else f"+{difference}",
    }
    if isinstance(b, CurvePanel):
        return _(
            "The curve “{curve}” changed most at {axis} {place}: from {before} in A to {after} in B, by "
            "**{difference}**.",
            **fields,
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
    return _(
        "In {panel}, {row}, {column} changed most: from {before} in A to {after} in B, by **{difference}**.",
        **fields,
        panel=title,
        row=row,
        column=column,
    )


def _describe_unpaired(comparison: Comparison, b: PanelData) -> str:
    if not comparison.n_unpaired or isinstance(b, CurvePanel):
        return ""
    return _n(
        "{count} cell is masked in one of them alone, and cannot be compared.",
        "{count} cells are masked in one of them alone, and cannot be compared.",
        comparison.n_unpaired,
        count=f"{comparison.n_unpaired:,}",
    )


def _describe_unchanged(comparison: Comparison) -> str:
    """Return a sentence on rows or curves that did not change at all, while others did; "" for none."""
    names = comparison.unchanged
    if not names or len(names) == comparison.total:
        return ""
    quoted_names = first_of([_("“{name}”", name=plain(each)) for each in names], _MOST_NAMED)
    return _("{names} did not change at all.", names=quoted_names)


def _describe_missing(comparison: Comparison, b: PanelData | None, title: str) -> str:
    """Return a sentence on why no difference is drawn."""
    if b is None or comparison.why == "absent":
        return _("B has no {panel} at this position of the slider, so only A is drawn.", panel=title)
    return _(
        "In {panel}, A and B have other rows, columns or places, so no difference is drawn.", panel=title
    )
