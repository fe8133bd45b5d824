"""A random walk over everything that a link can set, through the real script and its packed figures.

    python -m tests.walk multi-head --states 500 --seed 1    # names each fault by its link
    python -m tests.walk single-head --states 5 --say        # prints what the page says, to be read
    python -m tests.walk multi-head --fix "tab=Shared heads" # one tab, at random settings
    python -m tests.walk --states 18                         # all pages

Each state is a link with random valid settings and a random tab, in one language after the other. It must
open without an exception, say no nan, inf, None or object's repr, send no message over `MOST_BYTES`, draw
weights whose rows sum to one, hold every check that it shows, and say of no figure where its panels stand:
each screen and saved shape has an order of its own. At the end nothing may be imported that no page needs.
"""

import argparse
import json
import os
import random
import re
import sys
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

import numpy as np
import torch
from streamlit.testing.v1 import AppTest

from attn_live.packing import count_steps
from attn_ui.base.parameters import (
    Cells,
    Choice,
    Flag,
    Integer,
    MultiChoice,
    Parameter,
    Real,
    Sight,
    Steps,
    Table,
    Tabs,
    Text,
)
from attn_words import LANGUAGES, PSEUDO
from tests.messages import caption_at, figure_at
from tests.pages import PAGES, open_page
from tests.quick_apptest import leave_imports_to_themselves, look_for_components_once

MOST_BYTES = 2_000_000
# Torch imports its compiler and sympy behind functions that look harmless (0.6 to 1.2 s, 35 to 74 MB); the
# others are peers of tests and benchmarks, or what people install beside this.
HEAVY = ("torch._dynamo", "sympy", "scipy", "sklearn", "matplotlib", "statsmodels", "transformers", "IPython")
SENTENCES = (
    "the cat sat on the mat",
    "a",
    "the the the",
    "I love dogs",
    "to be or not to be that is the question",
    "two words",
    "\u732b \u304c \u597d\u304d",
    "<b>x</b> | *y* $z$ `w`",
    " ".join(f"w{i}" for i in range(33)),
    " ".join(f"w{i % 7}" for i in range(70)),
)
# What may be typed as the true function: some can be drawn, some not, some be no function at all.
FUNCTIONS = (
    "sin(3x) + x/2", "2sin(x) + x", "x", "3", "-x^2 + 4x", "exp(-(x-2)^2/0.3)", "sqrt(x)",
    "abs(x - 2.5)", "tan(x)", "log(x)", "1/(x - 2)", "10^(3x)", "2^", "sin x", "",
    "\uff08x\uff0b1\uff09\u00d72\u3002", "<b>x</b> $z$ `w`",
    "__import__('os')", "x*x*x_*y*", "(" * 30,
)  # fmt: skip
NOT_SAID = re.compile(r"(?<![\w-])(nan|inf|None)(?![\w-])|<(class '|function |[\w.]+ object at )")
PLACES = re.compile(
    r"\b(?:Left|Right):|\b(?i:on|at|to) the (?:left|right)\b(?! place)"
    r"|\b(?i:above|below|beside|beneath|underneath|next to)\b(?! \W?[\d½])"  # below ½ is a number
)
# Of the states of a walk over all pages: the overview has one slider; every sequence on learned heads is run
# through all states of a training.
SHARES = {"": 0.1, "learned-heads": 0.3}
Query = dict[str, str | list[str]]


@dataclass
class Opened:
    """One state of a page as it was opened."""

    link: str
    said: list[str]
    faults: list[str]


def draw(parameter: Parameter, chance: random.Random) -> str | list[str]:  # noqa: PLR0911  (one a kind)
    """Return a valid value of a setting, as a link has it; ends of ranges come up more often."""
    match parameter:
        case Choice():
            return chance.choice(parameter.options)
        case Integer():
            inside = chance.randint(parameter.low, parameter.high)
            return str(chance.choice((parameter.low, parameter.high, inside, inside, inside)))
        case Real():
            between = round(chance.uniform(parameter.low, parameter.high), 2)
            return str(chance.choice((parameter.low, parameter.high, between, between)))
        case Flag():
            return chance.choice(("true", "false"))
        case Steps():
            texts = parameter.texts()
            between = parameter.nearest_value(chance.uniform(parameter.values[0], parameter.values[-1]))
            return chance.choice((texts[0], texts[-1], *chance.choices(texts, k=2), parameter.text(between)))
        case Text(name="truth"):
            return chance.choice(FUNCTIONS)
        case Text():
            return chance.choice(SENTENCES) if parameter.longest > 100 else "0, 3, 2"
        case Table():
            return _table(parameter, chance)
        case Cells():
            cells = {(chance.randrange(8), chance.randrange(8)) for _ in range(chance.randrange(12))}
            return parameter.text(cells)
        case Sight():
            part = (chance.choice((1, 9, 300, parameter.most)) for _ in range(3))
            return chance.choice(("", ".".join(map(str, part))))
        case MultiChoice():
            return chance.sample(parameter.options, chance.randrange(3))
    raise TypeError(f"no way to draw {parameter!r}")


def _table(table: Table, chance: random.Random) -> str:
    rows, columns = min(chance.choice((1, 3, 6)), table.most_rows), min(3, table.most_columns)
    size = chance.choice((1.0, 1000.0, 1e-3))
    return table.text([[round(chance.uniform(-size, size), 6) for _ in range(columns)] for _ in range(rows)])


def states(page: str, count: int, seed: int, fixed: Query | None = None) -> Iterator[Query]:
    """Yield random states of a page, every tab in turn: a few settings changed, or many; some are fixed."""
    chance = random.Random(f"{page} {seed}")
    _, settings = PAGES[page]
    tabs = [each for each in settings if isinstance(each, Tabs)]
    for number in range(count):
        share = chance.choice((0.15, 0.4, 0.9))
        drawn = {each.name: draw(each, chance) for each in settings if chance.random() < share}
        opened = {each.name: each.options[number % len(each.options)] for each in tabs}
        yield {name: value for name, value in (drawn | opened).items() if value != []} | (fixed or {})


def open_state(page: str, query: Query) -> Opened:
    """Open a link in a session of its own; find every fault in what is shown."""
    at = open_page(page, **query)
    link = f"/{page}?{urlencode(query, doseq=True)}"
    texts = [
        str(each.value)
        for kind in (at.title, at.markdown, at.caption, at.latex, at.error, at.warning, at.info)
        for each in kind
    ]
    faults = [f"exception: {each.message}" for each in at.exception]
    faults += [
        f"says {found[0]!r}: {text[:300]}" for text in texts if (found := NOT_SAID.search(_unquoted(text)))
    ]
    faults += [f"does not hold: {line}" for text in texts for line in _broken_checks(at, text)]
    faults += [f"drops: {text}" for text in texts if "The default is used." in text]
    for head, sentences, packed in fields(at):
        faults += [f"says {text!r}" for text in sentences if NOT_SAID.search(text)]
        told = [head.get("alt", ""), head.get("caption", ""), *sentences, *_annotations(packed)]
        faults += [f"names a place of a panel: {text!r}" for text in told if PLACES.search(text)]
        faults += list(_figure_faults(packed, least=0 if query.get("sink") == "true" else 1))
    faults += list(_other_values(at, query))
    tables = [each.value.to_string(max_rows=8, max_cols=8) for each in at.dataframe]
    return Opened(link, [*texts, *said_now(at), *tables, *(code.value for code in at.code)], faults)


def _other_values(at: AppTest, query: Query) -> Iterator[str]:
    """Yield the sliders that stand elsewhere than the link says, without a word."""
    told = " ".join(str(each.value) for each in at.warning)
    for head, _, _ in fields(at):
        for control in filter(None, (head.get("slider"), head.get("cursor"))):
            asked, shown = query.get(control["name"]), control["values"][control["index"]]
            if asked is None or float(str(asked)) == float(shown):
                continue
            if control["name"] != "heads" and f"`{control['name']}`" not in told:  # these have own words
                yield f"{control['name']} is {asked} in the link and {shown} on the slider"


def said_now(at: AppTest) -> list[str]:
    """Return what each live figure says where its sliders stand, without its colours.

    Sentences that are sent apart from their figure stand where the figure of their key does.
    """
    found = []
    sent = [element.proto.bytes for element in at.get("bidi_component")]
    messages = [split(each) for each in sent if each]  # a control of our own is sent as JSON
    heads = [json.loads(head) for head, _, _ in messages]
    stands = {head["key"]: head for head in heads if "slider" in head}
    for head, (_, said, _) in zip(heads, messages, strict=True):
        if said:
            figure = stands.get(head["key"], {})
            step, row = ((figure.get(name) or {"index": 0})["index"] for name in ("slider", "cursor"))
            found.append("".join(run for _, run in caption_at(said, step, row)))
    return found


def fields(at: AppTest) -> list[tuple[dict[str, Any], list[str], bytes]]:
    """Return what a run sent: for each live figure its head, what its sentences say, its packed steps."""
    found = []
    for element in at.get("bidi_component"):
        if not element.proto.bytes:  # a control of our own, which is sent as JSON
            continue
        head, said, packed = split(element.proto.bytes)
        says = json.loads(zlib.decompress(said)) if said else {"runs": []}
        found.append((json.loads(head), [text for _, text in says["runs"]], packed))
    return found


def split(data: bytes) -> tuple[bytes, bytes, bytes]:
    """Take a message apart: its head, the sentences that follow the sliders, the packed steps."""
    head, rest = _section(data)
    said, packed = _section(rest)
    return head, said, packed


def _section(data: bytes) -> tuple[bytes, bytes]:
    end = 4 + int.from_bytes(data[:4], "little")
    return data[4:end], data[end:]


def _unquoted(text: str) -> str:
    """Leave out names of code, where None and inf are Python's own words."""
    return re.sub(r"`[^`]*`", "", text)


def _broken_checks(at: AppTest, text: str) -> list[str]:
    """Return the checks that a page says do not hold, unless the tab or a switch breaks them on purpose."""
    tab, masked = (at.query_params.get(name) for name in ("tab", "maskpadding"))
    meant = tab in ("Break it", ["Break it"]) or masked in ("false", ["false"])
    return [line for line in text.splitlines() if ":material/close:" in line and not meant]


def _annotations(message: bytes) -> list[str]:
    """Return what stands on a figure beside its axes: captions, operators, legends."""
    if not count_steps(message):
        return []
    return [note["text"] for note in figure_at(message, 0)["layout"].get("annotations", [])]


def _figure_faults(message: bytes, least: int) -> Iterator[str]:
    if len(message) > MOST_BYTES:
        yield f"a message of {len(message):,} bytes"
    count = count_steps(message)
    for step in {0, count // 2, count - 1} if count else ():  # none where sentences travel alone
        for trace in figure_at(message, step)["data"]:
            if trace.get("type") == "heatmap" and "weights" in str(trace.get("name", "")):
                yield from _rows_that_do_not_sum(trace, least)


def _rows_that_do_not_sum(trace: dict[str, Any], least: int) -> Iterator[str]:
    """Name the first row of weights that does not sum to one; beside a sink it may sum to less."""
    z = np.asarray(trace["z"], dtype=float)
    sums = np.nansum(z, axis=-1)
    # What is sent is rounded: relative to a row's largest weight, of as many as it has.
    rounded = 1e-5 + 1e-7 * z.shape[-1] * np.nanmax(np.abs(z), axis=-1, initial=0.0)
    wrong = [
        row
        for row, (total, most) in enumerate(zip(sums, rounded, strict=True))
        if not (least - most <= total <= 1 + most or total == 0)
    ]
    if wrong:
        yield f"row {wrong[0]} of {trace['name']!r} sums to {sums[wrong[0]]}"


def walk(page: str, count: int, seed: int, fixed: Query | None = None, *, say: bool = False) -> list[Opened]:
    """Open random states; return those with a fault."""
    faulty = []
    for number, query in enumerate(states(page, count, seed, fixed)):
        spoken = (*LANGUAGES, PSEUDO)[number % (len(LANGUAGES) + 1)]
        opened = open_state(page, {**query, "lang": query.get("lang", spoken)})
        if say:
            print("\n" + "=" * 100, opened.link, *opened.said, sep="\n")
        if opened.faults:
            faulty.append(opened)
            print(opened.link, *(f"    {fault}" for fault in opened.faults), sep="\n", flush=True)
    return faulty


def command_line(about: str, *, states: int) -> argparse.ArgumentParser:
    """Return what a walk understands: `pages`, how many `states` of each, their `seed`, pairs to `fix`."""
    parser = argparse.ArgumentParser(description=about.partition("\n")[0])
    parser.add_argument(
        "pages", nargs="?", type=_pages, default=list(PAGES), help="a page's address; without it, all pages"
    )
    parser.add_argument("--states", type=int, default=states)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--fix", nargs="*", type=_pair, default=[], metavar="NAME=VALUE", help="the same in every state"
    )
    return parser


def _pages(address: str) -> list[str]:
    if address not in PAGES:
        told = ", ".join(map(repr, PAGES))
        raise argparse.ArgumentTypeError(f"wanted one of {told}; got {address!r}")
    return [address]


def _pair(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals:
        raise argparse.ArgumentTypeError(f"wanted NAME=VALUE, got {text!r}")
    return name, value


def main(arguments: Sequence[str] | None = None) -> int:
    """Walk one page, or all."""
    parser = command_line(str(__doc__), states=500)
    parser.add_argument("--say", action="store_true", help="print what each state says")
    chosen = parser.parse_args(arguments)
    look_for_components_once()
    leave_imports_to_themselves()
    torch.set_num_threads(1)  # as the app does
    shares = SHARES if len(chosen.pages) > 1 else {}
    counts = {page: round(chosen.states * shares.get(page, 1)) for page in chosen.pages}
    faulty = [
        each
        for page, count in counts.items()
        for each in walk(page, count, chosen.seed, dict(chosen.fix), say=chosen.say)
    ]
    print(f"{sum(counts.values())} states, {len(faulty)} with a fault")
    # A real model is read by transformers, which imports much of that.
    reads_models = "learned-heads" in chosen.pages and "transformers" in sys.modules
    if not reads_models and (imported := [name for name in HEAVY if name in sys.modules]):
        print(f"imported, and needed by no page: {', '.join(imported)}")
        return 1
    return bool(faulty)


if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    os._exit(code)  # a training may still run in a thread, which torch does not survive at the end
