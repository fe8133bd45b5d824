"""A few self-contained lines of PyTorch that reproduce the weights on the positional-encoding page."""

from collections.abc import Sequence
from dataclasses import dataclass

from attn_core.schemes import BiasScheme, Scheme


@dataclass(frozen=True)
class Recipe:
    """What the lines must know: the words, their vectors, the scheme and its settings."""

    tokens: Sequence[str]
    words: str
    width: int
    seed: int
    scheme: Scheme


def attention_code(recipe: Recipe) -> str:
    """Return a program whose last line leaves the weights (n, n) in `weights`.

    Words are written as Python literals, so nothing typed can become code.
    """
    return "\n\n".join(
        part
        for part in (
            "import math\n\nimport torch",
            _vectors(recipe),
            recipe.scheme.code(),
            _attention(recipe.scheme),
        )
        if part
    )


def _attention(scheme: Scheme) -> str:
    query = {"vector": "x + positions", "rotation": "turn(x)"}.get(scheme.adds, "x")
    bias = f" + biases[{scheme.head}]" if isinstance(scheme, BiasScheme) else ""
    return f"""query = key = {query}
scores = query @ key.T / math.sqrt(query.shape[-1]){bias}
weights = scores.softmax(dim=-1)
print(weights)"""


def _vectors(recipe: Recipe) -> str:
    start = f"tokens = {list(recipe.tokens)!r}\n"
    if recipe.words == "one-hot":
        return (
            f"{start}words = list(dict.fromkeys(tokens))\n"
            f"x = torch.eye({recipe.width}, dtype=torch.float64)[[words.index(t) for t in tokens]]"
        )
    return f'''import hashlib

{start}

def vector(word):
    digest = hashlib.sha256(f"{recipe.seed}\\n{{word}}".encode("utf-8", "surrogatepass")).digest()
    generator = torch.Generator().manual_seed(int.from_bytes(digest[:8], "big") >> 1)
    return torch.randn({recipe.width}, generator=generator, dtype=torch.float64)


x = torch.stack([vector(token) for token in tokens])'''
