"""The tab "One or many": a task of two patterns, which one head cannot learn and two can."""

import streamlit as st
import torch

from attn_core import Check, HeadsFit, MultiHeadAttention, compare, fit_heads, two_pattern_task
from attn_figures import single_vs_multi as pictures
from attn_figures.numbers import number
from attn_figures.scene import Scene
from attn_figures.single_vs_multi import HeadFit
from attn_ui.base.page import Slider
from attn_ui.base.scenes import shared_scene
from attn_ui.base.shared_cache import shared
from attn_ui.screen.live_figure import live_figure
from attn_ui.screen.programs_tab import show_program
from attn_ui.screen.tables import checks_table
from attn_words import _, _n
from pages.multi_head.compute import Result, array
from pages.multi_head.settings import FIT_STEP
from programs.writing import SHORT, Program

NUM_HEADS = (1, 2, 4, 8)
SEEDS = (4, 104, 204, 304, 404)
STEPS = tuple(map(int, FIT_STEP.values))
FLOOR = 0.5  # the least error of one head, see `attn_core.two_pattern_task`


def show(_result: Result) -> None:
    """Show the errors of the fits with each number of heads, and the maps of one head and of two."""
    st.markdown(
        _(
            "**What one head cannot learn.** The task: tell the previous token and the first one, side "
            "by side. Each number of heads is fitted to it by gradient, at one width of 8, from five "
            "seeds."
        )
    )
    fits = fit_head_counts()
    live_figure(
        _steps(),
        key="fit",
        name="one head or many, fitted",
        slider=Slider(_("Step"), FIT_STEP),
        captions=[
            read_out(step, [float(fit.losses[at].mean()) for fit in fits]) for at, step in enumerate(STEPS)
        ],
    )
    st.caption(
        _(
            "Adam, learning rate 0.05. Queries and keys are one-hot positions, values random contents, "
            "whose expected error is computed exactly; doing nothing has error 1. Dotted: ½, the least "
            "that one head can have, for it carries one mixture where two contents are asked for. With "
            "8 heads each is 1 wide, too narrow to point at one position among many. Maps are those of "
            "the first seed."
        )
    )
    st.markdown(checks_table({_("this page"): checks(fits)}))
    st.markdown(_("**With attn_core**: the errors of two heads after the last step"))
    show_program(program())


def read_out(step: int, errors: list[float]) -> str:
    """Say the mean error of each number of heads after some steps."""
    one, two, four, eight = (number(error, 2) for error in errors)
    return _n(
        "After {count} step the mean error is {one} with 1 head, {two} with 2, {four} with 4 and {eight} "
        "with 8.",
        "After {count} steps the mean error is {one} with 1 head, {two} with 2, {four} with 4 and {eight} "
        "with 8.",
        step,
        one=one,
        two=two,
        four=four,
        eight=eight,
    )


@shared
def fit_head_counts() -> tuple[HeadsFit, ...]:
    """Fit each number of heads to the task of two patterns; every step of the slider is stored."""
    return tuple(fit_heads(heads, seeds=SEEDS, steps=STEPS[-1], keep_every=STEPS[1]) for heads in NUM_HEADS)


@shared_scene
def _steps() -> Scene:
    fits = [HeadFit(fit.num_heads, array(fit.losses.T), array(fit.weights)) for fit in fit_head_counts()]
    queries = [str(place + 3) for place in range(fits[0].weights.shape[-2])]
    return Scene(
        [pictures.fitting(STEPS, fits, at, floor=FLOOR, queries=queries) for at in range(len(STEPS))]
    )


def checks(fits: tuple[HeadsFit, ...]) -> list[Check]:
    """Compare the errors with the least that one head can have, and with those of torch's own module."""
    below = (FLOOR - fits[0].losses).clamp(min=0)
    last = torch.stack([fit.losses[-1, 0] for fit in fits])
    return [
        compare(_("no fit of one head has an error below ½"), below, 0.0, scale=1.0),
        compare(
            _("the last errors are those of torch's own module"),
            last,
            torch.tensor([loss_by_torch(fit) for fit in fits], dtype=last.dtype),
        ),
    ]


def loss_by_torch(fit: HeadsFit) -> float:
    """Return the error of the first seed's fit, computed by torch's own module with its weights."""
    task = two_pattern_task()
    ours = MultiHeadAttention(8, fit.num_heads, bias=False, d_value=4, dtype=torch.float64)
    for name, weight in zip(("W_q", "W_k", "W_v", "W_o"), fit.parameters, strict=True):
        getattr(ours, name).weight.data = weight[0]
    batch = len(task.content)
    queries, keys = (x.expand(batch, *x.shape) for x in (task.queries, task.place))
    with torch.no_grad():
        output, _weights = ours.to_torch().eval()(queries, keys, task.content, need_weights=False)
    return float((output - task.target).square().mean())


def program() -> Program:
    """Return a program that fits two heads."""
    lines = f"fit = fit_heads(2, seeds={[*SEEDS]}, steps={STEPS[-1]})"
    return Program(SHORT, lines, last='print("errors:", fit.losses[-1].tolist())')
