r"""Captions: the sentence under a figure at each position of its sliders, as plain text in a few roles.

Sentences are written in the little markdown that pages use: `**bold**`, `*italic*`, the colours of
`:violet[a query]`, `:orange[a key]` and `:green[a value]`, and a backslash before a literal mark. They are
sent as spans of text, each with its role, and the browser inserts every span as text, never as HTML.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, count
from operator import sub
from string import Formatter
from typing import Any, TypeVar

import numpy as np
import orjson
from isal import isal_zlib
from numpy.typing import NDArray

T = TypeVar("T")
R = TypeVar("R")
StepCaption = str | Sequence[str]  # one sentence for a step, or one for each row of that step
TextSpan = tuple[str, str]  # role and text; the role is words of "b", "i", "query", "key", "value"

_LEVEL = 1  # of ISA-L's deflate: level 3 takes twice as long for 4 % less
_PLAIN = re.compile(r"[^\\*:\]]+")  # text without anything that could begin or end a role
_COLOURS = {"violet": "query", "orange": "key", "green": "value"}
_END = -1  # follows the indices of a sentence's spans
_FIELD = 0xE000  # of Unicode's private use: letters in place of fields while a template is cut into spans
# All spans; sentences as indices of spans, each with `_END`; the length of the first sentence; the index of
# each step's sentence, or of the sentence of each of its rows.
SpanTable = tuple[list[TextSpan], "list[int] | NDArray[np.int32]", int, list["int | list[int]"]]


class LazyMap(Sequence[R]):
    """A function applied to each item of a sequence; a result is computed when needed, once by its index.

    >>> squares = LazyMap(lambda n: n * n, range(1000))
    >>> squares[30], len(squares), len(squares._results)
    (900, 1000, 1)
    """

    def __init__(self, function: Callable[[T], R], items: Sequence[T]) -> None:
        """Compute nothing yet."""
        self._function, self._items, self._results = function, items, dict[int, R]()

    def __iter__(self) -> Iterator[R]:
        """Compute all results in order, and store none."""
        return map(self._function, self._items)

    def __len__(self) -> int:
        """Return the number of items."""
        return len(self._items)

    def __getitem__(self, place: Any) -> Any:
        """Return one result."""
        if isinstance(place, slice) or not 0 <= place < len(self):
            raise IndexError(f"a place from 0 to {len(self) - 1}, got {place}")
        if place not in self._results:
            self._results[place] = self._function(self._items[place])
        return self._results[place]


@dataclass(frozen=True, eq=False)
class CaptionTemplates:
    """Thousands of captions that follow a few templates: they are packed without being written out first.

    Attributes:
        templates: captions in the little markdown, with fields as `str.format` has them.
        which: the index of each caption's template, (n_steps, n_rows).
        fields: plain text by the name of its field, one for each caption, in the order of `which`.
    """

    templates: Sequence[str]
    which: NDArray[np.integer]
    fields: Mapping[str, Sequence[str]]

    def at(self, step: int, row: int) -> str:
        """Return one caption with its fields filled in.

        >>> CaptionTemplates(["**{n}** keys", "no key"], np.array([[0, 1]]), {"n": ["2", ""]}).at(0, 0)
        '**2** keys'
        """
        place = step * self.which.shape[1] + row
        template: str = self.templates[self.which[step, row]]
        names = (name for _text, name, _format, _conversion in Formatter().parse(template) if name)
        return template.format_map({name: self.fields[name][place] for name in names})


def spans(sentence: str) -> list[TextSpan]:
    r"""Split a sentence into spans of one role each.

    >>> spans(r"The **query** :violet[**a\*b**] looks on")
    [('', 'The '), ('b', 'query'), ('', ' '), ('b query', 'a*b'), ('', ' looks on')]

    A mark that is never closed is plain text, as in markdown.
    """
    result: list[TextSpan] = []
    open_roles: list[tuple[str, str]] = []  # the mark that closes it, and the role
    text = ""
    at = 0

    def end_span() -> None:
        nonlocal text
        if text:
            result.append((" ".join(sorted(role for _, role in open_roles)), text))
        text = ""

    while at < len(sentence):
        if plain := _PLAIN.match(sentence, at):
            text += plain[0]
            at = plain.end()
            continue
        rest = sentence[at:]
        colour = next((name for name in _COLOURS if rest.startswith(f":{name}[")), None)
        if rest[0] == "\\" and len(rest) > 1:
            text += rest[1]
            at += 2
        elif open_roles and rest.startswith(open_roles[-1][0]):
            end_span()
            at += len(open_roles.pop()[0])
        elif colour and "]" in rest:
            end_span()
            open_roles.append(("]", _COLOURS[colour]))
            at += len(colour) + 2
        elif mark := _opening_mark(rest):
            end_span()
            open_roles.append((mark, "b" if mark == "**" else "i"))
            at += len(mark)
        else:
            text += rest[0]
            at += 1
    end_span()
    return result


def _opening_mark(rest: str) -> str:
    """Return the mark that a text starts with, if it is closed later and no space follows it; else ""."""
    mark = "**" if rest.startswith("**") else "*" if rest[0] == "*" else ""
    after = rest[len(mark) :]
    return mark if mark and after and not after[0].isspace() and mark in after[1:] else ""


def pack_captions(captions: Sequence[StepCaption] | CaptionTemplates) -> bytes:
    """Pack the captions of all steps, each span and each sentence once; a page can cache the result.

    Args:
        captions: for each step a sentence, or for each step a sequence of one sentence per row.
    """
    table = _fill(captions) if isinstance(captions, CaptionTemplates) else _split(captions)
    all_spans, numbers, lag, at = table
    # Captions of a figure are alike: each index is sent as its difference from the index `lag` before, which
    # mostly has the same position in the previous sentence.
    differences = np.array(numbers, dtype=np.int32)
    differences[lag:] -= differences[:-lag].copy()
    payload = {"next": _differences(at), "runs": all_spans, "texts": differences, "lag": lag}  # see `_next`
    return isal_zlib.compress(orjson.dumps(payload, option=orjson.OPT_SERIALIZE_NUMPY), _LEVEL)


def _differences(at: Sequence[int | list[int]]) -> list[int | list[int]]:
    """Return the indices of sentences as differences from the previous index: they mostly come in order."""
    last = 0
    result: list[int | list[int]] = []
    for step in at:
        rows = [step] if isinstance(step, int) else step
        differences = list(map(sub, rows, [last, *rows]))
        result.append(differences[0] if isinstance(step, int) else differences)
        last = rows[-1] if rows else last
    return result


def _split(captions: Sequence[StepCaption]) -> SpanTable:
    captions = [step if isinstance(step, str) else [*step] for step in captions]
    sentences = dict.fromkeys(
        chain.from_iterable([step] if isinstance(step, str) else step for step in captions)
    )
    place = {sentence: number for number, sentence in enumerate(sentences)}
    number_of: dict[TextSpan, int] = {}
    texts = [[number_of.setdefault(one, len(number_of)) for one in spans(sentence)] for sentence in sentences]
    numbers = [*chain.from_iterable([*text, _END] for text in texts)]
    at = [place[step] if isinstance(step, str) else list(map(place.__getitem__, step)) for step in captions]
    return list(number_of), numbers, len(texts[0]) + 1 if texts else 1, at


def _fill(captions: CaptionTemplates) -> SpanTable:
    number_of: dict[TextSpan, int] = {}
    which = captions.which.ravel()
    sentences = [b""] * which.size  # each as the bytes of its spans' indices
    for number, template in enumerate(captions.templates):
        here = np.flatnonzero(which == number).tolist()
        parts = _parts(template)
        numbers = np.full((len(here), len(parts) + 1), _END, dtype=np.int32)
        for column, (role, literal, field) in enumerate(parts):
            values = captions.fields.get(field, ())
            own = (
                [literal]
                if not field
                else [*values]
                if len(here) == which.size
                else [values[at] for at in here]
            )
            run = {text: number_of.setdefault((role, text), len(number_of)) for text in dict.fromkeys(own)}
            numbers[:, column] = list(map(run.__getitem__, own))
        raw, row = numbers.tobytes(), numbers.itemsize * numbers.shape[1]
        for place, start in zip(here, count(0, row), strict=False):
            sentences[place] = raw[start : start + row]
    place_of = {sentence: number for number, sentence in enumerate(dict.fromkeys(sentences))}
    at = np.reshape(list(map(place_of.__getitem__, sentences)), captions.which.shape).tolist()
    return list(number_of), np.frombuffer(b"".join(place_of), dtype=np.int32), len(sentences[0]) // 4, at


@lru_cache(maxsize=256)
def _parts(template: str) -> tuple[tuple[str, str, str], ...]:
    """Cut a template into spans and fields: the role of each, its text, and the field's name or ""."""
    marked = ""
    names: list[str] = []
    for literal, name, _format, _conversion in Formatter().parse(template):
        marked += literal
        if name is not None:
            marked += chr(_FIELD + len(names))
            names.append(name)
    field = re.compile(f"([{chr(_FIELD)}-{chr(_FIELD + len(names))}])")
    return tuple(
        (role, "", names[ord(piece) - _FIELD]) if place % 2 else (role, piece, "")
        for role, text in spans(marked)
        for place, piece in enumerate(field.split(text))
        if piece
    )


def plain_text(sentence: str) -> str:
    """Return the text of a sentence without its marks."""
    return "".join(text for _, text in spans(sentence))


def caption_at(payload: bytes, step: int, row: int = 0) -> list[TextSpan]:
    """Return the spans of one caption from the result of `pack_captions`."""
    table = orjson.loads(isal_zlib.decompress(payload))
    numbers = _numbers(table)
    ends = [place for place, number in enumerate(numbers) if number == _END]
    before, here = table["next"][:step], table["next"][step]
    rows = [here] if isinstance(here, int) else here[: row + 1]
    text = sum(each if isinstance(each, int) else sum(each) for each in before) + sum(rows)
    start = ends[text - 1] + 1 if text else 0
    return [(role, words) for role, words in (table["runs"][one] for one in numbers[start : ends[text]])]


def _numbers(table: dict[str, Any]) -> list[int]:
    """Return the sentences as indices of spans, each with `_END`, from their differences."""
    numbers: list[int] = []
    for place, difference in enumerate(table["texts"]):
        numbers.append(difference + (numbers[place - table["lag"]] if place >= table["lag"] else 0))
    return numbers


def texts_in(payload: bytes) -> list[str]:
    """Return all pieces of text that packed captions are made of, each once.

    >>> texts_in(pack_captions(["One **query**", "One **key**"]))
    ['One ', 'query', 'key']
    """
    table: bytes = isal_zlib.decompress(payload)
    start, end = (table.index(name) for name in (b'"runs":', b',"texts":'))  # no text has a bare quote
    return [text for _, text in orjson.loads(table[start + len(b'"runs":') : end])]


def _next(payload: bytes) -> list[int | list[int]]:
    """Return the index of each step's sentence, or of each row's, as its difference from the previous one.

    These differences are packed first, so that nothing else need be parsed.
    """
    start = len('{"next":')
    differences: list[int | list[int]]
    differences, _ = json.JSONDecoder().raw_decode(isal_zlib.decompress(payload).decode(), start)
    return differences


@lru_cache(maxsize=64)  # each keeps its text, of up to 60 kB
def check_captions(payload: bytes, n_steps: int, n_rows: int | None) -> None:
    """Check that there is a caption for each position of the sliders.

    Args:
        payload: the result of `pack_captions`.
        n_steps: positions of the slider; n_rows: of the row slider, None where there is none.

    Raises:
        ValueError: if captions are missing or too many; the message has the number that is needed.
    """
    at = _next(payload)
    if len(at) != n_steps:
        raise ValueError(
            f"the slider has {n_steps} positions, so it needs {n_steps} sentences, got {len(at)}"
        )
    for step, rows in enumerate(at):
        if isinstance(rows, list) and len(rows) != n_rows:
            need = "one sentence, for there is no row slider" if n_rows is None else f"{n_rows} sentences"
            raise ValueError(f"step {step} needs {need}, one a row, got {len(rows)}")
