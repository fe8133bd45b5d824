"""Lines of programs that make weights: drawn as the page draws them, or written out as set by hand."""

from collections.abc import Sequence

from attn_ui.base.program_lines import drawn_weights
from attn_ui.base.weight_tables import Given

Rows = Sequence[Sequence[float]]
BY_HAND = "# Set by hand, as X W takes them: (d_in, d_out). nn.Linear keeps the transpose."


def draw_lines(*, is_normal: bool, factor: str) -> str:
    """Write the lines that draw `weight` (d_out, d_in) from `generator`.

    Args:
        is_normal: whether numbers are standard normal, else uniform from -1 to 1.
        factor: what they are multiplied by, as an expression.

    >>> print(draw_lines(is_normal=True, factor="1.0"), end="")
    weight = torch.randn(d_out, d_in, generator=generator)
    """
    drawn = f"torch.rand{'n' * is_normal}(d_out, d_in, generator=generator)"
    scaled = "weight" if is_normal else "(2 * weight - 1)"
    last = "" if is_normal and factor == "1.0" else f"weight = {scaled} * {factor}\n"
    return f"weight = {drawn}\n{last}"


def filled(module: str, linears: Sequence[str], seed: int, *, bias: bool, fill: str, weights: Given) -> str:
    """Write the lines that fill a module's linear maps: those drawn from the seed, and those set by hand.

    Args:
        module: its name; linears: of its maps, in the order in which the page draws them.
        seed: of the page; bias: whether the maps have one.
        fill: how `W.weight` is drawn, see `attn_core.Init`.
        weights: those set by hand.

    >>> print(filled("head", ["W_q"], 4, bias=False, fill="", weights=(("W_q", ((1.0,), (0.5,))),)))
    # Set by hand, as X W takes them: (d_in, d_out). nn.Linear keeps the transpose.
    head.W_q.weight = nn.Parameter(torch.tensor([
        [1.0],
        [0.5],
    ]).T)
    """
    some_drawn = len(weights) < len(linears) * (2 if bias else 1)
    lines = [drawn_weights(module, linears, seed, bias=bias, fill=fill)] if some_drawn else []
    return "\n".join([*lines, *by_hand(module, weights)])


def by_hand(module: str, weights: Given) -> list[str]:
    """Write the lines that set a module's weights and biases."""
    lines = [BY_HAND] * bool(weights)
    for name, rows in weights:
        part = f"{module}.W{name[1:]}." + ("weight" if name.startswith("W") else "bias")
        turned = ".T" if name.startswith("W") else ""
        lines.append(f"{part} = nn.Parameter({as_given(name, rows)}{turned})")
    return lines


def as_given(name: str, rows: Rows, dtype: str = "") -> str:
    """Write a weight out as a matrix, a bias as a vector, with all digits.

    >>> print(as_given("b_q", [[1.0, 0.1]]))
    torch.tensor([1.0, 0.1])
    """
    more = f", dtype={dtype}" if dtype else ""
    if not name.startswith("W"):
        return f"torch.tensor({[float(number) for number in rows[0]]}{more})"
    lines = ",\n".join(f"    {[float(number) for number in row]}" for row in rows)
    return f"torch.tensor([\n{lines},\n]{more})"
