"""What is asked: in the sidebar the words, sizes, weights, mask and slider; which heads under the picture."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import Any

from attn_core import INITS, MASK_PATTERNS, SCHEMES, Masking, how_cut, tokenize
from attn_ui.base.arcs import ask_together
from attn_ui.base.ask import Ask
from attn_ui.base.bounds import MAX_TOKENS
from attn_ui.base.hand_weights import ask_by_hand, ask_init, ask_whether
from attn_ui.base.markdown import in_papers, listed
from attn_ui.base.masking import ask_details
from attn_ui.base.parameters import Parameter
from attn_ui.base.schemes import SchemeSettings, ask_layout, ask_scheme
from attn_ui.base.sentence import ask_sentence
from attn_ui.base.set_aside import ask_aside
from attn_ui.base.shared_settings import BIAS, CROSS, HEAD, LAYOUT, SEED, STRENGTH, TEMPERATURE, TEXT, TEXT_2
from attn_ui.base.weight_tables import TABLES, Weight, hand_settings, spread
from attn_words import _, _n, paragraph
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
    SET_ASIDE,
    SETTINGS,
    VIEW,
    WIDTH_HEAD,
    WIDTH_MEMORY,
    WIDTH_MODEL,
    WITH_POSITIONS,
    WITHOUT_HEADS,
)
from pages.multi_head.sliders import Moving, slider_of
from pages.multi_head.state import NO_POSITIONS, Look, Setting
from pages.multi_head.weights import weights

# Under *More settings*: sizes, and how weights are drawn.
RARELY_SET: tuple[Parameter, ...] = (
    *(WIDTH_MODEL, WIDTH_MEMORY, FREE_HEADS, WIDTH_HEAD, PROJECTION, BIAS, SEED, INIT, LAYOUT),
    *hand_settings(TABLES),
)


@dataclass(frozen=True)
class Asked:
    """What the whole page follows: what the slider moves and what stands still, and how it is shown."""

    moving: Moving
    look: Look


def asks(ask: Ask) -> Asked:
    """Ask for the view, and in the sidebar for all else."""
    view = ask.segment(VIEW, _("Picture"), label_visibility="collapsed")
    beside = ask.space()
    with ask.sidebar():
        setting, say_of_example, above_more = _ask_setting(ask)
        with above_more:
            moving = _ask_moving(ask, setting, fixed=view in SET_ASIDE)
            with beside:
                if view == COMPARISON:
                    view = ask.segment(COMPARED, _("Compared"), label_visibility="collapsed")
                if view in SET_ASIDE:
                    moving = _setting_aside(ask, moving)
                    view = "without" if moving.asides and moving.asides.what == "without" else view
            say_of_example(moving.n_head)
            queries = sequences(moving.setting).queries
            return Asked(moving, _ask_look(ask, view, lambda: moving.heads(ask), queries))


def reads(ask: Ask) -> tuple[Parameter, ...]:
    """Return the settings to read this run's address by; a link to an example means all of the example.

    A link that names an example and none of the settings that it decides stands for the example as it is. A
    link that names any of them is meant as it says: what it leaves out has the page's default. So that the
    two never look alike, the number of heads is always in the address of an example.
    """
    case = ask.linked(CASE)
    if case in EXAMPLES and not any(ask.linked(setting) is not None for setting in DECIDED):
        _take_over(ask, case)
    shown = ask.now(CASE) if case is None else case
    heads = replace(HEADS, always_written=shown in EXAMPLES)
    return tuple(heads if setting is HEADS else setting for setting in SETTINGS)


def _take_over(ask: Ask, case: str) -> None:
    """Set the controls, and the address, to what an example is meant for."""
    sample = EXAMPLES[case]
    ask.link(HEADS, sample.num_heads)
    ask.link(POSITIONS, WITH_POSITIONS.get(case, POSITIONS.default))
    ask.link(FREE_HEADS, sample.d_head is not None)
    ask.link(PROJECTION, sample.output_projection)
    ask.link(BIAS, False)
    if sample.d_head is not None:
        ask.link(WIDTH_HEAD, sample.d_head)


def _choose_case(ask: Ask) -> None:
    """Take over what the chosen example is meant for; called when it is chosen, before the run."""
    case = ask.now(CASE)
    if case in EXAMPLES:
        _take_over(ask, case)
    ask.move(HEADS, EXAMPLES[case].num_heads if case in EXAMPLES else HEADS.default)


def _ask_setting(ask: Ask) -> tuple[Setting, Callable[[int], None], AbstractContextManager[Any]]:
    """Ask for what decides the numbers, but for what a live slider may move.

    Returns the setting; and what says of an example, at its place, which settings are others here, given the
    number of heads that is asked for beside it: 0 where that is moved under the picture; and the place above
    *More settings*.
    """
    ask.heading(_("Words"))
    case = ask.choose(CASE, _("Example"), on_change=lambda: _choose_case(ask))
    own = case not in EXAMPLES
    text, memory_text, cross = TEXT.default, TEXT_2.default, False
    d_model = d_memory = WIDTH_MODEL.default
    if own:
        text = ask_sentence(ask, TEXT, _("Sentence"), tokenize=tokenize, most=MAX_TOKENS, how_cut=how_cut)
        cross = ask.flag(CROSS, _("Keys from a second sentence"))
        if cross:
            memory_text = ask_sentence(
                ask, TEXT_2, _("Second sentence"), tokenize=tokenize, most=MAX_TOKENS, how_cut=how_cut
            )
    about = ask.space(needed=not own)
    scheme_and_mask, above_more = ask.space(), ask.space()
    with ask.more(*RARELY_SET) as more:
        if own:
            d_model = d_memory = more.whole(WIDTH_MODEL, "d_model")
            if cross:
                d_memory = more.whole(WIDTH_MEMORY, _("Width of the second sentence"))
        free = more.flag(FREE_HEADS, _("Set d_head freely"))
        d_head = more.whole(WIDTH_HEAD, "d_head") if free else None
        projection = more.flag(PROJECTION, _("Output projection W_o"))
        bias = more.flag(BIAS, _("Biases"))
        seed = more.whole(SEED, _("Seed"))
        init = ask_init(more, INIT, {name: each.sentence for name, each in INITS.items()})
        about_weights = more.space()
        by_hand = ask_whether(more)
        layout = ask_layout(more, SCHEMES[ask.now(POSITIONS)])
    with scheme_and_mask:
        positions = ask_scheme(ask, POSITIONS, SCHEMES, layout, live=(STRENGTH,))
        mask = _ask_mask(ask)
        details_place = ask.space()
    setting = Setting(
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
    )
    asked = setting

    def say(n_head: int) -> None:
        if not own:
            with about:
                ask.say(_about(asked, n_head))

    setting, note = _make_room(setting)
    with details_place:
        if note:
            ask.say(f":material/info: {note}")
        if setting.mask == A_PATTERN_A_HEAD:
            chosen = ask.several(PATTERNS, _("Patterns, one head after the other"), PATTERNS.options)
            setting = replace(setting, patterns=tuple(sorted(chosen, key=PATTERNS.options.index)))
        details = ask_details(ask, setting.kinds, blocks_in=_("a map"))
    setting = replace(setting, masking=Masking(seed=seed, **details))
    with about_weights:
        return _with_weights(more, setting, by_hand=by_hand), say, above_more


def _about(setting: Setting, n_head: int) -> str:
    """Say what an example is as it comes, and which of the settings that it decides are others beside it."""
    sample = EXAMPLES[setting.case]
    positions = WITH_POSITIONS.get(setting.case)
    pairs = {
        _("the number of heads"): (n_head or sample.num_heads, sample.num_heads),
        "d_head": (setting.d_head, sample.d_head),
        _("the output projection"): (setting.projection, sample.output_projection),
        _("biases"): (setting.bias, False),
        _("positions"): (setting.positions.name, positions or POSITIONS.default),
    }
    others = [name for name, (here, there) in pairs.items() if here != there]
    return paragraph(
        _("As the example comes: {description}", description=_(sample.description)),
        _("Positions: {sentence}", sentence=_(SCHEMES[positions].sentence)) if positions else "",
        _("Changed in this sidebar: {settings}.", settings=listed(others)) if others else "",
    )


def _ask_mask(ask: Ask) -> str:
    mask = ask.choose(HEADS_MASK, _("Mask"), on_change=lambda: _widen(ask))
    if mask in MASK_PATTERNS and (also := in_papers(_(MASK_PATTERNS[mask].known_as))):
        ask.say(also)
    return mask


def _own_settings_of(positions: SchemeSettings) -> SchemeSettings:
    """Leave out what the scheme does not take, so that it makes no other picture."""
    takes = SCHEMES[positions.name].settings()
    own: dict[str, Any] = {name: value for name, value in positions.values().items() if name in takes}
    return SchemeSettings(positions.name, **own)


def _make_room(setting: Setting) -> tuple[Setting, str]:
    """Bring widths to what the scheme takes; where an example's cannot be, leave its positions out."""
    scheme = SCHEMES[setting.positions.name]
    if scheme.adds == "vector":
        used = scheme.fitting_width(setting.d_model)
        if setting.case in EXAMPLES:
            width = EXAMPLES[setting.case].d_model
            if scheme.fitting_width(width) == width:
                return setting, ""
            return replace(setting, positions=NO_POSITIONS), paragraph(
                _(
                    "The learned table has width {table} and this example {width}: no positions are added.",
                    table=scheme.fitting_width(width),
                    width=width,
                ),
                _("A sentence of your own takes the table's width."),
            )
        wide = replace(setting, d_model=used, d_memory=scheme.fitting_width(setting.d_memory))
        widened = _("The learned table has width {width}, so the words have too.", width=used)
        return wide, widened if wide != setting else ""
    if scheme.adds != "rotation":
        return setting, ""
    given = setting.d_model if setting.d_head is None else setting.d_head
    even = scheme.fitting_width(given)
    if even == given or (setting.d_head is None and setting.case in EXAMPLES):
        return setting, ""
    wide = replace(setting, d_model=even) if setting.d_head is None else replace(setting, d_head=even)
    if setting.d_head is None and not setting.cross:
        wide = replace(wide, d_memory=even)
    return wide, _(
        "Rotary turns pairs of dimensions: {used} is used in place of {given}.", used=even, given=given
    )


def _widen(ask: Ask) -> None:
    """A prefix of 1 is the causal mask and a block of 1 a lone token: no start for one who chooses them."""
    widened = ("prefix", "block-sparse", A_PATTERN_A_HEAD)
    if ask.now(HEADS_MASK) in widened and ask.value(MASK_REACH) < 2:
        ask.move(MASK_REACH, 2)


def _ask_look(ask: Ask, view: str, count_heads: Callable[[], int], queries: Sequence[str]) -> Look:
    """Ask in the sidebar for what decides the picture besides its view: which heads, in which order.

    Args:
        view: what is shown, as it was chosen above the figure.
        count_heads: returns how many there are; it is called where heads are chosen by name.
        queries: their words.
    """
    order = ORDER_BY.default
    if view not in WITHOUT_HEADS or view == "diagram":
        ask.heading(_("Picture"))
    if view == "two heads":
        names = names_of_heads(count_heads())
        ask.pick(HEAD, _("Head"), names)
        ask.pick(AGAINST, _("minus"), names)
    elif view in SET_ASIDE:
        ask.pick(HEAD, _("Head"), names_of_heads(count_heads()))
    elif view == "arcs":
        return _ask_arcs(ask, Look(view, order, 0, 0, ()), count_heads, queries)
    elif view == "diagram":
        offered = tuple(divisors(count_heads()))
        ask.step(replace(KV_HEADS, values=offered), _("Heads of keys and values"))
    elif view not in WITHOUT_HEADS:
        order = ask.choose(ORDER_BY, _("Order heads by"))
    return Look(view, order, 0, 0, ())


def _ask_arcs(ask: Ask, look: Look, count_heads: Callable[[], int], queries: Sequence[str]) -> Look:
    """Ask whose arcs are drawn: of one head or of all, and of which queries together."""
    all_heads = ask.segment(ARCS_OF, _("Arcs of"), label_visibility="collapsed") == "all heads"
    if not all_heads:
        ask.pick(HEAD, _("Head"), names_of_heads(count_heads()))
    also, summed = ask_together(ask, queries)
    return replace(look, all_heads=all_heads, also=also, summed=summed)


def with_heads(ask: Ask, look: Look, n_head: int) -> Look:
    """Offer to switch heads off, and say in the look which are chosen and which are off."""
    head, against = ask.place(HEAD, n_head), ask.place(AGAINST, n_head)
    offered = [str(head + 1) for head in range(n_head)]
    off = tuple(int(head) - 1 for head in ask.several(OFF, _("Heads switched off"), offered))
    if len(off) == n_head:
        ask.say(_(":material/edit: All heads are off: the output is what is left, zero or the bias."))
    return replace(look, head=head, against=against, off=off, num_kv_heads=int(ask.value(KV_HEADS)))


def names_of_heads(n_head: int) -> Sequence[str]:
    """Return what the heads are called, counted from 1."""
    return [_("head {head}", head=head) for head in range(1, n_head + 1)]


def _with_weights(ask: Ask, setting: Setting, *, by_hand: bool) -> Setting:
    """Return the setting with the weights that are set by hand, and say how the others are drawn."""
    given = ask_by_hand(ask, _shapes(ask, setting)) if by_hand else ()
    if drawn := drawn_so(setting, [name for name, _rows in given]):
        ask.say(drawn)
    return replace(setting, weights=given)


def _shapes(ask: Ask, setting: Setting) -> list[list[Weight]]:
    """Return each weight in the shapes that it has with any number of heads, the present number first."""
    slider = heads_slider(setting)
    if setting.d_head is None:  # all heads share one width, however many there are
        return [[each] for each in weights(sizes_of(setting, int(slider.values[0])))]
    present = int(slider.taken(ask.value(HEADS)))
    counts = [present, *(int(heads) for heads in slider.values if heads != present)]
    every = (weights(sizes_of(setting, heads), _with(heads)) for heads in counts)
    return [list(shapes) for shapes in zip(*every, strict=True)]


def _with(heads: int) -> str:
    return _n("with {count} head", "with {count} heads", heads)


def drawn_so(setting: Setting, typed: list[str]) -> str:
    """Say how wide the weights are drawn that are, at the least and the most heads where these differ."""
    counts = [int(heads) for heads in heads_slider(setting).values]
    ends = [counts[0]] if setting.d_head is None else sorted({counts[0], counts[-1]})
    found: dict[str, list[str]] = {}
    for heads in ends:
        for each in weights(sizes_of(setting, heads)):
            if each.name[0] == "W" and each.name not in typed:
                found.setdefault(each.name, []).append(f"{INITS[setting.init].std(*each.shape):.3g}")
    if not found:
        return ""
    return spread(
        {
            name: texts[0]
            if len({*texts}) == 1
            else listed(
                [
                    _n(
                        "{deviation} with {count} head",
                        "{deviation} with {count} heads",
                        heads,
                        deviation=text,
                    )
                    for text, heads in zip(texts, ends, strict=True)
                ]
            )
            for name, texts in found.items()
        }
    )


def _setting_aside(ask: Ask, moving: Moving) -> Moving:
    """Ask what of a head's weights is set aside, which the slider moves then."""
    tokens, width = sequences(moving.setting), sizes_of(moving.setting, moving.n_head).d_head
    asides = ask_aside(ask, tokens.shape[0], tokens.keys, width)
    return replace(moving, what="aside", steps=asides.steps, asides=asides)


def _ask_moving(ask: Ask, setting: Setting, *, fixed: bool) -> Moving:
    """Ask what the slider moves, and for the values of what it does not move; fixed: it moves none of it."""
    ask.heading(_("Conditions") if fixed else _("Slider"))
    what = "aside" if fixed else ask.choose(MOVES, _("The slider moves"))
    placed = SCHEMES[setting.positions.name].adds != "nothing"
    missing = {
        "mask width": ""
        if setting.width_name
        else _(":material/info: The mask here has no width to move: the slider moves heads."),
        "strength of positions": ""
        if placed
        else _(
            ":material/info: There are no positions here whose strength could move: the slider moves heads."
        ),
    }
    if missing.get(what):
        ask.say(missing[what])
        what = MOVES.default
    temperature, reach, strength = TEMPERATURE.default, MASK_REACH.default, setting.positions.strength
    if what != "temperature":
        temperature = ask.step(TEMPERATURE, _("Temperature T"))
    if setting.width_name and what != "mask width":
        reach = ask.step(widths(setting), setting.width_name)
    if placed and what != "strength of positions":
        strength = ask.step(STRENGTH, _("Strength of positions"))
    setting = replace(
        setting,
        temperature=temperature,
        reach=int(reach),
        positions=replace(setting.positions, strength=strength),
    )
    every = slider_of(what, setting)
    if fixed:
        return Moving(what, setting, int(ask.step(every, _("Heads"))), every)
    if what == "heads":
        return Moving(what, setting, 0, every)
    n_head = int(ask.step(heads_slider(setting), _("Heads")))
    n_query, n_key = sequences(setting).shape
    steps = every.fitting(n_head * n_query * n_key, MOST_NUMBERS)
    return Moving(what, setting, n_head, ask.exact(steps), len(steps.values) < len(every.values))
