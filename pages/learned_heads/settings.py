"""What this page can set: names in the link, defaults, ranges, and the sidebar that asks for them."""

from dataclasses import dataclass, replace

import streamlit as st

from attn_core.toys import SHIPPED, TASKS, Recipe
from attn_ui import controls, state
from attn_ui.bounds import MAX_HEADS
from attn_ui.markdown import plain
from attn_ui.parameters import Choice, Flag, Parameter, Several, Steps, Text, Whole, grouped_tabs
from attn_ui.shared_settings import CODE, HEAD, KEY, QUERY, TEXT

TOY = "a toy trained here"
REAL = "a real model"
FROM_FILE = "your own"
SOURCE = Choice("source", TOY, (TOY, REAL, FROM_FILE), views=True)
TAB = grouped_tabs(
    understand=("Heads", "Arithmetic", "Maths"),
    experiment=("Break it",),
    prove=("Checks",),
    take_away=("Code",),
)
# A whole model has no arithmetic of its own: the other pages have one head's.
WHOLE_TAB = grouped_tabs(understand=("Heads",), prove=("Checks",), take_away=("Code",))
TASK = Choice("task", "induction", tuple(TASKS), kind="task")
MOST_STEPS = 2000
# A page opens on the trained model: the last of the steps that there are.
STEP = Steps("training", MOST_STEPS, tuple(range(0, MOST_STEPS + 1, 5)), ".0f")
_NAMES = {
    "induction": "abab",
    "previous token": "before",
    "copy": "copied",
    "reverse": "turned",
    "sort": "sorted",
}
SEQUENCES = {name: Text(_NAMES[name], task.example, longest=400) for name, task in TASKS.items()}
READY, OWN = "ready made", "train it now"
MODEL = Choice("model", READY, (READY, OWN))
PLACES = Flag("places", True)
OWN_SEED = Whole("trainseed", 0, 0, 9999)
OWN_LAYERS = Choice("trainlayers", "2", ("1", "2"))
OWN_HEADS = Choice("trainheads", "2", ("1", "2", "4"))
ABLATED = Several("ablate", tuple(str(head) for head in range(1, MAX_HEADS + 1)))
FLAW = Choice(
    "flaw",
    "merge without transpose",
    (
        "merge without transpose",
        "√d_model for √d_head",
        "one W for all heads",
        "(d k h) for (k h d)",
        "own key not yet cached",
        "mask forgotten",
        "places from one",
        "heads in another order",
        "W not transposed",
    ),
    kind="mistake",
    tab="Break it",
)
# Of a whole model: the measure that its heads are ordered by, and the place in that order.
RANK_BY = Choice(
    "rankby",
    "previous token",
    ("previous token", "next token", "itself", "first token", "entropy", "distance", "special tokens"),
)
RANK = Steps("rank", 1, tuple(range(1, 4097)), ".0f")  # 64 layers of 64 heads
HIDE = Flag("wordsonly", True)  # special tokens hidden
SETTINGS: tuple[Parameter, ...] = (
    *(SOURCE, TAB, TASK, STEP, ABLATED, HEAD, QUERY, KEY),
    *SEQUENCES.values(),
    *(MODEL, PLACES, OWN_SEED, OWN_LAYERS, OWN_HEADS, FLAW),
    *(TEXT, RANK_BY, RANK, HIDE, CODE),
)


@dataclass(frozen=True)
class Setting:
    """Which training is shown, on which letters, without which heads (counted from 0 over all layers)."""

    recipe: Recipe
    typed: str
    off: tuple[int, ...] = ()


def ask_recipe() -> Recipe:
    """Ask for the task, and for the model: one that is ready made, or one to be trained now."""
    st.subheader("Training", anchor=False)
    task = controls.choose(TASK, "Task")
    own = controls.segment(MODEL, "Model") == OWN
    usual = Recipe.usual(task)
    if own:
        seed = controls.whole(OWN_SEED, "Seed")
        layers, heads = (
            int(controls.segment(setting, label))
            for setting, label in ((OWN_LAYERS, "Layers"), (OWN_HEADS, "Heads a layer"))
        )
        usual = replace(usual, seed=seed, layers=layers, heads=heads)
    without = replace(usual, positions=False)
    if own or without in SHIPPED:
        return usual if controls.flag(PLACES, "Positions") else without
    return usual


def ask_setting(recipe: Recipe) -> Setting:
    """Ask for the sequence and the heads that are off."""
    st.subheader("Sequence", anchor=False)
    typed = _ask_letters(recipe.task)
    offered = [str(head + 1) for head in range(recipe.layers * recipe.heads)]
    last = f"{len(offered)} is head {recipe.layers}.{recipe.heads}"
    st.subheader("Heads", anchor=False)
    chosen = controls.several(
        ABLATED,
        "Heads switched off",
        offered,
        help=f"An ablation. Counted over all layers: {last}, layer and head.",
    )
    off = tuple(int(each) - 1 for each in chosen)
    return Setting(recipe, typed, off)


def _ask_letters(task: str) -> str:
    """Ask for a sequence; while it cannot be read, say why and keep the last one that could."""
    setting, of = SEQUENCES[task], TASKS[task]
    typed = controls.line(setting, "Your sequence", help=f"Letters from a to n, at most {of.most}.")
    kept = f"_letters_{setting.name}"
    wanted = "".join(typed.split()).lower()
    try:
        of.tokens(wanted)
    except ValueError as error:
        last: str = st.session_state.get(kept, of.example)
        state.call(setting.name, "Your sequence", last)
        why = plain(str(error)[0].upper() + str(error)[1:])
        st.caption(f":material/edit: {why}. The picture still shows “{last}”.")
        return last
    st.session_state[kept] = wanted
    return wanted
