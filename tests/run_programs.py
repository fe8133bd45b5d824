"""Runs every program of a page, and compares its output with the numbers of the page.

    python -m tests.run_programs multi-head --states 200 --seed 1
    python -m tests.run_programs single-head --fix mask=causal

Each state is a link with random valid settings. What a program prints is compared with the tables under
*Data*, or with the picture where those show no weights, to the four decimals that are printed.
"""

import contextlib
import io
import re
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import numpy as np
import plotly.graph_objects as go
import torch
from numpy.typing import NDArray
from streamlit.testing.v1 import AppTest

from attn_core.scores import DOT, SCORES
from attn_ui.base.programs import OneProgram, Programs
from attn_ui.base.shared_settings import ALL_BUT_ONE
from pages import PAGES
from programs.writing import ARCHIVE, SHORT, WORDS, Program
from tests.messages import figure_at
from tests.pages import open_page
from tests.quick_apptest import look_for_components_once
from tests.walk import Query, command_line, fields, states

KINDS = ("PyTorch", "NumPy", "attn_core")
ROUNDED = 6e-5  # four decimals
Numbers = NDArray[np.float64]
Nested = list[Any]
Link = Mapping[str, Any]  # what a link says, by name
AnyProgram = Programs | OneProgram | Program | str


def run(program: AnyProgram, kind: str = SHORT) -> str:
    """Return what a program prints; nothing is opened in a browser."""
    return executed(_of(program, kind))[1]


def leaves(program: AnyProgram, kind: str = SHORT) -> dict[str, Any]:
    """Return what a program leaves behind, by its name, with all digits of its numbers; see `executed`."""
    chosen = _of(program, kind)
    return executed(replace(chosen, digits=17) if isinstance(chosen, Program) else chosen)[0]


def _of(program: AnyProgram, kind: str) -> Program | str:
    if isinstance(program, Programs):
        return program.program(kind)
    return program.program if isinstance(program, OneProgram) else program


def executed(program: Program | str) -> tuple[dict[str, Any], str]:
    """Run a program beside what it reads alone; return what it leaves behind, and what it prints.

    What it leaves has all `figures` that it would have opened in a browser. What it sets for torch and
    for NumPy is as it was afterwards.
    """
    names: dict[str, Any] = {"__name__": "__main__"}
    figures: list[go.Figure] = []
    shown = go.Figure.show

    def keep(figure: go.Figure) -> None:
        figures.append(figure)

    go.Figure.show = keep
    dtype, gradients = torch.get_default_dtype(), torch.is_grad_enabled()
    try:
        with (
            tempfile.TemporaryDirectory() as folder,
            contextlib.chdir(folder),
            contextlib.redirect_stdout(io.StringIO()) as out,
            np.errstate(invalid="warn"),
            np.printoptions(),
            torch.random.fork_rng(devices=[]),
        ):
            torch.set_default_dtype(torch.float32)
            if isinstance(program, Program):
                Path(ARCHIVE).write_bytes(program.archive())
            text = program.text() if isinstance(program, Program) else program
            exec(compile(text, "program.py", "exec"), names)
    finally:
        go.Figure.show = shown
        torch.set_default_dtype(dtype)
        torch.set_grad_enabled(gradients)
        torch.set_printoptions(profile="default", sci_mode=None)
    return names | {"figures": figures}, out.getvalue()


def arrays(text: str) -> list[Nested]:
    """Return the arrays that were printed, by PyTorch or by NumPy; "..." is what was left out.

    Lines that say words are left out.

    >>> arrays("words: a [ b\\ntensor([[0.5000, nan]], dtype=torch.float64)\\n[1. ... 2.]")
    [[[0.5, nan]], [1.0, Ellipsis, 2.0]]
    """
    found: list[Nested] = []
    open_: list[Nested] = []
    text = re.sub(rf"^(?:{'|'.join(WORDS)}):.*$", "", text, flags=re.MULTILINE)
    for token in re.findall(r"\[|\]|\.\.\.|nan|-?inf|-?\d+\.?\d*(?:e[+-]?\d+)?", text):
        if token == "[":
            open_.append([])
        elif token == "]":
            done = open_.pop()
            (open_[-1] if open_ else found).append(done)
        elif open_:
            open_[-1].append(... if token == "..." else float(token))
    return found


def _numbers(printed: Nested) -> Nested:
    return [_numbers(each) if isinstance(each, list) else each for each in printed if each is not ...]


def _is_cut(printed: Nested) -> bool:
    return any(each is ... or (isinstance(each, list) and _is_cut(each)) for each in printed)


def difference(printed: Nested, wanted: Numbers) -> str:
    """Say how what was printed differs from what was wanted; nothing where it does not."""
    for axis in range(wanted.ndim if _is_cut(printed) else 0):
        n = wanted.shape[axis]
        wanted = wanted.take([0, 1, 2, n - 3, n - 2, n - 1], axis) if n > 6 else wanted
    got = np.array(_numbers(printed))
    if got.shape != wanted.shape:
        return f"prints the shape {got.shape} where {wanted.shape} is wanted"
    off = np.where(np.isnan(wanted), 0, np.abs(got - wanted))
    slack = ROUNDED + 1e-6 * np.nan_to_num(np.abs(wanted)).max(initial=0)
    return f"is off by {np.nanmax(off):.2g}" if not (off <= slack).all() else ""


def compared(text: str, wanted: Sequence[Numbers]) -> Iterator[str]:
    """Yield how printed arrays differ from what a page shows, in its order."""
    printed = arrays(text)
    if len(printed) != len(wanted):
        yield f"prints {len(printed)} arrays where {len(wanted)} are wanted"
    for at, (one, other) in enumerate(zip(printed, wanted, strict=False)):
        if told := difference(one, other):
            yield f"array {at} {told}"


# ---- what the pages show ----


def picture(at: AppTest, *, row: int | None = None) -> dict[str, Any]:
    """Return the traces of a page's first figure as its sliders stand, but for the overview's opening."""
    figures = [each for each in fields(at) if "slider" in each[0]]
    head, _, packed = next(each for each in figures if each[0]["key"] != "opening")
    slider, cursor = head["slider"], head["cursor"]
    figure = figure_at(packed, slider["index"] if slider else 0, cursor["index"] if cursor else row or 0)
    traces: dict[str, Any] = {"row": cursor["index"] if cursor else row}
    for trace in figure["data"]:
        if trace.get("visible") is not False:
            traces.setdefault(trace["name"], trace)
    return traces


def cells(trace: dict[str, Any]) -> Numbers:
    """Return the numbers of a map; a masked cell weighs nothing."""
    numbers: Numbers = np.nan_to_num(np.asarray(trace["z"], dtype=float))
    return numbers


def table(at: AppTest, number: int) -> Numbers:
    """Return the numbers of a table under *Data*."""
    frame = at.dataframe[number].value
    numbers: Numbers = frame.iloc[:, 1:].to_numpy(dtype=float)
    return numbers


def of_single_head(query: Link) -> list[Numbers]:
    """Weights and output, as *Data* has them, and what is set aside; NaN where no table has it."""
    at = open_page("single-head", **{**query, "tab": "Data"})
    first = next(number for number, each in enumerate(at.dataframe) if "may attend" in each.value)
    pairs, output = at.dataframe[first].value, table(at, first + 1)
    found = [pairs["weight"].to_numpy().reshape(len(output), -1), output]
    stage, unknown = query.get("stage"), np.full(output.shape, np.nan)
    more = first + 2 + len(SCORES[query.get("score", DOT)].shapes)  # after the score's own weights
    if stage == "arcs" and len(at.dataframe) > more:  # rows that are taken together
        found.append(table(at, more)[:, 0])
    if stage == "threshold" and query.get("keep") == ALL_BUT_ONE:
        return [
            *found,
            pairs["weight without it"].to_numpy().reshape(len(output), -1),
            unknown,
            unknown[:, 0],
        ]
    if stage == "points":
        points = at.dataframe[more].value
        sides = [
            points[points["vector"] == kind].iloc[:, 2:].to_numpy(dtype=float) for kind in ("query", "key")
        ]
        return [*found, *sides, pairs["q·k in the plane"].to_numpy().reshape(len(output), -1)]
    if stage == "threshold":
        mass, *moved = table(at, more).T
        found.append(mass)
        if moved:
            again = pairs["renormalised weight"].to_numpy().reshape(len(output), -1)
            found += [again, unknown, *moved]
    return found


def of_multi_head(query: Link) -> list[Numbers]:
    """The picture's maps of all heads, the output, as *Data* has it, and what goes on with a head or rows."""
    every = {"tab": "Data", "view": "every head", "off": [], "hmoves": "heads"}
    at = open_page("multi-head", **{**query, **every})
    shown = picture(at)
    heads = [shown[f"head {head}"] for head in range(1, 17) if f"head {head}" in shown]
    found = [np.stack([cells(each) for each in heads]), table(at, len(at.dataframe) - 1)]
    view = query.get("view")
    if view in ("arcs", "threshold"):
        found += _of_a_head(open_page("multi-head", **{**query, "tab": "Data"}), query, found[0].shape)
    elif view == "points":
        found += _in_planes(open_page("multi-head", **{**query, "tab": "Data"}), len(heads))
    return found


def _in_planes(at: AppTest, n_head: int) -> list[Numbers]:
    """Where *Data* has the queries and the keys of every head, and their products there."""
    points = next(each.value for each in at.dataframe if "vector" in each.value)
    queries, keys = (
        points[points["vector"] == kind].iloc[:, 3:].to_numpy(dtype=float).reshape(n_head, -1, 2)
        for kind in ("query", "key")
    )
    return [queries, keys, queries @ keys.swapaxes(1, 2)]


def _of_a_head(at: AppTest, query: Link, shape: tuple[int, ...]) -> list[Numbers]:
    """What *Data* has of rows taken together or of weights set aside; NaN where no table has it."""
    _n_head, n_query, n_key = shape
    before, last = (table(at, len(at.dataframe) - number) for number in (3, 2))
    if query["view"] == "arcs":
        together = any("taken together" in each.value for each in at.markdown)
        rows = last.T if query.get("arcs") == "all heads" else last[:, 0]
        return [rows] if together else []
    output = np.full((n_query, before.shape[1]), np.nan)
    rows = np.full((n_query, n_key), np.nan)
    if query.get("keep") == ALL_BUT_ONE:
        return [rows, output, np.full(n_query, np.nan)]
    mass, *moved = last.T
    return [mass, *([rows, output, *moved] if moved else [])]


def of_positions(query: Link) -> list[Numbers]:
    """The map with positions; of a rotary scaling how far pairs turn, and scores at powers of two."""
    if query.get("show") == "length extrapolation" and query.get("scaling", "none") != "none":
        shown = picture(open_page("positional-encoding", **{**query, "tab": "Code"}))
        offsets = np.asarray(shown["score scaled"]["x"])
        doubling = np.isin(offsets, 2 ** np.arange(20))
        return [
            np.asarray(shown["turns scaled"]["y"], dtype=float),
            np.asarray(shown["score scaled"]["y"], dtype=float)[doubling],
        ]
    at = open_page("positional-encoding", **{**query, "tab": "Code", "show": "attention"})
    return [cells(picture(at)["after"])]


def of_kernel(query: Link) -> list[Numbers]:
    """The weights of the points at the query, and the estimate there."""
    at = open_page("kernel-regression", **{**query, "tab": "Code"})
    selection = PAGES["kernel-regression"].at(urlencode(query, doseq=True)).view.result.selection
    estimate = np.asarray(selection.regression.estimate[[selection.row]], dtype=float)
    if query.get("picture") == "Bridge to attention":
        weights = cells(picture(at)["gaussian"])
        return [weights[[len(weights) // 2]], estimate]
    shown = picture(at)
    if query.get("picture") == "Two inputs":
        return [np.asarray(shown["keys"]["customdata"], dtype=float)[None], estimate]
    return [cells(shown["weights"])[[shown["row"]]], estimate]


def of_toy(query: Link) -> list[Numbers]:
    """The maps of all heads."""
    shown = picture(open_page("learned-heads", **{**query, "tab": "Code"}))
    heads = [trace for name, trace in shown.items() if re.fullmatch(r"head \d\.\d", name)]
    return [np.stack([cells(each) for each in heads])]


SHOWN: dict[str, Callable[[Link], list[Numbers]]] = {
    "single-head": of_single_head,
    "multi-head": of_multi_head,
    "positional-encoding": of_positions,
    "kernel-regression": of_kernel,
    "learned-heads": of_toy,
}
# What stays as it is in a walk, because programs and picture would speak of different things.
STILL: dict[str, Query] = {
    "kernel-regression": {"picture": "Fit and weights"},
    "learned-heads": {"source": "a toy trained here", "model": "ready made", "look": "heads"},
    "single-head": {"moves": "temperature"},
    "multi-head": {"hmoves": "heads"},
}


def faults(page: str, query: Link) -> list[str]:
    """Run what a state of a page hands over under *Code*; return what is not as the page shows it."""
    wanted, program = SHOWN[page](query), PAGES[page].at(urlencode(query, doseq=True)).programs
    assert isinstance(program, Programs)
    return [f"{kind} {told}" for kind in KINDS for told in _differences(program.program(kind), wanted)]


def _differences(program: Program | str, wanted: Sequence[Numbers]) -> list[str]:
    try:
        return list(compared(run(program), wanted))
    except Exception as error:
        return [f"stops with {type(error).__name__}: {error}"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the programs of random states of one page, or of all."""
    chosen = command_line(str(__doc__), states=100).parse_args(arguments)
    look_for_components_once()
    torch.set_num_threads(1)
    pages = [page for page in chosen.pages if page in SHOWN]
    broken = 0
    for page in pages:
        for query in states(page, chosen.states, chosen.seed, STILL.get(page, {}) | dict(chosen.fix)):
            if told := faults(page, query):
                broken += 1
                print(f"/{page} {query}", *(f"    {each}" for each in told), sep="\n", flush=True)
    print(f"{len(pages) * chosen.states} states of {len(PAGES)} pages, {broken} with a fault")
    return bool(broken)


if __name__ == "__main__":
    sys.exit(main())
