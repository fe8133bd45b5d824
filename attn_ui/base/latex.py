r"""The subset of LaTeX that formulas here use: the symbols of a formula, and the formula as plain text.

A symbol is a letter with its accent, or a word set upright: S, \tilde S, \omega, \mathrm{softmax}. A
subscript is part of the symbol if both together have a meaning, as in d_k and W_q; else its letters are
symbols themselves, as i and j in S_{ij}. `terms.js` finds the same symbols in a rendered formula.
"""

import re
import unicodedata
from collections.abc import Collection, Iterator, Sequence
from functools import cache

Tokens = Sequence[str]
FormulaSpan = tuple[str, str]
"""A text and its style: "" upright, "i" italic, "sub" subscript, "sup" superscript."""

_TOKEN = re.compile(r"\\\\\[[^\]]*\]|\\[A-Za-z]+\*?|\\.|\d+(?:\.\d+)?|\s+|.", re.DOTALL)
_DOLLARS = re.compile(r"\$\$?([^$]+)\$\$?")
_ACCENTS = {r"\tilde": "\N{COMBINING TILDE}", r"\hat": "\N{COMBINING CIRCUMFLEX ACCENT}"}
_ACCENTS |= {r"\bar": "\N{COMBINING MACRON}"}
_WORDS = (r"\mathrm", r"\operatorname", r"\operatorname*")
# Letters of another font are other symbols: the bold 1 of indicators, the R of the real numbers.
_CUTS = {r"\mathbb": "bb ", r"\mathbf": "bf "}
_SILENT = (r"\text", r"\begin", r"\end")
# Functions that are written as words: these are no symbols.
_FUNCTIONS = {"arg", "argmax", "argmin", "cos", "exp", "ln", "log", "max", "min", "sin"}
_GREEK = {
    rf"\{name}": unicodedata.lookup(f"GREEK SMALL LETTER {name.upper()}")
    for name in ("alpha", "beta", "delta", "eta", "kappa", "omega", "sigma")
}
_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_SIGNS = {
    r"\arg": "arg ",
    r"\top": "ᵀ",
    r"\infty": "∞",
    r"\sum": "∑",
    r"\cdot": "·",
    r"\ldots": "…",
    r"\le": "≤",
    r"\ge": "≥",
    r"\neq": "≠",
    r"\times": "×",
    r"\setminus": "∖",
    r"\partial": "∂",
    r"\in": "∈",
}
_GAPS = (r"\quad", r"\qquad")
_RELATIONS = ("=", r"\le", r"\ge", r"\in")
_OPENS, _CLOSES = ("{", r"\left", r"\begin"), ("}", r"\right", r"\end")
_A_LINE = 23.0  # letters of a formula that fit on one line of a phone
_SMALLER = 0.7  # width of a letter in a script, as a share of the usual


def formulas_in(markdown: str) -> list[str]:
    """Return the formulas in a text, which are those between dollar signs.

    >>> formulas_in("The rows of $X$ are $n$ tokens.")
    ['X', 'n']
    """
    return _DOLLARS.findall(markdown)


def symbols(latex: str, compounds: Collection[str]) -> list[str]:
    r"""Return the symbols of a formula in their order, each once, as their keys.

    Args:
        latex: the formula.
        compounds: keys of symbols to which a subscript belongs.

    >>> symbols(r"\tilde S_{ij} = \frac{q \cdot k}{\sqrt{d_k}}", {"d_k"})
    ['S̃', 'i', 'j', 'q', 'k', 'd_k']
    """
    return list(dict.fromkeys(_symbols(_tokens(latex), compounds)))


@cache
def key(symbol: str) -> str:
    r"""Return the key of one symbol, written in LaTeX as in `Term.symbols`.

    >>> key("d_{model}"), key(r"\mathbb R"), key(r"\hat f")
    ('d_model', 'bb R', 'f̂')
    """
    base, rest = _base(_tokens(symbol))
    if not base:
        raise ValueError(f"a symbol: a letter, with an accent or a subscript; got {symbol!r}")
    return f"{base}_{_letters(_group(rest[1:])[0])}" if rest and rest[0] == "_" else base


def subject(formula: str, compounds: Collection[str]) -> str:
    r"""Return the symbol of a formula that is one symbol, with scripts or an argument in brackets; else "".

    >>> subject(r"\bar w_{ij}", ()), subject("O(X)", ()), subject("[p = r]", ()), subject("X W", ())
    ('w̄', 'O', '', '')
    """
    base, rest = _base(_tokens(formula))
    after = _after_scripts(rest)
    is_taken_of = (*after[:1], *after[-1:]) == ("(", ")") and not {"+", "-"} & {*after}
    if not base or (after and not is_taken_of):
        return ""
    return symbols(formula, compounds)[0]


def latex_of(of: str) -> str:
    r"""Return the LaTeX of a key.

    >>> [latex_of(key(symbol)) for symbol in (r"\tilde S", "d_{model}", r"\mathbf 1", r"\omega")]
    ['\\tilde S', 'd_{model}', '\\mathbf 1', '\\omega']
    """
    base, _, under = of.partition("_")
    font = next((font for font, mark in _CUTS.items() if base.startswith(mark)), "")
    plain = unicodedata.normalize("NFD", base.removeprefix(_CUTS.get(font, "")))
    letter, mark = plain[:1], plain[1:]
    accent = next((name for name, each in _ACCENTS.items() if mark == each), "")
    greek = next((name for name, each in _GREEK.items() if each == letter), letter)
    word = rf"\mathrm{{{base}}}" if mark and not accent else greek
    return f"{f'{font or accent} ' if font or accent else ''}{word}" + (f"_{{{under}}}" if under else "")


def _tokens(latex: str) -> Tokens:
    return [token for token in _TOKEN.findall(latex) if not token.isspace() and token not in (r"\,", r"\ ")]


def _group(tokens: Tokens) -> tuple[Tokens, Tokens]:
    """Split off the first group: the tokens in braces, or one token. Return it and the rest."""
    if not tokens or tokens[0] != "{":
        return tokens[:1], tokens[1:]
    depth = 0
    for at, token in enumerate(tokens):
        depth += {"{": 1, "}": -1}.get(token, 0)
        if not depth:
            return tokens[1:at], tokens[at + 1 :]
    return tokens[1:], ()


def _base(tokens: Tokens) -> tuple[str, Tokens]:
    """Split off the letter, accented or not, or the word at the beginning; "" if there is neither."""
    first, rest = tokens[0], tokens[1:]
    if first in _ACCENTS:
        inner, rest = _group(rest)
        letter = _base(inner)[0] if inner else ""
        return (unicodedata.normalize("NFC", letter + _ACCENTS[first]) if letter else ""), rest
    if first in _WORDS or first in _CUTS:
        inner, after = _group(rest)
        word = _letters(inner)
        if first in _CUTS:
            return _CUTS[first] + word, after
        return (word, after) if word.isalpha() and word not in _FUNCTIONS else ("", after)
    if first in _GREEK:
        return _GREEK[first], rest
    return (first if len(first) == 1 and first.isalpha() else ""), rest


def _letters(tokens: Tokens) -> str:
    return "".join(_GREEK.get(token, token) for token in tokens if token.isalnum() or token in _GREEK)


def _symbols(tokens: Tokens, compounds: Collection[str]) -> Iterator[str]:
    while tokens:
        if tokens[0] in _SILENT:
            tokens = _group(tokens[1:])[1]
            continue
        base, rest = _base(tokens)
        if not base:
            tokens = rest
            continue
        under, over = _scripts(rest)
        whole = f"{base}_{_letters(_words(under))}"
        if whole in compounds:
            yield whole
            tokens = (*over, *_after_scripts(rest))
        else:
            yield base
            tokens = (*under, *over, *_after_scripts(rest))


def _words(tokens: Tokens) -> Tokens:
    return [token for token in tokens if token not in (r"\text", r"\mathrm")]


def _scripts(tokens: Tokens) -> tuple[Tokens, Tokens]:
    """Return the subscript and the superscript at the beginning."""
    scripts: dict[str, Tokens] = {"_": (), "^": ()}
    while tokens and tokens[0] in ("_", "^", "'"):
        if tokens[0] == "'":
            tokens = tokens[1:]
            continue
        sign = tokens[0]
        scripts[sign], tokens = _script(tokens[1:])
    return scripts["_"], scripts["^"]


def _script(tokens: Tokens) -> tuple[Tokens, Tokens]:
    r"""Split off a script: a group, a token, or a command with its group, as in ^\mathrm{hard}."""
    if tokens and tokens[0] in (*_WORDS, *_CUTS, r"\text", *_ACCENTS):
        inner, rest = _group(tokens[1:])
        return (tokens[0], "{", *inner, "}"), rest
    return _group(tokens)


def _after_scripts(tokens: Tokens) -> Tokens:
    while tokens and tokens[0] in ("_", "^", "'"):
        tokens = tokens[1:] if tokens[0] == "'" else _script(tokens[1:])[1]
    return tokens


def allow_breaks(latex: str) -> str:
    r"""Let a line that is too long break between formulas, or before a relation such as =, but not after it.

    KaTeX breaks lines after each relation, but not inside braces. So each part that fits on a line of a phone
    is put in braces; a longer part still breaks after its relations.

    Args:
        latex: formulas, some of them joined by ``\\quad`` or ``\\qquad``.

    >>> allow_breaks(r"k = e, \qquad W = Q K = I")
    '{k = e, }\\qquad \\allowbreak {W = Q K }\\allowbreak {{}= I}'
    """
    parts: list[list[str]] = [[]]
    gaps: list[str] = []
    depth, has_relation = 0, False
    for token in _TOKEN.findall(latex):
        depth += (token in _OPENS) - (token in _CLOSES)
        if not depth and token in _GAPS:
            gaps.append(f"{token} ")
            parts.append([])
            has_relation = False
            continue
        if not depth and token in _RELATIONS:
            if has_relation:
                gaps.append("")
                parts.append(["{}"])
            has_relation = True
        parts[-1].append(token)
    first, *more_parts = (_group_part("".join(part).lstrip()) for part in parts)
    return first + "".join(rf"{gap}\allowbreak {part}" for gap, part in zip(gaps, more_parts, strict=True))


def _group_part(part: str) -> str:
    """Put a part in braces if it fits on a line of a phone."""
    return f"{{{part}}}" if part and _width(_TOKEN.findall(part)) <= _A_LINE else part


def _width(tokens: Tokens) -> float:
    """Return a formula's width in letters; a fraction is as wide as its wider part, rows as the widest."""
    if r"\\" in tokens:
        at = tokens.index(r"\\")
        return max(_width(tokens[:at]), _width(tokens[at + 1 :]))
    beside: list[str] = []
    width = 0.0
    while tokens:
        first, tokens = tokens[0], tokens[1:]
        if first in (r"\frac", r"\tfrac"):
            over, tokens = _group(tokens)
            under, tokens = _group(tokens)
            width += max(_width(over), _width(under))
        else:
            beside.append(first)
    spans = inline_spans("".join(beside))
    lengths = ((len(text.replace(" ", "")), role in ("sub", "sup")) for text, role in spans)
    return width + sum(count * (_SMALLER if small else 1) for count, small in lengths)


def text_spans(markdown: str) -> list[FormulaSpan]:
    r"""Return a sentence as spans of text; formulas in it stand between dollar signs.

    >>> text_spans("$d_k$ is the width.")
    [('d', 'i'), ('k', 'sub'), (' is the width.', '')]
    """
    spans: list[FormulaSpan] = []
    for at, piece in enumerate(_DOLLARS.split(markdown)):
        if piece:
            spans.extend(inline_spans(piece) if at % 2 else [(piece, "")])
    return spans


def inline_spans(latex: str) -> list[FormulaSpan]:
    r"""Return a formula as spans of text on one line.

    >>> inline_spans(r"QK^\top / \sqrt{d_k}")
    [('QK', 'i'), ('ᵀ / √', ''), ('d', 'i'), ('k', 'sub')]
    """
    merged: list[FormulaSpan] = []
    for text, role in _spans(_TOKEN.findall(latex), ""):
        before = merged.pop()[0] if merged and merged[-1][1] == role else ""
        merged.append((before + text, role))
    return merged


def _spans(tokens: Tokens, role: str) -> Iterator[FormulaSpan]:
    while tokens:
        first, tokens = tokens[0], tokens[1:]
        if first in ("_", "^"):
            inner, tokens = _script(tokens)
            yield from _script_spans(first, inner, role)
        elif first in (r"\frac", r"\tfrac"):
            over, tokens = _group(tokens)
            under, tokens = _group(tokens)
            yield from _bracket(over, role)
            yield " / ", role
            yield from _bracket(under, role)
        elif first == r"\sqrt":
            inner, tokens = _group(tokens)
            yield "√", role
            yield from _bracket(inner, role)
        elif first in _ACCENTS:
            inner, tokens = _group(tokens if tokens[:1] != [" "] else tokens[1:])
            yield "".join(text for text, _ in _spans(inner, role)) + _ACCENTS[first], role or "i"
        elif first in (*_WORDS, *_CUTS, r"\text"):
            inner, tokens = _group(tokens if tokens[:1] != [" "] else tokens[1:])
            yield "".join(" " if each in (r"\,", "~") else each for each in inner), role
        elif first not in "{}":
            yield _symbol(first, role)


def _script_spans(mark: str, inner: Tokens, role: str) -> Iterator[FormulaSpan]:
    """Yield what stands after `_` or `^`; within another script it keeps the role of that."""
    if list(inner) == [r"\top"]:
        yield _SIGNS[r"\top"], role
        return
    within = role in ("sub", "sup")
    for text, _ in _spans(inner, role):
        yield (
            text.translate(_RAISED) if within and mark == "^" else text,
            role if within else {"_": "sub", "^": "sup"}[mark],
        )


def _symbol(token: str, role: str) -> FormulaSpan:
    """Return one symbol as it is written; letters are italic, names of functions are not."""
    if token in _GREEK:
        return _GREEK[token], role or "i"
    if token in _SIGNS:
        return _SIGNS[token], role
    if token in (r"\,", r"\ ", r"\quad", r"\qquad") or token.isspace():
        return " ", role
    if token.startswith("\\"):
        return (token[1:] if token[1:] in _FUNCTIONS or not token[1:].isalpha() else ""), role
    return token, role or ("i" if token.isalpha() else "")


def _bracket(tokens: Tokens, role: str) -> Iterator[FormulaSpan]:
    """Yield the spans of a part of a fraction or root, in brackets unless it is one symbol."""
    is_single = len([token for token in _after_scripts(tokens[1:]) if not token.isspace()]) == 0
    if is_single:
        yield from _spans(tokens, role)
        return
    yield "(", role
    yield from _spans(tokens, role)
    yield ")", role


# ---- numbers ----

MOST_CELLS = 8  # rows and columns of a matrix in a formula


def matrix_latex(rows: Sequence[Sequence[float]]) -> str:
    r"""Write a matrix; a large one has its first rows and columns only, with dots for the others.

    >>> matrix_latex([[1.0, 0.0], [0.25, 0.75]])
    '\\begin{pmatrix} 1.00 & 0.00 \\\\ 0.25 & 0.75 \\end{pmatrix}'
    >>> matrix_latex([[-0.001]])
    '\\begin{pmatrix} 0.00 \\end{pmatrix}'
    """
    first = [list(row) for row in rows[:MOST_CELLS]]
    # Adding 0.0 turns the -0.0 of a rounded negative number into 0.0.
    lines = [" & ".join(f"{float(f'{cell:.2f}') + 0.0:.2f}" for cell in row[:MOST_CELLS]) for row in first]
    if len(rows[0]) > MOST_CELLS:
        lines = [rf"{line} & \cdots" for line in lines]
    if len(rows) > MOST_CELLS:
        lines.append(" & ".join([r"\vdots"] * min(len(rows[0]), MOST_CELLS)))
    body = r" \\ ".join(lines)
    return rf"\begin{{pmatrix}} {body} \end{{pmatrix}}"
