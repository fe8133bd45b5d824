"""A few self-contained lines of PyTorch that reproduce the weights on the positional-encoding page."""

from collections.abc import Mapping, Sequence

from attn_core import BiasScheme, Scheme
from attn_ui.programs import printing


def attention_code(tokens: Sequence[str], words: str, width: int, seed: int, scheme: Scheme) -> str:
    """Return a program whose last line leaves the weights (n, n) in `weights`.

    Tokens are written as Python literals, so nothing typed can become code.

    Args:
        tokens: the words; words: "one-hot" or "random" vectors of them.
        width: of the vectors; seed: that random ones are drawn from.
        scheme: how their positions are made known, at one strength.
    """
    vectors = (_one_hot if words == "one-hot" else _random)(tokens, width, seed)
    parts = ("import math\n\nimport torch", vectors, scheme.code(), _attention(scheme))
    return "\n\n".join(filter(None, parts))


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


def _one_hot(tokens: Sequence[str], width: int, seed: int) -> str:
    return (
        f"tokens = {list(tokens)!r}\n"
        "words = list(dict.fromkeys(tokens))\n"
        f"x = torch.eye({width}, dtype=torch.float64)[[words.index(t) for t in tokens]]"
    )


def _random(tokens: Sequence[str], width: int, seed: int) -> str:
    return f'''import hashlib

tokens = {list(tokens)!r}


def vector(word):
    digest = hashlib.sha256(f"{seed}\\n{{word}}".encode("utf-8", "surrogatepass")).digest()
    generator = torch.Generator().manual_seed(int.from_bytes(digest[:8], "big") >> 1)
    return torch.randn({width}, generator=generator, dtype=torch.float64)


x = torch.stack([vector(token) for token in tokens])'''


def _attention(scheme: Scheme) -> str:
    query = {"vector": "x + positions", "rotation": "turn(x)"}.get(scheme.adds, "x")
    bias = f" + biases[{scheme.head}]" if isinstance(scheme, BiasScheme) else ""
    return f"""query = key = {query}
scores = query @ key.T / math.sqrt(query.shape[-1]){bias}
weights = scores.softmax(dim=-1)
{printing("weights")}"""
