"""A random walk of hands: what a page shows after releases and clicks is what its link opens anew.

    python -m tests.released single-head --states 100 --seed 1

A release runs the part of a page that follows its sliders; a link opened in a session of its own runs all of
it. Each state is a random link, on whose figures sliders are let go, rows and cells are chosen and cells
clicked; after each, all that stands on the page is compared with what the address that it left opens.
"""

import asyncio
import hashlib
import json
import random
import sys
from collections.abc import Sequence
from typing import Any
from urllib.parse import parse_qsl, urlencode

import numpy as np

from attn_live.unpacking import figure_at
from attn_ui.base.parameters import Choice, Steps, Tabs
from benchmarks.classroom import ROOT, serving
from benchmarks.student import Student, released
from tests.pages import PAGES
from tests.walk import Query, command_line, split, states

RELEASES = 3  # of a state
CHOOSES, CLICKS = 0.4, 0.3  # of all releases
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


def hand(packed: bytes, figure: dict[str, Any], chance: random.Random) -> dict[str, Any]:
    """Return what the browser reports: sliders let go, and perhaps something chosen or clicked."""
    view = released(figure, chance)
    for name, place in figure["chosen"].items():
        if chance.random() < CHOOSES:
            view["chosen"][name] = chance.randrange(len(place["values"]))
    maps = [
        trace
        for trace in figure_at(packed, view["step"], view["row"])["data"]
        if trace.get("type") == "heatmap" and trace.get("visible", True) is True and np.ndim(trace["z"]) == 2
    ]
    if maps and chance.random() < CLICKS:
        clicked = chance.choice(maps)
        rows, columns = np.shape(clicked["z"])
        view["cell"] = {
            "trace": clicked["name"],
            "row": chance.randrange(rows),
            "column": chance.randrange(columns),
        }
    return view


async def _fault(server: str, page: str, link: str, chance: random.Random) -> str:
    """Go through one state; say what was not as its link has it, or nothing."""
    done: list[str] = []
    async with Student(server) as student:
        await student.run(page, link)
        for _ in range(RELEASES):
            figures = student.figures
            if not figures:
                break
            key = chance.choice(sorted(figures))
            view = hand(split(student.widgets[key].body.bytes)[2], figures[key], chance)
            await student.run(**{key: {"view": view}})
            done.append(f"{key} {json.dumps(view)}")
            if wrong := await _not_as_its_link(student, page):
                return "\n".join([f"/{page}?{link}", *done, f"leaves ?{student.address}", *wrong])
    return ""


async def _not_as_its_link(student: Student, page: str) -> list[str]:
    """Open the address that a student has in a session of its own; say what is a fault, or other there."""
    async with Student(student.server) as other:
        await other.run(page, student.address)
        here, there = stands(student), stands(other)
    return [*student.errors, *other.errors] + [
        f"at {place}:\n  {here.get(place)!r:.400}\n  the link {there.get(place)!r:.400}"
        for place in sorted({*here, *there})
        if here.get(place) != there.get(place)
    ]


def _without_steps(page: str, query: Query) -> Query:
    """Leave sliders to the hands that move them.

    A value between the steps that a state has room for is a step more in its session, and in no later link.
    """
    steps = {each.name for each in PAGES[page][1] if isinstance(each, Steps)}
    return {name: value for name, value in query.items() if name not in steps}


def walk(server: str, page: str, count: int, seed: int, fixed: Query | None = None) -> list[str]:
    """Go through random states of a page on a running server; return what was wrong, a text a state."""
    chance = random.Random(f"{page} {seed}")
    links = [urlencode(_without_steps(page, query), doseq=True) for query in states(page, count, seed, fixed)]
    return [fault for link in links if (fault := asyncio.run(_fault(server, page, link, chance)))]


async def _pressed(server: str, page: str, setting: Choice) -> list[str]:
    """Choose each option of a control that stands in a part of a page; say what is not as its link has it."""
    faults = []
    async with Student(server) as student:
        await student.run(page)
        for option in [*setting.options[1:], setting.options[0]]:
            control = student.widgets.get(setting.name)
            if control is None or not control.fragment:
                break
            said = {**dict(parse_qsl(student.address)), setting.name: option}
            student.address = urlencode(said)  # as the browser writes it, before it asks
            await student.run(**{setting.name: option})
            if wrong := await _not_as_its_link(student, page):
                faults.append("\n".join([f"/{page}?{student.address}", *wrong]))
                await student.run(page)
    return faults


def pressed(server: str, page: str) -> list[str]:
    """Choose each option of each control in the parts of a page as it opens; return what was wrong."""
    choices = [each for each in PAGES[page][1] if isinstance(each, Choice) and not isinstance(each, Tabs)]
    return [fault for each in choices for fault in asyncio.run(_pressed(server, page, each))]


def main(arguments: Sequence[str] | None = None) -> int:
    """Walk one page, or all."""
    chosen = command_line(str(__doc__), states=100).parse_args(arguments)
    faults = []
    with serving(ROOT) as (server, _):
        for page in chosen.pages:
            faults += walk(server, page, chosen.states, chosen.seed, dict(chosen.fix))
    print(*faults, sep="\n\n")
    print(f"{len(chosen.pages) * chosen.states} states, {len(faults)} with a fault")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
