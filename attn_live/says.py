r"""The sentence under a figure, one for each position of its sliders, as plain text in a few roles.

Sentences are written in the little markdown that pages use: `**bold**`, `*italic*`, the colours of
`:violet[a query]`, `:orange[a key]` and `:green[a value]`, and a backslash before what means itself. They
travel as runs of text, each with its role, and the browser writes every run as text, never as HTML.
"""

import json
import re
import zlib
from collections import defaultdict
from collections.abc import Sequence
from functools import lru_cache
from itertools import chain, count

Says = str | Sequence[str]  # one sentence for a step, or one for each row at that step
Run = tuple[str, str]  # role and text; the role is words of "b", "i", "query", "key", "value"

_DEFLATED = b"\x78"  # the first byte of RFC 1950
_LEVEL = 5  # of zlib: level 6 takes twice as long for 4 % less
_UNMARKED = re.compile(r"[^\\*:\]]+")  # text without anything that could begin or end a role
_COLOURS = {"violet": "query", "orange": "key", "green": "value"}
_MORE_THAN_BOLD = ("\\", *(f":{colour}[" for colour in _COLOURS))


def runs(sentence: str) -> list[Run]:
    r"""Split a sentence into runs of one role each.

    >>> runs(r"The **query** :violet[**a\*b**] looks on")
    [('', 'The '), ('b', 'query'), ('', ' '), ('b query', 'a*b'), ('', ' looks on')]

    A mark that is never closed stands for itself, as in markdown.
    """
    found: list[Run] = []
    opened: list[tuple[str, str]] = []  # what closes it, and its role
    text = ""
    at = 0

    def end() -> None:
        nonlocal text
        if text:
            found.append((" ".join(sorted(role for _, role in opened)), text))
        text = ""

    while at < len(sentence):
        if unmarked := _UNMARKED.match(sentence, at):
            text += unmarked[0]
            at = unmarked.end()
            continue
        rest = sentence[at:]
        colour = next((name for name in _COLOURS if rest.startswith(f":{name}[")), None)
        if rest[0] == "\\" and len(rest) > 1:
            text += rest[1]
            at += 2
        elif opened and rest.startswith(opened[-1][0]):
            end()
            at += len(opened.pop()[0])
        elif colour and "]" in rest:
            end()
            opened.append(("]", _COLOURS[colour]))
            at += len(colour) + 2
        elif mark := _opens(rest):
            end()
            opened.append((mark, "b" if mark == "**" else "i"))
            at += len(mark)
        else:
            text += rest[0]
            at += 1
    end()
    return found


def _opens(rest: str) -> str:
    """Return the mark that a text starts with, where it is one: closed later, and no space after it."""
    mark = "**" if rest.startswith("**") else "*" if rest[0] == "*" else ""
    after = rest[len(mark) :]
    return mark if mark and after and not after[0].isspace() and mark in after[1:] else ""


def pack_says(says: Sequence[Says]) -> bytes:
    """Pack the sentences of all steps, each run and each sentence once; a page can cache the result.

    Args:
        says: for each step a sentence, or for each step a sequence of one sentence a row.
    """
    sentences = dict.fromkeys(chain.from_iterable([step] if isinstance(step, str) else step for step in says))
    place = {sentence: number for number, sentence in enumerate(sentences)}
    known, texts = _split_at_bold(list(sentences)) or _split(list(sentences))
    at = [place[step] if isinstance(step, str) else list(map(place.__getitem__, step)) for step in says]
    packed = {"at": at, "runs": known, "texts": texts}  # `_at` reads no more than the first
    return zlib.compress(json.dumps(packed, separators=(",", ":"), ensure_ascii=False).encode(), _LEVEL)


def _split(sentences: Sequence[str]) -> tuple[list[Run], list[list[int]]]:
    """Return the runs that sentences are made of, and each sentence as numbers of runs."""
    known: dict[Run, int] = {}
    texts = [[known.setdefault(run, len(known)) for run in runs(sentence)] for sentence in sentences]
    return list(known), texts


def _split_at_bold(sentences: Sequence[str]) -> tuple[list[Run], list[list[int]]] | None:
    """Do what `_split` does where nothing is marked but bold words, in a quarter of the time; else None."""
    whole = "\n".join(sentences)
    if any(map(whole.__contains__, _MORE_THAN_BOLD)) or whole.count("*") != 2 * whole.count("**"):
        return None
    numbers = count()
    plain, bold = (defaultdict[str, int](numbers.__next__) for _ in range(2))
    texts = []
    for sentence in sentences:
        pieces = sentence.split("**")
        if len(pieces) % 2 == 0:  # one is never closed
            return None
        numbered = [0] * len(pieces)
        numbered[::2] = map(plain.__getitem__, pieces[::2])
        numbered[1::2] = map(bold.__getitem__, pieces[1::2])
        texts.append(numbered)
    if "" in plain or not all(text and not text[0].isspace() for text in bold):
        return None
    known = {number: ("", text) for text, number in plain.items()}
    known |= {number: ("b", text) for text, number in bold.items()}
    return [known[number] for number in range(len(known))], texts


def said_plainly(packed: bytes) -> bytes:
    """Return packed sentences before they were deflated: JSON, which never begins as deflated bytes do."""
    return zlib.decompress(packed) if packed[:1] == _DEFLATED else packed


def said_at(packed: bytes, step: int, row: int = 0) -> list[Run]:
    """Return the runs of one sentence out of what `pack_says` packed."""
    says = json.loads(said_plainly(packed))
    at = says["at"][step]
    text = says["texts"][at if isinstance(at, int) else at[row]]
    return [(role, said) for role, said in (says["runs"][run] for run in text)]


def _at(packed: bytes) -> list[int | list[int]]:
    """Return which sentence each step has, or each of its rows."""
    before = len('{"at":')
    found: list[int | list[int]]
    found, _ = json.JSONDecoder().raw_decode(said_plainly(packed).decode(), before)
    return found


@lru_cache(maxsize=256)
def check_says(packed: bytes, n_steps: int, n_rows: int | None) -> None:
    """Check that there is a sentence for each position of the sliders.

    Args:
        packed: what `pack_says` packed.
        n_steps: positions of the slider; n_rows: of the row slider, None where there is none.

    Raises:
        ValueError: if there is not, with what was wanted and what came.
    """
    at = _at(packed)
    if len(at) != n_steps:
        raise ValueError(
            f"the slider has {n_steps} positions, so it needs {n_steps} sentences, got {len(at)}"
        )
    for step, rows in enumerate(at):
        if isinstance(rows, list) and len(rows) != n_rows:
            wanted = "one sentence, for there is no row slider" if n_rows is None else f"{n_rows} sentences"
            raise ValueError(f"step {step} needs {wanted}, one a row, got {len(rows)}")
