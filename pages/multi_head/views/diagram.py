"""The view "diagram": attention as boxes, with the shapes of the tensors between them."""

from collections.abc import Mapping
from types import MappingProxyType

from attn_figures import block_diagrams as pictures
from attn_figures.block_diagrams import Shapes
from attn_figures.picture import Spec
from attn_ui.base.controls import Controls
from attn_ui.base.page import Cell
from attn_ui.base.parameters import Choice, Tabs, label_of
from attn_words import _n
from pages.multi_head.compute import Result, allowed, divisors
from pages.multi_head.settings import HEADS_MASK, TAB, VIEW
from pages.multi_head.words import heads

# The setting that a click on each box changes, and its new value.
TARGET_OF_BOX: Mapping[str, tuple[Choice, str]] = MappingProxyType(
    {
        **dict.fromkeys(("X", "Y"), (TAB, "Data")),
        **dict.fromkeys(("W_q", "W_k", "W_v", "concat"), (TAB, "Shapes")),
        **dict.fromkeys(("attention", "output"), (VIEW, "every head")),
        "W_o": (TAB, "Heads add up"),
    }
)


def open_box(controls: Controls, cell: Cell) -> None:
    """Open the view or the tab that a box stands for."""
    setting, option = TARGET_OF_BOX[cell.trace]
    if isinstance(setting, Tabs):
        controls.write(setting, option)
    else:
        controls.answer(setting, option)


def picture(result: Result) -> Spec:
    """Draw the boxes."""
    return pictures.multi_head(shapes(result))


def describe(result: Result) -> str:
    """Say the widths from the input vectors to the output."""
    sizes = shapes(result)
    return _n(
        "{count} head makes queries {d_head} wide from vectors {d_model} wide; keys and values are those of "
        "{n_kv}. Side by side: {count} × {d_head} = {width}; the output is {out} wide.",
        "{count} heads make queries {d_head} wide from vectors {d_model} wide; keys and values are those of "
        "{n_kv}. Side by side: {count} × {d_head} = {width}; the output is {out} wide.",
        sizes.query[0],
        d_head=sizes.query[-1],
        d_model=sizes.x[-1],
        n_kv=heads(sizes.key[0]),
        width=sizes.concatenated[-1],
        out=sizes.output[-1],
    )


def shapes(result: Result) -> Shapes:
    """Return the shapes of attention's tensors, with the number of key heads that is set."""
    groups = max(each for each in divisors(result.n_head) if each <= result.look.num_kv_heads)
    shared = result if groups == result.n_head else result.sharing(groups)
    attention, tokens = shared.attention, shared.tokens
    weight = attention.output_weight
    return Shapes(
        x=tuple(tokens.query.shape),
        memory=None if result.is_self_attention else tuple(tokens.key.shape),
        query=tuple(attention.query.shape),
        key=tuple(attention.key.shape),
        value=tuple(attention.value.shape),
        weights=tuple(attention.weights.shape),
        heads=tuple(attention.heads.shape),
        concatenated=tuple(attention.concatenated.shape),
        output_weight=None if weight is None else tuple(weight.T.shape),
        output=tuple(attention.output.shape),
        temperature=result.setting.temperature,
        mask=""
        if allowed(result.setting, result.n_head) is None
        else label_of(HEADS_MASK, result.setting.mask),
        bias=result.setting.bias,
        positions=result.scheme.adds,
    )
