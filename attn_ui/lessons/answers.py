"""Answers of a lesson: computed from the pages, and compared with what somebody typed."""

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from attn_ui.base.markdown import plain
from attn_ui.lessons.lesson import COMPARED, LessonQuestion, LessonText
from attn_ui.lessons.quantity import USUAL_FORM, Quantity, Tables, format_value, options, value
from attn_words import N_, _, _c

Figures = Callable[[str], Tables]
"""Returns the maps and curves of the figure at a link; ValueError or LookupError if there is none."""

ShowName = Callable[[Quantity, str], str]
"""Returns how a name of a figure, which is in English in every lesson, is shown."""

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
    """The computed answer: its text, the numbers behind it, and the options to choose from."""

    answer: str
    reason: str
    number: float | None = None
    options: tuple[str, ...] = ()
    ties: tuple[str, ...] = ()  # names that are as right as the answer


def truth(question: LessonQuestion, link: str, figures: Figures) -> Truth:
    """Compute a question's answer at the link of its step.

    Raises:
        ValueError: it cannot be computed; the message has the reason.
    """
    of = question.of.at(link)
    computed = value(of, figures(of.link))
    if question.kind == "which":
        numbers = _row(of, figures(of.link))
        best = numbers[str(computed)]
        ties = tuple(name for name, number in numbers.items() if _close(number, best))
        return Truth(
            str(computed), _why(of, numbers, ties), None, tuple(question.options) or tuple(numbers), ties
        )
    assert not isinstance(computed, str)
    if question.kind == "number":
        reason = _("{quantity} is {number}", quantity=describe(of), number=_exact(computed))
        return Truth(format_value(computed, of.form), reason, computed)
    assert question.than is not None
    than = question.than.at(link)
    other = value(than, figures(than.link))
    assert not isinstance(other, str)
    first, second, neither = COMPARED[question.kind]
    answer = neither if _close(computed, other) else first if computed > other else second
    parts = {"quantity": describe(of), "number": _exact(computed), "other": _exact(other)}
    if question.kind == "trend":
        reason = _("{quantity} goes from {number} to {other}", **parts)
    elif of.name == than.name:  # at two links
        reason = _("{quantity} is {number} the first time, {other} the second", **parts)
    else:
        reason = _("{quantity} is {number}, {than} is {other}", **parts, than=describe(than))
    return Truth(answer, reason, options=(first, second, neither))


def is_right(question: LessonQuestion, truth: Truth, answer: str | float) -> bool:
    """Tell whether an answer is right; a number may be off by the question's tolerance."""
    if truth.number is None:
        return answer == truth.answer or answer in truth.ties
    if isinstance(answer, str):
        return False
    allowed = question.within
    if allowed is None:
        # Half a unit of a whole number's last digit would accept 0.4 for 0.
        digit = _half_a_digit(question.answer)
        allowed = max(_TWENTIETH * abs(truth.number), digit if digit < _TWENTIETH else 0.1 * _TWENTIETH)
    return abs(answer - truth.number) <= allowed + 1e-12


def is_share_in_percent(question: LessonQuestion, truth: Truth, percent: float) -> bool:
    """Whether a wrong answer is right in percent: 24.8 was typed where the answer is 24.8%."""
    if truth.number is None or not 0 < truth.number <= 1 < percent:
        return False
    return is_right(question, truth, percent / 100)


def states_truth(question: LessonQuestion, truth: Truth) -> bool:
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
        ValueError: it is not a number, or not a finite one.

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


def fill_in(text: LessonText, link: str, figures: Figures, show_name: ShowName | None = None) -> str:
    """Return a text with its quantities computed.

    Args:
        text, link: of the lesson; figures: returns the numbers at a link.
        show_name: returns the text to show for a name, the value of one of `CHOICES`.

    Raises:
        ValueError: a quantity cannot be computed; the message has the reason.
    """
    markdown = text.markdown
    for mark, quantity in text.quantities.items():
        here = quantity.at(link)
        computed = value(here, figures(here.link))
        if isinstance(computed, str):
            content = plain(show_name(here, computed) if show_name else computed)
        else:
            content = format_value(computed, here.form)
        markdown = markdown.replace(mark, content)
    return markdown


def without_markup(markdown: str) -> str:
    r"""Return markdown as one plain line, its formulas in plain signs.

    >>> without_markup(r"How much does *the* give to $k_2$, divided by $\sqrt{d_k}$?")
    'How much does the give to k_2, divided by √d_k?'
    >>> without_markup(r"$\tfrac12 \frac{q \cdot k}{\sqrt 2} \le \sigma^{-1}\,\mathrm{softmax}\Bigl(x\Bigr)$")
    '1/2 (q · k) / √2 ≤ σ^(-1) softmax(x)'
    """
    parts = re.split(r"(?<!\\)\$(.+?)(?<!\\)\$", markdown, flags=re.DOTALL)
    parts[1::2] = map(_in_signs, parts[1::2])
    return " ".join(re.sub(r"[*`$]|\\(?=[^\w\s])", "", "".join(parts)).split())


_SIGNS = {
    "cdot": "·", "times": "×", "odot": "⊙", "pm": "±", "le": "≤", "leq": "≤", "ge": "≥", "geq": "≥",
    "ne": "≠", "neq": "≠", "approx": "≈", "mid": "|", "to": "→", "infty": "∞", "sum": "∑", "top": "ᵀ",
    "sqrt": "√", "ldots": "…", "dots": "…", "lVert": "‖", "rVert": "‖", "lvert": "|", "rvert": "|",
}  # fmt: skip


def _in_signs(latex: str) -> str:
    """Return a short formula without LaTeX; a command without a sign of its own becomes its name."""
    text = re.sub(r"\\([Bb]igg?[lr]?|left|right)\b", "", latex.replace(r"\|", "‖"))
    text = re.sub(r"\\[dt]?frac(\d)(\d)", r"\1/\2 ", text)
    text = re.sub(r"\\[,;:! ]", " ", text.replace(r"^\top", "ᵀ").replace(r"^{\top}", "ᵀ"))
    text = re.sub(r"\\(?:text|operatorname|math[a-z]+|tilde|hat|bar)\s*\{([^{}]*)\}", r"\1", text)
    text = re.sub(
        r"\\sqrt\s*\{([^{}]*)\}|\\sqrt\s*(\w)", lambda match: f"√{_grouped(match[1] or match[2])}", text
    )
    text = re.sub(
        r"\\[dt]?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}",
        lambda match: f"{_grouped(match[1])} / {_grouped(match[2])}",
        text,
    )
    text = re.sub(r"([_^])\{([^{}]*)\}", lambda match: match[1] + _grouped(match[2]), text)
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


def _half_a_digit(number: str) -> float:
    """Return half a unit of the last digit of a written number."""
    percent = 0.01 if number.rstrip().endswith("%") else 1.0
    mantissa, _, power = number.lower().rstrip("% ").partition("e")
    decimals = len(mantissa.partition(".")[2])
    return float(0.5 * 10.0 ** (int(power or 0) - decimals) * percent)


def _exact(number: float) -> str:
    return format_value(number, ".4g" if abs(number) >= 1e-4 else USUAL_FORM)


def _close(one: float, other: float) -> bool:
    return abs(one - other) <= SAME * max(abs(one), abs(other))


def _row(of: Quantity, tables: Tables) -> dict[str, float]:
    """Return the numbers that a quantity chooses from, by their names."""
    values = {name: value(Quantity(of.panel, (*of.cell, name)), tables) for name in options(of, tables)}
    return {name: number for name, number in values.items() if not isinstance(number, str)}


def describe(of: Quantity) -> str:
    """Return the words for a quantity in a sentence, without its link.

    >>> describe(Quantity("weights", ("2.5", "2.24"))), describe(Quantity("weights", ("2.5",), "spread"))
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


def _why(of: Quantity, numbers: dict[str, float], best: Sequence[str]) -> str:
    """Return a sentence with the number of the best names, and that of the next one."""
    rest = sorted(
        (name for name in numbers if name not in best),
        key=lambda name: numbers[name],
        reverse=of.of == "largest",
    )
    names = _c("between two values", " and ").join(best)
    puts = _("{row} has {number} on {names}", row=describe(of), names=names, number=_exact(numbers[best[0]]))
    if not rest:
        return puts
    return _("{puts}, then {number} on {next}", puts=puts, next=rest[0], number=_exact(numbers[rest[0]]))
