"""A few students at once on the real server: nothing breaks. The long form is a benchmark."""

import asyncio
import random
from collections.abc import Iterator
from urllib.parse import parse_qs

import pytest

from benchmarks.classroom import PAGES, ROOT, serving, teach
from benchmarks.student import Student, released

STUDENTS, ACTIONS = 4, 8


@pytest.fixture(scope="module")
def server() -> Iterator[tuple[str, int]]:
    """The product, for one class after the other."""
    with serving(ROOT) as running:
        yield running


@pytest.mark.slow
@pytest.mark.parametrize("links", [False, True], ids=["pages", "links"])
def test_small_class_works_without_an_error(server: tuple[str, int], links: bool) -> None:
    outcome = teach(server, STUDENTS, every=0.05, seconds=100, actions=ACTIONS, links=links)
    assert outcome.errors == []
    assert len(outcome.reruns) + outcome.left == STUDENTS * ACTIONS
    assert len(outcome.first) == STUDENTS + outcome.left
    assert outcome.releases
    assert outcome.controls
    assert outcome.pages


def _pictures(student: Student) -> dict[str, bytes]:
    return {key: student.widgets[key].body.bytes for key in student.figures}


async def _move_everything(server: str, page: str) -> None:
    rng = random.Random(0)
    async with Student(server) as student:
        await student.run()
        await student.run(page)
        figures = student.figures
        assert figures
        for key, head in figures.items():
            slider = head["slider"]
            view = released(head, rng)
            while view["step"] == slider["default"]:
                view = released(head, rng)
            await student.run("", **{key: {"view": view}})
            assert parse_qs(student.address)[slider["name"]] == [slider["values"][view["step"]]]
            assert student.errors == []
        for key, widget in list(student.widgets.items()):
            if widget.is_slider:
                before, moved = _pictures(student), widget.body.default[0]
                while moved == widget.body.default[0] or moved == widget.body.options[:1]:
                    moved = widget.moved(rng)
                await student.run("", **{key: moved})
                assert student.errors == []
                assert _pictures(student) != before, key


@pytest.mark.slow
def test_class_benchmark_change_is_applied_on_every_page(server: tuple[str, int]) -> None:
    for page in PAGES:
        asyncio.run(_move_everything(server[0], page))
