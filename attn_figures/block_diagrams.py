"""Attention as papers and course notes draw it: scaled dot-product attention, and several heads of it."""

from dataclasses import dataclass

from attn_figures.diagram import Arrow, Block, diagram, dims, hover_lines
from attn_figures.frame import Role
from attn_figures.numbers import number
from attn_figures.picture import Spec
from attn_figures.single_head import HeadMatrices
from attn_words import N_, _, _c, _n

Shape = tuple[int, ...]
# Columns of the queries, of the keys and of the values; and of what is computed from two of them.
QUERY, KEY, VALUE = (0.4, 3.2), (3.8, 6.6), (7.4, 10.2)
QUERY_KEY, KEY_VALUE, ALL = (0.4, 6.6), (3.8, 10.2), (0.4, 10.2)
COLUMNS = 11.6
WIDE = 24.0  # units
OVER_STACK = 1.25  # levels from a stack of boxes to the next box
PLACES = {
    "rotation": N_("queries and keys turned by their places"),
    "bias": N_("biases of places on the scores"),
}
ROLES: tuple[Role, Role, Role] = ("query", "key", "value")


def _middle(edges: tuple[float, float]) -> float:
    return sum(edges) / 2


def single_head(head: HeadMatrices) -> Spec:
    """Draw the head as boxes: Q, K, V, MatMul, Scale, Mask where there is one, SoftMax, MatMul, output."""
    boxes, arrows = _inputs_of_one(head)
    start = 1 if head.projections is not None else 0
    n_key, d_k = head.key.shape
    is_dot = head.score == "dot product"
    scores_text = _n(
        "scores: {shape}, each of {count:,} product",
        "scores: {shape}, each of {count:,} products",
        d_k,
        shape=dims(head.scores.shape),
    )
    scaled_by = {"factor": head.factor.replace("<br>", " "), "number": number(head.scale, 3)}
    steps = [
        Block(
            "scores", "MatMul  QKᵀ" if is_dot else head.score_title, QUERY_KEY, 0,
            hover_lines(_("MatMul: every query with every key"), "S = QKᵀ", scores_text)
            if is_dot
            else hover_lines(head.score_title, scores_text),
        ),
        Block(
            "scale", _("Scale  {factor} = × {number}", **scaled_by), QUERY_KEY, 0,
            hover_lines(_("each score × {number}", number=number(head.scale, 6)), dims(head.scores.shape)),
        ),
    ]  # fmt: skip
    if head.is_masked:
        n_hidden = int((~head.mask).sum())
        steps.append(
            Block(
                "mask", _("Mask  hides {hidden} of {all}", hidden=n_hidden, all=head.mask.size), QUERY_KEY, 0,
                hover_lines(
                    _("Mask: −∞ where a query may not attend"), _("before the softmax"),
                    dims(head.mask.shape),
                ),
            )
        )  # fmt: skip
    empty = not head.mask.any(axis=1).all()
    sums = _("each row sums to 1, or is empty") if empty else _("each row sums to 1")
    text = _("SoftMax  Σ = 1 or empty") if empty else _("SoftMax  Σ of a row = 1")
    if head.sink is not None:
        sums, text = _("beside the sink each row sums to less than 1"), _("SoftMax  Σ of a row < 1")
    steps.append(
        Block(
            "softmax", text, QUERY_KEY, 0,
            hover_lines(
                _("SoftMax, row by row"), sums, _("weights: {shape}", shape=dims(head.weights.shape))
            ),
        )
    )  # fmt: skip
    labels = {
        "scores": _("scores"),
        "scale": _("scaled"),
        "mask": _c("stage", "masked"),
        "softmax": _("weights"),
    }
    centre = _middle(QUERY_KEY)
    for level, step in enumerate(steps, start=start + 1):
        boxes.append(Block(step.name, step.text, step.x, level, step.hover))
        label = labels[step.name]
        arrows.append(Arrow([(centre, level), (centre, level + 1)], label, head.weights.shape))
    top = start + len(steps) + 1
    for role, (name, values), edges in zip(
        ROLES, (("Q", head.query), ("K", head.key), ("V", head.value)), (QUERY, KEY, VALUE), strict=True
    ):
        to = top if role == "value" else start + 1
        x = _middle(edges)
        arrows.append(Arrow([(x, start), (x, to)], name, values.shape, role))
    boxes += [
        Block(
            "mix",
            _n(
                "MatMul  each row mixes {count:,} value", "MatMul  each row mixes {count:,} values", n_key
            ), ALL, top,
            hover_lines(_("MatMul: the values, mixed by the weights"), "O = A V", dims(head.output.shape)),
        ),
        _output(top + 1, head.output.shape),
    ]  # fmt: skip
    centre = _middle(ALL)
    arrows.append(Arrow([(centre, top), (centre, top + 1)], _("output"), head.output.shape, "output"))
    return diagram(boxes, arrows, columns=COLUMNS, upright=COLUMNS, wide=WIDE)


def _inputs_of_one(head: HeadMatrices) -> tuple[list[Block], list[Arrow]]:
    """Return Q, K and V as inputs, or X and Y through W_q, W_k and W_v."""
    inputs = [("Q", head.query, QUERY), ("K", head.key, KEY), ("V", head.value, VALUE)]
    if head.projections is None or head.x is None or head.memory is None:
        hovers = [
            hover_lines(_("{name}: one row a vector", name=name), dims(each.shape))
            for name, each, _edges in inputs
        ]
        each_input = zip(ROLES, inputs, hovers, strict=True)
        return [
            Block(name, name, edges, 0, hover, role) for role, (name, _each, edges), hover in each_input
        ], []
    boxes, arrows = _sources(head.x.shape, None if head.memory is head.x else head.memory.shape)
    plus = " + b" if head.biases is not None else ""
    for role, (name, values, edges), weight in zip(ROLES, inputs, head.projections, strict=True):
        letter = name.lower()
        source = "X" if head.memory is head.x or name == "Q" else "Y"
        bias = f" + b_{letter}" if plus else ""
        hover = hover_lines(
            _("Linear: {formula}", formula=f"{name} = {source} W_{letter}{bias}"),
            f"W_{letter}: {dims(weight.shape)}",
            f"{name}: {dims(values.shape)}",
        )
        boxes.append(Block(f"W_{letter}", f"× W<sub>{letter}</sub>{plus}", edges, 1, hover, role))
    return boxes, arrows


def _sources(
    x: Shape, memory: Shape | None, *, has_positions: bool = False
) -> tuple[list[Block], list[Arrow]]:
    """Return X under all three columns, or X under the queries and Y under the other two."""
    inputs = [("X", x, ALL if memory is None else QUERY)]
    inputs += [] if memory is None else [("Y", memory, KEY_VALUE)]
    boxes = [
        Block(
            name, name, edges, 0,
            hover_lines(
                _("{name}: one row a token", name=name),
                _("{name} = E + P: the words and their places", name=name) if has_positions else "",
                dims(shape),
            ),
        )
        for name, shape, edges in inputs
    ]  # fmt: skip
    arrows = []
    for edges in (QUERY, KEY, VALUE):
        shape = x if memory is None or edges is QUERY else memory
        arrows.append(Arrow([(_middle(edges), 0), (_middle(edges), 1)], "", shape))
    return boxes, arrows


@dataclass(frozen=True)
class Shapes:
    """The shapes of one multi-head attention, from its input to its output.

    ``memory`` is None in self-attention, ``output_weight`` where there is no W_o. ``query`` is
    (n_head, n, d_head); ``key`` and ``value`` are (n_kv_head, n, d_head).
    """

    x: Shape
    memory: Shape | None
    query: Shape
    key: Shape
    value: Shape
    weights: Shape
    heads: Shape
    concatenated: Shape
    output_weight: Shape | None
    output: Shape
    temperature: float = 1.0
    mask: str = ""  # its name; "" without a mask
    bias: bool = False
    positions: str = "nothing"  # or what they add: "vector", "rotation" or "bias"


def multi_head(shapes: Shapes) -> Spec:
    """Draw X through as many linear maps as heads, attention in each, Concat, W_o where there is one."""
    boxes, arrows = _sources(shapes.x, shapes.memory, has_positions=shapes.positions == "vector")
    n_head, attention = shapes.query[0], 1 + OVER_STACK
    each = zip("QKV", (shapes.query, shapes.key, shapes.value), (QUERY, KEY, VALUE), ROLES, strict=True)
    for name, shape, edges, role in each:
        letter, count, x = name.lower(), shape[0], _middle(edges)
        source = shapes.x if shapes.memory is None or name == "Q" else shapes.memory
        hover = hover_lines(
            _n("Linear: {name} of {count:,} head", "Linear: {name} of {count:,} heads", count, name=name),
            _("{weights}, one a head: {shape}", weights=f"W_{letter}", shape=dims((source[1], shape[2]))),
            f"{name}: {dims(shape)}",
        )
        boxes.append(
            Block(f"W_{letter}", _times(count, _("Linear")), edges, 1, hover, role, stacked=count > 1)
        )
        arrows.append(Arrow([(x, 1), (x, attention)], name, shape, role, leaves_stack=True))
    hover = hover_lines(
        _("Scaled dot-product attention in each head"),
        "softmax(QKᵀ / √d_head) V"
        if shapes.temperature == 1
        else f"softmax(QKᵀ / (√d_head T)) V, T = {shapes.temperature:g}",
        _("mask: {mask}", mask=shapes.mask) if shapes.mask else "",
        _(PLACES[shapes.positions]) if shapes.positions in PLACES else "",
        _("weights: {shape}", shape=dims(shapes.weights)),
        _shared(n_head, shapes.key[0]),
    )
    text = _times(n_head, _("scaled dot-product attention"))
    boxes.append(Block("attention", text, ALL, attention, hover, stacked=n_head > 1))
    concat, centre = attention + OVER_STACK, _middle(ALL)
    change = _("{before} becomes {after}", before=dims(shapes.heads), after=dims(shapes.concatenated))
    boxes.append(
        Block("concat", "Concat", ALL, concat, hover_lines(_("Concat: the heads side by side"), change))
    )
    arrows.append(
        Arrow([(centre, attention), (centre, concat)], _c("arrow", "heads"), shapes.heads, leaves_stack=True)
    )
    arrows.append(Arrow([(centre, concat), (centre, concat + 1)], "", shapes.concatenated))
    top = concat + 1
    if shapes.output_weight is not None:
        plus, bias = (" + b", " + b_o") if shapes.bias else ("", "")
        text = _("Linear  {formula}", formula=f"× W<sub>o</sub>{plus}")
        hover = hover_lines(
            _("Linear: concatenated {formula}", formula=f"× W_o{bias}"),
            f"W_o: {dims(shapes.output_weight)}",
            _("output: {shape}", shape=dims(shapes.output)),
        )
        boxes.append(Block("W_o", text, ALL, top, hover))
        arrows.append(Arrow([(centre, top), (centre, top + 1)], "", shapes.output))
        top += 1
    boxes.append(_output(top, shapes.output))
    return diagram(boxes, arrows, columns=COLUMNS, upright=COLUMNS, wide=WIDE)


def _output(level: float, shape: Shape) -> Block:
    hover = hover_lines(_("Output: one row a query"), dims(shape))
    return Block("output", _("Output"), ALL, level, hover, "output")


def _times(count: int, what: str) -> str:
    return what if count == 1 else f"{count} × {what}"


def _shared(n_head: int, n_kv: int) -> str:
    """Return how many heads share keys and values, as text; "" where each has its own."""
    if n_kv == n_head:
        return ""
    count = n_head // n_kv
    if n_kv == 1:
        return _("multi-query: {count} heads read the same keys and values", count=count)
    return _("grouped-query: {count} heads read the same keys and values", count=count)
