"""What is said of a toy on sequences of another kind than it was trained on, counted place by place."""

import pytest
import torch

from attn_core.toys import (
    SHIPPED,
    SYMBOLS,
    TASKS,
    Generalisation,
    Recipe,
    measure_generalisation,
    packaged_run,
)
from pages.learned_heads.views.toy import describe_generalisation as outside_words
from tests.pages import open_sound
from tests.sentences import messages_in

STRANGE = [name for name, task in TASKS.items() if task.strange is not None]


def after(symbols: str, task: str) -> list[str]:
    """All that the rule could mean at each place, the last of them last; "" where it means nothing."""
    bare = symbols.rstrip("·")
    if task == "reverse":
        return [symbol.replace("·", "\0") for symbol in reversed(symbols)]
    if task == "sort":
        listed = bare.partition("|")[0]
        return ["\0"] * len(listed) + sorted(listed)
    found = []
    for place, symbol in enumerate(symbols):
        found.append("".join(symbols[at + 1] for at in range(place) if symbols[at] == symbol) or "\0")
    return found


@pytest.mark.parametrize("name", STRANGE)
@pytest.mark.parametrize("off", [(), (0,)])
def test_outside_share_is_counted_place_by_place(name: str, off: tuple[int, ...]) -> None:
    task, model = TASKS[name], packaged_run(name).model(-1)
    count = 40
    assert task.strange is not None
    tokens = task.strange(count, torch.Generator().manual_seed(20_000))
    asked = hits = certain = certain_hits = 0
    for row in tokens:
        symbols = "".join(SYMBOLS[each] for each in row.tolist())
        said = [SYMBOLS[each] for each in model(row, off=off).logits.argmax(dim=-1).tolist()]
        for say, could in zip(said, after(symbols, name), strict=True):
            if could == "\0":
                continue
            asked, hits = asked + 1, hits + (say == could[-1])
            if len(set(could)) == 1:
                certain, certain_hits = certain + 1, certain_hits + (say == could[-1])
    found = measure_generalisation(model, task, off, count=count)
    assert (found.n_asked, found.n_certain) == (asked, certain)
    assert found.accuracy == pytest.approx(hits / asked)
    assert found.certain == pytest.approx(certain_hits / certain)


@pytest.mark.parametrize("name", STRANGE)
def test_outside_symbols_are_never_drawn_in_training(name: str) -> None:
    task = TASKS[name]
    assert task.strange is not None
    generator = torch.Generator().manual_seed(1)
    drawn, strange = (
        [tuple(row.tolist()) for row in draw(300, generator)] for draw in (task.draw, task.strange)
    )
    assert len(set(drawn) & set(strange)) <= (3 if name == "induction" else 0)  # chance may draw a block
    lengths = {"reverse": range(1, 6), "sort": (8,), "induction": (24,)}[name]
    typed = ["".join(SYMBOLS[each] for each in row).partition("|")[0].rstrip("·") for row in strange]
    assert {len(each) for each in typed} <= set(lengths)
    for each in typed:
        task.tokens(each)  # all of it can be typed


def test_task_that_draws_everything_has_no_outside() -> None:
    with pytest.raises(ValueError, match="copy is trained on every kind of sequence"):
        measure_generalisation(packaged_run("copy").model(-1), TASKS["copy"])


def test_induction_sentence_has_its_limits_with_numbers() -> None:
    recipe = Recipe.usual("induction")
    assert recipe in SHIPPED
    found = measure_generalisation(packaged_run("induction").model(-1), TASKS["induction"])
    assert found.accuracy < found.certain < packaged_run("induction").curve.at(recipe.steps).accuracy
    at = open_sound("learned-heads")
    told = [each.value for each in at.caption]
    assert any(
        "blocks of 4 to 12 different letters, each block repeated to the end." in each for each in told
    )
    assert outside_words(TASKS["induction"], found) in told
    assert not any(
        "Outside of that" in each.value for each in open_sound("learned-heads", task="copy").caption
    )


@pytest.mark.parametrize("task", STRANGE)
def test_outside_accuracy_is_of_the_heads_that_are_on(task: str) -> None:
    found = measure_generalisation(packaged_run(task).model(-1), TASKS[task], (0,))
    at = open_sound("learned-heads", task=task, ablate="1", tab="Heads")
    (told,) = [each.value for each in at.caption if "Outside of that" in each.value]
    assert messages_in(told, "kind", right=f"{found.accuracy:.1%}")
    table = next(each.value for each in at.markdown if "that no step of the training saw" in each.value)
    assert "with all heads on:" in table


def test_places_of_several_right_symbols_have_distinct_labels() -> None:
    told = outside_words(TASKS["induction"], Generalisation(0.6, 0.9, n_asked=8, n_certain=2))
    assert messages_in(told, "kind", right="60.0%", share="25%", certain="90.0%")
