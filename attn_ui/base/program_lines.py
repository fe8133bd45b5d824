"""Lines that the pages' programs share: imports, the vectors of the words, and what fills the weights."""

import ast
from collections.abc import Sequence
from itertools import pairwise
from textwrap import indent

FLOAT64 = "torch.set_default_dtype(torch.float64)"
_STANDARD = frozenset({"hashlib", "math", "pathlib"})
_OWN = frozenset({"attn_core", "attn_figures"})
# What a program that names these imports.
_USED = {
    "hashlib.": "import hashlib",
    "math.": "import math",
    "torch.": "import torch",
    "nn.": "from torch import nn",
    "linear(": "from torch.nn.functional import linear",
}

WORD_VECTOR = """def word_vector(word, width, seed):
    # Drawn from the word itself: the same word has the same vector wherever it stands.
    digest = hashlib.sha256(f"{seed}\\n{word}".encode("utf-8", "surrogatepass")).digest()
    generator = torch.Generator().manual_seed(int.from_bytes(digest[:8], "big") >> 1)
    return torch.randn(width, generator=generator)"""


def program(*parts: str, dtype: str = FLOAT64) -> str:
    """Join parts of a program in PyTorch: what they import first, then float64, as most pages compute.

    Where `dtype` is empty, numbers are of PyTorch's own type. Empty parts are left out. A part that is a
    class or a function, or ends with one, stands apart.

    >>> print(program("x = torch.ones(math.floor(2.5))", "print(x)"), end="")
    import math
    <BLANKLINE>
    import torch
    <BLANKLINE>
    torch.set_default_dtype(torch.float64)
    <BLANKLINE>
    x = torch.ones(math.floor(2.5))
    <BLANKLINE>
    print(x)
    """
    imports: set[str] = set()
    bodies = [dtype] if dtype else []
    for part in filter(None, parts):
        lines, left = part.splitlines(), []
        named = {
            node.lineno - 1: ast.unparse(node)
            for node in ast.parse(part).body
            if isinstance(node, ast.Import | ast.ImportFrom)
        }
        imports.update(named.values())
        left = [line for at, line in enumerate(lines) if at not in named]
        if body := "\n".join(left).strip("\n"):
            bodies.append(body)
    text = bodies[0]
    for before, after in pairwise(bodies):
        text += ("\n\n\n" if _ends_in_block(before) or _is_block(after) else "\n\n") + after
    called = _names_called(text)
    imports.update(line for name, line in _USED.items() if name in called)
    apart = "\n" if imports and _is_block(bodies[0]) else ""
    return _listed(imports) + apart + text + "\n"


def _names_called(text: str) -> set[str]:
    """Return the modules that a text takes something from, with a dot, and linear where it is called."""
    found = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            found.add(f"{node.value.id}.")
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            found.add(f"{node.func.id}(")
    return found


def _is_block(part: str) -> bool:
    return isinstance(ast.parse(part).body[0], ast.FunctionDef | ast.ClassDef)


def _ends_in_block(part: str) -> bool:
    return isinstance(ast.parse(part).body[-1], ast.FunctionDef | ast.ClassDef)


def _listed(imports: set[str]) -> str:
    """List imports as they are usually sorted: the standard library's, then others, then this app's."""
    groups: tuple[list[str], list[str], list[str]] = ([], [], [])
    for line in sorted(imports, key=lambda line: (line.startswith("from"), line)):
        package = line.split()[1].partition(".")[0]
        groups[0 if package in _STANDARD else 2 if package in _OWN else 1].append(line)
    # torch's own parts come after torch, and other packages before it.
    groups[1].sort(key=lambda line: (line.split()[1], line.startswith("from")))
    return "".join("\n".join(group) + "\n\n" for group in groups if group)


def weights_of(*, masked: bool) -> list[str]:
    """Write the lines from scaled scores to weights, under a mask or none."""
    if not masked:
        return ["weights = torch.softmax(scores, dim=-1)  # each row sums to one"]
    return [
        "scores = scores.masked_fill(~mask, -torch.inf)",
        "# Each row sums to one; one with every key masked is zero.",
        "weights = torch.softmax(scores, dim=-1).nan_to_num()",
    ]


# ---- vectors ----


def given(name: str, rows: Sequence[Sequence[float]], note: str = "") -> str:
    """Write numbers out, one row a line.

    >>> print(given("X", [[1.0, 0.1]], "(n, d_model)"))
    X = torch.tensor([
        [1.0, 0.1],
    ])  # (n, d_model)
    """
    lines = ",\n".join(f"    [{', '.join(map(_number, row))}]" for row in rows)
    return f"{name} = torch.tensor([\n{lines},\n])" + (f"  # {note}" if note else "")


def _number(number: float) -> str:
    """Write a number with all its digits."""
    return repr(float(number))


def word_list(name: str, tokens: Sequence[str]) -> str:
    """Write words as literals, so that nothing typed can become code."""
    return f"{name} = {[str(token) for token in tokens]!r}"


def drawn(name: str, words: str, tokens: Sequence[str], *, width: int, seed: int, note: str = "") -> str:
    """Write vectors as they are drawn from the words and the seed; `WORD_VECTOR` stands before.

    Args:
        name: of the vectors; words: of the list of words.
        tokens: the words; width, seed: of their vectors.
        note: a comment.
    """
    return (
        f"{word_list(words, tokens)}\n"
        f"{name} = torch.stack([word_vector(word, {width}, {seed}) for word in {words}])"
        + (f"  # {note}" if note else "")
    )


# ---- weights ----


def drawn_weights(
    module: str,
    names: Sequence[str],
    seed: int,
    *,
    bias: bool,
    fill: str = "nn.init.xavier_uniform_(W.weight)",
) -> str:
    """Write the lines that fill a module's linear maps as the page does, from the seed: `fill` a weight each.

    >>> print(drawn_weights("attention", ["W_q", "W_k"], 4, bias=False))
    torch.manual_seed(4)
    for W in (attention.W_q, attention.W_k):
        nn.init.xavier_uniform_(W.weight)
    """
    text = (
        f"torch.manual_seed({seed})\n"
        f"for W in ({', '.join(f'{module}.{name}' for name in names)}):\n" + indent(fill, "    ")
    )
    if bias:
        text += "\n    bound = 1 / math.sqrt(W.weight.shape[1])\n    nn.init.uniform_(W.bias, -bound, bound)"
    return text
