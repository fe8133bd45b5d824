"""Toys: their tasks against plain Python, their attention against torch's, their training against itself."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import save_file
from torch import Tensor
from torch.nn import functional as F

from attn_core import MultiHeadAttention
from attn_core import train as command
from attn_core.toys import (
    CHANCE,
    LETTERS,
    MEASURES,
    SHIPPED,
    SYMBOLS,
    TASKS,
    TRAINED,
    Recipe,
    any_other_token,
    evaluate,
    evaluate_without,
    measure_heads,
    packaged_run,
    path_of,
    read_run,
    share_on,
    train,
    write_run,
)
from attn_core.toys.training_loop import Evaluation, _among, _evenly_along_path

# What names the head that does the task.
RIGHT = {
    "induction": "induction",
    "previous token": "previous token",
    "copy": "diagonal",
    "reverse": "right place",
    "sort": "right place",
}


def letters(tokens: torch.Tensor) -> str:
    return "".join(SYMBOLS[each] for each in tokens.tolist())


def answers_by_hand(task: str, text: str) -> list[str]:
    """What is asked for at each place, by Python's own means; "" where nothing is."""
    match task:
        case "previous token":
            return ["", *text[:-1]]
        case "copy":
            return list(text)
        case "reverse":
            return ["" if each == "·" else each for each in text[::-1]]
        case "sort":
            listed, _, _ = text.partition("|")
            said = [*[""] * len(listed), *sorted(listed)]
            return said + [""] * (len(text) - len(said))
    found = []
    for place, each in enumerate(text):
        before = text.rfind(each, 0, place)
        found.append("" if before < 0 else text[before + 1])
    return found


@pytest.mark.parametrize("name", TASKS)
def test_toy_answers_equal_plain_python(name: str) -> None:
    task = TASKS[name]
    drawn = task.draw(40, torch.Generator().manual_seed(5))
    assert drawn.shape == (40, task.length)
    typed = [task.tokens(text) for text in ("a", "abcabdab"[: task.most], task.example, "nnaa")]
    together = task.answers(drawn)
    for at, tokens in enumerate([*drawn, *typed]):
        told = [SYMBOLS[each] if each >= 0 else "" for each in task.answers(tokens).tolist()]
        assert told == answers_by_hand(name, letters(tokens))
        if at < len(drawn):
            assert torch.equal(together[at], task.answers(tokens))
    right = task.right(drawn)
    if task.causal:
        assert not bool(right.triu(1).any())
    # Whatever place is right holds the answer, but for a letter that two different ones have followed.
    if name != "induction":
        rows = right.nonzero()
        assert torch.equal(drawn[rows[:, 0], rows[:, 2]], together[rows[:, 0], rows[:, 1]])


def test_repeated_blocks_have_periods_of_several_lengths() -> None:
    task = TASKS["induction"]
    drawn = task.draw(200, torch.Generator().manual_seed(1))
    periods = set()
    for tokens in drawn.tolist():
        period = next(p for p in range(1, 24) if tokens[p:] == tokens[:-p])
        assert len(set(tokens[:period])) == period
        periods.add(period)
    assert periods == set(range(4, 13))
    asked = task.right(drawn).any(dim=-1)
    assert torch.equal(asked[:, -1], torch.ones(200, dtype=torch.bool))


def test_every_earlier_right_place_counts() -> None:
    task = TASKS["induction"]
    tokens = task.tokens("abcabcabc")
    right = task.right(tokens)
    assert right[7].nonzero().flatten().tolist() == [2, 5]
    weights = torch.zeros(1, 9, 9)
    weights[0, :, 2] = weights[0, :, 5] = 0.5
    by_hand = [sum(0.5 for j in (2, 5) if bool(right[i, j])) for i in range(9) if bool(right[i].any())]
    assert share_on(weights, right).item() == pytest.approx(sum(by_hand) / len(by_hand))


@pytest.mark.parametrize("name", TASKS)
def test_unreadable_toy_file_is_refused(name: str) -> None:
    task = TASKS[name]
    with pytest.raises(ValueError, match=f"from 1 to {task.most} letters; got 0"):
        task.tokens("")
    with pytest.raises(ValueError, match=f"from 1 to {task.most} letters; got {task.most + 1}"):
        task.tokens("a" * (task.most + 1))
    with pytest.raises(ValueError, match=r"letters a to n.*got 'X', 'é'"):
        task.tokens("aXé")
    with pytest.raises(ValueError, match="letters a to n"):
        task.tokens("a|")


def test_toy_measures_equal_a_loop() -> None:
    task = TASKS["induction"]
    tokens = task.draw(6, torch.Generator().manual_seed(2))
    generator = torch.Generator().manual_seed(3)
    weights = torch.rand(6, 3, 24, 24, generator=generator).tril()
    weights = weights / weights.sum(dim=-1, keepdim=True)
    found = measure_heads(task, tokens, weights)
    right = task.right(tokens)
    for head in range(3):
        shares, previous, other = [], [], []
        for s in range(6):
            w = weights[s, head]
            rows = [i for i in range(24) if bool(right[s, i].any())]
            shares.append(
                sum(float(w[i, j]) for i in rows for j in range(24) if bool(right[s, i, j])) / len(rows)
            )
            previous.append(sum(float(w[i, i - 1]) for i in range(1, 24)) / 23)
            other.append(sum((1 - float(w[i, i])) / i for i in range(1, 24)) / 23)
        assert float(found["induction"][head]) == pytest.approx(sum(shares) / 6, rel=1e-5)
        assert float(found["previous token"][head]) == pytest.approx(sum(previous) / 6, rel=1e-5)
        assert float(found[CHANCE][head]) == pytest.approx(sum(other) / 6, rel=1e-5)
    full = torch.full((2, 4, 4), 0.25)
    assert any_other_token(full, causal=False).tolist() == pytest.approx([0.25, 0.25])
    assert any_other_token(torch.ones(1, 1, 1), causal=True).tolist() == [0.0]


@pytest.mark.parametrize("name", TASKS)
def test_toy_model_equals_torch_layers(name: str) -> None:
    recipe = replace(Recipe.usual(name), layers=2, heads=4, seed=9)
    model, tokens = recipe.model(), recipe.held_out(5)
    with torch.no_grad():
        run = model(tokens)
        start = F.embedding(tokens, model.embedding) + model.positions
        x = start
        for layer, attention in enumerate(model.attention):
            assert isinstance(attention, MultiHeadAttention)
            weight, bias = model.norms[layer].parameters()
            norm = F.layer_norm(x, x.shape[-1:], weight, bias)
            blocked = torch.ones(x.shape[1], x.shape[1]).triu(1).bool() if TASKS[name].causal else None
            written, weights = attention.to_torch()(
                norm, norm, norm, attn_mask=blocked, average_attn_weights=False
            )
            torch.testing.assert_close(run.layers[layer].weights, weights, atol=1e-5, rtol=1e-5)
            x = x + written
        torch.testing.assert_close(run.logits, (x - start) @ model.readout.T, atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize(
    ("task", "positions", "off"),
    [("induction", True, (1, 2)), ("reverse", True, ()), ("induction", False, ())],
)
def test_checkpoints_at_once_equal_one_at_a_time(task: str, positions: bool, off: tuple[int, ...]) -> None:
    run = packaged_run(task, positions=positions)
    tokens = TASKS[task].tokens(TASKS[task].example)
    maps, logits = run.on(tokens, off=off)
    assert len(maps) == len(logits) == len(run.checkpoints)
    for at in range(0, len(run.checkpoints), 6):
        alone = run.model(at)(tokens, off=off)
        torch.testing.assert_close(maps[at], alone.weights, atol=1e-5, rtol=1e-5)
        torch.testing.assert_close(logits[at], alone.logits, atol=1e-4, rtol=1e-4)


def test_evaluation_without_heads_runs_no_layer_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    run, task = packaged_run("induction"), TASKS["induction"]
    model, tokens = run.model(12), run.recipe.held_out(32)
    each_off = [(), (0,), (1,), (2,), (3,), (0, 3)]
    alone = [evaluate(model, task, tokens, off) for off in each_off]
    inputs: list[Tensor] = []
    forward = MultiHeadAttention.forward

    def counting(self: MultiHeadAttention, x: Tensor, **given: Any) -> Any:
        inputs.append(x)
        return forward(self, x, **given)

    monkeypatch.setattr(MultiHeadAttention, "forward", counting)
    for found, wanted in zip(evaluate_without(model, task, tokens, each_off), alone, strict=True):
        assert (found.loss, found.accuracy) == (wanted.loss, wanted.accuracy)
        assert all(torch.equal(found.measures[name], wanted.measures[name]) for name in wanted.measures)
    assert (
        len(inputs) == 4
    )  # the first layer once; the second after all its heads, after one, after the other


def test_toy_head_off_writes_nothing_and_all_off_guesses() -> None:
    recipe = replace(Recipe.usual("induction"), seed=4)
    model, tokens = recipe.model(), recipe.held_out(3)
    with torch.no_grad():
        off = model(tokens, off=(1, 2)).logits
        blind = recipe.model()
        states = blind.state_dict()  # shares the parameters
        states["attention.0.W_o.weight"][:, 16:] = 0
        states["attention.1.W_o.weight"][:, :16] = 0
        torch.testing.assert_close(off, blind(tokens).logits, atol=1e-6, rtol=1e-5)
        assert float(model(tokens, off=range(4)).logits.abs().max()) < 1e-6
    with pytest.raises(ValueError, match="at most 24 places; got 25"):
        model(torch.zeros(25, dtype=torch.long))


def test_toy_without_positions_sees_words_only() -> None:
    recipe = replace(Recipe.usual("reverse"), positions=False)
    model = recipe.model()
    tokens = TASKS["reverse"].tokens("abcdefghijkl")
    shuffled = torch.randperm(12, generator=torch.Generator().manual_seed(1))
    with torch.no_grad():
        weights, moved = model(tokens).weights, model(tokens[shuffled]).weights
    torch.testing.assert_close(weights[:, shuffled][:, :, shuffled], moved)


@pytest.mark.parametrize("recipe", SHIPPED, ids=lambda each: path_of(each).stem)
def test_packaged_toys_have_learned_their_task(recipe: Recipe) -> None:
    run, task = packaged_run(recipe.task, positions=recipe.positions), TASKS[recipe.task]
    assert run.recipe == recipe
    tokens = task.draw(512, torch.Generator().manual_seed(77_777))
    judged = evaluate(run.model(-1), task, tokens)
    if recipe.positions:
        assert judged.accuracy >= 0.99
        assert float(judged.measures[RIGHT[recipe.task]].max()) >= 0.9
        assert run.curve.loss[0] > 1
    else:
        # On other sequences than those of the training: at chance, for every head of the first layer but
        # such as look at words that blocks bring together.
        previous, chance = judged.measures["previous token"], judged.measures[CHANCE]
        assert float((previous - chance)[: recipe.heads].abs().max()) < 0.01
        with_places = packaged_run(recipe.task).curve.at(recipe.steps).measures["previous token"]
        assert float(with_places[: recipe.heads].max()) > 3 * float(previous[: recipe.heads].max())


@pytest.mark.parametrize("recipe", SHIPPED, ids=lambda each: path_of(each).stem)
def test_toy_curve_equals_its_checkpoints(recipe: Recipe) -> None:
    run = packaged_run(recipe.task, positions=recipe.positions)
    assert run.checkpoints[0].step == 0
    assert run.checkpoints[-1].step == recipe.steps
    for at in {0, len(run.checkpoints) // 3, len(run.checkpoints) - 1}:
        judged = evaluate(run.model(at), TASKS[recipe.task], recipe.held_out())
        written = run.curve.at(run.checkpoints[at].step)
        assert judged.loss == pytest.approx(written.loss, rel=1e-3, abs=1e-5)
        assert judged.accuracy == pytest.approx(written.accuracy, abs=2e-3)
        for name in MEASURES:
            torch.testing.assert_close(judged.measures[name], written.measures[name], atol=1e-4, rtol=1e-3)


@pytest.mark.parametrize("recipe", SHIPPED, ids=lambda each: path_of(each).stem)
def test_toy_ablation_equals_checkpoints_without_each_head(recipe: Recipe) -> None:
    run, task, n_head = (
        packaged_run(recipe.task, positions=recipe.positions),
        TASKS[recipe.task],
        recipe.heads,
    )
    assert run.ablation.loss.shape == (len(run.checkpoints), recipe.layers * n_head)
    for at in {0, len(run.checkpoints) // 3, len(run.checkpoints) - 1}:
        for head in range(recipe.layers * n_head):
            model = run.model(at)
            layer, within = divmod(head, n_head)
            d_head = model.embedding.shape[1] // n_head
            written = model.state_dict()[f"attention.{layer}.W_o.weight"]  # shares the parameter
            written[:, within * d_head : (within + 1) * d_head] = 0
            judged = evaluate(model, task, recipe.held_out())
            assert judged.loss == pytest.approx(float(run.ablation.loss[at, head]), rel=1e-3, abs=1e-5)
            assert judged.accuracy == pytest.approx(float(run.ablation.accuracy[at, head]), abs=2e-3)


def test_induction_head_arises_between_many_checkpoints() -> None:
    run = packaged_run("induction")
    scores = torch.tensor(
        [float(run.curve.at(each.step).measures["induction"].max()) for each in run.checkpoints]
    )
    steps = [each.step for each in run.checkpoints]
    assert scores[0] < 0.2
    assert int(((scores > 0.2) & (scores < 0.9)).sum()) >= 6
    birth = [b - a for a, b, score in zip(steps, steps[1:], scores, strict=False) if 0.2 < score < 0.9]
    assert max(birth) < (steps[-1] - steps[0]) / len(steps)


def test_checkpoints_are_densest_where_most_changes() -> None:
    def look(step: int) -> Evaluation:
        accuracy = min(1.0, max(0.0, (step - 40) / 10))  # all that changes changes from step 40 to 50
        return Evaluation(1 - accuracy, accuracy, {"induction": torch.tensor([accuracy, 0.5 * accuracy])})

    kept = _evenly_along_path([look(step) for step in range(101)], 13)
    assert (kept[0], kept[-1]) == (0, 100)
    assert len([each for each in kept if 40 <= each <= 50]) >= 8
    assert _evenly_along_path([look(0)] * 11, 6) == [0, 2, 4, 6, 8, 10]  # evenly where nothing does


def test_toy_files_take_three_megabytes_at_most() -> None:
    files = list(TRAINED.iterdir())
    assert {each.name for each in files} == {path_of(recipe).name for recipe in SHIPPED}
    assert sum(each.stat().st_size for each in files) <= 3_000_000


def test_training_from_one_seed_is_repeatable(tmp_path: Path) -> None:
    state, out = torch.get_rng_state(), tmp_path / "copy.safetensors"
    threads = torch.get_num_threads()
    try:
        assert command.main(["copy", "--out", str(out)]) == 0
    finally:
        torch.set_num_threads(threads)
    assert torch.equal(torch.get_rng_state(), state)  # its own generators only
    again, before = read_run(out), packaged_run("copy")
    assert again.recipe == before.recipe
    first = again.checkpoints[0].state
    assert all(torch.equal(first[name], each) for name, each in before.checkpoints[0].state.items())
    torch.testing.assert_close(again.curve.steps, before.curve.steps)
    torch.testing.assert_close(again.curve.loss, before.curve.loss, atol=0.05, rtol=0.05)
    torch.testing.assert_close(again.curve.accuracy, before.curve.accuracy, atol=0.05, rtol=0.0)
    ends = [run.curve.at(run.recipe.steps).measures for run in (again, before)]
    for name in MEASURES:
        torch.testing.assert_close(ends[0][name], ends[1][name], atol=0.02, rtol=0.0)
    assert float(ends[0]["diagonal"].max()) >= 0.9


def test_train_command_takes_seed_steps_and_positions(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "own.safetensors"
    threads = torch.get_num_threads()
    try:
        command.main(["sort", "--seed", "3", "--steps", "2", "--without-positions", "--out", str(out)])
    finally:
        torch.set_num_threads(threads)
    assert "step 2 of 2" in capsys.readouterr().out
    run = read_run(out)
    assert run.recipe == replace(Recipe.usual("sort"), seed=3, steps=2, positions=False)
    assert [each.step for each in run.checkpoints] == [0, 2]
    assert not bool(run.model(0).positions.any())
    with pytest.raises(SystemExit):
        command.main(["all", "--out", str(out)])


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        (["--steps", "0"], "steps must be a whole number >= 1; got 0"),
        (["--steps=-3"], "steps must be a whole number >= 1; got -3"),
        (["--seed", str(2**70)], f"--seed must be a whole number from 0 to 2^63 - 1; got {2**70}"),
        (["--seed=-1"], "--seed must be a whole number from 0 to 2^63 - 1; got -1"),
        (["--steps", "2", "--out", "."], "--out must be a file that can be written; got .: Is a directory"),
    ],
)
def test_train_command_refusal_says_why(
    words: list[str], wanted: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, threads = tmp_path / "own.safetensors", torch.get_num_threads()
    try:
        with pytest.raises(SystemExit) as ended:
            command.main(["copy", "--out", str(out), *words])
    finally:
        torch.set_num_threads(threads)
    assert ended.value.code == 2
    assert wanted in capsys.readouterr().err
    assert not out.exists()


def test_toy_run_round_trips_through_its_file(tmp_path: Path) -> None:
    run = train(replace(Recipe.usual("reverse"), seed=2, steps=12), checkpoints=3)
    write_run(run, tmp_path / "run.safetensors")
    read = read_run(tmp_path / "run.safetensors")
    assert read.recipe == run.recipe
    assert torch.equal(read.curve.loss, run.curve.loss)
    assert all(torch.equal(*each) for each in zip(read.ablation, run.ablation, strict=True))
    assert [each.step for each in read.checkpoints] == [each.step for each in run.checkpoints]
    tokens = run.recipe.held_out(2)
    assert torch.equal(read.model(-1)(tokens).logits, run.model(-1)(tokens).logits)
    (tmp_path / "other.safetensors").write_bytes(b"\x08\x00\x00\x00\x00\x00\x00\x00{}      ")
    with pytest.raises(ValueError, match="a training with its recipe"):
        read_run(tmp_path / "other.safetensors")
    save_file({"checkpoints": torch.tensor([0])}, tmp_path / "part.safetensors", {"recipe": "{}"})
    with pytest.raises(ValueError, match=r"and ablated.accuracy, .* got \['checkpoints'\]"):
        read_run(tmp_path / "part.safetensors")
    with pytest.raises(ValueError, match="got reverse without positions"):
        packaged_run("reverse", positions=False)


def test_training_never_sees_held_out_sequences() -> None:
    held_out = TASKS["sort"].draw(30, torch.Generator().manual_seed(1))
    tokens = torch.cat([TASKS["sort"].draw(20, torch.Generator().manual_seed(2)), held_out[7:9]])
    known = {tuple(each) for each in held_out.tolist()}
    assert _among(tokens, held_out).tolist() == [tuple(each) in known for each in tokens.tolist()]
    assert _among(tokens, held_out)[-2:].all()


def test_training_ends_with_its_listeners_exception() -> None:
    seen = []

    def stop(step: int, look: object) -> None:
        seen.append((step, look is not None))
        if step == 7:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(Recipe.usual("copy"), on_step=stop)
    assert seen == [(step, step % 5 == 0) for step in range(8)]


def test_training_refuses_bad_recipes() -> None:
    with pytest.raises(ValueError, match="task must be one of 'induction'"):
        Recipe.usual("juggling")
    with pytest.raises(ValueError, match="steps must be a whole number >= 1; got 0"):
        train(replace(Recipe.usual("copy"), steps=0))
    with pytest.raises(ValueError, match="checkpoints must be a whole number >= 2; got 1"):
        train(Recipe.usual("copy"), checkpoints=1)
    assert len(set(SYMBOLS)) == len(LETTERS) + 2
