"""What is so at a step: quantities computed from the pages, and what somebody answered held against it."""

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from attn_ui.base.markdown import plain
from attn_ui.lessons.lesson import COMPARED, Question, Text
from attn_ui.lessons.quantity import USUAL_FORM, Quantity, Tables, options, value, written
from attn_words import N_, _, _c

Figures = Callable[[str], Tables]
"""The maps and curves of the figure at a link; ValueError or LookupError says why there is none."""

Named = Callable[[Quantity, str], str]
"""How a name is shown that a figure has in English, and a lesson in every language."""

_MEASURES = {
    "sum": N_("sum"),
    "mean": N_("mean"),
    "deviation": N_("standard deviation"),
    "greatest": N_("largest number"),
    "least": N_("smallest number"),
    "size": N_("length"),
    "spread": N_("effective number"),
}
SAME = 1e-6  # of the larger: two numbers that differ by less are equal
_TWENTIETH = 0.05


@dataclass(frozen=True)
class Truth:
    """What is so: the answer as a text, the numbers that say why, and what there is to choose from."""

    answer: str
    said: str
    number: float | None = None
    options: tuple[str, ...] = ()
    ties: tuple[str, ...] = ()  # what is as right as the answer


def truth(question: Question, link: str, figures: Figures) -> Truth:
    """Compute a question's answer at the link of its step.

    Raises:
        ValueError: it cannot be computed, with the reason.
    """
    of = question.of.at(link)
    found = value(of, figures(of.link))
    if question.kind == "which":
        numbers = _row(of, figures(of.link))
        best = numbers[str(found)]
        ties = tuple(name for name, number in numbers.items() if _close(number, best))
        return Truth(
            str(found), _why(of, numbers, ties), None, tuple(question.options) or tuple(numbers), ties
        )
    assert not isinstance(found, str)
    if question.kind == "number":
        said = _("{quantity} is {number}", quantity=called(of), number=_exact(found))
        return Truth(written(found, of.form), said, found)
    assert question.than is not None
    than = question.than.at(link)
    other = value(than, figures(than.link))
    assert not isinstance(other, str)
    first, second, neither = COMPARED[question.kind]
    answer = neither if _close(found, other) else first if found > other else second
    told = {"quantity": called(of), "number": _exact(found), "other": _exact(other)}
    if question.kind == "trend":
        said = _("{quantity} goes from {number} to {other}", **told)
    elif of.name == than.name:  # at two links
        said = _("{quantity} is {number} the first time, {other} the second", **told)
    else:
        said = _("{quantity} is {number}, {than} is {other}", **told, than=called(than))
    return Truth(answer, said, options=(first, second, neither))


def is_right(question: Question, truth: Truth, said: str | float) -> bool:
    """Tell whether an answer is right; a number may be off by what the question allows."""
    if truth.number is None:
        return said == truth.answer or said in truth.ties
    if isinstance(said, str):
        return False
    allowed = question.within
    if allowed is None:
        # Half of a whole number's last digit would take 0.4 for 0.
        digit = _half_a_digit(question.answer)
        allowed = max(_TWENTIETH * abs(truth.number), digit if digit < _TWENTIETH else 0.1 * _TWENTIETH)
    return abs(said - truth.number) <= allowed + 1e-12


def is_share_in_percent(question: Question, truth: Truth, said: float) -> bool:
    """Tell whether a wrong answer is right in percent: the page says 24.8%, and 24.8 was typed."""
    return truth.number is not None and 0 < truth.number <= 1 < said and is_right(question, truth, said / 100)


def stated(question: Question, truth: Truth) -> bool:
    """Tell whether the answer that the lesson states is the computed one, to the digits that it states."""
    if truth.number is None:
        return question.answer in (truth.answer, *truth.ties)
    try:
        number = read_number(question.answer)
    except ValueError:
        return False
    return abs(number - truth.number) <= _half_a_digit(question.answer) * (1 + 1e-9)


def read_number(text: str) -> float:
    """Read a number as a lesson or a student writes it: 0.18, −2, 1e-3, 25%.

    Raises:
        ValueError: it is none, or none that is finite.

    >>> read_number("−0,5"), read_number("25 %"), read_number("2,048"), read_number("2 × 10⁻⁸")
    (-0.5, 0.25, 2048.0, 2e-08)
    """
    plain = unicodedata.normalize("NFKC", text.strip()).replace("−", "-")
    plain = re.sub(r"\s*[×x*·]\s*10\s*(?:\^|\*\*)?\s*(?=[+-]?\d)", "e", plain)
    if re.fullmatch(r"[+-]?[1-9]\d{0,2}(,\d{3})+(\.\d*)?", plain):
        plain = plain.replace(",", "")  # thousands
    plain = plain.replace(",", ".") if plain.count(",") == 1 else plain
    plain, percent = (plain[:-1].strip(), 0.01) if plain.endswith("%") else (plain, 1.0)
    if not re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d{1,2})?", plain, re.IGNORECASE):
        raise ValueError(f"wanted a number as 0.25, got {text!r:.40}")
    return float(plain) * percent


def said(text: Text, link: str, figures: Figures, named: Named | None = None) -> str:
    """Return a text with its quantities computed.

    Args:
        text, link: as the lesson has them; figures: what is asked.
        named: how the name is shown that one of `CHOICES` comes to.

    Raises:
        ValueError: one of them cannot be computed, with the reason.
    """
    markdown = text.markdown
    for mark, quantity in text.quantities.items():
        here = quantity.at(link)
        found = value(here, figures(here.link))
        if isinstance(found, str):
            shown = plain(named(here, found) if named else found)
        else:
            shown = written(found, here.form)
        markdown = markdown.replace(mark, shown)
    return markdown


def bare(markdown: str) -> str:
    r"""Return text without the marks of markdown, on one line, and its formulas in plain signs.

    >>> bare(r"How much does *the* give to $k_2$, divided by $\sqrt{d_k}$?")
    'How much does the give to k_2, divided by √d_k?'
    >>> bare(r"$\frac{q \cdot k}{\sqrt 2} \le \sigma^{-1}\,\mathrm{softmax}(x)$")
    '(q · k) / √2 ≤ σ^(-1) softmax(x)'
    """
    parts = re.split(r"(?<!\\)\$(.+?)(?<!\\)\$", markdown)
    parts[1::2] = map(_in_signs, parts[1::2])
    return " ".join(re.sub(r"[*`$]|\\(?=[^\w\s])", "", "".join(parts)).split())


_SIGNS = {
    "cdot": "·", "times": "×", "odot": "⊙", "pm": "±", "le": "≤", "leq": "≤", "ge": "≥", "geq": "≥",
    "ne": "≠", "neq": "≠", "approx": "≈", "mid": "|", "to": "→", "infty": "∞", "sum": "∑", "top": "ᵀ",
    "sqrt": "√", "ldots": "…", "dots": "…", "lVert": "‖", "rVert": "‖", "lvert": "|", "rvert": "|",
    "left": "", "right": "",
}  # fmt: skip


def _in_signs(latex: str) -> str:
    """Return a short formula without LaTeX: what has no sign of its own is named."""
    text = re.sub(
        r"\\[,;:! ]", " ", latex.replace(r"\|", "‖").replace(r"^\top", "ᵀ").replace(r"^{\top}", "ᵀ")
    )
    text = re.sub(r"\\(?:text|operatorname|math[a-z]+|tilde|hat|bar)\s*\{([^{}]*)\}", r"\1", text)
    text = re.sub(
        r"\\sqrt\s*\{([^{}]*)\}|\\sqrt\s*(\w)", lambda found: f"√{_grouped(found[1] or found[2])}", text
    )
    text = re.sub(
        r"\\[dt]?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}",
        lambda found: f"{_grouped(found[1])} / {_grouped(found[2])}",
        text,
    )
    text = re.sub(r"([_^])\{([^{}]*)\}", lambda found: found[1] + _grouped(found[2]), text)
    text = re.sub(r"(?<!\\)[{}]", "", text)
    return re.sub(r"\\([A-Za-z]+)", _sign, text)


def _grouped(text: str) -> str:
    return text if re.fullmatch(r"√?\w+", text) else f"({text})"


def _sign(command: re.Match[str]) -> str:
    name = command[1]
    size = "SMALL" if name[0].islower() else "CAPITAL"
    try:
        return (
            _SIGNS[name]
            if name in _SIGNS
            else unicodedata.lookup(f"GREEK {size} LETTER {name.upper().replace('LAMBDA', 'LAMDA')}")
        )
    except KeyError:
        return name


def _half_a_digit(stated: str) -> float:
    """Half a unit of the last digit that is written."""
    percent = 0.01 if stated.rstrip().endswith("%") else 1.0
    mantissa, _, power = stated.lower().rstrip("% ").partition("e")
    decimals = len(mantissa.partition(".")[2])
    return float(0.5 * 10.0 ** (int(power or 0) - decimals) * percent)


def _exact(number: float) -> str:
    return written(number, ".4g" if abs(number) >= 1e-4 else USUAL_FORM)


def _close(one: float, other: float) -> bool:
    return abs(one - other) <= SAME * max(abs(one), abs(other))


def _row(of: Quantity, tables: Tables) -> dict[str, float]:
    """Return the numbers of what is chosen from, by their names."""
    found = {name: value(Quantity(of.panel, (*of.cell, name)), tables) for name in options(of, tables)}
    return {name: number for name, number in found.items() if not isinstance(number, str)}


def called(of: Quantity) -> str:
    """Return what a quantity is called in a sentence, without where it is taken.

    >>> called(Quantity("weights", ("2.5", "2.24"))), called(Quantity("weights", ("2.5",), "spread"))
    ('row 2.5 of weights at 2.24', 'effective number in row 2.5 of weights')
    """
    panel = _(of.panel)
    if len(of.cell) == 2:
        place = _("row {row} of {panel} at {column}", panel=panel, row=of.cell[0], column=of.cell[1])
    elif of.cell and of.of:
        place = _("row {row} of {panel}", panel=panel, row=of.cell[0])
    else:
        place = _("{panel} at {x}", panel=panel, x=of.cell[0]) if of.cell else panel
    if of.of not in _MEASURES:
        return place
    return _("{measure} in {place}", measure=_(_MEASURES[of.of]), place=place)


def _why(of: Quantity, numbers: dict[str, float], chosen: Sequence[str]) -> str:
    """Say the number of what is chosen, and of the next."""
    rest = sorted(
        (name for name in numbers if name not in chosen),
        key=lambda name: numbers[name],
        reverse=of.of == "largest",
    )
    names = _c("between two values", " and ").join(chosen)
    puts = _("{row} has {number} on {names}", row=called(of), names=names, number=_exact(numbers[chosen[0]]))
    if not rest:
        return puts
    return _("{puts}, then {number} on {next}", puts=puts, next=rest[0], number=_exact(numbers[rest[0]]))
