"""The view "diagram": the heads as boxes, with the shapes of what goes from one to the next."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from attn_figures import block_diagrams as pictures
from attn_figures.block_diagrams import Shapes
from attn_figures.picture import Spec
from attn_ui.base.ask import Ask
from attn_ui.base.page import Cell
from attn_ui.base.parameters import Choice, Tabs, shown
from attn_words import _n
from pages.multi_head.compute import Now, allowed, divisors
from pages.multi_head.settings import HEADS_MASK, TAB, VIEW
from pages.multi_head.words import heads

# The setting that a click on a box changes, and to what.
OPENS: Mapping[str, tuple[Choice, str]] = MappingProxyType(
    {
        **dict.fromkeys(("X", "Y"), (TAB, "Data")),
        **dict.fromkeys(("W_q", "W_k", "W_v", "concat"), (TAB, "Shapes")),
        **dict.fromkeys(("attention", "output"), (VIEW, "every head")),
        "W_o": (TAB, "Heads add up"),
    }
)


def open_box(ask: Ask, cell: Cell) -> None:
    """Open what a box is: another view, or a tab under this one."""
    setting, option = OPENS[cell.trace]
    if isinstance(setting, Tabs):
        ask.write(setting, option)
    else:
        ask.answer(setting, option)


def draw(steps: Sequence[Now]) -> list[Spec]:
    """Draw each step."""
    return [pictures.multi_head.spec(shapes(now)) for now in steps]


def say(now: Now) -> str:
    """Follow the widths through the boxes."""
    sizes = shapes(now)
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


def shapes(now: Now) -> Shapes:
    """Return the shapes of what attention took and made, with the heads of keys that are set."""
    groups = max(each for each in divisors(now.n_head) if each <= now.look.num_kv_heads)
    shared = now if groups == now.n_head else now.sharing(groups)
    result, tokens = shared.result, shared.tokens
    weight = result.output_weight
    return Shapes(
        x=tuple(tokens.query.shape),
        memory=None if now.is_self_attention else tuple(tokens.key.shape),
        query=tuple(result.query.shape),
        key=tuple(result.key.shape),
        value=tuple(result.value.shape),
        weights=tuple(result.weights.shape),
        heads=tuple(result.heads.shape),
        concatenated=tuple(result.concatenated.shape),
        output_weight=None if weight is None else tuple(weight.T.shape),
        output=tuple(result.output.shape),
        temperature=now.setting.temperature,
        mask="" if allowed(now.setting, now.n_head) is None else shown(HEADS_MASK, now.setting.mask),
        bias=now.setting.bias,
        positions=now.scheme.adds,
    )
