"""One cell of a head worked out by hand: numbers in, tables of markdown out, in the digits of the hover."""

from collections.abc import Sequence
from dataclasses import dataclass

from attn_ui.frame import coloured

MOST_TERMS = 8  # of a sum that is written out


@dataclass(frozen=True)
class Cell:
    """The numbers that one query and one key go through; labels are as typed.

    ``exponentials`` and ``weights`` are those of the whole row, ``values`` (n_key, d_v), ``output`` the row
    of the output.
    """

    query_label: str
    key_label: str
    key_labels: Sequence[str]
    key_index: int
    query: Sequence[float]
    key: Sequence[float]
    score: float
    factor: str
    temperature: float
    scaled: float
    allowed: bool
    row_allowed: Sequence[bool]
    largest: float
    exponentials: Sequence[float]
    row_sum: float
    weights: Sequence[float]
    values: Sequence[Sequence[float]]
    output: Sequence[float]


def number(value: float) -> str:
    """Write a number as the hover does, six significant digits.

    >>> number(-0.5), number(1234567.0)
    ('−0.5', '1.23457e+06')
    """
    return f"{value + 0.0:.6g}".replace("-", "−")


def products(cell: Cell) -> str:
    """Write the dot product out, one dimension a row."""
    q, k = coloured("query", cell.query_label), coloured("key", cell.key_label)
    rows = [f"| dimension | {q} | {k} | product |", "|---|---:|---:|---:|"]
    for dimension, (one, other) in enumerate(zip(cell.query, cell.key, strict=True), start=1):
        rows.append(
            f"| {dimension} | :violet[{number(one)}] | :orange[{number(other)}] | {number(one * other)} |"
        )
    rows.append(f"| **sum: the score** | | | **{number(cell.score)}** |")
    return "\n".join(rows)


def steps(cell: Cell) -> str:
    """Write the way from the score to the weight, one operation a row."""
    rows = [
        ("score", "q · k", number(cell.score)),
        (
            "scaled",
            f"{number(cell.score)} {cell.factor} ÷ {cell.temperature:.2f}",
            number(cell.scaled),
        ),
    ]
    if not any(cell.row_allowed):
        rows += [
            ("masked", "+ −∞, as every key of this row", "−∞"),
            ("weight", "a row of nothing is zero", "0"),
        ]
    elif not cell.allowed:
        rows += [
            ("masked", f"{number(cell.scaled)} − ∞", "−∞"),
            ("exp", "exp(−∞)", "0"),
            ("weight", f"0 ÷ {number(cell.row_sum)}", f"{0:.6f}"),
        ]
    else:
        exponential = cell.exponentials[cell.key_index]
        rows += [
            ("mask", f"{number(cell.scaled)} + 0: may attend", number(cell.scaled)),
            (
                "exp, less the row's largest",
                f"exp({number(cell.scaled)} − {_signed(cell.largest)})",
                number(exponential),
            ),
            ("sum of the row", _sum(cell), number(cell.row_sum)),
            (
                "weight",
                f"{number(exponential)} ÷ {number(cell.row_sum)}",
                f"{cell.weights[cell.key_index]:.6f}",
            ),
        ]
    lines = ["| step | | result |", "|---|---|---:|"]
    lines += [f"| {name} | {work} | {result} |" for name, work, result in rows[:-1]]
    name, work, result = rows[-1]
    return "\n".join([*lines, f"| **{name}** | {work} | **{result}** |"])


def mixture(cell: Cell) -> str:
    """Write the row of the output as the sum of weighted values, one key a row; the selected one in bold."""
    width = len(cell.output)
    heads = " | ".join(f":green[{dimension}]" for dimension in range(1, width + 1))
    lines = [f"| key | weight | {heads} |", "|---|---:|" + "---:|" * width]
    shown = range(len(cell.weights)) if len(cell.weights) <= MOST_TERMS else [cell.key_index]
    for index in shown:
        weight = cell.weights[index]
        shares = [number(weight * value) for value in cell.values[index]]
        line = [coloured("key", cell.key_labels[index]), f"{weight:.6f}", *shares]
        if index == cell.key_index:
            line = [f"**{part}**" for part in line]
        lines.append(f"| {' | '.join(line)} |")
    if len(shown) < len(cell.weights):
        rest = 1.0 * sum(weight for index, weight in enumerate(cell.weights) if index != cell.key_index)
        own = cell.weights[cell.key_index]
        others = [
            number(total - own * value)
            for total, value in zip(cell.output, cell.values[cell.key_index], strict=True)
        ]
        lines.append(f"| the other {len(cell.weights) - 1} keys | {rest:.6f} | {' | '.join(others)} |")
    total = " | ".join(number(value) for value in cell.output)
    lines.append(f"| output of {coloured('query', cell.query_label)} | {sum(cell.weights):.6f} | {total} |")
    return "\n".join(lines)


def _sum(cell: Cell) -> str:
    terms = [number(e) for e, allowed in zip(cell.exponentials, cell.row_allowed, strict=True) if allowed]
    if len(terms) > MOST_TERMS:
        return f"{' + '.join(terms[:3])} + … ({len(terms)} terms)"
    return " + ".join(terms)


def _signed(value: float) -> str:
    return f"({number(value)})" if value < 0 else number(value)
