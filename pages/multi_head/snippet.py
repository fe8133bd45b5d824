"""Programs that reproduce the multi-head page: the vectors, the projections, the maps and the output."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from textwrap import indent

from attn_core import MultiHeadAttention
from attn_ui.programs import printing
from pages.multi_head.spellings import Spelling

WORD_VECTORS = """\
def word_vector(word, width, seed):
    digest = hashlib.sha256(f"{seed}\\n{word}".encode("utf-8", "surrogatepass")).digest()
    generator = torch.Generator().manual_seed(int.from_bytes(digest[:8], "big") >> 1)
    return torch.randn(width, generator=generator, dtype=torch.float64)
"""


@dataclass(frozen=True)
class Conditions:
    """What makes attention more than the plain one, as the program writes it.

    Attributes:
        temperature: what scaled scores are divided by.
        masks: expressions in i, j and K that make the masks, which heads take in turn; none: no mask.
        adds: what positions add, see `attn_core.Scheme`; positions: the lines that compute it.
        projection: whether there is W_o.
    """

    temperature: float = 1.0
    masks: tuple[str, ...] = ()
    adds: str = "nothing"
    positions: str = ""
    projection: bool = True

    @property
    def over(self) -> str:
        """What scores are divided by, after the width."""
        return "" if self.temperature == 1.0 else f" / {self.temperature!r}"

    @property
    def mask_lines(self) -> str:
        """The lines that make the mask."""
        if not self.masks:
            return ""
        lines = "i, j, K = torch.arange(len(x))[:, None], torch.arange(len(memory))[None, :], memory\n"
        if len(self.masks) == 1:
            return f"{lines}mask = {self.masks[0]}  # True = may attend\n"
        each = "".join(f"    {mask},\n" for mask in self.masks)
        return (
            f"{lines}patterns = [\n{each}]  # True = may attend; heads take them in turn\n"
            "mask = torch.stack([patterns[head % len(patterns)] for head in range(n_head)])\n"
        )

    def added(self, cross: bool) -> str:
        """The lines that add vectors to the words."""
        if self.adds != "vector":
            return ""
        text = f"\n\ndef positions_of(x):\n{indent(self.positions, '    ')}\n    return positions\n\n\n"
        memory = "memory = memory + positions_of(memory)" if cross else "memory = x"
        return f"{text}x = x + positions_of(x)\n{memory}\n"

    def biases(self, cross: bool) -> str:
        """The lines that compute the biases of all heads."""
        if self.adds != "bias":
            return ""
        text = f"\n\ndef biases_over(x):\n{indent(self.positions, '    ')}\n    return biases\n\n\n"
        if cross:
            return f"{text}biases = biases_over(max(x, memory, key=len))[:, : len(x), : len(memory)]\n"
        return f"{text}biases = biases_over(x)\n"

    def shared_heads(self, num_kv_heads: int) -> str:
        """Return lines that go on after `snippet`: fewer heads of keys and values, as means, by torch itself.

        They end with `shared_weights` (n_head, n_query, n_key) and `shared_output` (n_query, d_out).
        """
        biased = " + biases" if self.adds == "bias" else ""
        masked = "shared_scores = shared_scores.masked_fill(~mask, -torch.inf)\n" if self.masks else ""
        given = "mask" if self.masks else "None"
        if biased:
            given = "biases.masked_fill(~mask, -torch.inf)" if self.masks else "biases"
        scale = f", scale=1 / (math.sqrt(d_head) * {self.temperature!r})" if self.over else ""
        return f"""
# Fewer heads of keys and values, each the mean of those that it replaces.
num_kv_heads = {num_kv_heads}
group = n_head // num_kv_heads


def pooled(heads):
    # (n_head, n, d_head) -> (num_kv_heads, group, n, d_head) -> the mean over each group
    return heads.reshape(num_kv_heads, group, *heads.shape[1:]).mean(dim=1)


k_shared, v_shared = pooled(k), pooled(v)
allowed = {given}
shared_heads = torch.nn.functional.scaled_dot_product_attention(
    q, k_shared, v_shared, allowed{scale}, enable_gqa=True
)
k_repeated = k_shared.repeat_interleave(group, dim=0)
shared_scores = q @ k_repeated.transpose(1, 2) / math.sqrt(d_head){self.over}{biased}
{masked}shared_weights = shared_scores.softmax(dim=-1).nan_to_num()
joined = shared_heads.nan_to_num().transpose(0, 1).reshape(len(x), n_head * d_head)
shared_output = {"linear(joined, *W_o)" if self.projection else "joined"}

{printing("shared_weights", "shared_output")}"""

    def token_by_token(self) -> str:
        """Return lines that go on after `snippet` of self-attention: one token after the other, with a cache.

        They end with `written` (n, d_out), one row a token, and `kept_numbers`.
        """
        turning = ""
        if self.adds == "rotation":
            turning = """    # Turned by its own place: as the last of t + 1 tokens.
    q_t, k_t = (turn(each.expand(n_head, t + 1, d_head))[:, -1:] for each in (q_t, k_t))
"""
        biased = " + biases[:, t : t + 1, : t + 1]" if self.adds == "bias" else ""
        scores = "q_t @ k_all.transpose(1, 2) / math.sqrt(d_head)"
        return f"""
# One token after the other, with what came before kept.
keys, values, written = [], [], []
for t, token in enumerate(x):
    # Only the new token is projected; what came before is kept as it was.
    q_t, k_t, v_t = (linear(token, *W).view(n_head, 1, d_head) for W in (W_q, W_k, W_v))
{turning}    keys.append(k_t)
    values.append(v_t)
    k_all, v_all = torch.cat(keys, dim=1), torch.cat(values, dim=1)
    row = ({scores}{self.over}{biased}).softmax(dim=-1)
    joined = (row @ v_all).transpose(0, 1).reshape(n_head * d_head)
    written.append({"linear(joined, *W_o)" if self.projection else "joined"})
written = torch.stack(written)
kept_numbers = k_all.numel() + v_all.numel()

{printing("written")}\
print(kept_numbers, "numbers are kept")
"""


PLAIN = Conditions()


def given(name: str, rows: Sequence[Sequence[float]]) -> str:
    """Write vectors out, one row a token."""
    lines = ",\n".join(f"    {[float(number) for number in row]}" for row in rows)
    return f"{name} = torch.tensor([\n{lines},\n], dtype=torch.float64)\n"


def drawn(name: str, tokens: Sequence[str], width: int, seed: int) -> str:
    """Write vectors as they are drawn from the words and the seed."""
    words = [str(token) for token in tokens]
    return (
        f"words = {words!r}\n{name} = torch.stack([word_vector(word, {width}, {seed}) for word in words])\n"
    )


def shortly_drawn(name: str, tokens: Sequence[str], width: int, seed: int) -> str:
    """Write the same with attn_core."""
    return f"{name} = sentence_vectors({[str(token) for token in tokens]!r}, {width}, seed={seed})\n"


def short(
    vectors: Sequence[str],
    module: MultiHeadAttention,
    seed: int,
    conditions: Conditions,
    *,
    scheme: tuple[str, Mapping[str, object]],
    words: tuple[Sequence[str], Sequence[str]],
) -> str:
    """Return the same with attn_core, and draw it; see `snippet`.

    Args:
        vectors: `given` or `shortly_drawn` texts that define x, and memory where it is another sequence.
        module: the attention; seed: that it is drawn from.
        conditions: positions, masks and temperature.
        scheme: the name of the positional scheme, and what it is made with.
        words: the queries' names and the keys'.
    """
    adds, cross = conditions.adds, any(text.startswith("memory") for text in vectors)
    drawn = any("sentence_vectors(" in text for text in vectors)
    names = ["MultiHeadAttention", *["make_scheme"] * (adds != "nothing"), *["sentence_vectors"] * drawn]
    text = f"import torch\n\nfrom attn_core import {', '.join(names)}\nfrom attn_figures import show\n\n"
    text += "".join(vectors)
    if adds != "nothing":
        given = "".join(f"    {name}={value!r},\n" for name, value in scheme[1].items())
        text += f"scheme = make_scheme(\n    {scheme[0]!r},\n{given})\n"
    if adds == "vector":
        text += "x = x + scheme.vectors(*x.shape, start=scheme.first)\n"
        if cross:
            text += "memory = memory + scheme.vectors(*memory.shape, start=scheme.first)\n"
    if not cross:
        text += "memory = x\n"
    text += f"""n_head = {module.num_heads}
attention = MultiHeadAttention(
    x.shape[1],
    n_head,
    d_head={module.d_head},
    bias={module.W_q.bias is not None},
    output_projection={module.W_o is not None},
    d_key=memory.shape[1],
    d_value=memory.shape[1],
    rotation={"scheme" if adds == "rotation" else None},
    temperature={conditions.temperature!r},
    seed={seed},
    dtype=torch.float64,
).requires_grad_(False)
"""
    text += conditions.mask_lines or "mask = None\n"
    if adds == "bias":
        text += "biases = scheme.biases(len(x), len(memory))\n"
        text += "mask = biases.masked_fill(~mask, -torch.inf)\n" if conditions.masks else "mask = biases\n"
    queries, keys = ([str(word) for word in side] for side in words)
    return f"""{text}result = attention(x, memory, memory, mask)
weights, output = result.weights, result.output
{printing("weights", "output")}\
queries = {queries!r}
keys = {keys!r}
show(weights, queries, keys=keys, output=output).show()
"""


@dataclass(frozen=True)
class Asked:
    """What a program computes.

    Attributes:
        vectors: `given` or `drawn` texts that define x, and memory where it is another sequence.
        n_head: heads; d_head: width of each.
        bias: whether the projections have one; seed: of the weights.
        conditions: positions, masks, temperature and output projection.
    """

    vectors: Sequence[str]
    n_head: int
    d_head: int
    bias: bool
    seed: int
    conditions: Conditions = PLAIN

    @property
    def cross(self) -> bool:
        """Whether what is attended to is another sequence."""
        return any("memory = " in text for text in self.vectors)


def snippet(asked: Asked) -> str:
    """Return a program that prints `weights` (n_head, n_query, n_key) and `output` (n_query, d_out)."""
    conditions = asked.conditions
    text = (
        beginning(asked)
        + _projections(asked)
        + """
# (n, n_head * d_head) -> (n, n_head, d_head) -> (n_head, n, d_head)
q = linear(x, *W_q).view(len(x), n_head, d_head).transpose(0, 1)
k = linear(memory, *W_k).view(len(memory), n_head, d_head).transpose(0, 1)
v = linear(memory, *W_v).view(len(memory), n_head, d_head).transpose(0, 1)
"""
    )
    if conditions.adds == "rotation":
        text += "q, k = turn(q), turn(k)\n"
    text += conditions.biases(asked.cross)
    biased = " + biases" if conditions.adds == "bias" else ""
    text += f"\nscores = q @ k.transpose(1, 2) / math.sqrt(d_head){conditions.over}{biased}\n"
    if conditions.masks:
        text += conditions.mask_lines + "scores = scores.masked_fill(~mask, -torch.inf)\n"
        text += "weights = scores.softmax(dim=-1).nan_to_num()  # a row that may attend to nothing is zero\n"
    else:
        text += "weights = scores.softmax(dim=-1)\n"
    text += """
# (n_head, n, d_head) -> (n, n_head, d_head) -> (n, n_head * d_head)
concatenated = (weights @ v).transpose(0, 1).reshape(len(x), n_head * d_head)
"""
    text += f"output = {'linear(concatenated, *W_o)' if conditions.projection else 'concatenated'}\n"
    return f"{text}\n{printing('weights', 'output')}"


def beginning(asked: Asked) -> str:
    """Return how programs begin: x and memory with their positions, and `draw`, which makes projections."""
    vectors, conditions, cross = asked.vectors, asked.conditions, asked.cross
    draws = any("word_vector(" in text for text in vectors)
    text = (
        "import hashlib\n" * draws + "import math\n\nimport torch\nfrom torch.nn.functional import linear\n"
    )
    if draws:
        text += f"\n\n{WORD_VECTORS}\n"
    text += "\n" + "".join(vectors)
    if conditions.adds == "vector":
        text += conditions.added(cross)
    elif not cross:
        text += "memory = x\n"
    if conditions.adds == "rotation":
        text += f"\n\n{conditions.positions.strip()}\n"
    text += f"""
n_head, d_head, d_model = {asked.n_head}, {asked.d_head}, x.shape[1]
generator = torch.Generator().manual_seed({asked.seed})


def draw(d_in, d_out):
    weight = torch.rand(d_out, d_in, generator=generator, dtype=torch.float64)
    weight = (2 * weight - 1) * math.sqrt(6 / (d_in + d_out))
"""
    if not asked.bias:
        return f"{text}    return weight, None\n"
    return f"""{text}    bias = torch.rand(d_out, generator=generator, dtype=torch.float64)
    return weight, (2 * bias - 1) / math.sqrt(d_in)
"""


def spelled(asked: Asked, spelling: Spelling) -> str:
    """Return a program that prints the `output` (n, d_out) of self-attention, spelled in one way."""
    conditions = asked.conditions
    text = beginning(asked) + _projections(asked) + conditions.biases(cross=False) + conditions.mask_lines
    added = "biases" if conditions.adds == "bias" else "torch.zeros(n_head, n, n, dtype=torch.float64)"
    hidden = ".masked_fill(~mask, -torch.inf)" if conditions.masks else ""
    lines = "w_qkv = torch.cat([W_q[0], W_k[0], W_v[0]])\n"
    if asked.bias:
        lines += "b_qkv = torch.cat([W_q[1], W_k[1], W_v[1]])\n"
    if asked.conditions.projection:
        lines += "w_o, b_o = W_o\n" if asked.bias else "w_o = W_o[0]\n"
    return f"""{text}
# One fused projection, packed as (k h d), and what is added to the scores: -inf where a query may not attend.
n = len(x)
{lines}mask = {added}{hidden}

{spelling.program}
{printing("output")}"""


def _projections(asked: Asked) -> str:
    """Write the lines that draw the projections, in the order in which the page draws them."""
    return (
        """

W_q = draw(d_model, n_head * d_head)
W_k = draw(memory.shape[1], n_head * d_head)
W_v = draw(memory.shape[1], n_head * d_head)
"""
        + "W_o = draw(n_head * d_head, d_model)\n" * asked.conditions.projection
    )
