"""What a page shows after a choice in one of its parts is what its link opens anew, whatever the settings.

A choice runs the part of a page that follows it; a link opened in a session of its own runs all of it.
"""

import asyncio
import hashlib
import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qsl, urlencode

import pytest

from attn_ui.base.parameters import Choice, Tabs, label
from benchmarks.classroom import ROOT, serving
from benchmarks.student import Student
from tests.pages import PAGES
from tests.walk import split

LINK_OFF = ":material/link_off:"  # at what could not be used of a link
# What a control has that is not how it looks: its names in the session, and what was once commanded.
IDENTITY = {
    *("id", "form_id", "fragment_id", "deferred_file_id"),
    *("value", "raw_value", "set_value", "data", "default", "raw_values"),
}


def stands(student: Student) -> dict[tuple[int, ...], str]:
    """Return all that stands on a page by its place, but for where a command last put a live slider."""
    found = {}
    for place, shown in student.screen.items():
        body = shown.body
        match shown.kind:
            case "alert" if body.icon == LINK_OFF:
                pass  # of the link that was opened; the address that was left does not hold it any more
            case "markdown" | "alert":
                found[place] = body.body
            case "code":
                found[place] = body.code_text
            case "bidi_component" if body.bytes:
                head, said, packed = split(body.bytes)
                found[place] = f"{_settled(json.loads(head))} {hashlib.sha256(said + packed).hexdigest()}"
            case "empty":
                pass
            case kind:
                found[place] = f"{kind} {_without_identity(body)}"
    return found


def _without_identity(body: Any) -> str:
    """Return a control as it looks: its name and texts, whether it can be used."""
    fields = {field.name: value for field, value in body.ListFields()}
    return str({name: value for name, value in fields.items() if name not in IDENTITY})


def _settled(head: dict[str, Any]) -> str:
    commanded = [head.get("slider"), head.get("cursor"), *head.get("chosen", {}).values()]
    for control in commanded:
        if control:
            control["index"] = None
    return json.dumps(head | {"revision": None})


async def _not_as_its_link(student: Student, page: str) -> list[str]:
    """Open the address that a student has in a session of its own; say what is a fault, or other there."""
    async with Student(student.server) as other:
        other.address = student.address  # the first page has no name, which stands for the present one
        await other.run(page, student.address)
        here, there = stands(student), stands(other)
    return [*student.errors, *other.errors] + [
        f"at {place}:\n  {here.get(place)!r:.400}\n  the link {there.get(place)!r:.400}"
        for place in sorted({*here, *there})
        if here.get(place) != there.get(place)
    ]


async def _choose(student: Student, setting: Choice, option: str) -> None:
    """Press an option, or choose it in the list of those that have no chip, which is emptied then."""
    address = urlencode({**dict(parse_qsl(student.address)), setting.name: option})
    if setting.chips and option not in setting.chips:
        await student.run(**{f"more-{setting.name}": label(setting.name, option)})
        del student.state[f"more-{setting.name}"]
        student.state[setting.name], student.address = option, address
    else:
        student.address = address  # as the browser writes it, before it asks
        await student.run(**{setting.name: option})


async def _pressed(server: str, page: str, setting: Choice) -> list[str]:
    """Choose each option of a control that stands in a part of a page; say what is not as its link has it."""
    faults = []
    async with Student(server) as student:
        await student.run(page)
        for option in [*setting.options[1:], setting.options[0]]:
            control = student.widgets.get(setting.name)
            if control is None or not control.fragment:
                break
            await _choose(student, setting, option)
            if wrong := await _not_as_its_link(student, page):
                faults.append("\n".join([f"/{page}?{student.address}", *wrong]))
                await student.run(page)
    return faults


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with serving(ROOT) as (address, _):
        yield address


@pytest.mark.sample(3)
@pytest.mark.parametrize("page", PAGES)
def test_each_selected_view_equals_its_link(address: str, page: str) -> None:
    choices = [each for each in PAGES[page][1] if isinstance(each, Choice) and not isinstance(each, Tabs)]
    assert [fault for each in choices for fault in asyncio.run(_pressed(address, page, each))] == []


def test_selection_from_an_outdated_list_changes_nothing(address: str) -> None:
    async def choose() -> None:
        async with Student(address) as student:
            await student.run("single-head", "tab=Arithmetic")
            lists = [name for name in student.widgets if name.startswith("pick-")]
            before = stands(student)
            for name in lists:
                await student.run(**{name: "a word of the sentence before"})
                assert (student.errors, stands(student)) == ([], before)
            assert lists

    asyncio.run(choose())
