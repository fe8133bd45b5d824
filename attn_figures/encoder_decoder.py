"""One encoder layer beside one decoder layer, as boxes, after figure 1 of Vaswani et al. (2017)."""

from dataclasses import dataclass

from attn_figures.diagram import HALF, Arrow, Block, diagram, dims, hover_lines
from attn_figures.picture import Spec
from attn_words import _, _n

Point = tuple[float, float]
COLUMNS = 11.6
UPRIGHT = 8.6  # units
WIDE = 24.0  # units
ENCODER, DECODER = (0.6, 5.4), (6.2, 11.0)  # left and right edge of their boxes
UP = 1.3, 10.3  # where the arrows between boxes go up, in the encoder and in the decoder
AROUND = 0.15, 11.45  # where the residual connections go up
FORK = 0.4  # columns between the arrows of queries, keys and values
BETWEEN = 5.85  # where the encoder's output comes down
KEYS, VALUES = 6.7, 7.1  # where the encoder's output goes up into cross-attention
BEFORE_ATTENTION, AFTER_ATTENTION = 1.5, 1.25  # levels
BRANCH = 0.2  # levels above the edge of a box, where residual connections branch off
NORM = "LayerNorm(x + sublayer(x))"


@dataclass(frozen=True)
class Layers:
    """The sizes of one encoder layer and of one decoder layer that reads the encoder's output.

    ``n_encoder`` and ``n_decoder`` count the words, ``d_encoder`` and ``d_decoder`` are the widths of their
    vectors. Each of the three attentions has ``n_head`` heads of width ``d_head``, and W_o.
    """

    n_encoder: int
    d_encoder: int
    n_decoder: int
    d_decoder: int
    n_head: int
    d_head: int

    def shapes(self, decodes: bool) -> tuple[tuple[int, int], tuple[int, int, int]]:
        """Return the shapes of the decoder's, or encoder's, vectors (n, d) and heads (n_head, n, d_head)."""
        n, width = (self.n_decoder, self.d_decoder) if decodes else (self.n_encoder, self.d_encoder)
        return (n, width), (self.n_head, n, self.d_head)


def encoder_and_decoder(layers: Layers) -> Spec:
    """Draw both layers from their words up, and the path of the encoder's output to cross-attention."""
    boxes: list[Block] = []
    arrows: list[Arrow] = []
    first_norm = BEFORE_ATTENTION + AFTER_ATTENTION
    several = layers.n_head > 1

    def add_attention(name: str, text: str, level: float, decodes: bool, *lines: str) -> None:
        edges = DECODER if decodes else ENCODER
        heads = _n(
            "{count:,} head, {width} wide, then W_o",
            "{count:,} heads, {width} wide, then W_o",
            layers.n_head,
            width=layers.d_head,
        )
        hover = hover_lines(*lines, heads)
        boxes.append(Block(name, text, edges, level, hover, stacked=several))

    for decodes, prefix in ((False, "encoder"), (True, "decoder")):
        shape, heads_shape = layers.shapes(decodes)
        edges, x = (DECODER, UP[1]) if decodes else (ENCODER, UP[0])
        text, vectors = (
            (_("Words of the decoder"), _("Vectors of the decoder's words: one row a word"))
            if decodes
            else (_("Words of the encoder"), _("Vectors of the encoder's words: one row a word"))
        )
        boxes.append(Block(f"{prefix} words", text, edges, 0, hover_lines(vectors, dims(shape))))
        pairs = _("weights: {shape}", shape=dims((layers.n_head, shape[0], shape[0])))
        if decodes:
            add_attention(
                "masked", _("Masked self-attention"), BEFORE_ATTENTION, True,
                _("Self-attention with the causal mask:"), _("no word attends to a later one"), pairs,
            )  # fmt: skip
        else:
            add_attention(
                "self", _("Self-attention"), BEFORE_ATTENTION, False,
                _("Self-attention without a mask:"), _("each word attends to all"), pairs,
            )  # fmt: skip
        # The words go to attention three times, as queries, keys and values.
        fork = BEFORE_ATTENTION - HALF - 0.47
        arrows.append(Arrow([(x, 0), (x, BEFORE_ATTENTION)], "X", shape, label_left=decodes))
        inner, outer = (x - FORK, x + FORK) if decodes else (x + FORK, x - FORK)
        arrows += [
            Arrow([(inner, fork), (outer, fork), (outer, BEFORE_ATTENTION)], branches=True),
            Arrow([(inner, fork), (inner, BEFORE_ATTENTION)], "Q, K, V", heads_shape, branches=True,
                  label_left=decodes),
        ]  # fmt: skip
        norms = [first_norm]
        if decodes:
            cross = first_norm + BEFORE_ATTENTION
            norms.append(cross + AFTER_ATTENTION)
            weights = dims((layers.n_head, layers.n_decoder, layers.n_encoder))
            add_attention(
                "cross", _("Cross-attention"), cross, True,
                _("Cross-attention: Q from the decoder,"), _("K and V from the encoder's output"),
                _("weights: {shape}", shape=weights),
            )  # fmt: skip
            arrows.append(Arrow([(x, first_norm), (x, cross)], "Q", heads_shape, "query", label_left=True))
            arrows += _keys_and_values(layers, cross)
        feed, top = norms[-1] + 1, norms[-1] + 2
        hover = hover_lines(
            _("Feed-forward: each word by itself"),
            _("linear map, ReLU, linear map"),
            _("the paper is 4 × d_model wide between them"),
            _("{before} becomes {after}", before=dims(shape), after=dims(shape)),
        )
        boxes.append(Block(f"{prefix} feed-forward", _("Feed-forward"), edges, feed, hover))
        for number, level in enumerate([*norms, top], start=1):
            hover = hover_lines(_("Add & norm: what went in is added"), NORM, dims(shape))
            boxes.append(Block(f"{prefix} norm {number}", _("Add & norm"), edges, level, hover))
            under = level - (1 if level == top else AFTER_ATTENTION)
            arrows.append(
                Arrow([(x, under), (x, level)], "", shape, leaves_stack=level != top and several,
                      label_left=decodes)
            )  # fmt: skip
            came_from = {top: norms[-1], first_norm: 0}.get(level, first_norm)
            arrows.append(_around(came_from + HALF + BRANCH, level, decodes))
        arrows.append(Arrow([(x, norms[-1]), (x, feed)], "", shape, label_left=decodes))
    top = first_norm + BEFORE_ATTENTION + AFTER_ATTENTION + 3
    arrows.append(Arrow([(UP[1], top - 1), (UP[1], top)], "", shape, label_left=True))
    hover = hover_lines(_("Output of the decoder layer: one row a word"), dims(shape))
    boxes.append(Block("output", _("Output"), DECODER, top, hover, "output"))
    return diagram(boxes, arrows, columns=COLUMNS, upright=UPRIGHT, wide=WIDE)


def _around(start: float, level: float, decodes: bool) -> Arrow:
    """Return a residual connection, on the outer side of the boxes."""
    x, aside, edge = (UP[1], AROUND[1], DECODER[1]) if decodes else (UP[0], AROUND[0], ENCODER[0])
    return Arrow([(x, start), (aside, start), (aside, level), (edge, level)], branches=True)


def _keys_and_values(layers: Layers, cross: float) -> list[Arrow]:
    """Return the path of the encoder's output: up, over, and from below into cross-attention."""
    top = BEFORE_ATTENTION + AFTER_ATTENTION + 2
    over, under = top + HALF + 0.5, cross - HALF - 0.47
    way: list[Point] = [(UP[0], top), (UP[0], over), (BETWEEN, over), (BETWEEN, under)]
    shape, heads = layers.shapes(False)
    into_keys: list[Point] = [(VALUES, under), (KEYS, under), (KEYS, cross)]
    return [
        Arrow([*way, (VALUES, under), (VALUES, cross)], _("output"), shape, "output"),
        Arrow(into_keys, "K, V", heads, "key", branches=True),
    ]
