"""The tab that hands over a page's numbers to take away: as a program in three spellings, or as a formula."""

from collections.abc import Callable, Sequence

import streamlit as st

from attn_ui import controls
from attn_ui.numpy_code import in_numpy
from attn_ui.shared_settings import CODE

_SAYS = {
    "PyTorch": "Runs as it is, with {needs} alone.",
    "NumPy": "Runs as it is, with NumPy{package} alone; what PyTorch's generator draws is drawn again.",
    "attn_core": "The short one, with the packages of this app: `pip install .` in its folder.",
    "LaTeX": "The formula with the numbers on this page, for a text or a slide.",
}
MOST_CELLS = 8  # rows and columns of a matrix in a formula


def offer(
    torch_program: Callable[[], str],
    short_program: Callable[[], str],
    formula: Callable[[], str],
    *,
    prints: str,
    numpy_program: Callable[[], str] | None = None,
    package: str = "",
) -> None:
    """Offer a page's programs and its formula; only the one that is open is made.

    Args:
        torch_program: in PyTorch.
        short_program: with attn_core and attn_figures.
        formula: LaTeX with the present numbers.
        prints: what each program prints, in words.
        numpy_program: in NumPy; made from the one in PyTorch unless it is given.
        package: one that the first two need besides, by its name.
    """
    kind = controls.segment(CODE, "Program", label_visibility="collapsed")
    more = f" and the package `{package}`" if package else ""
    told = _SAYS[kind].format(needs=f"PyTorch{more}", package=more)
    if kind == "LaTeX":
        st.markdown(told)
        text = formula()
        st.latex(text)
        st.code(text, language="latex")
        return
    if kind == "NumPy":
        program = in_numpy(torch_program()) if numpy_program is None else numpy_program()
    else:
        program = short_program() if kind == "attn_core" else torch_program()
    st.markdown(f"{told} It prints {prints}.")
    st.code(program, language="python")


def printing(*names: str) -> str:
    r"""Return the end of a program in PyTorch: it prints what is on the page, in plain decimals.

    >>> print(printing("weights"), end="")
    torch.set_printoptions(sci_mode=False, linewidth=120)
    print("weights:", weights, sep="\n")
    """
    lines = "".join(f'print("{name}:", {name}, sep="\\n")\n' for name in names)
    return f"torch.set_printoptions(sci_mode=False, linewidth=120)\n{lines}"


def in_latex(rows: Sequence[Sequence[float]], form: str = ".2f") -> str:
    r"""Write a matrix; of a large one its first rows and columns, with dots for the others.

    >>> in_latex([[1.0, 0.0], [0.25, 0.75]])
    '\\begin{pmatrix} 1.00 & 0.00 \\\\ 0.25 & 0.75 \\end{pmatrix}'
    >>> in_latex([[-0.001]])
    '\\begin{pmatrix} 0.00 \\end{pmatrix}'
    """
    cut = [list(row) for row in rows[:MOST_CELLS]]
    # A second rounding takes the sign from what the first one makes zero.
    lines = [
        " & ".join(f"{float(f'{cell:{form}}') + 0.0:{form}}" for cell in row[:MOST_CELLS]) for row in cut
    ]
    if len(rows[0]) > MOST_CELLS:
        lines = [rf"{line} & \cdots" for line in lines]
    if len(rows) > MOST_CELLS:
        lines.append(" & ".join([r"\vdots"] * min(len(rows[0]), MOST_CELLS)))
    joined = r" \\ ".join(lines)
    return rf"\begin{{pmatrix}} {joined} \end{{pmatrix}}"
