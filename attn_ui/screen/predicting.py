"""Cover and predict, on screen: the question under a covered figure, Reveal, the verdict, Try again.

Answers are kept in the session alone and end with it: they are not written or sent anywhere.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import streamlit as st

from attn_ui.base import predict
from attn_ui.base.controls import Controls
from attn_ui.base.cover import names, panel_title
from attn_ui.base.link_options import ALOUD, COVER, PREDICT
from attn_ui.base.page import Cell, Page, View
from attn_ui.base.parameters import Steps
from attn_ui.base.predict import FALLS, RISES, CoverQuestion, Map
from attn_ui.screen import state
from attn_ui.screen.address import drop_setting
from attn_ui.screen.own_controls import component
from attn_words import N_, _, language

_KEY = "_predict"
_OFFERED = "_predict_names"
_MOST_PILLS = 20
KINDS = {
    ALOUD: N_("Nothing: it is said aloud"),
    "key": N_("Which key gets most, for the chosen query"),
    "row": N_("How the chosen query shares its weight out: bars to drag"),
    "number": N_("The number of one cell"),
    "trend": N_("Whether one cell rises or falls as the slider moves"),
    "curve": N_("Where the curve goes: it is drawn"),
}
"""The label of each kind of question, for teachers who make a link."""
_ANSWERS = ("predict-key", "predict-number", "predict-trend")


@dataclass
class _Try:
    """One try at one question: the page, panel and kind, and the answer."""

    about: tuple[str, str, str]
    row: int = 0
    turn: int = 0  # how often it was tried again
    is_revealed: bool = False
    answer: predict.Answer | None = None
    verdict: tuple[str, ...] | None = None  # on the answer, once the panel was revealed
    language_code: str = ""  # the verdict's language


def coverable_panels() -> Mapping[str, tuple[str, ...]]:
    """Return the panels of the present figure that can be covered, each with its kinds of question."""
    return {name: kinds for name, (kinds, _reads) in st.session_state.get(_OFFERED, {}).items()}


def panel_label(name: str) -> str:
    """Return the name of a panel or curve as people read it."""
    return str(st.session_state[_OFFERED][name][1])


@dataclass(frozen=True, eq=False)
class Predicting:
    """A covered figure, or one that was revealed, with its question.

    Attributes:
        view: the present view of the page.
        question: the one that is asked; attempt: this session's try at it.
        chooses: the setting that chooses the row in question; None if a list here does.
    """

    view: View[Any]
    question: CoverQuestion
    attempt: _Try
    chooses: Steps | None

    def ask(self) -> None:
        """Show the question, or the verdict, under the figure."""
        with st.container(key="predict"):
            if self.attempt.is_revealed:
                self._show_verdict()
                return
            self._show_controls()
            waits = self.question.kind in ("key", "number", "trend") and not self._is_answered()
            label = _("Reveal unanswered") if waits else _("Reveal")
            st.button(label, key="predict-reveal", on_click=self._reveal)

    @staticmethod
    def _is_answered() -> bool:
        """Whether an answer was given."""
        return any(st.session_state.get(key) is not None for key in _ANSWERS)

    def _show_controls(self) -> None:
        question = self.question
        if question.kind == ALOUD:
            st.markdown(_("Predict it."))
            return
        if question.kind == "curve":
            self._show_chart()
            return
        here = question.map
        if self.chooses is None:
            st.session_state["predict-query"] = question.row
            st.selectbox(
                _(here.words[0]).capitalize(),
                range(len(here.rows)),
                format_func=lambda row: here.rows[row],
                key="predict-query",
                width=320,
                on_change=self._choose,
            )
        if question.kind == "key":
            offer: Any = st.pills if len(here.columns) <= _MOST_PILLS else st.selectbox
            more: dict[str, Any] = {} if offer is st.pills else {"index": None, "width": 320}
            offer(
                _("Your answer, the {column}: here, or a click on its cell", column=_(here.words[1])),
                range(len(here.columns)),
                format_func=lambda column: here.columns[column],
                key="predict-key",
                **more,
            )
        elif question.kind == "row":
            self._show_bars(here)
        elif question.kind == "number":
            st.number_input(_("Your number"), value=None, step=0.01, key="predict-number", width=260)
        else:
            st.pills(_("Your answer"), (RISES, FALLS), format_func=_, key="predict-trend")

    def _choose(self) -> None:
        row = st.session_state["predict-query"]
        if isinstance(row, int):  # else it is a name from an earlier list
            self.attempt.row = row

    def _show_bars(self, here: Map) -> None:
        about = _(
            "Weights of the {row} {name}: they sum to one",
            row=_(here.words[0]),
            name=here.rows[self.question.row],
        )
        component("row_bars", role="group")(
            key="predict-row",
            data={"labels": [*here.columns], "about": about, "turn": self._turn},
            on_shares_change=lambda: None,
        )

    def _show_chart(self, answer: Sequence[float] = ()) -> None:
        """Show a chart to draw in; or, with an answer, the drawn curve and the computed one."""
        pad, curve = self.question.pad, self.question.curve
        if pad is None or curve is None:
            return
        data = {
            "turn": f"{self._turn}-{bool(answer)}",
            "about": _("A chart to draw {curve} in", curve=self.question.title),
            "x": pad.x,
            "y": pad.y,
            "points": pad.points,
            "nodes": predict.NODES,
            "drawn": list(answer),
        }
        if answer:
            heights = zip(curve.x.tolist(), curve.y.tolist(), strict=True)
            data["computed"] = [[x, y] for x, y in heights if np.isfinite(y)]
        component("curve_pad")(
            key=f"predict-curve{'-view' if answer else ''}", data=data, on_heights_change=lambda: None
        )

    @property
    def _turn(self) -> str:
        """A key of the present question: with another key, bars and chart start anew."""
        return f"{self.attempt.turn}-{self.question.row}"

    def _reveal(self) -> None:
        """Store the answer and uncover the panel; the next run scores the answer."""
        answer = st.session_state.get(f"predict-{self.question.kind}")
        if self.question.kind == "row":
            drawing = (answer or {}).get("shares") or {}
            is_this = isinstance(drawing, dict) and drawing.get("turn") == self._turn
            answer = (
                predict.read_row(drawing.get("shares"), len(self.question.map.columns)) if is_this else None
            )
        if self.question.kind == "curve":
            drawing = (answer or {}).get("heights") or {}
            is_this = isinstance(drawing, dict) and drawing.get("turn") == f"{self._turn}-False"
            answer = predict.read_curve(drawing.get("heights")) if is_this else None
        self.attempt.answer, self.attempt.verdict, self.attempt.is_revealed = answer, None, True

    def _show_verdict(self) -> None:
        attempt, question = self.attempt, self.question
        if attempt.verdict is None or attempt.language_code != language():  # by the numbers of this run
            verdict = question.verdict(attempt.answer) or _("This is what stands there.")
            row = attempt.answer if question.kind == "row" and isinstance(attempt.answer, tuple) else ()
            attempt.verdict, attempt.language_code = (verdict, question.table(row) if row else ""), language()
        with st.container(key="predict-verdict"):
            for part in filter(None, attempt.verdict):
                st.markdown(part)
        if question.kind == "curve" and isinstance(attempt.answer, tuple):
            self._show_chart(attempt.answer)
        st.button(_("Try again"), key="predict-again", on_click=self._try_again)

    def _try_again(self) -> None:
        """Cover the panel again, and ask about another row."""
        n_rows = len(self.question.map.rows) if self.question.maps else 1
        following = (self.question.row + max(1, n_rows // 3)) % n_rows
        if n_rows > 1 and self.chooses is not None and following < len(self.chooses.values):
            state.move(self.chooses, self.chooses.values[following])
        self.attempt.row = following
        self.attempt.is_revealed, self.attempt.verdict = False, None
        self.attempt.turn += 1
        for name in _ANSWERS:
            st.session_state.pop(name, None)

    def take_click(self, _controls: Controls, cell: Cell) -> None:
        """Take the key of a clicked cell of the covered map as the answer."""
        if cell.trace.removesuffix(" masked") != self.question.name:
            return
        if self.question.kind == "key":
            st.session_state["predict-key"] = cell.column
        if self.chooses is None:
            self.attempt.row = cell.row


def cover_view(page: Page[Any, Any], view: View[Any]) -> Predicting | None:
    """Return the view with the panel covered that the link names; None if it names none.

    Args:
        page: the page of this run; view: its view, with nothing covered.
    """
    # Kept for the panel of Teach alone, while that is open (`attn_ui.screen.teach`).
    st.session_state[_OFFERED] = {}
    if view.figure and st.session_state.get("teach"):
        scene = view.figure.scene.scene
        st.session_state[_OFFERED] = {
            each: (predict.kinds(scene, each), panel_title(each, scene)) for each in names(scene)
        }
    name, kind = (st.query_params.get(each.name, each.default) for each in (COVER, PREDICT))
    if not name or view.figure is None:
        return None
    about = (page.folder, name, kind)
    attempt = st.session_state.get(_KEY)
    if attempt is None or attempt.about != about:
        attempt = st.session_state[_KEY] = _Try(about)
    try:
        question, lost = predict.question(
            view.figure, name, kind, state.position, page.panel_sources, own_row=attempt.row
        )
        chooses = predict.chooses_row(view.figure, name)
        if lost:
            drop_setting(predict.dropped(name, lost, None, predict.kinds(view.figure.scene.scene, name)))
        predicting = Predicting(view, question, attempt, chooses)
        if not attempt.is_revealed:
            covered = view.covering(name, page.panel_sources, question.sentences(), predicting.take_click)
            predicting = Predicting(covered, question, attempt, chooses)
    except ValueError as error:
        drop_setting(predict.dropped(name, kind, error))
        return None
    return predicting
