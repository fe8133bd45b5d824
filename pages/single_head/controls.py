"""The sidebar's controls of vectors, mask, score and scale."""

from collections.abc import Sequence
from dataclasses import replace

from attn_core import INITS, MASK_PATTERNS, SCORES, Masking
from attn_ui.base.controls import Controls
from attn_ui.base.hand_weight_settings import SINGLE, HandRows, hand_settings
from attn_ui.base.hand_weights import choose_init, read_by_hand, read_whether
from attn_ui.base.markdown import plain
from attn_ui.base.masking import explain_mask, read_details
from attn_ui.base.parameters import Parameter, Table
from attn_ui.base.removed_weights import MOST_NUMBERS
from attn_ui.base.shared_settings import (
    BIAS,
    CROSS,
    FREE_SCALE,
    SEED,
    SINK,
    SINK_LOGIT,
    TABLE_K,
    TABLE_Q,
    TABLE_V,
    TEMPERATURE,
    TEXT,
    TEXT_2,
)
from attn_words import _, paragraph
from pages.single_head.head import describe_drawing, make_head, read_sink, read_words, weights
from pages.single_head.settings import (
    EXAMPLE,
    INIT,
    MASK,
    MASK_WIDTH,
    MOVES,
    QKV,
    RAMP,
    SCALE,
    SCORE,
    STAGE,
    TABLE_X,
    TABLE_Y,
    UNIT_ROWS,
    VECTORS,
    WIDTH_K,
    WIDTH_V,
    WIDTH_X,
)
from pages.single_head.stages import STAGES
from pages.single_head.state import Inputs, Rows, Scoring, State

# The settings under *More settings*: vectors and projections, how weights are drawn, and the score.
RARELY_SET: tuple[Parameter, ...] = (
    *(CROSS, TEXT_2, QKV, VECTORS, WIDTH_X, RAMP, UNIT_ROWS, TABLE_X, TABLE_Y, BIAS, WIDTH_K, WIDTH_V),
    *(TABLE_Q, TABLE_K, TABLE_V, INIT, SEED, SCORE, SCALE, FREE_SCALE, SINK, SINK_LOGIT),
    *hand_settings(SINGLE),
)
_LAST_VALID_INPUTS = "_single_head_inputs"  # the last inputs that could be computed
_LAST_UNTYPED_INPUTS = "_single_head_untyped"  # the last ones without typed Q, K and V


def read_controls(controls: Controls) -> State:
    """Read the sidebar into the state of the page."""
    with controls.sidebar():
        controls.heading(_("Input"))
        inputs = Inputs(example=controls.choose(EXAMPLE, _("Example")))
        if inputs.is_own:
            inputs = replace(inputs, text=read_words(controls, TEXT, _("Sentence")))
        mask_place = controls.space()
        with controls.more(*RARELY_SET) as more:
            if inputs.is_own and more.flag(CROSS, _("Keys from a second sentence")):
                inputs = replace(inputs, second_text=read_words(more, TEXT_2, _("Second sentence")))
            inputs = _read_inputs(more, replace(inputs, seed=int(controls.peek(SEED))))
            if inputs.is_drawn or inputs.vectors == "typed":
                more.whole(SEED, _("Seed"))
            scores = _read_score(more)
            sink = read_sink(more)
        with mask_place:
            return State(inputs, replace(_read_scoring(controls, inputs, scores), sink=sink))


def _read_inputs(controls: Controls, inputs: Inputs) -> Inputs:
    """Read the vectors and how they become Q, K and V; return the last valid ones if these fail."""
    inputs = replace(inputs, qkv=_read_qkv(controls, inputs))
    inputs = _read_tables(controls, inputs) if inputs.qkv == "typed" else _read_making(controls, inputs)
    if projected := inputs.qkv == "projected":
        inputs = replace(
            inputs, init=choose_init(controls, INIT, {name: _(each.sentence) for name, each in INITS.items()})
        )
    about = controls.space(is_needed=projected)
    by_hand = projected and read_whether(controls)
    try:
        head = make_head(inputs)
    except ValueError as problem:
        note = _("The picture stays as it was.")
        controls.caption(paragraph(f":material/edit: {plain(str(problem))}", note))
        controls.describe("kept", _("Of all this is shown"), _("the last numbers that fit one another"))
        return controls.recall(_LAST_VALID_INPUTS, Inputs())
    if projected:
        by_hand_weights: HandRows = (
            read_by_hand(controls, [[each] for each in weights(head)]) if by_hand else ()
        )
        with about:
            if sentence := describe_drawing(weights(head), inputs.init, by_hand_weights):
                controls.caption(sentence)
        inputs = replace(inputs, weights=by_hand_weights)
        head = make_head(inputs)
    controls.remember(_LAST_VALID_INPUTS, inputs)
    if inputs.qkv != "typed":
        controls.remember(_LAST_UNTYPED_INPUTS, inputs)
    return inputs


def _read_qkv(controls: Controls, inputs: Inputs) -> str:
    if inputs.is_own:
        return controls.choose(QKV, _("Queries, keys, values"))
    if inputs.example in ("I love ice", "one query, ten keys"):
        controls.caption(_("Projected by W_q, W_k and W_v."))
        return "projected"
    controls.caption(_("The vectors as they are: Q = X and K = V."))
    return "as they are"


def _read_making(controls: Controls, inputs: Inputs) -> Inputs:
    """Read the vectors and how they become queries, keys and values."""
    if inputs.is_own:
        inputs = _read_vectors(controls, inputs)
    inputs = replace(inputs, ramp=controls.flag(RAMP, _("Add the ramp: position p adds p/2")))
    inputs = replace(inputs, unit_rows=controls.flag(UNIT_ROWS, _("Normalise rows to length 1")))
    if inputs.qkv == "projected":
        # The worked example "I love ice" has 4 x 4 projections, as the default widths.
        if inputs.example != "I love ice":
            d_k = controls.whole(WIDTH_K, _("Width d_k of queries and keys"))
            inputs = replace(inputs, d_k=d_k, d_v=controls.whole(WIDTH_V, _("Width d_v of values")))
        inputs = replace(inputs, bias=controls.flag(BIAS, _("Biases b_q, b_k, b_v")))
    return inputs


def _read_vectors(controls: Controls, inputs: Inputs) -> Inputs:
    inputs = replace(inputs, vectors=controls.choose(VECTORS, _("Vectors")))
    if inputs.vectors == "random":
        return replace(inputs, width=controls.whole(WIDTH_X, _("Width d_model of vectors")))
    if inputs.vectors == "typed":
        controls.caption(_(":material/table: Type the numbers in the tab *Data*."))
        return replace(inputs, x=_rows(controls, TABLE_X), y=_rows(controls, TABLE_Y))
    return inputs


def _read_tables(controls: Controls, inputs: Inputs) -> Inputs:
    """Read Q, K and V from their tables; a missing table starts with numbers that fit the others."""
    tables = (TABLE_Q, TABLE_K, TABLE_V)
    controls.caption(_(":material/table: Type the numbers in the tab *Data*."))
    controls.button(_("Start again from the vectors"), lambda: _empty(controls, tables), width="stretch")
    tables_rows = [_rows(controls, table) for table in tables]
    if not all(tables_rows):
        screen = make_head(controls.recall(_LAST_UNTYPED_INPUTS, replace(inputs, qkv="projected")))
        started = [screen.query.tolist(), screen.key.tolist(), screen.value.tolist()]
        for table, before, rows in zip(tables, tables_rows, _fitting(tables_rows, started), strict=True):
            if not before:
                controls.write(table, table.text(rows), replaces=True)
    q, k, v = (_rows(controls, table) for table in tables)
    return replace(inputs, q=q, k=k, v=v)


def _empty(controls: Controls, tables: Sequence[Table]) -> None:
    for table in tables:
        controls.write(table, "", replaces=True)


def _fitting(tables: list[Rows], started: list[list[list[float]]]) -> list[Sequence[Sequence[float]]]:
    """Fill in missing tables: with `started` if that fits the others, else with numbers that fit them.

    >>> _fitting([((1.0, 2.0),), (), ()], [[[0.0]], [[0.0]], [[3.0]]])
    [((1.0, 2.0),), ((1.0, 2.0),), [[3.0]]]
    """
    q, k, v = (rows or start for rows, start in zip(tables, started, strict=True))
    if not tables[1] and (len(k[0]) != len(q[0]) or (tables[2] and len(k) != len(v))):
        fits = not tables[2] or len(q) == len(v)
        k = q if fits and tables[0] else [[0.0] * len(q[0]) for _ in v]
    if not tables[0] and len(q[0]) != len(k[0]):
        q = k
    if not tables[2] and len(v) != len(k):
        v = k
    return [q, k, v]


def _rows(controls: Controls, table: Table) -> Rows:
    return table.rows(controls.text(table))


def _read_score(controls: Controls) -> tuple[str, str, float]:
    """Read the score, its scale, and the factor if the scale is free."""
    score = controls.choose(SCORE, _("Score"))
    if not SCORES[score].is_scaled:
        controls.caption(_("This score is not scaled."))
        return score, "none", 1.0
    scale = controls.choose(SCALE, _("Scale"))
    return score, scale, controls.real(FREE_SCALE, _("Scores are multiplied by")) if scale == "free" else 1.0


def _read_scoring(controls: Controls, inputs: Inputs, scores: tuple[str, str, float]) -> Scoring:
    """Read the mask and what the slider moves; `scores` is what `_read_score` returns."""
    head, (score, scale, free_scale) = make_head(inputs), scores
    about = explain_mask(controls.peek(MASK))
    kind = controls.choose(MASK, _("Mask"), help=about, on_change=lambda: _widen_prefix(controls))
    masking = Masking(kind, seed=inputs.seed, **read_details(controls, [kind], blocks_in=_("the scaled map")))
    n_cells = len(head.queries) * len(head.keys)
    widths = tuple(MASK_PATTERNS[kind].widths(masking, max(len(head.queries), len(head.keys))))
    stage = STAGES[controls.peek(STAGE)]
    has_choice = MASK_PATTERNS[kind].width and stage.follows_slider and not stage.removes_weights
    moves = controls.segment(MOVES, _("The slider moves")) if has_choice else "temperature"
    return Scoring(
        masking,
        scale,
        free_scale,
        temperature=controls.exact(TEMPERATURE.fitting(n_cells, MOST_NUMBERS)),
        width=controls.exact(replace(MASK_WIDTH, values=widths).fitting(n_cells, MOST_NUMBERS)),
        moves=moves,
        score=score,
    )


def _widen_prefix(controls: Controls) -> None:
    """Set the mask's width to 2 at least: a prefix or first text of 1 is nearly the causal mask."""
    if controls.peek(MASK) in ("prefix", "packed") and controls.value(MASK_WIDTH) < 2:
        controls.move(MASK_WIDTH, 2)
