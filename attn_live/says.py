r"""The sentence under a figure, one for each position of its sliders, as plain text in a few roles.

Sentences are written in the little markdown that pages use: `**bold**`, `*italic*`, the colours of
`:violet[a query]`, `:orange[a key]` and `:green[a value]`, and a backslash before what means itself. They
travel as runs of text, each with its role, and the browser writes every run as text, never as HTML.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, chain, count
from operator import sub
from string import Formatter
from typing import Any, TypeVar

import numpy as np
import orjson
from isal import isal_zlib
from numpy.typing import NDArray

T = TypeVar("T")
R = TypeVar("R")
Says = str | Sequence[str]  # one sentence for a step, or one for each row at that step
Run = tuple[str, str]  # role and text; the role is words of "b", "i", "query", "key", "value"

_LEVEL = 1  # of ISA-L's deflate: level 3 takes twice as long for 4 % less
_UNMARKED = re.compile(r"[^\\*:\]]+")  # text without anything that could begin or end a role
_COLOURS = {"violet": "query", "orange": "key", "green": "value"}
_END = -1  # stands among the numbers of runs where a sentence ends
_FIELD = 0xE000  # of Unicode's private use: letters that stand for fields while a form is cut into runs
# Runs; the sentences as their numbers, each with an end, and how many the first takes; which of them each
# step has, or each row of it.
Split = tuple[list[Run], "list[int] | NDArray[np.int32]", int, list["int | list[int]"]]


class each(Sequence[R]):  # noqa: N801  (it is called, as `map` is)
    """What a function makes of each of some things: each is made when it is first asked for, and kept.

    >>> squares = each(lambda n: n * n, range(1000))
    >>> squares[30], len(squares), len(squares._made)
    (900, 1000, 1)
    """

    def __init__(self, make: Callable[[T], R], things: Sequence[T]) -> None:
        """Make nothing yet."""
        self._make, self._things, self._made = make, things, dict[int, R]()

    def __iter__(self) -> Iterator[R]:
        """Make all, in their order, and keep none."""
        return map(self._make, self._things)

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self._things)

    def __getitem__(self, place: Any) -> Any:
        """Return one."""
        if isinstance(place, slice) or not 0 <= place < len(self):
            raise IndexError(f"a place from 0 to {len(self) - 1}, got {place}")
        if place not in self._made:
            self._made[place] = self._make(self._things[place])
        return self._made[place]


@dataclass(frozen=True, eq=False)
class SentenceForms:
    """Sentences by the thousand that have few forms: none is written out only to be taken apart again.

    Attributes:
        forms: sentences in the little markdown, with fields as `str.format` has them.
        form: which of them each sentence has, (n_steps, n_rows).
        fields: plain text by the name of its field, one for each sentence, in the order of `form`.
    """

    forms: Sequence[str]
    form: NDArray[np.integer]
    fields: Mapping[str, Sequence[str]]

    def at(self, step: int, row: int) -> str:
        """Return one sentence with its fields filled.

        >>> SentenceForms(["**{n}** keys", "no key"], np.array([[0, 1]]), {"n": ["2", ""]}).at(0, 0)
        '**2** keys'
        """
        place = step * self.form.shape[1] + row
        form: str = self.forms[self.form[step, row]]
        names = (name for _text, name, _form, _way in Formatter().parse(form) if name)
        return form.format_map({name: self.fields[name][place] for name in names})


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


def pack_says(says: Sequence[Says] | SentenceForms) -> bytes:
    """Pack the sentences of all steps, each run and each sentence once; a page can cache the result.

    Args:
        says: for each step a sentence, or for each step a sequence of one sentence a row.
    """
    known, numbers, lag, at = _fill(says) if isinstance(says, SentenceForms) else _split(says)
    # Sentences of a figure are alike: told is how much a number is more than the one `lag` before it, which
    # mostly stands at the same place of the sentence before.
    further = np.array(numbers, dtype=np.int32)
    further[lag:] -= further[:-lag].copy()
    packed = {"next": _differences(at), "runs": known, "texts": further, "lag": lag}  # see `_next`
    return isal_zlib.compress(orjson.dumps(packed, option=orjson.OPT_SERIALIZE_NUMPY), _LEVEL)


def _differences(at: Sequence[int | list[int]]) -> list[int | list[int]]:
    """Write each number as what it adds to the one before it: sentences mostly come in their order."""
    last = 0
    found: list[int | list[int]] = []
    for step in at:
        rows = [step] if isinstance(step, int) else step
        differences = list(map(sub, rows, [last, *rows]))
        found.append(differences[0] if isinstance(step, int) else differences)
        last = rows[-1] if rows else last
    return found


def _split(says: Sequence[Says]) -> Split:
    says = [step if isinstance(step, str) else [*step] for step in says]
    sentences = dict.fromkeys(chain.from_iterable([step] if isinstance(step, str) else step for step in says))
    place = {sentence: number for number, sentence in enumerate(sentences)}
    known: dict[Run, int] = {}
    texts = [[known.setdefault(run, len(known)) for run in runs(sentence)] for sentence in sentences]
    numbers = [*chain.from_iterable([*text, _END] for text in texts)]
    at = [place[step] if isinstance(step, str) else list(map(place.__getitem__, step)) for step in says]
    return list(known), numbers, len(texts[0]) + 1 if texts else 1, at


def _fill(says: SentenceForms) -> Split:
    known: dict[Run, int] = {}
    form = says.form.ravel()
    found = [b""] * form.size  # each sentence as the bytes of its numbers
    for number, text in enumerate(says.forms):
        here = np.flatnonzero(form == number).tolist()
        parts = _parts(text)
        numbers = np.full((len(here), len(parts) + 1), _END, dtype=np.int32)
        for column, (role, literal, field) in enumerate(parts):
            said = says.fields.get(field, ())
            own = [literal] if not field else [*said] if len(here) == form.size else [said[at] for at in here]
            run = {said: known.setdefault((role, said), len(known)) for said in dict.fromkeys(own)}
            numbers[:, column] = list(map(run.__getitem__, own))
        raw, row = numbers.tobytes(), numbers.itemsize * numbers.shape[1]
        for place, start in zip(here, count(0, row), strict=False):
            found[place] = raw[start : start + row]
    place_of = {sentence: number for number, sentence in enumerate(dict.fromkeys(found))}
    at = np.reshape(list(map(place_of.__getitem__, found)), says.form.shape).tolist()
    return list(known), np.frombuffer(b"".join(place_of), dtype=np.int32), len(found[0]) // 4, at


@lru_cache(maxsize=256)
def _parts(form: str) -> tuple[tuple[str, str, str], ...]:
    """Cut a form into runs and fields: the role of each, what it says, and the field's name or ""."""
    marked = ""
    names: list[str] = []
    for literal, name, _form, _way in Formatter().parse(form):
        marked += literal
        if name is not None:
            marked += chr(_FIELD + len(names))
            names.append(name)
    cut = re.compile(f"([{chr(_FIELD)}-{chr(_FIELD + len(names))}])")
    return tuple(
        (role, "", names[ord(piece) - _FIELD]) if place % 2 else (role, piece, "")
        for role, text in runs(marked)
        for place, piece in enumerate(cut.split(text))
        if piece
    )


def plainly(sentence: str) -> str:
    """Return a sentence as it is read, without its marks."""
    return "".join(text for _, text in runs(sentence))


def said_at(packed: bytes, step: int, row: int = 0) -> list[Run]:
    """Return the runs of one sentence out of what `pack_says` packed."""
    says = orjson.loads(isal_zlib.decompress(packed))
    numbers = _numbers(says)
    ends = [place for place, number in enumerate(numbers) if number == _END]
    before, here = says["next"][:step], says["next"][step]
    rows = [here] if isinstance(here, int) else here[: row + 1]
    text = sum(each if isinstance(each, int) else sum(each) for each in before) + sum(rows)
    start = ends[text - 1] + 1 if text else 0
    return [(role, said) for role, said in (says["runs"][run] for run in numbers[start : ends[text]])]


def _numbers(says: dict[str, Any]) -> list[int]:
    """Return the sentences as numbers of runs, each with an end, out of what is told of them."""
    numbers: list[int] = []
    for place, further in enumerate(says["texts"]):
        numbers.append(further + (numbers[place - says["lag"]] if place >= says["lag"] else 0))
    return numbers


def sentences_at(packed: bytes, steps: Sequence[int]) -> bytes:
    """Return the sentences of some steps alone, packed; those of the others are not said any more.

    >>> [said_at(sentences_at(pack_says(["One", "Two", "Three"]), [0, 2]), step) for step in (0, 1)]
    [[('', 'One')], [('', 'Three')]]
    """
    says = orjson.loads(isal_zlib.decompress(packed))
    last = 0
    at: list[int | list[int]] = []
    for step in says["next"]:
        rows = list(accumulate([step] if isinstance(step, int) else step, initial=last))[1:]
        last = rows[-1] if rows else last
        at.append(rows[0] if isinstance(step, int) else rows)
    says["next"] = _differences([at[step] for step in steps])
    return isal_zlib.compress(orjson.dumps(says), _LEVEL)


def longest_of(packed: bytes) -> list[Run]:
    """Return the runs of the longest of all sentences, by its letters; nothing where there is none.

    >>> longest_of(pack_says(["Two **words**", "One"]))
    [('', 'Two '), ('b', 'words')]
    """
    says = orjson.loads(isal_zlib.decompress(packed))
    texts: list[list[int]] = [[]]
    for number in _numbers(says):
        if number == _END:
            texts.append([])
        else:
            texts[-1].append(number)
    runs_of = [(role, text) for role, text in says["runs"]]
    lengths = [sum(len(runs_of[run][1]) for run in text) for text in texts]
    return [runs_of[run] for run in texts[lengths.index(max(lengths))]]


def texts_in(packed: bytes) -> list[str]:
    """Return all pieces of text that the sentences of `pack_says` are made of, each once.

    >>> texts_in(pack_says(["One **query**", "One **key**"]))
    ['One ', 'query', 'key']
    """
    says: bytes = isal_zlib.decompress(packed)
    start, end = (says.index(name) for name in (b'"runs":', b',"texts":'))  # no text has a bare quote
    return [text for _, text in orjson.loads(says[start + len(b'"runs":') : end])]


def _next(packed: bytes) -> list[int | list[int]]:
    """Return by how much the number of each sentence, of a step or of its rows, is after the one before.

    It is the first that is packed, so that nothing else need be read.
    """
    before = len('{"next":')
    found: list[int | list[int]]
    found, _ = json.JSONDecoder().raw_decode(isal_zlib.decompress(packed).decode(), before)
    return found


@lru_cache(maxsize=64)  # each keeps its text, of up to 60 kB
def check_says(packed: bytes, n_steps: int, n_rows: int | None) -> None:
    """Check that there is a sentence for each position of the sliders.

    Args:
        packed: what `pack_says` packed.
        n_steps: positions of the slider; n_rows: of the row slider, None where there is none.

    Raises:
        ValueError: if there is not, with what was wanted and what came.
    """
    at = _next(packed)
    if len(at) != n_steps:
        raise ValueError(
            f"the slider has {n_steps} positions, so it needs {n_steps} sentences, got {len(at)}"
        )
    for step, rows in enumerate(at):
        if isinstance(rows, list) and len(rows) != n_rows:
            wanted = "one sentence, for there is no row slider" if n_rows is None else f"{n_rows} sentences"
            raise ValueError(f"step {step} needs {wanted}, one a row, got {len(rows)}")
