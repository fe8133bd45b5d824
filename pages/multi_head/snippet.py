"""PyTorch that reproduces the multi-head page: the vectors, the projections, the maps and the output."""

from collections.abc import Sequence

WORD_VECTORS = """\
def word_vector(word, width, seed):
    digest = hashlib.sha256(f"{seed}\\n{word}".encode("utf-8", "surrogatepass")).digest()
    generator = torch.Generator().manual_seed(int.from_bytes(digest[:8], "big") >> 1)
    return torch.randn(width, generator=generator, dtype=torch.float64)
"""
MASKS = {
    "none": "",
    "causal": "mask = torch.ones(len(x), len(memory)).tril().bool()\n",
    "sliding window": (
        "place = torch.arange(len(x))\nmask = (place[:, None] - place[None, :]).abs() <= {reach}\n"
    ),
    "padding": ("mask = (torch.arange(len(memory)) < len(memory) - {reach}).expand(len(x), len(memory))\n"),
}


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


def snippet(
    vectors: Sequence[str],
    *,
    n_head: int,
    d_head: int,
    bias: bool,
    projection: bool,
    seed: int,
    mask: str,
    reach: int,
) -> str:
    """Return a program that ends with `weights` (n_head, n_query, n_key) and `output` (n_query, d_out).

    Args:
        vectors: `given` or `drawn` texts that define x, and memory where it is another sequence.
        n_head: heads; d_head: width of each.
        bias: whether the projections have one; projection: whether there is W_o.
        seed: of the weights.
        mask: one of `MASKS`; reach: what it needs.
    """
    imports = "import hashlib\nimport math\n\nimport torch\nfrom torch.nn.functional import linear\n"
    draws = any("word_vector(" in text for text in vectors)
    text = imports.replace("import hashlib\n", "" if not draws else "import hashlib\n")
    if draws:
        text += f"\n\n{WORD_VECTORS}\n"
    text += "\n" + "".join(vectors)
    if not any("memory = " in part for part in vectors):
        text += "memory = x\n"
    mask_text = MASKS[mask].format(reach=reach)
    text += f"""
n_head, d_head, d_model = {n_head}, {d_head}, x.shape[1]
generator = torch.Generator().manual_seed({seed})


def draw(d_in, d_out):
    weight = torch.rand(d_out, d_in, generator=generator, dtype=torch.float64)
    weight = (2 * weight - 1) * math.sqrt(6 / (d_in + d_out))
"""
    if bias:
        text += """    bias = torch.rand(d_out, generator=generator, dtype=torch.float64)
    return weight, (2 * bias - 1) / math.sqrt(d_in)
"""
    else:
        text += "    return weight, None\n"
    text += """

W_q = draw(d_model, n_head * d_head)
W_k = draw(memory.shape[1], n_head * d_head)
W_v = draw(memory.shape[1], n_head * d_head)

# (n, n_head * d_head) -> (n, n_head, d_head) -> (n_head, n, d_head)
q = linear(x, *W_q).view(len(x), n_head, d_head).transpose(0, 1)
k = linear(memory, *W_k).view(len(memory), n_head, d_head).transpose(0, 1)
v = linear(memory, *W_v).view(len(memory), n_head, d_head).transpose(0, 1)

scores = q @ k.transpose(1, 2) / math.sqrt(d_head)
"""
    if mask_text:
        text += mask_text + "scores = scores.masked_fill(~mask, -torch.inf)\n"
        text += "weights = scores.softmax(dim=-1).nan_to_num()  # a row that may attend to nothing is zero\n"
    else:
        text += "weights = scores.softmax(dim=-1)\n"
    text += """
# (n_head, n, d_head) -> (n, n_head, d_head) -> (n, n_head * d_head)
concatenated = (weights @ v).transpose(0, 1).reshape(len(x), n_head * d_head)
"""
    if projection:
        text += "W_o = draw(n_head * d_head, d_model)\noutput = linear(concatenated, *W_o)\n"
    else:
        text += "output = concatenated\n"
    return text


def shared_heads(num_kv_heads: int) -> str:
    """Return lines that go on after `snippet`: fewer heads of keys and values, as means, by torch itself.

    They end with `shared_weights` (n_head, n_query, n_key) and `shared_output` (n_query, d_out).
    """
    return (
        f"""
# Fewer heads of keys and values, each the mean of those that it replaces.
num_kv_heads = {num_kv_heads}
group = n_head // num_kv_heads


def pooled(heads):
    # (n_head, n, d_head) -> (num_kv_heads, group, n, d_head) -> the mean over each group
    return heads.reshape(num_kv_heads, group, *heads.shape[1:]).mean(dim=1)


k_shared, v_shared = pooled(k), pooled(v)
allowed = mask if "mask" in globals() else None
shared_heads = torch.nn.functional.scaled_dot_product_attention(
    q, k_shared, v_shared, allowed, enable_gqa=True
)
shared_scores = q @ k_shared.repeat_interleave(group, dim=0).transpose(1, 2) / math.sqrt(d_head)
if allowed is not None:
    shared_scores = shared_scores.masked_fill(~allowed, -torch.inf)
shared_weights = shared_scores.softmax(dim=-1).nan_to_num()
shared_output = shared_heads.nan_to_num().transpose(0, 1).reshape(len(x), n_head * d_head)
"""
        + """if "W_o" in globals():
    shared_output = linear(shared_output, *W_o)
"""
    )


def token_by_token() -> str:
    """Return lines that go on after `snippet` of self-attention: one token after the other, with a cache.

    They end with `written` (n, d_out), one row a token, and `kept_numbers`.
    """
    return """
# One token after the other, with what came before kept.
keys, values, written = [], [], []
for token in x:
    # Only the new token is projected; what came before is kept as it was.
    q_t, k_t, v_t = (linear(token, *W).view(n_head, 1, d_head) for W in (W_q, W_k, W_v))
    keys.append(k_t)
    values.append(v_t)
    k_all, v_all = torch.cat(keys, dim=1), torch.cat(values, dim=1)
    row = (q_t @ k_all.transpose(1, 2) / math.sqrt(d_head)).softmax(dim=-1)
    joined = (row @ v_all).transpose(0, 1).reshape(n_head * d_head)
    written.append(linear(joined, *W_o) if "W_o" in globals() else joined)
written = torch.stack(written)
kept_numbers = k_all.numel() + v_all.numel()
"""
