"""Whether random links show the same as before: pictures, sentences, tables, programs, controls.

    python -m tests.same_links write build/before.json --states 60    # on the old code
    python -m tests.same_links compare build/before.json              # on the new: names what differs

A difference is told by its link and by what stood there before and stands there now.
"""

import argparse
import hashlib
import json
import os
import sys
import zlib
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
import torch
from streamlit.testing.v1 import AppTest

from attn_live.packing import count_steps
from pages.learned_heads.model_shelf import model_status
from tests.messages import figure_at
from tests.pages import PAGES, open_page
from tests.quick_apptest import look_for_components_once
from tests.walk import Query, said_now, split, states

# Parts of a figure's head that name what is served, not what is shown.
SERVED = ("plotly", "saver", "colours")
SHOWN = ("title", "header", "subheader", "markdown", "caption", "latex", "error", "warning", "info", "code")
ASKED = (
    "selectbox",
    "toggle",
    "slider",
    "number_input",
    "text_input",
    "button_group",
    "button",
    "select_slider",
)


def page_contents(page: str, query: Query) -> dict[str, list[str]]:
    """Open a link in a session of its own; return all that it shows, by kind."""
    at = open_page(page, **query)
    found = {kind: [str(each.value) for each in getattr(at, kind)] for kind in SHOWN}
    found["exceptions"] = [each.message for each in at.exception]
    found["controls"] = [f"{each.label}: {each.value}" for kind in ASKED for each in getattr(at, kind)]
    found["tables"] = [each.value.to_csv() for each in at.dataframe]
    found["said"] = said_now(at)
    found["figures"] = list(_figures(at))
    found["address"] = [f"{name}={text}" for name, text in sorted(at.query_params.items())]
    return found


def _figures(at: AppTest) -> Iterator[str]:
    """Yield what figures show: their heads, sentences, and each trace of the first, middle and last step."""
    for element in at.get("bidi_component"):
        head, said, packed = split(element.proto.bytes)
        for name, value in json.loads(head).items():
            if name not in SERVED:
                yield from (f"{name}: {json.dumps(each)}" for each in _each(value))
        yield f"sentences {_digest(_sentences_of(said))}" if said else "no sentences"
        n_steps = count_steps(packed)
        yield f"{n_steps} steps"
        for step in sorted({0, n_steps // 2, n_steps - 1} & {*range(n_steps)}):
            for trace in figure_at(packed, step)["data"]:
                values = {name: _rounded(trace[name]) for name in ("x", "y", "z") if name in trace}
                yield f"step {step}: {trace['type']} {trace.get('name')} {_digest(values)}"


def _each(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _rounded(values: Any) -> Any:
    """Return numbers with the digits that any arithmetic agrees on, and words as they are."""
    try:
        return np.asarray(values, dtype=float).round(4).tolist()
    except (TypeError, ValueError):
        return [str(each) for each in values]


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value).encode()).hexdigest()[:16]


def _sentences_of(packed: bytes) -> list[Any]:
    """Return what is said at each step or row, as text with its role, however it was cut into runs."""
    says = json.loads(zlib.decompress(packed))
    numbers: list[int] = []
    sentences: list[list[tuple[str, str]]] = [[]]
    for place, further in enumerate(says["texts"]):
        numbers.append(further + (numbers[place - says["lag"]] if place >= says["lag"] else 0))
        if numbers[-1] < 0:
            sentences.append([])
        else:
            sentences[-1].append(says["runs"][numbers[-1]])
    whole = [
        [
            (role, "".join(text for _role, text in runs))
            for role, runs in groupby(said, key=lambda run: run[0])
        ]
        for said in sentences
    ]
    at, found = 0, []
    for step in says["next"]:
        rows = []
        for more in [step] if isinstance(step, int) else step:
            at += more
            rows.append(whole[at])
        found.append(rows)
    return found


def differences(before: dict[str, list[str]], result: dict[str, list[str]]) -> Iterator[str]:
    """Yield each kind of thing that is not as before, with what was and what is."""
    for kind in sorted({*before, *result}):
        was, stands = before.get(kind, []), result.get(kind, [])
        if was != stands:
            gone, come = (
                [each for each in one if each not in other] for one, other in ((was, stands), (stands, was))
            )
            yield (
                f"{kind}: was {_short(gone)}, is {_short(come)}"
                if gone or come
                else f"{kind}: in another order"
            )


def _short(texts: Sequence[str]) -> str:
    return "; ".join(each if len(each) < 700 else f"{each[:700]}…" for each in texts) or "nothing"


def write(path: Path, pages: Sequence[str], count: int, seed: int) -> int:
    """Write down what random links show."""
    kept = []
    for page in pages:
        kept += [(page, query, page_contents(page, query)) for query in states(page, count, seed)]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(kept, ensure_ascii=False), encoding="utf-8")
    print(f"{len(kept)} links written")
    return 0


def compare(path: Path, pages: Sequence[str]) -> int:
    """Open the same links again; name all that differs."""
    kept = [each for each in json.loads(path.read_text(encoding="utf-8")) if each[0] in pages]
    n_different = 0
    for page, query, before in kept:
        found = list(differences(before, page_contents(page, query)))
        n_different += bool(found)
        if found:
            print(
                f"/{page} {json.dumps(query, ensure_ascii=False)}",
                *(f"    {each}" for each in found),
                sep="\n",
            )
    print(f"{len(kept)} links, {n_different} show something else")
    return int(n_different > 0)


def main(arguments: Sequence[str] | None = None) -> int:
    """Write or compare."""
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("what", choices=("write", "compare"))
    parser.add_argument("file", type=Path)
    parser.add_argument("pages", nargs="*", choices=[*PAGES, []], help="addresses; without them, all pages")
    parser.add_argument("--states", type=int, default=60)
    parser.add_argument("--seed", type=int, default=32)
    asked = parser.parse_args(arguments)
    look_for_components_once()
    torch.set_num_threads(1)
    model_status(patience=None)  # the real model is read before a page shows that it waits for it
    pages = asked.pages or list(PAGES)
    return (
        write(asked.file, pages, asked.states, asked.seed)
        if asked.what == "write"
        else compare(asked.file, pages)
    )


if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    os._exit(code)  # a training may still run in a thread
