"""The tab "Break it" of learned heads: what it says of a mistake against what the mistake does."""

import math
import re
from dataclasses import replace
from functools import cache, partial

import pytest
import torch
from streamlit.testing.v1 import AppTest

from attn_core.toys import (
    MEASURES,
    SHIPPED,
    SYMBOLS,
    TASKS,
    TOY_MISTAKES,
    Judged,
    Recipe,
    ToyRun,
    judge,
    path_of,
    shipped,
)
from attn_figures.numbers import number
from pages.learned_heads.compute import Now
from pages.learned_heads.settings import FLAW, SEQUENCES, TAB, WHOLE_TAB
from pages.learned_heads.state import Setting
from pages.learned_heads.tabs.break_it import MISTAKES, Made, costs, verdict
from tests.pages import open_sound

open_page = partial(open_sound, "learned-heads", tab="Break it")
HARMLESS_TO_ONE_HEAD = {
    "merge-without-transpose",
    "scale-by-d-model",
    "shared-projections",
    "heads-in-another-order",
}


def made(recipe: Recipe, name: str, *, at: int = -1, typed: str = "", off: tuple[int, ...] = ()) -> Made:
    kept = len(shipped(recipe.task, positions=recipe.positions).checkpoints)
    setting = Setting(recipe, typed or TASKS[recipe.task].example, off)
    return Made(Now(setting, at % kept), TOY_MISTAKES[name])


def judged(which: Made, name: str = "") -> Judged:
    """Judge the model without the page, with a mistake or with none."""
    return _judged(which.now.recipe, which.now.at, which.now.setting.off, name)


@cache
def _judged(recipe: Recipe, at: int, off: tuple[int, ...], name: str) -> Judged:
    model = shipped(recipe.task, positions=recipe.positions).model(at)
    arguments = (model, TASKS[recipe.task], recipe.held_out(), off)
    if not name:
        return judge(*arguments)
    return judge(*arguments, attend=TOY_MISTAKES[name].attend, start=TOY_MISTAKES[name].start)


def on_the_sequence(which: Made, name: str) -> tuple[ToyRun, ToyRun]:
    """Run what is typed without the mistake and with it."""
    now = which.now
    model = shipped(now.recipe.task, positions=now.recipe.positions).model(now.at)
    tokens = TASKS[now.recipe.task].tokens(now.setting.typed)
    off = now.setting.off
    return model(tokens, off=off), TOY_MISTAKES[name].run(model, tokens, off)


def says_what_it_costs(told: str, which: Made) -> None:
    right, broken = judged(which), judged(which, which.mistake.name)
    shares = f"{right.accuracy:.1%}", f"{broken.accuracy:.1%}"
    for share, judgement in zip(shares, (right, broken), strict=True):
        assert share in told
        assert number(judgement.loss, 3) in told
    if which.now.step == 0:
        assert told.startswith("**Nothing can be lost here**: nothing is learned before the first step.")
        return
    guesses = right.loss >= math.log(16) and right.accuracy < 1 / 8
    assert ("the model is no better than guessing" in told) is guesses
    assert ("Nothing can be lost here" in told) is guesses
    if guesses:
        return
    lost = broken.accuracy - right.accuracy
    lead, *_ = re.findall(r"It costs (no answer|nothing and gains|under|[\d.]+)", told)
    assert (lead == "no answer") is (lost == 0)
    assert (lead == "nothing and gains") is (lost > 0)
    if shares[0] != shares[1]:
        points = abs(float(shares[0].strip("%")) - float(shares[1].strip("%")))
        assert f"{points:.1f} percentage points" in told


def says_what_is_said(told: str, which: Made) -> None:
    right, broken = on_the_sequence(which, which.mistake.name)
    task = TASKS[which.now.recipe.task]
    answers = task.answers(task.tokens(which.now.setting.typed))
    asked = answers >= 0
    counts = [int((run.logits.argmax(dim=-1) == answers)[asked].sum()) for run in (right, broken)]
    best = broken.logits.argmax(dim=-1)
    if bool((right.logits.argmax(dim=-1) == best)[asked].all()):
        assert f"On this sequence it says the same: {counts[0]} of {int(asked.sum())} right." in told
        return
    first = int(asked.int().argmax())
    line = " ".join(
        SYMBOLS[int(best[place])] if asked[place] else "–" for place in range(first, len(answers))
    )
    assert f"It then says **{line}** " in told
    assert f": {counts[1]} of {int(asked.sum())} right, " in told


def says_what_its_head_is(told: str, which: Made) -> None:
    right, broken = judged(which).measures, judged(which, which.mistake.name).measures
    name = max(MEASURES, key=lambda name: float(right[name][which.head]))
    value, now = (float(each[name][which.head]) for each in (right, broken))
    assert (f": {name} {value:.2f}, with the mistake {now:.2f}." in told) is (value >= 0.5)


@pytest.mark.parametrize("recipe", SHIPPED, ids=lambda each: path_of(each).stem)
def test_every_verdict_says_what_the_mistake_does(recipe: Recipe) -> None:
    states: list[tuple[int, tuple[int, ...]]] = [(0, ()), (-1, ())]
    if recipe.heads > 1:  # without positions and without heads 1.1 and 2.2 it is no better than guessing
        states = [(0, ()), (-1, ()), (8, (2,))] if recipe.positions else [(-1, ()), (-1, (0, 3))]
    for at, off in states:
        for name, mistake in TOY_MISTAKES.items():
            which = made(recipe, name, at=at, off=off)
            if name == "cached-after-attending" and not TASKS[recipe.task].causal:
                assert not mistake.runs(which.now.model)
                continue
            told = verdict(which)
            harmless = (
                (recipe.heads == 1 and name in HARMLESS_TO_ONE_HEAD)
                or (name == "mask-forgotten" and not TASKS[recipe.task].causal)
                or (name == "counted-from-one" and not recipe.positions)
            )
            assert told.startswith("Nothing fails here: ") is harmless, (name, at, told)
            if harmless:
                right, broken = on_the_sequence(which, name)
                torch.testing.assert_close(broken.logits, right.logits)
                assert judged(which)[:2] == pytest.approx(judged(which, name)[:2])
                continue
            says_what_it_costs(told, which)
            says_what_is_said(told, which)
            says_what_its_head_is(told, which)
            if name == "heads-in-another-order":
                assert (
                    "With the opposite order in all four matrices what it says is the same (off by " in told
                )


def test_why_a_mistake_is_harmless_is_the_reason_that_holds() -> None:
    reasons = {
        ("copy", "merge-without-transpose"): "with one head a layer there is no other to mix it with",
        ("copy", "shared-projections"): "with one head a layer",
        ("copy", "scale-by-d-model"): "one head a layer is as wide as the model, 16, and both roots",
        ("reverse", "mask-forgotten"): "in the task reverse every place may see all others",
    }
    for (task, name), why in reasons.items():
        assert f"Nothing fails here: {why}" in verdict(made(Recipe.usual(task), name))
    without = replace(Recipe.usual("induction"), positions=False)
    assert "the model has no positions" in verdict(made(without, "counted-from-one"))


# On the induction toy at its end: what of "rows sum to one", "masked is zero", "heads add up", "maps are
# torch's", "answers are torch's" does not hold.
FAILS = {
    "merge-without-transpose": {2, 3, 4},
    "scale-by-d-model": {3, 4},
    "shared-projections": {3, 4},
    "unpacked-in-another-order": {3, 4},
    "cached-after-attending": {0, 3, 4},
    "mask-forgotten": {1, 3, 4},
    "counted-from-one": {3, 4},
    "heads-in-another-order": {3, 4},
    "weights-not-transposed": {3, 4},
}


@pytest.mark.parametrize("name", TOY_MISTAKES)
def test_the_checks_that_fail_are_named_and_none_fails_without_the_mistake(name: str) -> None:
    which = made(Recipe.usual("induction"), name)
    assert [check.name for check in which.checks(which.now.result) if not check.passed] == []
    found = which.checks(which.broken)
    assert {number for number, check in enumerate(found) if not check.passed} == FAILS[name]
    told = verdict(which)
    for check in found:
        assert (f"*{check.name}*" in told) is not check.passed
    assert ("Each row still sums to one" in told) is (0 not in FAILS[name])
    off = made(Recipe.usual("induction"), name, at=8, off=(2,))
    assert all(check.passed for check in off.checks(off.now.result))


def test_what_only_one_mistake_does_is_said_with_its_numbers() -> None:
    recipe = Recipe.usual("induction")
    told = {name: verdict(made(recipe, name)) for name in TOY_MISTAKES}
    assert "The maps of layer 1 are as they should be" in told["merge-without-transpose"]
    right, broken = on_the_sequence(made(recipe, "scale-by-d-model"), "scale-by-d-model")
    averages = [float(run.weights.max(dim=-1).values.mean()) for run in (broken, right)]
    assert (
        f"0.707 times what they should be: the largest weight of a row is {averages[0]:.3f} on average, "
        f"not {averages[1]:.3f}." in told["scale-by-d-model"]
    )
    assert "two maps of a layer is 0: one view" in told["shared-projections"]
    for task in ("induction", "copy"):  # whose heads look elsewhere, and at their own places
        which = made(Recipe.usual(task), "mask-forgotten")
        _, seen = on_the_sequence(which, "mask-forgotten")
        n = seen.weights.shape[-1]
        ahead = [
            sum(float(each[i, j]) for i in range(n) for j in range(i + 1, n)) / n for each in seen.weights
        ]
        most = which.now.head(ahead.index(max(ahead)))
        assert f"{most} gives {max(ahead):.2f} of its weight to places still to come" in verdict(which)
    right, broken = on_the_sequence(made(recipe, "counted-from-one"), "counted-from-one")
    moved = float((right.weights - broken.weights)[: recipe.heads].abs().max())
    assert f"Weights of the first layer move by up to {number(moved, 2)}." in told["counted-from-one"]
    # Packed as k h d, read as d k h: a third of (d k h) is read as the query, the first 32 were made so.
    own = sum(place < 32 for place in range(96) if place // 2 % 3 == 0)
    assert (
        f"Of the 32 numbers that are read as a symbol's query {own} were made as its query"
        in told["unpacked-in-another-order"]
    )


def test_places_that_see_nothing_and_sequences_too_short_to_show_it_are_said() -> None:
    copied = made(Recipe.usual("copy"), "cached-after-attending")
    assert "gives it 1.00 on average, and with the mistake 0.00" in verdict(copied)
    alone = made(Recipe.usual("induction"), "merge-without-transpose", typed="a")
    told = verdict(alone)
    assert "On this sequence no check fails: it shows the same either way." in told
    assert "percentage points" in told
    assert " right, " not in told.partition("no check fails")[2]  # no place of one letter has an answer


def test_with_every_head_off_nothing_can_be_lost() -> None:
    for name in TOY_MISTAKES:
        told = verdict(made(Recipe.usual("induction"), name, off=(0, 1, 2, 3)))
        wanted = (
            "with every head off nothing is" if name == "merge-without-transpose" else "nothing can be lost"
        )
        assert wanted in told, told


def test_only_who_has_learned_something_has_something_to_lose() -> None:
    for at, loss, accuracy, nothing in (
        (0, 2.7, 0.3, True),  # whatever chance gives an untrained model
        (-1, 2.9, 0.08, True),
        (-1, 2.7, 0.08, False),
        (-1, 2.9, 0.3, False),
    ):
        which = made(Recipe.usual("induction"), "merge-without-transpose", at=at)
        which.__dict__["right_judged"] = which.right_judged._replace(loss=loss, accuracy=accuracy)
        assert ("Nothing can be lost here" in verdict(which)) is nothing


def test_a_head_whose_map_the_mistake_leaves_is_not_the_one_that_is_shown() -> None:
    recipe = Recipe.usual("induction")
    # Merging comes after the maps of layer 1; what is shared is the projections of the first head.
    shown = {
        "merge-without-transpose": (2, 2, 2, 3),
        "shared-projections": (1, 1, 2, 3),
        "scale-by-d-model": (0, 1, 2, 3),
    }
    for name, heads in shown.items():
        for cell, head in enumerate(heads):
            which = Made(Now(Setting(recipe, "abcabc"), 30, (cell, 0, 0)), TOY_MISTAKES[name])
            assert which.head == head
            instead = f"Head {1 + head // 2}.{1 + head % 2} is shown, since the map of head "
            assert (f"{instead}{1 + cell // 2}.{1 + cell % 2} stays." in verdict(which)) is (head != cell)
    one = Now(Setting(Recipe.usual("copy"), "abc"), 3)
    assert Made(one, TOY_MISTAKES["shared-projections"]).head == 0


def test_cells_are_hatched_where_the_map_itself_masks_them() -> None:
    late = made(Recipe.usual("copy"), "cached-after-attending")
    right, broken = (late.maps(run).mask for run in (late.now.result, late.broken))
    assert right is not None
    assert broken is not None
    assert right.diagonal().all()
    assert not broken.diagonal().any()
    forgotten = made(Recipe.usual("copy"), "mask-forgotten")
    assert forgotten.maps(forgotten.broken).mask is None  # what is seen ahead is drawn


def pictures(page: AppTest) -> int:
    return len(page.get("bidi_component"))


@pytest.mark.parametrize("task", TASKS)
def test_every_mistake_opens_in_every_task_and_its_line_is_marked(task: str) -> None:
    page = open_page(task=task)
    for label in FLAW.options:
        page.segmented_control(key="flaw").set_value(label).run()
        assert not page.exception
        told = [each.value for each in page.markdown]
        mistake = TOY_MISTAKES[MISTAKES[label]]
        assert f"{mistake.what} {mistake.why}" in told
        lines = told[-1].splitlines()
        assert len(lines) == 3 + len(FLAW.options)
        marked = [line for line in lines if "**" in line]
        assert len(marked) == 1
        assert f"**{label}**" in marked[0]
        if label == "own key not yet cached" and task == "reverse":
            assert pictures(page) == 1
            assert "**does not run**" in marked[0]
            assert any("Here this mistake does not run: in the task reverse" in each for each in told)
            continue
        assert pictures(page) == 2
        which = made(Recipe.usual(task), mistake.name)
        assert verdict(which) in told
        without, broken = judged(which), judged(which, mistake.name)
        assert lines[2] == f"| none | {without.accuracy:.1%} | {without.loss:.4f} |"
        assert marked[0] == f"| **{label}** | **{broken.accuracy:.1%}** | **{broken.loss:.4f}** |"


def test_a_link_opens_a_mistake_at_a_step_with_heads_off() -> None:
    page = open_page(
        flaw="W not transposed", training="0", ablate=["2"], **{SEQUENCES["induction"].name: "abab"}
    )
    which = made(Recipe.usual("induction"), "weights-not-transposed", at=0, typed="abab", off=(1,))
    told = [each.value for each in page.markdown]
    assert verdict(which) in told
    assert "**W not transposed**" in told[-1]
    without = judged(which)
    assert costs(which.now, which.mistake)[0] == ["none", f"{without.accuracy:.1%}", f"{without.loss:.4f}"]
    assert "Break it" in TAB.options
    assert "Break it" not in WHOLE_TAB.options
