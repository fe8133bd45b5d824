"""Programs that reproduce the single-head page's numbers, from the words or from X on."""

from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import indent

from attn_core import GLOROT, INITS, SCORES
from attn_core.scores import DOT
from attn_ui.base.program_lines import WORD_VECTOR, drawn_weights, given, program, weights_of
from attn_ui.base.program_weights import as_given, by_hand, filled
from attn_ui.base.programs import printing
from attn_ui.base.weight_tables import Given

Rows = Sequence[Sequence[float]]
LINEARS = ("W_q", "W_k", "W_v")
ROOT = "1 / math.sqrt(d_k)"
# By logarithms, which have digits where a feature, or a product of them, is too small or large for a number.
LOG_PHI = """def log_phi(x):
    return x.clamp(max=0) + x.clamp(min=0).log1p()  # log(elu + 1)"""


def _own(asked: "Asked") -> str:
    """Write how the weights are drawn that the score has of its own."""
    shapes, d_k = SCORES[asked.score].shapes, asked.d_k
    if not shapes:
        return ""
    lines = [f"generator = torch.Generator().manual_seed({asked.own_seed + 1})  # the score's own weights"]
    for name, axes in shapes:
        over = f" / math.sqrt({d_k})" if axes == 2 else ""
        lines.append(f"{name} = torch.randn({', '.join([str(d_k)] * axes)}, generator=generator){over}")
    return "\n".join(lines)


@dataclass(frozen=True)
class Asked:
    """What a program computes.

    Attributes:
        inputs: the lines that define X, and Y where keys and values come from another sequence; or Q, K, V.
        mask: an expression in i and j that makes the boolean mask, see `attn_core.mask_code`; none: no mask.
        scale: what the scores are multiplied by, as an expression in d_k; none: nothing.
        temperature: what the scaled scores are divided by.
        widths: d_model, d_k and d_v of the projections; None where vectors attend as they are.
        seed: that the projections are drawn from; bias: whether they have one.
        init: how they are drawn; weights: those that are set by hand.
        cross: whether there is Y; given: whether the inputs are Q, K and V.
        aside: lines that set weights aside, and `prints`: what they leave to be printed.
        score: by what; own_seed: of the page, for the weights that it has of its own in d_k.
    """

    inputs: Sequence[str]
    mask: str = ""
    scale: str = ROOT
    temperature: float = 1.0
    widths: tuple[int, int, int] | None = None
    seed: int = 0
    bias: bool = False
    init: str = GLOROT
    weights: Given = ()
    cross: bool = False
    given: bool = False
    aside: Sequence[str] = ()
    prints: Sequence[str] = ()
    score: str = DOT
    own_seed: int = 0
    d_k: int = 1

    @property
    def sequences(self) -> str:
        """What the module is called with."""
        return "Q, K, V" if self.given else "X, Y" if self.cross else "X"

    @property
    def name(self) -> str:
        """What the module is called."""
        if self.given:
            return "ScaledDotProductAttention"
        return "CrossAttention" if self.cross else "SelfAttention"


def snippet(asked: Asked) -> str:
    """Return a program that leaves and prints `weights` (n_query, n_key) and `output` (n_query, d_v)."""
    masked = ", mask" * bool(asked.mask)
    return program(
        WORD_VECTOR if any("word_vector(" in part for part in asked.inputs) else "",
        "\n".join(asked.inputs),
        _own(asked),
        LOG_PHI if asked.score == "linear" else "",
        _module(asked),
        _made(asked),
        mask_lines(asked) if asked.mask else "",
        f"with torch.no_grad():\n    output, weights = attention({asked.sequences}{masked})",
        "\n".join(asked.aside),
        printing("weights", "output", *asked.prints),
    )


def _module(asked: Asked) -> str:
    """Write the module."""
    said = {
        "ScaledDotProductAttention": "Each query takes a weighted mean of the values.",
        "CrossAttention": "Each word of x takes a weighted mean of the values of all words of y.",
        "SelfAttention": "Each word takes a weighted mean of the values of all words.",
    }[asked.name]
    return f'''class {asked.name}(nn.Module):
    """{said}"""
{_init(asked) if asked.widths else ""}
{indent(_forward(asked), "    ")}'''


def _init(asked: Asked) -> str:
    """Write how the module is made."""
    bias = "" if asked.bias else ", bias=False"
    return f"""
    def __init__(self, d_model, d_k, d_v):
        super().__init__()
        self.W_q = nn.Linear(d_model, d_k{bias})
        self.W_k = nn.Linear(d_model, d_k{bias})
        self.W_v = nn.Linear(d_model, d_v{bias})
"""


def _forward(asked: Asked) -> str:
    """Write what the module computes."""
    takes = "Q, K, V" if asked.given else "x, y" if asked.cross else "x"
    memory = "y" if asked.cross else "x"
    lines = [f"def forward(self, {takes}{', mask' * bool(asked.mask)}):"]
    if asked.widths:
        lines.append(f"Q, K, V = self.W_q(x), self.W_k({memory}), self.W_v({memory})")
    elif not asked.given:
        lines.append(f"Q, K, V = x, {memory}, {memory}  # the vectors as they are")
    if "d_k" in asked.scale:
        lines.append("d_k = Q.shape[-1]")
    lines.append(f"scores = {_scaled(asked)}  # (n_query, n_key)")
    lines += weights_of(masked=bool(asked.mask))
    return "\n    ".join([*lines, "return weights @ V, weights"])


def _scaled(asked: Asked) -> str:
    """Write the scaled scores."""
    text = SCORES[asked.score].code
    if asked.scale == ROOT:
        text += " / math.sqrt(d_k)"
    elif asked.scale:
        text += f" * {asked.scale}"
    return text if asked.temperature == 1.0 else f"{text} / {asked.temperature:.10g}"


def _made(asked: Asked) -> str:
    """Write the lines that make the module, and fill its projections."""
    if not asked.widths:
        return f"attention = {asked.name}()"
    d_model, d_k, d_v = asked.widths
    return f"attention = {asked.name}(d_model={d_model}, d_k={d_k}, d_v={d_v})\n{weight_lines(asked)}"


def weight_lines(asked: Asked) -> str:
    """Write the lines that fill the projections, the one place where weights come from."""
    fill, typed = INITS[asked.init].fill, asked.weights
    if not asked.bias or len(typed) == 2 * len(LINEARS):
        return filled("attention", LINEARS, asked.seed, bias=asked.bias, fill=fill, weights=typed)
    both, alone = (
        drawn_weights("attention", LINEARS, asked.seed, bias=bias, fill=fill) for bias in (True, False)
    )
    again = f"# The weights once more, alone: they are the same with biases and without.\n{alone}"
    return "\n".join([both, again, *by_hand("attention", typed)])


def mask_lines(asked: Asked) -> str:
    """Write the lines that make the mask."""
    queries, keys = ("Q", "K") if asked.given else ("X", "Y" if asked.cross else "X")
    mask = asked.mask.replace("len(K)", f"len({keys})")
    return (
        f"i, j = torch.arange(len({queries}))[:, None], torch.arange(len({keys}))[None, :]  # query, key\n"
        f"mask = {mask}  # True = may attend"
    )


def tables(query: Rows, key: Rows, value: Rows) -> list[str]:
    """Write typed queries, keys and values."""
    return [
        given(name, rows, note)
        for name, rows, note in (
            ("Q", query, "(n_query, d_k)"),
            ("K", key, "(n_key, d_k)"),
            ("V", value, "(n_key, d_v)"),
        )
    ]


def short(asked: Asked, *, queries: Sequence[str], keys: Sequence[str]) -> str:
    """Return the same with attn_core, and draw it.

    Args:
        asked: what is computed; its inputs take `sentence_vectors` where vectors are drawn.
        queries, keys: their names.
    """
    is_dot = asked.score == DOT
    drawn = any("sentence_vectors(" in part for part in asked.inputs)
    names = ["SelfAttention"] * bool(asked.widths) + [
        "scaled_dot_product_attention" if is_dot else "score_attention"
    ]
    names += ["score_weights"] * bool(SCORES[asked.score].shapes)
    names += ["sentence_vectors"] * drawn + ["set_weights"] * bool(asked.weights)
    return program(
        f"from attn_core import {', '.join(names)}\nfrom attn_figures import show",
        "\n".join(asked.inputs),
        _projected(asked),
        mask_lines(asked) if asked.mask else "",
        f"attention = {called(asked, 'mask' * bool(asked.mask))}\n"
        "weights, output = attention.weights, attention.output",
        "\n".join(asked.aside),
        f"""{printing("weights", "output", *asked.prints)}\
queries = {[str(name) for name in queries]!r}
keys = {[str(name) for name in keys]!r}
show(weights, queries, keys=keys, output=output).show()""",
    )


def called(asked: Asked, mask: str) -> str:
    """Write the call of attn_core that attends, with a mask or, where that is empty, without."""
    is_dot = asked.score == DOT
    given = ["Q", "K", "V"] if is_dot else [repr(asked.score), "Q", "K", "V"]
    given += [mask] * bool(mask)
    if not is_dot and asked.scale == ROOT:
        given.append(f"scale={asked.d_k}**-0.5")
    elif asked.scale != ROOT and (is_dot or asked.scale):
        given.append(f"scale={asked.scale or '1.0'}")
    if asked.temperature != 1.0:
        given.append(f"temperature={asked.temperature:.10g}")
    if SCORES[asked.score].shapes:
        given.append(f"weights=score_weights({asked.score!r}, {asked.d_k}, seed={asked.own_seed})")
    return f"{'scaled_dot_product_attention' if is_dot else 'score_attention'}({', '.join(given)})"


def _projected(asked: Asked) -> str:
    """Write where queries, keys and values come from."""
    if asked.given:
        return ""
    memory = "Y" if asked.cross else "X"
    if not asked.widths:
        return f"Q, K, V = X, {memory}, {memory}  # the vectors as they are"
    sizes = ", ".join(map(str, asked.widths))
    said = f", seed={asked.seed}" + (f", init={asked.init!r}" if asked.init != GLOROT else "")
    end = ".requires_grad_(False)"
    lines = [
        "# The widths are d_model, d_k and d_v.",
        f"head = SelfAttention({sizes}{', bias=True' * asked.bias}{said}){end}",
    ]
    if asked.bias:
        lines += [
            "# The matrices are the same with biases and without.",
            f"alone = SelfAttention({sizes}{said}){end}",
            f"for name in {LINEARS}:",
            "    getattr(head, name).weight.copy_(getattr(alone, name).weight)",
        ]
    if asked.weights:
        each = "".join(f"    {name!r}: {as_given(name, rows)},\n" for name, rows in asked.weights)
        lines.append(f"# Set by hand, as X W takes them: (d_in, d_out).\nset_weights(head, {{\n{each}}})")
    lines.append(
        "Q, K, V = head.W_q(X), head.W_k(Y), head.W_v(Y)"
        if asked.cross
        else "Q, K, V = head.project(X)  # X W_q, X W_k, X W_v"
    )
    return "\n".join(lines)
