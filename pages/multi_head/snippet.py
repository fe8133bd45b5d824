"""Programs that reproduce the multi-head page: the vectors, the projections, the maps and the output."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from textwrap import indent

from attn_core import GLOROT, INITS, MultiHeadAttention, NoPositions, Scheme
from attn_ui.base.program_lines import WORD_VECTOR, program, weights_of
from attn_ui.base.program_weights import as_given, draw_lines, filled
from attn_ui.base.programs import printing
from attn_ui.base.weight_tables import Given
from pages.multi_head.spellings import Spelling

NO_POSITIONS = NoPositions()
PART = {"rotation": "rotary", "bias": "position_bias"}  # what the module calls the part that knows positions
_NO_GRADIENTS = "torch.set_grad_enabled(False)  # nothing is trained here"


@dataclass(frozen=True)
class Conditions:
    """What makes attention more than the plain one, as the program writes it.

    Attributes:
        temperature: what scaled scores are divided by.
        masks: expressions in i, j and K that make the masks, which heads take in turn; none: no mask.
        scheme: how positions are made known.
        projection: whether there is W_o.
    """

    temperature: float = 1.0
    masks: tuple[str, ...] = ()
    scheme: Scheme = NO_POSITIONS
    projection: bool = True

    @property
    def adds(self) -> str:
        """What positions add, see `attn_core.Scheme`."""
        return self.scheme.adds

    @property
    def over(self) -> str:
        """What scores are divided by, after the width."""
        return "" if self.temperature == 1.0 else f" / {self.temperature!r}"

    def mask_lines(self, x: str, memory: str, n_head: int) -> str:
        """Return the lines that make the mask, by the names of the sequences."""
        if not self.masks:
            return ""
        masks = [mask.replace("len(K)", f"len({memory})") for mask in self.masks]
        lines = (
            f"i, j = torch.arange(len({x}))[:, None], torch.arange(len({memory}))[None, :]  # query, key\n"
        )
        if len(masks) == 1:
            return f"{lines}mask = {masks[0]}  # True = may attend"
        each = "".join(f"    {mask},\n" for mask in masks)
        return (
            f"{lines}patterns = [\n{each}]  # True = may attend; heads take them in turn\n"
            f"mask = torch.stack([patterns[head % len(patterns)] for head in range({n_head})])"
        )

    def placed(self, widths: Mapping[str, int]) -> list[str]:
        """Return the lines that add vectors to the sequences, by their names and widths."""
        if self.adds != "vector":
            return []
        return [
            f"{name} = {self.scheme.call(width)}({name})  # with the vectors of the positions"
            for name, width in widths.items()
        ]

    def shared_heads(self, num_kv_heads: int, *, cross: bool = False) -> str:
        """Return lines that go on after `snippet`: fewer heads of keys and values, as means, by torch itself.

        They end with `shared_weights` (n_head, n_query, n_key) and `shared_output` (n_query, d_out).
        """
        memory = "Y" if cross else "X"
        biased = " + biases" if self.adds == "bias" else ""
        masked = "shared_scores = shared_scores.masked_fill(~mask, -torch.inf)\n" if self.masks else ""
        given = "mask" if self.masks else "None"
        if biased:
            given = "biases.masked_fill(~mask, -torch.inf)" if self.masks else "biases"
        scale = f", scale=1 / (math.sqrt(attention.d_head) * {self.temperature!r})" if self.over else ""
        turned = "q, k = attention.rotary(q), attention.rotary(k)\n" * (self.adds == "rotation")
        added = "biases = attention.position_bias(torch.zeros_like(weights))\n" * bool(biased)
        return f"""
# Fewer heads of keys and values, each the mean of those that it replaces.
{_NO_GRADIENTS}
num_kv_heads = {num_kv_heads}
group = attention.n_head // num_kv_heads
q = attention.split_heads(attention.W_q(X))
k = attention.split_heads(attention.W_k({memory}))
v = attention.split_heads(attention.W_v({memory}))
{turned}{added}

def pooled(heads):
    # (n_head, n, d_head) -> (num_kv_heads, group, n, d_head) -> the mean over each group
    return heads.reshape(num_kv_heads, group, *heads.shape[1:]).mean(dim=1)


k_shared, v_shared = pooled(k), pooled(v)
allowed = {given}
shared_heads = torch.nn.functional.scaled_dot_product_attention(
    q, k_shared, v_shared, allowed{scale}, enable_gqa=True
)
k_repeated = k_shared.repeat_interleave(group, dim=0)
shared_scores = q @ k_repeated.transpose(1, 2) / math.sqrt(attention.d_head){self.over}{biased}
{masked}shared_weights = shared_scores.softmax(dim=-1).nan_to_num()
joined = attention.merge_heads(shared_heads.nan_to_num())
shared_output = {"attention.W_o(joined)" if self.projection else "joined"}

{printing("shared_weights", "shared_output")}"""

    def token_by_token(self) -> str:
        """Return lines that go on after `snippet` of self-attention: one token after the other, with a cache.

        They end with `written` (n, d_out), one row a token, and `kept_numbers`.
        """
        turning = ""
        if self.adds == "rotation":
            turning = """    # Turned by its own place: as the last of t + 1 tokens.
    q_t, k_t = (attention.rotary(each.expand(-1, t + 1, -1))[:, -1:] for each in (q_t, k_t))
"""
        biased = " + biases[:, t : t + 1, : t + 1]" if self.adds == "bias" else ""
        added = "biases = attention.position_bias(torch.zeros_like(weights))\n" * bool(biased)
        scores = "q_t @ k_all.transpose(1, 2) / math.sqrt(attention.d_head)"
        return f"""
# One token after the other, with what came before kept.
{_NO_GRADIENTS}
W_q, W_k, W_v = attention.W_q, attention.W_k, attention.W_v
{added}keys, values, written = [], [], []
for t in range(len(X)):
    # Only the new token is projected; what came before is kept as it was.
    q_t, k_t, v_t = (attention.split_heads(W(X[t : t + 1])) for W in (W_q, W_k, W_v))
{turning}    keys.append(k_t)
    values.append(v_t)
    k_all, v_all = torch.cat(keys, dim=1), torch.cat(values, dim=1)
    row = ({scores}{self.over}{biased}).softmax(dim=-1)
    joined = attention.merge_heads(row @ v_all)[0]
    written.append({"attention.W_o(joined)" if self.projection else "joined"})
written = torch.stack(written)
kept_numbers = k_all.numel() + v_all.numel()

{printing("written")}\
print(kept_numbers, "numbers are kept")
"""


PLAIN = Conditions()


def shortly_given(name: str, rows: Sequence[Sequence[float]]) -> str:
    """Write vectors out for attn_core, one row a token."""
    lines = ",\n".join(f"    {[float(number) for number in row]}" for row in rows)
    return f"{name} = torch.tensor([\n{lines},\n], dtype=torch.float64)\n"


def shortly_drawn(name: str, tokens: Sequence[str], width: int, seed: int) -> str:
    """Write the same with attn_core."""
    return f"{name} = sentence_vectors({[str(token) for token in tokens]!r}, {width}, seed={seed})\n"


def short(
    vectors: Sequence[str],
    module: MultiHeadAttention,
    seed: int,
    conditions: Conditions,
    *,
    init: str = GLOROT,
    weights: Given = (),
    scheme: tuple[str, Mapping[str, object]],
    words: tuple[Sequence[str], Sequence[str]],
    aside: Sequence[str] = (),
    prints: Sequence[str] = (),
) -> str:
    """Return the same with attn_core, and draw it; see `snippet`.

    Args:
        vectors: `shortly_given` or `shortly_drawn` texts that define x, and memory where that is another.
        module: the attention; seed: that it is drawn from.
        conditions: positions, masks and temperature.
        init: how weights are drawn; weights: those that are set by hand.
        scheme: the name of the positional scheme, and what it is made with.
        words: the queries' names and the keys'.
        aside: lines about single heads, and `prints`: what they leave to be printed.
    """
    adds, cross = conditions.adds, any(text.startswith("memory") for text in vectors)
    drawn = any("sentence_vectors(" in text for text in vectors)
    names = ["MultiHeadAttention", *["make_scheme"] * (adds != "nothing"), *["sentence_vectors"] * drawn]
    names += ["set_weights"] * bool(weights)
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
    init={init!r},
    seed={seed},
    dtype=torch.float64,
).requires_grad_(False)
"""
    if weights:
        each = "".join(f"    {name!r}: {as_given(name, rows, 'torch.float64')},\n" for name, rows in weights)
        text += f"# Set by hand, as X W takes them: (d_in, d_out).\nset_weights(attention, {{\n{each}}})\n"
    masked = conditions.mask_lines("x", "memory", module.num_heads)
    text += f"{masked}\n" if masked else "mask = None\n"
    if adds == "bias":
        text += "biases = scheme.biases(len(x), len(memory))\n"
        text += "mask = biases.masked_fill(~mask, -torch.inf)\n" if conditions.masks else "mask = biases\n"
    queries, keys = ([str(word) for word in side] for side in words)
    more = "".join(f"{line}\n" for line in aside)
    return f"""{text}result = attention(x, memory, memory, mask)
weights, output = result.weights, result.output
{more}{printing("weights", "output", *prints)}\
queries = {queries!r}
keys = {keys!r}
show(weights, queries, keys=keys, output=output).show()
"""


@dataclass(frozen=True)
class Asked:
    """What a program computes.

    Attributes:
        vectors: the lines that define each sequence, by its name; keys are another sequence if there are two.
        widths: of these sequences, by their names.
        n_head: heads; d_head: width of each.
        bias: whether the projections have one; seed: of the weights.
        init: how weights are drawn; weights: those that are set by hand.
        conditions: positions, masks, temperature and output projection.
        aside: lines about single heads, and `prints`: what they leave to be printed.
    """

    vectors: Mapping[str, str]
    widths: Mapping[str, int]
    n_head: int
    d_head: int
    bias: bool
    seed: int
    conditions: Conditions = PLAIN
    init: str = GLOROT
    weights: Given = ()
    aside: Sequence[str] = ()
    prints: Sequence[str] = ()

    @property
    def cross(self) -> bool:
        """Whether what is attended to is another sequence."""
        return len(self.vectors) > 1

    @property
    def names(self) -> tuple[str, str]:
        """The names of what attends and of what is attended to."""
        names = list(self.vectors)
        return names[0], names[-1]

    @property
    def linears(self) -> tuple[str, ...]:
        """The projections, in the order in which the page draws them."""
        return ("W_q", "W_k", "W_v", "W_o")[: 4 if self.conditions.projection else 3]


def snippet(asked: Asked) -> str:
    """Return a program that prints `weights` (n_head, n_query, n_key) and `output` (n_query, d_out)."""
    conditions = asked.conditions
    x, memory = asked.names
    called = f"{x}, {memory}" if asked.cross else x
    masked = ", mask" * bool(conditions.masks)
    run = [*conditions.placed(asked.widths), f"output, weights = attention({called}{masked})"]
    return program(
        *_vectors(asked),
        conditions.scheme.code(),
        _module(asked),
        _made(asked),
        conditions.mask_lines(x, memory, asked.n_head),
        "with torch.no_grad():\n    " + "\n    ".join(run),
        "\n".join(asked.aside),
        printing("weights", "output", *asked.prints),
    )


def _vectors(asked: Asked) -> list[str]:
    drawn = any("word_vector(" in text for text in asked.vectors.values())
    return [WORD_VECTOR if drawn else "", "\n".join(asked.vectors.values())]


def _module(asked: Asked) -> str:
    """Write the module."""
    conditions, memory = asked.conditions, "y" if asked.cross else "x"
    bias = "" if asked.bias else ", bias=False"
    d_memory = "d_memory" if asked.cross else "d_model"
    part = PART.get(conditions.adds, "")
    parts = [f"self.{part} = {conditions.scheme.call(asked.d_head)}"] if part else []
    if conditions.projection:
        parts.insert(0, f"self.W_o = nn.Linear(n_head * d_head, d_model{bias})")
    made = "".join(f"        {line}\n" for line in parts)
    return f'''class MultiHeadAttention(nn.Module):
    """Several heads side by side, each with weights of its own."""

    def __init__(self, d_model, n_head, d_head{", d_memory" * asked.cross}):
        super().__init__()
        self.n_head, self.d_head = n_head, d_head
        self.W_q = nn.Linear(d_model, n_head * d_head{bias})
        self.W_k = nn.Linear({d_memory}, n_head * d_head{bias})
        self.W_v = nn.Linear({d_memory}, n_head * d_head{bias})
{made}
    def split_heads(self, x):
        # (n, n_head * d_head) -> (n, n_head, d_head) -> (n_head, n, d_head)
        return x.reshape(len(x), self.n_head, self.d_head).transpose(0, 1)

    def merge_heads(self, x):
        # (n_head, n, d_head) -> (n, n_head, d_head) -> (n, n_head * d_head)
        return x.transpose(0, 1).reshape(x.shape[1], self.n_head * self.d_head)

    def forward(self, x{", y" * asked.cross}{", mask" * bool(conditions.masks)}):
        q = self.split_heads(self.W_q(x))
        k = self.split_heads(self.W_k({memory}))
        v = self.split_heads(self.W_v({memory}))
{indent(_attend(conditions), " " * 8)}'''


def _attend(conditions: Conditions) -> str:
    """Write the lines from queries, keys and values of all heads to weights and output."""
    lines = []
    if conditions.adds == "rotation":
        lines.append("q, k = self.rotary(q), self.rotary(k)  # by their positions; values stay")
    lines.append(
        f"scores = q @ k.transpose(-2, -1) / math.sqrt(self.d_head){conditions.over}"
        "  # (n_head, n_query, n_key)"
    )
    if conditions.adds == "bias":
        lines.append("scores = self.position_bias(scores)")
    lines += weights_of(masked=bool(conditions.masks))
    joined = "self.merge_heads(weights @ v)"
    output = f"self.W_o({joined})" if conditions.projection else joined
    return "\n".join([*lines, f"return {output}, weights"])


def _made(asked: Asked) -> str:
    """Write the lines that make the module, and fill its projections."""
    x, memory = asked.names
    given = {"d_model": asked.widths[x], "n_head": asked.n_head, "d_head": asked.d_head}
    if asked.cross:
        given["d_memory"] = asked.widths[memory]
    arguments = ", ".join(f"{name}={value}" for name, value in given.items())
    return f"attention = MultiHeadAttention({arguments})\n{weight_lines(asked)}"


def weight_lines(asked: Asked) -> str:
    """Write the lines that fill the module's projections; `projections` are the same as plain tensors."""
    return filled(
        "attention",
        asked.linears,
        asked.seed,
        bias=asked.bias,
        fill=INITS[asked.init].fill,
        weights=asked.weights,
    )


# ---- the same without a module: for the spellings, and for the study of many seeds ----


def beginning(asked: Asked) -> list[str]:
    """Return how programs begin: x and memory with their positions, and `draw`, which makes projections."""
    conditions, x = asked.conditions, asked.names[0]
    placed = "\n    ".join(conditions.placed(asked.widths))
    init = INITS[asked.init]
    lines = draw_lines(is_normal=init.is_normal, factor=init.code)
    drawing = f"def draw(d_in, d_out):\n{indent(lines, '    ')}"
    if asked.bias:
        drawing += (
            "    bias = torch.rand(d_out, generator=generator)\n"
            "    return weight, (2 * bias - 1) / math.sqrt(d_in)"
        )
    else:
        drawing += "    return weight, None"
    return [
        *_vectors(asked),
        conditions.scheme.code(),
        f"with torch.no_grad():\n    {placed}" if placed else "",
        "" if asked.cross else f"memory = {x}",
        f"n_head, d_head, d_model = {asked.n_head}, {asked.d_head}, {x}.shape[1]\n"
        f"generator = torch.Generator().manual_seed({asked.seed})",
        drawing,
    ]


def spelled(asked: Asked, spelling: Spelling) -> str:
    """Return a program that prints the `output` (n, d_out) of self-attention, spelled in one way."""
    conditions = asked.conditions
    lines = "n = len(x)\nw_qkv = torch.cat([W_q[0], W_k[0], W_v[0]])\n"
    if asked.bias:
        lines += "b_qkv = torch.cat([W_q[1], W_k[1], W_v[1]])\n"
    if conditions.projection:
        lines += "w_o, b_o = W_o\n" if asked.bias else "w_o = W_o[0]\n"
    added = "torch.zeros(n_head, n, n)"
    if conditions.adds == "bias":
        lines += f"bias = {conditions.scheme.call(asked.d_head)}.requires_grad_(False)\n"
        added = f"bias({added})"
    if conditions.adds == "rotation":
        lines += f"turn = {conditions.scheme.call(asked.d_head)}\n"
    hidden = ".masked_fill(~mask, -torch.inf)" if conditions.masks else ""
    return program(
        *beginning(asked),
        projections(asked),
        conditions.mask_lines("x", "x", asked.n_head),
        "# One fused projection, packed as (k h d), and what is added to the scores: -inf where a query may "
        f"not attend.\n{lines}mask = {added}{hidden}",
        spelling.program.strip(),
        printing("output"),
    )


def projections(asked: Asked) -> str:
    """Write the lines that draw the projections as tensors, each with its bias or None."""
    sides = {
        "W_q": "d_model, n_head * d_head",
        "W_k": "memory.shape[1], n_head * d_head",
        "W_v": "memory.shape[1], n_head * d_head",
        "W_o": "n_head * d_head, d_model",
    }
    drawn = [f"{name} = draw({sides[name]})" for name in asked.linears]
    return "\n".join([*drawn, *_by_hand(asked.weights)])


def _by_hand(weights: Given) -> list[str]:
    """Write the lines that put weights set by hand in the place of drawn ones."""
    lines = ["# Set by hand, as X W takes them: (d_in, d_out), which `linear` wants turned round."] * bool(
        weights
    )
    for name, rows in weights:
        pair = f"W{name[1:]}"
        given = as_given(name, rows)
        lines.append(f"{pair} = {given}.T, {pair}[1]" if name == pair else f"{pair} = {pair}[0], {given}")
    return lines
