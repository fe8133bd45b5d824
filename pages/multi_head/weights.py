"""The weights of all heads: their shapes in X W, and the weights set by hand that fit these shapes."""

from dataclasses import dataclass

from attn_ui.base.hand_weight_settings import HandRows, Weight
from attn_words import _


@dataclass(frozen=True)
class Sizes:
    """The sizes that decide the weights' shapes, and whether there are biases and an output projection."""

    d_model: int
    d_key: int
    n_head: int
    d_head: int
    bias: bool
    projection: bool
    cross: bool = False


def weights(sizes: Sizes, when: str = "") -> list[Weight]:
    """Return the weights and biases in their order.

    Args:
        sizes: of the attention; when: the case that has these shapes ("with 2 heads"), if there are several.

    >>> [each.title for each in weights(Sizes(6, 4, 2, 3, bias=False, projection=True))]
    ['W_q: 6 × 6', 'W_k: 4 × 6', 'W_v: 4 × 6', 'W_o: 6 × 6']
    """
    width = sizes.n_head * sizes.d_head
    memory = _("width of the second sentence") if sizes.cross else "d_model"
    matrices = [
        Weight("W_q", (sizes.d_model, width), "d_model × n_head · d_head", when),
        Weight("W_k", (sizes.d_key, width), f"{memory} × n_head · d_head", when),
        Weight("W_v", (sizes.d_key, width), f"{memory} × n_head · d_head", when),
    ]
    if sizes.projection:
        matrices.append(Weight("W_o", (width, sizes.d_model), "n_head · d_head × d_model", when))
    if not sizes.bias:
        return matrices
    return matrices + [
        Weight(f"b{each.name[1:]}", (1, each.shape[1]), f"1 × {each.sizes.rpartition(' × ')[2]}", when)
        for each in matrices
    ]


def columns(sizes: Sizes) -> dict[str, list[str]]:
    """Return column names (head and dimension) for the input projections and biases; {} for one head.

    >>> columns(Sizes(2, 2, 2, 1, bias=False, projection=True))["W_q"]
    ['h1.1', 'h2.1']
    """
    if sizes.n_head == 1:
        return {}
    names = [f"h{head + 1}.{at + 1}" for head in range(sizes.n_head) for at in range(sizes.d_head)]
    return dict.fromkeys(("W_q", "W_k", "W_v", "b_q", "b_k", "b_v"), names)


def fitting_weights(by_hand: HandRows, sizes: Sizes) -> HandRows:
    """Return the weights set by hand that have these shapes."""
    shapes = {each.name: each.shape for each in weights(sizes)}
    return tuple((name, rows) for name, rows in by_hand if shapes.get(name) == (len(rows), len(rows[0])))
