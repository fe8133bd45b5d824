"""Learned heads as Streamlit runs them: every sentence against its settings, bad input, the line."""

import re
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from time import monotonic

import numpy as np
import pytest
import torch
from streamlit.testing.v1 import AppTest

from attn_core import MultiHeadAttention
from attn_core.toys import CHANCE, SHIPPED, SYMBOLS, TASKS, Evaluation, Recipe, Run, evaluate, packaged_run
from attn_figures.numbers import number
from attn_ui.base.programs import OneProgram, Programs
from attn_ui.base.shared_settings import CODE
from pages import PAGES
from pages.learned_heads import trainer as trainers
from pages.learned_heads import words
from pages.learned_heads.compute import Result, largest_measures, steps_of
from pages.learned_heads.programs import programs
from pages.learned_heads.settings import SEQUENCES, TAB
from pages.learned_heads.state import ToySetting
from pages.learned_heads.tabs import arithmetic
from pages.learned_heads.tabs.checks import checks
from pages.learned_heads.trainer import Job, LineIsFullError, Trainer
from pages.learned_heads.views.toy import draw_steps, results_of, title
from tests import run_programs
from tests.messages import caption_at
from tests.pages import open_sound
from tests.sentences import messages_in, numbers_in
from tests.walk import said_now

open_page = partial(open_sound, "learned-heads")
ROOT = Path(__file__).resolve().parents[2]


def programs_of(result: Result) -> Programs | OneProgram:
    found = programs(result)
    assert found is not None
    return found


def captions(at: AppTest) -> str:
    return "\n".join(each.value for each in at.caption)


def setting(task: str, typed: str = "", *, positions: bool = True, off: tuple[int, ...] = ()) -> ToySetting:
    recipe = replace(Recipe.usual(task), positions=positions)
    return ToySetting(recipe, typed or TASKS[task].example, off)


def caption_text(packed_says: bytes | None, step: int) -> str:
    assert packed_says
    return "".join(text for _, text in caption_at(packed_says, step))


@pytest.mark.parametrize("recipe", SHIPPED, ids=str)
def test_sentences_have_the_numbers_of_their_step(recipe: Recipe) -> None:
    chosen = ToySetting(recipe, TASKS[recipe.task].example)
    run, sentences = packaged_run(recipe.task, positions=recipe.positions), draw_steps(chosen).captions
    task, tokens = TASKS[recipe.task], TASKS[recipe.task].tokens(chosen.letters)
    answers = task.answers(tokens).tolist()
    for at in {0, len(run.checkpoints) // 2, len(run.checkpoints) - 1}:
        told, step = caption_text(sentences, at), run.checkpoints[at].step
        look = run.curve.at(step)
        assert f"After {step:,} steps" in told
        assert messages_in(told, "steps", right=f"{look.accuracy:.1%}", loss=number(look.loss, 3))
        best = run.model(at)(tokens).logits.argmax(dim=-1).tolist()
        line = " ".join(SYMBOLS[best[place]] if answers[place] >= 0 else "–" for place in range(len(tokens)))
        right = sum(a == b for a, b in zip(best, answers, strict=True))
        assert messages_in(told, "asked", symbols=line, right=right)
        heads = range(recipe.layers * recipe.heads)
        largest = dict(zip(heads, largest_measures(look), strict=True))
        for head, (_name, value) in largest.items():
            result = Result(chosen, at)
            called = f"head {1 + head // recipe.heads}.{1 + head % recipe.heads}"
            assert result.head(head) == called
            assert (f"{value:.2f}" in title(result, head)) is (value >= 0.5)


def test_ablated_head_costs_the_stated_accuracy() -> None:
    whole, chosen = setting("induction"), setting("induction", off=(0, 3))
    at = len(steps_of(whole.recipe).values) - 1
    run = packaged_run("induction")
    without = evaluate(run.model(at), TASKS["induction"], run.recipe.held_out(), (0, 3))
    told = words.describe_toy(Result(chosen, at))
    lost = {"right": f"{without.accuracy:.1%}", "loss": number(without.loss, 3)}
    assert messages_in(told, heads="head 1.1 and head 2.2", **lost)
    assert without.accuracy < run.curve.at(run.recipe.steps).accuracy - 0.1
    assert "Without" not in words.describe_toy(Result(whole, at))
    assert title(Result(chosen, at), 0) == "head 1.1 (off)"
    result = Result(chosen, at)
    torch.testing.assert_close(result.toy_run.logits, result.model(result.tokens, off=(0, 3)).logits)
    page = open_page(tab="Heads")
    table = next(each.value for each in page.markdown if "right without it" in each.value)
    for head in range(4):
        gone = evaluate(run.model(at), TASKS["induction"], run.recipe.held_out(), (head,))
        row = next(line for line in table.splitlines() if f"head {1 + head // 2}.{1 + head % 2}" in line)
        accuracy, loss = row.rstrip(" |").split(" | ")[-2:]
        assert float(accuracy.rstrip("%")) == pytest.approx(100 * gone.accuracy, abs=0.2)
        assert float(loss) == pytest.approx(gone.loss, abs=2e-4)


def test_accuracy_without_positions_is_compared_with_chance() -> None:
    page = open_page(places="false")
    look = packaged_run("induction", positions=False).curve.at(1000)
    told = captions(page)
    for head in range(2):
        score, chance = (float(look.measures[name][head]) for name in ("previous token", CHANCE))
        assert f"{score:.3f}" in told
        assert f"{chance:.3f}" in told
        assert abs(score - chance) < 0.02
    assert messages_in(told, "scores", "chance")
    assert not messages_in(captions(open_page()), "scores", "chance")


@pytest.mark.parametrize(
    ("task", "typed", "why"),
    [
        ("induction", "abz", "letters a to n"),
        ("induction", "<b>hi</b> *x*", "letters a to n"),
        ("reverse", " ", "from 1 to 12 letters; got 0"),
        ("sort", "abcdefghi", "from 1 to 8 letters; got 9"),
    ],
)
def test_unreadable_sequence_is_refused_and_the_example_is_shown(task: str, typed: str, why: str) -> None:
    by_default = [each.proto.bytes for each in open_page(task=task).get("bidi_component")]
    page = open_page(task=task, **{SEQUENCES[task].name: "abca"})
    before = [each.proto.bytes for each in page.get("bidi_component")]
    assert before != by_default
    page.text_input(key=SEQUENCES[task].name).set_value(typed).run()
    assert not page.exception
    told = captions(page).replace("\\", "")
    assert why in told
    assert f"shows “{TASKS[task].example}”" in told
    # A link of the same shows the same, whatever stood there before.
    linked = open_page(task=task, **{SEQUENCES[task].name: typed})
    steps = [said_now(each) for each in (page, linked)]
    assert steps[0] == steps[1]
    page.text_input(key=SEQUENCES[task].name).set_value("A b C").run()
    assert "picture shows" not in captions(page)
    assert [each.proto.bytes for each in page.get("bidi_component")] != by_default


@pytest.mark.parametrize("task", TASKS)
def test_shortest_and_longest_sequence_open(task: str) -> None:
    for typed in ("a", ("abcdefghijklmn" * 2)[: TASKS[task].most]):
        chosen = setting(task, typed)
        assert len(draw_steps(chosen).steps) <= 1_000_000
        assert all(" " in words.describe_toy(result) for result in results_of(chosen)[::10])
        assert all(check.passed for check in checks(Result(chosen, 3)))


@pytest.mark.parametrize("recipe", SHIPPED, ids=str)
def test_checks_hold_at_every_step_and_with_heads_off(recipe: Recipe) -> None:
    last = len(steps_of(recipe).values) - 1
    for at, off in ((0, ()), (last // 2, (0,)), (last, ())):
        found = checks(Result(ToySetting(recipe, TASKS[recipe.task].example, off), at))
        assert [each.name for each in found if not each.passed] == []


def test_check_fails_where_the_file_has_other_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    result = Result(setting("copy"), 4)
    monkeypatch.setitem(
        result.__dict__, "evaluation", result.evaluation._replace(loss=result.evaluation.loss + 0.1)
    )
    assert [each.passed for each in checks(result)] == [True, True, True, False]


@pytest.mark.parametrize(
    "chosen",
    [setting("induction", off=(1,)), setting("previous token", positions=False), setting("sort")],
    ids=str,
)
def test_learned_program_prints_the_numbers_on_the_page(chosen: ToySetting) -> None:
    result = Result(chosen, 2)
    for kind in run_programs.KINDS:
        says = run_programs.run(programs_of(result), kind).splitlines()[-1]
        assert says.split() == ["predicts:", *(SYMBOLS[each] for each in result.predictions)]


def test_learned_formula_has_the_selected_heads_numbers() -> None:
    result = Result(setting("induction", "abcabc"), 30, (2, 0, 0))
    row = result.toy_run.layers[1].weights[0, 3].tolist()
    assert " & ".join(f"{each:.2f}" for each in row) in programs_of(result).text("LaTeX")
    assert r"\sqrt{16}" in programs_of(result).text("LaTeX")
    assert "+ M" not in programs_of(Result(setting("reverse", "abc"), 3)).text("LaTeX")


@pytest.mark.parametrize("kind", CODE.options)
def test_learned_programs_are_all_listed(kind: str) -> None:
    page = open_page(tab="Code", code=kind)
    assert len(page.code) == 1
    assert ("numbers.npz" in page.code[0].value) == (kind in ("PyTorch", "NumPy"))


@pytest.mark.parametrize("tab", TAB.options)
def test_learned_tabs_open(tab: str) -> None:
    page = open_page(tab=tab, task="sort", training="55")
    assert page.get("bidi_component")


def test_arithmetic_is_of_the_selected_row_and_counts_right_places() -> None:
    result = Result(setting("induction", "abcabcab"), 30, (3, 7, 99))
    assert result.selection == (3, 7, 7)
    told = arithmetic.sentence(result)
    weights = packaged_run("induction").model(30)(result.tokens).weights[3, 7]
    assert f"c at place 3 and c at place 6, which have {number(float(weights[[2, 5]].sum()), 3)}." in told
    lines = arithmetic.rows(result)
    assert [line[1].strip("*") for line in lines] == ["", "", "yes", "", "", "yes", "", ""]
    assert [line[-1].strip("*") for line in lines] == [number(float(each), 3) for each in weights]
    assert lines[7][0] == "**b at place 8**"
    module = result.model.attention[1]
    assert isinstance(module, MultiHeadAttention)
    query, key = result.toy_run.layers[1].query[1, 7], result.toy_run.layers[1].key[1]
    torch.testing.assert_close(result.toy_run.layers[1].scores[1, 7], key @ query, atol=1e-4, rtol=1e-4)
    assert lines[2][2] == number(float(result.toy_run.layers[1].scores[1, 7, 2]), 3)
    assert "no key is right" in arithmetic.sentence(Result(setting("induction"), 3, (0, 1, 1)))
    whole = arithmetic.rows(Result(setting("reverse", "ab"), 3))
    assert len(whole) == 12


# Trainings in the background.


class Gate:
    """A training that waits at each step until it is let through."""

    def __init__(self) -> None:
        self.open = threading.Event()
        self.began: list[Recipe] = []
        self.entered = threading.Semaphore(0)

    def train(self, recipe: Recipe, on_step: Callable[[int, Evaluation | None], None]) -> Run:
        self.began.append(recipe)
        self.entered.release()
        for step in range(recipe.steps + 1):
            on_step(step, None)
            assert self.open.wait(60)
        if recipe.seed == 13:
            raise RuntimeError("what was typed")
        return packaged_run("copy")


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> Iterator[Gate]:
    gate = Gate()
    monkeypatch.setattr(trainers, "train", gate.train)
    yield gate
    gate.open.set()


def recipe(seed: int) -> Recipe:
    return Recipe("copy", seed=seed, steps=3)


def over(trainer: Trainer) -> None:
    worker = trainer._worker
    if worker is not None:
        worker.join(60)


def test_training_runs_one_at_a_time_and_others_see_their_place(gate: Gate) -> None:
    trainer = Trainer()
    jobs = [trainer.ask(recipe(seed), f"pupil {seed}") for seed in range(3)]
    assert gate.entered.acquire(timeout=60)
    assert gate.began == [recipe(0)]
    assert [job.state for job in jobs] == ["running", "waiting", "waiting"]
    assert [trainer.before(job) for job in jobs] == [0, 1, 2]
    assert messages_in(words.progress(jobs[2], 2), count=2)
    # Two who ask for the same wait for one training; one who leaves does not end it for the other.
    assert trainer.ask(recipe(1), "somebody else") is jobs[1]
    trainer.stop(recipe(1), "pupil 1")
    trainer.stop(recipe(2), "pupil 2")
    assert [job.state for job in jobs] == ["running", "waiting", "stopped"]
    gate.open.set()
    over(trainer)
    assert [job.state for job in jobs] == ["done", "done", "stopped"]
    assert gate.began == [recipe(0), recipe(1)]
    assert jobs[0].step == 3
    assert trainer.ask(recipe(2), "pupil 2") is not jobs[2]  # what was stopped can be asked for again


def test_training_request_replaces_the_visitors_waiting_or_running_one(gate: Gate) -> None:
    trainer = Trainer()
    first = trainer.ask(recipe(0), "pupil")
    assert gate.entered.acquire(timeout=60)
    second = trainer.ask(recipe(1), "pupil")
    gate.open.set()
    over(trainer)
    assert (first.state, second.state) == ("stopped", "done")
    assert first.run is None


def test_training_is_stopped_by_its_owner(gate: Gate, monkeypatch: pytest.MonkeyPatch) -> None:
    result = 0.0
    monkeypatch.setattr(trainers, "monotonic", lambda: result)
    trainer = Trainer()
    job = trainer.ask(recipe(0), "teacher")
    assert gate.entered.acquire(timeout=60)
    assert (trainer.look(job, "teacher"), trainer.look(job, "pupil")) == (True, False)
    trainer.stop(recipe(0), "pupil")
    assert set(job.askers) == {"teacher"}
    result = 0.9 * trainers.GONE  # the teacher's page still runs, and says so each time
    assert trainer.look(job, "teacher")
    result += 0.9 * trainers.GONE
    assert not trainer.look(job, "pupil")
    result += 0.2 * trainers.GONE  # the page was loaded anew: its session has another name
    assert trainer.look(job, "teacher, again")
    trainer.stop(recipe(0), "teacher, again")
    gate.open.set()
    over(trainer)
    assert job.state == "stopped"


def test_stop_button_is_absent_for_other_visitors(monkeypatch: pytest.MonkeyPatch) -> None:
    own = Recipe("copy", seed=6, layers=1, heads=1, steps=TASKS["copy"].steps)
    job = Job(own, "running", askers={"another window": monotonic()})
    monkeypatch.setattr(trainers.TRAINER, "_jobs", type(trainers.TRAINER._jobs)({own: job}))
    link = {"task": "copy", "model": "train it now", "trainseed": "6", "trainlayers": "1", "trainheads": "1"}
    page = open_page(**link)
    assert "Stop" not in [each.label for each in page.button]
    assert "The window that asked for this training can stop it." in captions(page)
    job.askers["another window"] -= 2 * trainers.GONE
    page.run()
    assert "can stop it" not in captions(page)
    next(each for each in page.button if each.label == "Stop").click().run()
    assert not job.askers


@pytest.mark.parametrize(
    ("link", "positions"), [("", True), ("places=false", False), ("task=reverse&places=false", True)]
)
def test_untrained_recipe_shows_the_packaged_one_with_its_positions(link: str, positions: bool) -> None:
    """Of the link alone: what a session showed before is not in the address."""
    recipe = PAGES["learned-heads"].at(f"model=train it now&trainlayers=1&{link}").view.result.setting.recipe
    assert recipe in SHIPPED
    assert recipe.positions == positions


def test_failed_training_lets_the_next_one_start(gate: Gate, caplog: pytest.LogCaptureFixture) -> None:
    trainer = Trainer()
    gate.open.set()
    jobs = [trainer.ask(recipe(seed), str(seed)) for seed in (13, 14)]
    over(trainer)
    assert [job.state for job in jobs] == ["failed", "done"]
    assert "RuntimeError" in caplog.text
    assert "what was typed" not in caplog.text


def test_training_queue_and_cache_are_bounded(gate: Gate) -> None:
    trainer = Trainer(most_kept=2, longest_line=3)
    jobs = [trainer.ask(recipe(seed), str(seed)) for seed in range(4)]
    with pytest.raises(LineIsFullError):
        trainer.ask(recipe(9), "late")
    gate.open.set()
    over(trainer)
    assert [job.state for job in jobs] == ["done"] * 4
    known = [seed for seed in range(4) if trainer.job(recipe(seed)) is not None]
    assert known == [2, 3]


@pytest.mark.slow
def test_own_model_is_trained_and_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trainers.TRAINER, "_jobs", type(trainers.TRAINER._jobs)())
    page = open_page(task="copy", model="train it now", trainseed="5", trainlayers="1", trainheads="1")
    (told,) = messages_in(captions(page), "wanted", "shown")
    assert numbers_in(told["wanted"]) == [5, 1, 1]
    next(each for each in page.button if each.label == "Train").click().run()
    over(trainers.TRAINER)
    page.run()
    assert not page.exception
    assert "Not trained yet" not in captions(page)
    own = Recipe("copy", seed=5, layers=1, heads=1, steps=TASKS["copy"].steps)
    job = trainers.TRAINER.job(own)
    assert isinstance(job, Job)
    assert job.run is not None
    assert job.run.curve.accuracy[-1] >= 0.99
    last = words.describe_toy(Result(ToySetting(own, TASKS["copy"].example), len(job.run.checkpoints) - 1))
    assert messages_in(last, "right", loss=number(float(job.run.curve.loss[-1]), 3))
    assert len([each for each in page.button if each.label == "Train"]) == 0
    result = Result(ToySetting(own, "abcnm"), len(job.run.checkpoints) - 1)
    assert run_programs.run(programs_of(result)).splitlines()[-1] == "predicts: a b c n m"
    weights = Result(ToySetting(own, "abc"), 0).toy_run.weights
    np.testing.assert_allclose(weights.sum(dim=-1), np.ones((1, 3)), atol=1e-6)
    assert re.search(r"seed 5, 1 layer of 1 head", words.recipe_in_words(own))


def test_training_progress_and_result_are_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    own = Recipe("copy", seed=6, layers=1, heads=1, steps=TASKS["copy"].steps)
    running = Recipe("copy", seed=7, steps=3)
    jobs = {running: Job(running, "running"), own: Job(own, "waiting")}  # whoever asked is gone
    monkeypatch.setattr(trainers.TRAINER, "_jobs", type(trainers.TRAINER._jobs)(jobs))
    link = {"task": "copy", "model": "train it now", "trainseed": "6", "trainlayers": "1", "trainheads": "1"}
    page = open_page(**link)
    assert [numbers_in(each.proto.text) for each in page.get("progress")] == [[1]]
    labels = [each.label for each in page.button]
    assert "Stop" in labels
    assert "Train" not in labels
    jobs[own].state, jobs[own].step = "running", 50
    jobs[own].look = packaged_run("copy").curve.at(50)
    page.run()
    (progress,) = page.get("progress")
    assert progress.proto.value == 25
    assert progress.proto.text.startswith("Step 50 of 200: loss ")
    jobs[own].state = "stopped"
    page.run()
    assert "Stopped at step 50." in captions(page)
    assert "Train" in [each.label for each in page.button]
