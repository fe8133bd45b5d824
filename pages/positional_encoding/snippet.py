"""Programs that reproduce the weights on the positional-encoding page."""

from collections.abc import Mapping, Sequence

from attn_core import BiasScheme, Scheme
from attn_ui.base.program_lines import WORD_VECTOR, drawn, program, word_list
from attn_ui.base.programs import printing


def attention_code(tokens: Sequence[str], words: str, width: int, seed: int, scheme: Scheme) -> str:
    """Return a program that leaves and prints the `weights` (n, n) with positions.

    Tokens are written as Python literals, so nothing typed can become code.

    Args:
        tokens: the words; words: "one-hot" or "random" vectors of them.
        width: of the vectors; seed: that random ones are drawn from.
        scheme: how their positions are made known, at one strength.
    """
    return program(
        WORD_VECTOR if words == "random" else "",
        _one_hot(tokens, width) if words == "one-hot" else _random(tokens, width, seed),
        scheme.code(),
        _attention(scheme, width),
        printing("weights"),
    )


def short_code(
    tokens: Sequence[str], words: str, width: int, seed: int, *, scheme: str, settings: Mapping[str, object]
) -> str:
    """Return the same with attn_core, and draw it.

    Args:
        tokens, words, width, seed: as `attention_code` takes them.
        scheme: its name; settings: what `attn_core.make_scheme` takes for it.
    """
    given = "".join(f"    {name}={value!r},\n" for name, value in settings.items())
    return f"""import torch

from attn_core import make_scheme, sentence_vectors
from attn_figures import show

tokens = {list(tokens)!r}
x = sentence_vectors(tokens, {width}, kind={words!r}, seed={seed})
scheme = make_scheme(
    {scheme!r},
{given})
weights = scheme.attend(x).weights
{printing("weights")}\
show(weights, tokens).show()
"""


def _one_hot(tokens: Sequence[str], width: int) -> str:
    return f"""{word_list("words", tokens)}
different = list(dict.fromkeys(words))
X = torch.eye({width})[[different.index(word) for word in words]]  # (n, d_model)"""


def _random(tokens: Sequence[str], width: int, seed: int) -> str:
    return drawn("X", "words", tokens, width=width, seed=seed, note="(n, d_model)")


def _attention(scheme: Scheme, width: int) -> str:
    """Write the lines from X to the weights."""
    made = f"positions = {scheme.call(width)}\n" if scheme.adds != "nothing" else ""
    placed = "X" if scheme.adds in ("nothing", "bias") else "positions(X)"
    lines = [
        f"Q = K = {placed}  # no projections: what is seen comes from the positions",
        "scores = Q @ K.T / math.sqrt(Q.shape[-1])  # (n_query, n_key)",
    ]
    if isinstance(scheme, BiasScheme):
        lines.append(f"scores = positions(scores)[{scheme.head}]  # of head {scheme.head + 1}")
    lines.append("weights = torch.softmax(scores, dim=-1)  # each row sums to one")
    if not made:
        return "\n".join(lines).replace(": what is seen comes from the positions", "")
    return f"{made}with torch.no_grad():\n    " + "\n    ".join(lines)
