"""What random links say, to be compared between processors: rounding may differ, words may not.

    python -m tests.processors COUNT SEED > here.json
    python -m tests.processors COUNT SEED --old > there.json    # as if this processor were of 2008

Printed are the links, COUNT of each page, each with its texts.
"""

import json
import os
import re
import sys
from collections.abc import Iterator
from urllib.parse import urlencode

import torch

from attn_live.says import said_at
from attn_live.unpacking import count_steps
from attn_ui.base.page import page_at
from tests.pages import PAGES
from tests.walk import states

# What torch, its MKL and oneDNN, and NumPy and its OpenBLAS read when they start.
OLD = {
    "ATEN_CPU_CAPABILITY": "default",
    "MKL_CBWR": "COMPATIBLE",
    "ONEDNN_MAX_CPU_ISA": "SSE41",
    "OPENBLAS_CORETYPE": "Nehalem",
}
# A number that is rounding alone, and how a difference is told that is no more.
TINY = re.compile(r"[−-]?[\d.]+ × 10⁻(?:¹[²³⁴⁵⁶⁷⁸⁹]|[²³][⁰¹²³⁴⁵⁶⁷⁸⁹])")
ROUNDING = re.compile(
    r"\((?:largest )?(?:difference|change) (?:exactly )?0(?:, rounding)?\)|(?<![\d.])0 ± 0\b"
)


def said(count: int, seed: int) -> dict[str, list[str]]:
    """Return by link what it says at three steps of its slider, without what is rounding alone."""
    torch.set_num_threads(1)
    found = {}
    for page in PAGES:
        for query in states(page, count, seed):
            link = urlencode(query, doseq=True)
            found[f"/{page}?{link}"] = [ROUNDING.sub("0", TINY.sub("0", text)) for text in _texts(page, link)]
    return found


def _texts(page: str, link: str) -> Iterator[str]:
    seen = page_at(page).at(link).seen
    yield from seen.notes
    figure = seen.figure
    if figure is None:
        return
    yield from (figure.alt, figure.caption)
    if figure.says:
        last = count_steps(figure.steps) - 1
        for step in sorted({0, last // 2, last}):
            yield "".join(run for _, run in said_at(figure.says, step))


if __name__ == "__main__":
    if "--old" in sys.argv:  # read when a process starts
        asked = [each for each in sys.argv[1:] if each != "--old"]
        os.execve(sys.executable, [sys.executable, "-m", "tests.processors", *asked], {**os.environ, **OLD})
    json.dump(said(int(sys.argv[1]), int(sys.argv[2])), sys.stdout, ensure_ascii=False)
