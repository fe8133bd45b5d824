"""The controls: words, sizes, weights, mask and slider in the sidebar, switches of heads below."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import Any

from attn_core import INITS, SCHEMES, Masking
from attn_ui.base.controls import Controls
from attn_ui.base.hand_weight_settings import TABLES, Weight, hand_settings
from attn_ui.base.hand_weights import choose_init, read_by_hand, read_whether
from attn_ui.base.markdown import all_of
from attn_ui.base.masking import explain_mask, read_details
from attn_ui.base.parameters import Parameter
from attn_ui.base.removed_weights import read_removal
from attn_ui.base.schemes import SchemeSettings, read_layout, read_scheme
from attn_ui.base.shared_settings import (
    BIAS,
    CROSS,
    HEAD,
    LAYOUT,
    SEED,
    SINK,
    SINK_LOGIT,
    STRENGTH,
    TEMPERATURE,
    TEXT,
    TEXT_2,
)
from attn_words import N_, _, _n, paragraph
from pages.multi_head.compute import MOST_NUMBERS, divisors, heads_slider, sequences, sizes_of, widths
from pages.multi_head.settings import (
    A_PATTERN_A_HEAD,
    AGAINST,
    ARCS_OF,
    CASE,
    COMPARED,
    COMPARISON,
    DECIDED,
    EXAMPLES,
    FREE_HEADS,
    HEADS,
    HEADS_MASK,
    INIT,
    KV_HEADS,
    MASK_REACH,
    MOVES,
    OFF,
    ORDER_BY,
    PATTERNS,
    POSITIONS,
    PROJECTION,
    REMOVING_VIEWS,
    SETTINGS,
    VIEW,
    WIDTH_HEAD,
    WIDTH_MEMORY,
    WIDTH_MODEL,
    WITH_POSITIONS,
    WITHOUT_HEADS,
)
from pages.multi_head.sliders import Moving, slider_of
from pages.multi_head.state import NO_POSITIONS, HeadsOptions, HeadsSetting
from pages.multi_head.weights import weights
from pages.single_head.arcs import read_together
from pages.single_head.head import describe_drawing, read_sink, read_words

# The settings under *More settings*: sizes, and how weights are drawn.
RARELY_SET: tuple[Parameter, ...] = (
    *(WIDTH_MODEL, WIDTH_MEMORY, FREE_HEADS, WIDTH_HEAD, PROJECTION, BIAS, SEED, INIT, LAYOUT),
    *(SINK, SINK_LOGIT),
    *hand_settings(TABLES),
)


@dataclass(frozen=True)
class State:
    """The state of the page: the slider with the settings, and the options that show the maps."""

    moving: Moving
    look: HeadsOptions


def read_controls(controls: Controls) -> State:
    """Read the view, and all other controls in the sidebar."""
    view = controls.segment(VIEW, _("Picture"), label_visibility="collapsed")
    beside = controls.space()
    with controls.sidebar():
        setting, describe_example, above_more = _read_setting(controls)
        with above_more:
            moving = _read_moving(controls, setting, removes_weights=view in REMOVING_VIEWS)
            with beside:
                if view == COMPARISON:
                    view = controls.segment(COMPARED, _("Compared"), label_visibility="collapsed")
                if view in REMOVING_VIEWS:
                    moving = _read_removal(controls, moving)
                    view = "without" if moving.removals and moving.removals.kind == "without" else view
            describe_example(moving.n_head)
            queries = sequences(moving.setting).queries
            return State(moving, _read_look(controls, view, lambda: moving.heads(controls), queries))


def read_address(controls: Controls) -> tuple[Parameter, ...]:
    """Return the settings that read this run's address; a link that names only an example sets all of it.

    A link with an example and none of the settings in `DECIDED` gets the example's own values for them. If a
    link has any of these settings, those it leaves out get the page's default. To tell both kinds of link
    apart, the address of an example always has the number of heads.
    """
    case = controls.linked(CASE)
    if case in EXAMPLES and not any(controls.linked(setting) is not None for setting in DECIDED):
        _take_over(controls, case)
    example = controls.peek(CASE) if case is None else case
    heads = replace(HEADS, always_written=example in EXAMPLES)
    return tuple(heads if setting is HEADS else setting for setting in SETTINGS)


def _take_over(controls: Controls, case: str) -> None:
    """Set the controls in `DECIDED`, and the address, to the example's own values."""
    sample = EXAMPLES[case]
    controls.link(HEADS, sample.num_heads)
    controls.link(POSITIONS, WITH_POSITIONS.get(case, POSITIONS.default))
    controls.link(FREE_HEADS, sample.d_head is not None)
    controls.link(PROJECTION, sample.output_projection)
    controls.link(BIAS, False)
    if sample.d_head is not None:
        controls.link(WIDTH_HEAD, sample.d_head)


def _choose_case(controls: Controls) -> None:
    """Set the controls to the values of the example just chosen; a callback, before the page runs."""
    case = controls.peek(CASE)
    if case in EXAMPLES:
        _take_over(controls, case)
    controls.move(HEADS, EXAMPLES[case].num_heads if case in EXAMPLES else HEADS.default)


def _read_setting(
    controls: Controls,
) -> tuple[HeadsSetting, Callable[[int], None], AbstractContextManager[Any]]:
    """Read the setting that decides the numbers, except for values that the live slider may move.

    Returns the setting; a function that writes the example's note, with its changed settings, given the
    number of heads (0 if the slider moves it); and the place above *More settings*.
    """
    controls.heading(_("Words"))
    case = controls.choose(CASE, _("Example"), on_change=lambda: _choose_case(controls))
    own = case not in EXAMPLES
    text, memory_text, cross = TEXT.default, TEXT_2.default, False
    d_model = d_memory = WIDTH_MODEL.default
    if own:
        text = read_words(controls, TEXT, _("Sentence"))
        cross = controls.flag(CROSS, _("Keys from a second sentence"))
        if cross:
            memory_text = read_words(controls, TEXT_2, _("Second sentence"))
    about = controls.space(is_needed=not own)
    scheme_and_mask, above_more = controls.space(), controls.space()
    with controls.more(*RARELY_SET) as more:
        if own:
            d_model = d_memory = more.whole(WIDTH_MODEL, "d_model")
            if cross:
                d_memory = more.whole(WIDTH_MEMORY, _("Width of the second sentence"))
        free = more.flag(FREE_HEADS, _("Set d_head freely"))
        d_head = more.whole(WIDTH_HEAD, "d_head") if free else None
        projection = more.flag(PROJECTION, _("Output projection W_o"))
        bias = more.flag(BIAS, _("Biases"))
        seed = more.whole(SEED, _("Seed"))
        init = choose_init(more, INIT, {name: each.sentence for name, each in INITS.items()})
        about_weights = more.space()
        by_hand = read_whether(more)
        layout = read_layout(more, SCHEMES[controls.peek(POSITIONS)])
        sink = read_sink(more)
    with scheme_and_mask:
        positions = read_scheme(controls, POSITIONS, SCHEMES, layout, live=(STRENGTH,))
        explained = explain_mask(controls.peek(HEADS_MASK))
        mask = controls.choose(HEADS_MASK, _("Mask"), help=explained, on_change=lambda: _widen(controls))
        details_place = controls.space()
    setting = HeadsSetting(
        case,
        text,
        memory_text,
        cross,
        d_model,
        d_memory,
        d_head,
        bias,
        projection,
        seed,
        mask=mask,
        reach=int(MASK_REACH.default),
        positions=_own_settings_of(positions),
        init=init,
        sink=sink,
    )
    state = setting

    def describe(n_head: int) -> None:
        if not own:
            with about:
                controls.caption(_about(state, n_head))

    setting, note = _make_room(setting)
    with details_place:
        if note:
            controls.caption(f":material/info: {note}")
        if setting.mask == A_PATTERN_A_HEAD:
            patterns = controls.several(PATTERNS, _("Patterns, one head after the other"), PATTERNS.options)
            setting = replace(setting, patterns=tuple(sorted(patterns, key=PATTERNS.options.index)))
        details = read_details(controls, setting.kinds, blocks_in=_("a map"))
    setting = replace(setting, masking=Masking(seed=seed, **details))
    with about_weights:
        return _with_weights(more, setting, by_hand=by_hand), describe, above_more


def _about(setting: HeadsSetting, n_head: int) -> str:
    """Describe an example as it comes, and name the settings that were changed from its own values."""
    sample = EXAMPLES[setting.case]
    positions = WITH_POSITIONS.get(setting.case)
    pairs = {
        _("the number of heads"): (n_head or sample.num_heads, sample.num_heads),
        "d_head": (setting.d_head, sample.d_head),
        _("the output projection"): (setting.projection, sample.output_projection),
        _("biases"): (setting.bias, False),
        _("positions"): (setting.positions.name, positions or POSITIONS.default),
    }
    others = [name for name, (now, there) in pairs.items() if now != there]
    return paragraph(
        _("As the example comes: {description}", description=_(sample.description)),
        _("Positions: {sentence}", sentence=_(SCHEMES[positions].sentence)) if positions else "",
        _("Changed in this sidebar: {settings}.", settings=all_of(others)) if others else "",
    )


def _own_settings_of(positions: SchemeSettings) -> SchemeSettings:
    """Drop the values that the scheme does not use, so that equal pictures have equal settings."""
    takes = SCHEMES[positions.name].settings()
    own: dict[str, Any] = {name: value for name, value in positions.values().items() if name in takes}
    return SchemeSettings(positions.name, **own)


def _make_room(setting: HeadsSetting) -> tuple[HeadsSetting, str]:
    """Return the setting with widths that its scheme can take, or without positions; and a note on it."""
    scheme, is_example = SCHEMES[setting.positions.name], setting.case in EXAMPLES
    fit = scheme.fitting_width
    if scheme.adds == "vector" and is_example:
        width = EXAMPLES[setting.case].d_model
        note = _(
            "The learned table has width {table} and this example {width}: no positions are added.",
            table=fit(width),
            width=width,
        )
        return (setting, "") if fit(width) == width else (replace(setting, positions=NO_POSITIONS), note)
    if scheme.adds == "rotation" and setting.d_head is not None:
        wide = replace(setting, d_head=fit(setting.d_head))
    elif scheme.adds == "vector" or (scheme.adds == "rotation" and not is_example):
        # A rotation needs even heads: the vectors of a second sentence may have any width.
        own_memory = setting.cross and scheme.adds == "rotation"
        memory = setting.d_memory if own_memory else fit(setting.d_memory)
        wide = replace(setting, d_model=fit(setting.d_model), d_memory=memory)
    else:
        return setting, ""
    note = N_("These positions need another width: {used} is used in place of {given}.")
    for name in ("d_model", "d_head", "d_memory"):
        before, after = getattr(setting, name), getattr(wide, name)
        if before != after:
            return wide, _(note, used=after, given=before)
    return setting, ""


def _widen(controls: Controls) -> None:
    """Set the mask's width to 2 at least: a prefix of 1 is the causal mask, and a block of 1 a lone token."""
    widened = ("prefix", "packed", "block-sparse", A_PATTERN_A_HEAD)
    if controls.peek(HEADS_MASK) in widened and controls.value(MASK_REACH) < 2:
        controls.move(MASK_REACH, 2)


def _read_look(
    controls: Controls, view: str, count_heads: Callable[[], int], queries: Sequence[str]
) -> HeadsOptions:
    """Read the sidebar's settings of a view: which heads, in which order.

    Args:
        view: the view that was chosen above the figure.
        count_heads: returns the number of heads; called only if a control lists them.
        queries: the queries' words.
    """
    order = ORDER_BY.default
    if view not in WITHOUT_HEADS or view == "diagram":
        controls.heading(_("Picture"))
    if view == "two heads":
        names = names_of_heads(count_heads())
        controls.pick(HEAD, _("Head"), names)
        controls.pick(AGAINST, _("minus"), names)
    elif view in REMOVING_VIEWS:
        controls.pick(HEAD, _("Head"), names_of_heads(count_heads()))
    elif view == "arcs":
        return _read_arcs(controls, HeadsOptions(view, order, 0, 0, ()), count_heads, queries)
    elif view == "diagram":
        counts = tuple(divisors(count_heads()))
        controls.step(replace(KV_HEADS, values=counts), _("Heads of keys and values"))
    elif view not in WITHOUT_HEADS:
        order = controls.choose(ORDER_BY, _("Order heads by"))
    return HeadsOptions(view, order, 0, 0, ())


def _read_arcs(
    controls: Controls, look: HeadsOptions, count_heads: Callable[[], int], queries: Sequence[str]
) -> HeadsOptions:
    """Read whose arcs are drawn: one head's or all heads', and of which queries together."""
    all_heads = controls.segment(ARCS_OF, _("Arcs of"), label_visibility="collapsed") == "all heads"
    if not all_heads:
        controls.pick(HEAD, _("Head"), names_of_heads(count_heads()))
    also, summed = read_together(controls, queries)
    return replace(look, all_heads=all_heads, also=also, summed=summed)


def choose_heads(controls: Controls, look: HeadsOptions, n_head: int) -> HeadsOptions:
    """Show the switches of heads; return the options with the chosen heads and those that are off."""
    head, against = controls.place(HEAD, n_head), controls.place(AGAINST, n_head)
    numbers = [str(head + 1) for head in range(n_head)]
    off = tuple(int(head) - 1 for head in controls.several(OFF, _("Heads switched off"), numbers))
    if len(off) == n_head:
        controls.caption(
            _(":material/edit: All heads are off: the output is what is left, zero or the bias.")
        )
    return replace(look, head=head, against=against, off=off, num_kv_heads=int(controls.value(KV_HEADS)))


def names_of_heads(n_head: int) -> Sequence[str]:
    """Return the names of the heads, counted from 1."""
    return [_("head {head}", head=head) for head in range(1, n_head + 1)]


def _with_weights(controls: Controls, setting: HeadsSetting, *, by_hand: bool) -> HeadsSetting:
    """Return the setting with the weights set by hand; show how the others are drawn."""
    shapes = _shapes(controls, setting)
    by_hand_weights = read_by_hand(controls, shapes) if by_hand else ()
    if sentence := describe_drawing([each[0] for each in shapes], setting.init, by_hand_weights):
        controls.caption(sentence)
    return replace(setting, weights=by_hand_weights)


def _shapes(controls: Controls, setting: HeadsSetting) -> list[list[Weight]]:
    """Return the shapes of each weight for every number of heads, the present number first."""
    slider = heads_slider(setting)
    if setting.d_head is None:  # heads share out d_model, so shapes are the same for any number of heads
        return [[each] for each in weights(sizes_of(setting, int(slider.values[0])))]
    present = int(slider.nearest_value(controls.value(HEADS)))
    counts = [present, *(int(heads) for heads in slider.values if heads != present)]
    shapes_by_count = (
        weights(sizes_of(setting, heads), _n("with {count} head", "with {count} heads", heads))
        for heads in counts
    )
    return [list(shapes) for shapes in zip(*shapes_by_count, strict=True)]


def _read_removal(controls: Controls, moving: Moving) -> Moving:
    """Read which of a head's weights are removed; the slider then moves that."""
    tokens, width = sequences(moving.setting), sizes_of(moving.setting, moving.n_head).d_head
    removals = read_removal(controls, tokens.shape[0], tokens.keys, width)
    return replace(moving, what="removal", steps=removals.steps, removals=removals)


def _read_moving(controls: Controls, setting: HeadsSetting, *, removes_weights: bool) -> Moving:
    """Read what the slider moves, and the values of all else."""
    controls.heading(_("Conditions") if removes_weights else _("Slider"))
    what = "removal" if removes_weights else controls.choose(MOVES, _("The slider moves"))
    placed = SCHEMES[setting.positions.name].adds != "nothing"
    if not {"mask width": setting.width_name, "strength of positions": placed}.get(what, True):
        controls.caption(
            _(":material/info: There is nothing here that this could move: the slider moves heads.")
        )
        what = MOVES.default
    temperature, reach, strength = TEMPERATURE.default, MASK_REACH.default, setting.positions.strength
    if what != "temperature":
        temperature = controls.step(TEMPERATURE, _("Temperature T"))
    if setting.width_name and what != "mask width":
        reach = controls.step(widths(setting), setting.width_name)
    if placed and what != "strength of positions":
        strength = controls.step(STRENGTH, _("Strength of positions"))
    setting = replace(
        setting,
        temperature=temperature,
        reach=int(reach),
        positions=replace(setting.positions, strength=strength),
    )
    every = slider_of(what, setting)
    if removes_weights:
        return Moving(what, setting, int(controls.step(every, _("Heads"))), every)
    if what == "heads":
        return Moving(what, setting, 0, every)
    n_head = int(controls.step(heads_slider(setting), _("Heads")))
    n_query, n_key = sequences(setting).shape
    steps = every.fitting(n_head * n_query * n_key, MOST_NUMBERS)
    return Moving(what, setting, n_head, controls.exact(steps), len(steps.values) < len(every.values))
