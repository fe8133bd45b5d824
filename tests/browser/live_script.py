"""A small script of two live figures, two pages and a plain control, for the tests of the live figure."""

import numpy as np
import streamlit as st

from attn_figures.chart import Chart
from attn_figures.frame import Side
from attn_figures.matrix import Matrix, Pick
from attn_figures.panels import compose
from attn_figures.scene import Scene
from attn_figures.theme import LIGHT
from attn_live.packing import Cursor
from attn_ui.base.markdown import plain
from attn_ui.base.page import Cell, Slider
from attn_ui.base.parameters import Steps
from attn_ui.base.scenes import SharedScene, pack_scene
from attn_ui.screen import state
from attn_ui.screen.live_figure import live_figure
from attn_ui.screen.style import apply

STEP = Steps("a", 2.0, (0.0, 1.0, 2.0, 3.0, 4.0), ".1f")
OTHER = Steps("b", 0.0, (0.0, 1.0, 2.0), ".1f")
ROW = Steps("r", 0.0, (0.0, 1.0, 2.0), ".0f")
LABELS = ["x", "y", "z"]


def on_cell(cell: Cell) -> None:
    st.session_state.clicked = f"{cell.trace} {cell.row} {cell.column}"


def two_maps() -> None:
    state.sync([STEP, OTHER, ROW], entered="entered" not in st.session_state)
    st.session_state.entered = True
    base = np.arange(9.0).reshape(3, 3)
    steps = [
        compose(
            [
                Matrix(
                    "left",
                    base / 100 + i / 10,
                    "left",
                    Side(LABELS),
                    Side(LABELS, role="key"),
                    pick=Pick(together="same"),
                ),
                Matrix(
                    "right",
                    base / 200 + i / 20,
                    "right",
                    Side(LABELS),
                    Side(LABELS, role="key"),
                    pick=Pick(together="same"),
                ),
                Chart("curve", [curve()], 4, 3),
            ]
        )
        for i in range(5)
    ]
    cursor = Cursor(3, {"data[curve].y": np.eye(3)}, {"data[curve].x": np.ones((5, 3, 3)) * [0, 1, 2]})
    shift = st.number_input("shift", 0, 9, 0, key="shift")
    if shift:
        for i, step in enumerate(steps):
            step["data"][0]["z"] = base / 1000 + shift / 10 + i / 100
    scene = Scene(steps, cursor)
    live_figure(
        SharedScene(lambda: scene, lambda: pack_scene(scene)),
        key="first",
        name="two maps",
        slider=Slider("Step", STEP),
        rows=Slider("Row", ROW, LABELS),
        clicked=on_cell,
        captions=[[caption_at_step(step, label) for label in LABELS] for step in STEP.values],
        caption="two maps of nine cells",
    )
    second = [
        {"data": [{"type": "bar", "name": "bars", "y": np.array([i, 2.0])}], "layout": {"height": 200}}
        for i in range(3)
    ]
    live_figure(second, key="second", name="bars", slider=Slider("Other", OTHER))
    st.button("Send to 4", on_click=state.move, args=(STEP, 4.0))
    st.write(f"step {state.value(STEP)} other {state.value(OTHER)} row {state.value(ROW)}")
    st.write(f"clicked {st.session_state.get('clicked', 'nothing')}")


def caption_at_step(step: float, label: str) -> str:
    return f"At {step:.1f} the :violet[**{label}**] is {plain('<b>*bold*</b>')}."


def curve() -> dict[str, object]:
    drawn = {"x": np.zeros(3), "y": np.zeros(3), "line": {"color": LIGHT.query}}
    return {"type": "scatter", "name": "curve", "meta": {"cursor": True}} | drawn


def elsewhere() -> None:
    st.session_state.pop("entered", None)
    st.title("Elsewhere")


st.set_page_config(layout="wide")
apply()
st.navigation(
    [
        st.Page(two_maps, title="Maps", url_path="maps", default=True),
        st.Page(elsewhere, title="Elsewhere", url_path="elsewhere"),
    ],
    position="top",
).run()
