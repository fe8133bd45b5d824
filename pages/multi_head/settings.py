"""What this page can set: names in the link, defaults, ranges, and the controls that ask for them."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st
from streamlit.errors import StreamlitAPIException

from attn_core import ATTENTION_SAMPLES, GLOROT, INITS, MASK_PATTERNS, SCHEMES, Masking, tokenize
from attn_ui import address, controls, state
from attn_ui.bounds import MAX_D_MODEL, MAX_HEADS, MAX_TOKENS
from attn_ui.markdown import in_papers, listed
from attn_ui.masking import ask_details, toggle_cell
from attn_ui.page import Cell
from attn_ui.parameters import Choice, Flag, Parameter, Several, Steps, Text, Whole, grouped_tabs
from attn_ui.schemes import SchemeSettings, ask_scheme
from attn_ui.screen import SCREEN
from attn_ui.sentence import ask_sentence
from attn_ui.shared_settings import (
    BASE,
    BIAS,
    BLOCKED,
    CODE,
    CROSS,
    DILATION,
    GLOBAL_TOKENS,
    HEAD,
    KEY,
    LAYOUT,
    QUERY,
    RAMP_STEP,
    RANDOM_BLOCKS,
    SEED,
    STRENGTH,
    TEMPERATURE,
    TEXT,
    TEXT_2,
    scheme_setting,
)
from attn_ui.weight_tables import TABLES, Given, hand_settings, init_setting

TAB = grouped_tabs(
    understand=("Heads add up", "Shapes", "Arithmetic", "Maths", "Measures"),
    experiment=("Break it", "Block", "Shared heads", "Token by token", "Batch", "One or many", "Cost"),
    prove=("Checks",),
    take_away=("Data", "Code", "Spellings"),
)
CASE = Choice(
    "case",
    "own sentence",
    (
        "own sentence",
        "I love dogs, two heads",
        "I love ice, two full-width heads",
        "cross-attention, four heads",
        "the original Transformer",
        "heads wider than their share",
        "I love dogs with the ramp, two heads",
    ),
    kind="example",
)
WIDTH_MODEL = Whole("dm", 8, 1, MAX_D_MODEL)
WIDTH_MEMORY = Whole("dmem", 8, 1, MAX_D_MODEL)
FREE_HEADS = Flag("free", False)
WIDTH_HEAD = Whole("dh", 8, 1, MAX_D_MODEL)
HEADS = Steps(
    "heads",
    4,
    tuple(range(1, MAX_HEADS + 1)),
    ".0f",
    only="a number of heads that is offered here",
    told=True,
)
PROJECTION = Flag("wo", True)
INIT = init_setting(INITS)
A_PATTERN_A_HEAD = "a pattern a head"
HEADS_MASK = Choice(
    "hmask",
    "none",
    (
        "none",
        "causal",
        "sliding window",
        "padding",
        "dilated",
        "global + local",
        "block-sparse",
        "prefix",
        "own",
        A_PATTERN_A_HEAD,
    ),
    kind="mask",
)
# What it is of depends on the mask: window, prefix, padding or block size.
MASK_REACH = Steps("reach", 1, tuple(range(MAX_TOKENS + 1)), ".0f")
# The patterns that heads take in turn; none chosen: these, as Longformer and BigBird have them.
PATTERNS = Several(
    "patterns", ("causal", "sliding window", "dilated", "global + local", "block-sparse", "prefix")
)
USUAL_PATTERNS = ("sliding window", "global + local", "block-sparse")
POSITIONS = scheme_setting(SCHEMES, "none", "pos")
MOVES = Choice("hmoves", "heads", ("heads", "mask width", "temperature", "strength of positions"))
VIEW = Choice(
    "view", "every head", ("every head", "diagram", "mean and max", "two heads", "one or many"), views=True
)
WITHOUT_HEADS = ("diagram", "one or many")  # views that show no head of its own
ORDER_BY = Choice(
    "by",
    "number",
    ("number", "entropy", "effective keys", "distance", "previous token", "diagonal", "contribution"),
)
AGAINST = Steps("against", 2, tuple(range(1, MAX_HEADS + 1)), ".0f")
OFF = Several("off", tuple(str(head) for head in range(1, MAX_HEADS + 1)))
RESHAPE = Steps("reshape", 0, tuple(range(37)), ".0f")
LAYERS = Steps("layers", 6, tuple(range(13)), ".0f")
KV_HEADS = Steps(
    "kv",
    MAX_HEADS,  # as many as heads
    tuple(range(1, MAX_HEADS + 1)),
    ".0f",
    only="a number that the heads can be shared out among",
)
LATENT = Steps("latent", 512, tuple(range(1, 513)), ".0f")  # the default: the whole rank
SPELLING = Choice(
    "spelling", "einops", ("loops", "matmul", "einsum", "einops", "torch"), kind="spelling", tab="Spellings"
)
FIT_STEP = Steps("fit", 120, tuple(range(0, 121, 5)), ".0f", only="a step that is kept, every fifth")
BATCH = Text("batch", "the cat sat on the mat / cats like warm milk / it rains", 300)
RESIDUAL = Flag("residual", True)
NORM = Choice("norm", "after", ("none", "before", "after"))
MISTAKE = Choice(
    "fault",
    "split without transpose",
    (
        "split without transpose",
        "merge without transpose",
        "√d_model for √d_head",
        "one W for all heads",
        "key heads tiled",
        "(d k h) for (k h d)",
        "own key not yet cached",
        "place not counted on",
    ),
    kind="mistake",
    tab="Break it",
)
SETTINGS: tuple[Parameter, ...] = (
    *(TAB, CASE, TEXT, CROSS, TEXT_2, WIDTH_MODEL, WIDTH_MEMORY, SEED),
    *(HEADS, FREE_HEADS, WIDTH_HEAD, BIAS, PROJECTION, HEADS_MASK, MASK_REACH),
    *(VIEW, ORDER_BY, HEAD, AGAINST, QUERY, KEY, OFF, RESHAPE, LAYERS, RESIDUAL, NORM),
    *(KV_HEADS, LATENT, BATCH, SPELLING, FIT_STEP, MISTAKE),
    *(POSITIONS, STRENGTH, LAYOUT, BASE, RAMP_STEP, TEMPERATURE, MOVES),
    *(PATTERNS, DILATION, GLOBAL_TOKENS, RANDOM_BLOCKS, BLOCKED, CODE, INIT),
    *hand_settings(TABLES),
)

EXAMPLES = {
    case: ATTENTION_SAMPLES[name]
    for case, name in zip(
        CASE.options[1:],
        (
            "i-love-dogs-two-heads",
            "i-love-ice-two-heads",
            "cross-attention",
            "transformer-sizes",
            "free-head-width",
            "i-love-dogs-two-heads",
        ),
        strict=True,
    )
}
WITH_POSITIONS = {"I love dogs with the ramp, two heads": "ramp"}
# What an example decides, beside its words.
DECIDED = (HEADS, FREE_HEADS, WIDTH_HEAD, PROJECTION, BIAS, POSITIONS)
NO_POSITIONS = SchemeSettings("none")
NO_DETAILS = Masking()


@dataclass(frozen=True)
class Setting:
    """All that decides the numbers on the page, but for how many heads there are."""

    case: str
    text: str
    memory_text: str
    cross: bool
    d_model: int
    d_memory: int
    d_head: int | None  # None: d_model / n_head
    bias: bool
    projection: bool
    seed: int
    mask: str
    reach: int
    masking: Masking = NO_DETAILS  # what the mask takes beside its width
    patterns: tuple[str, ...] = ()  # what heads take in turn
    positions: SchemeSettings = NO_POSITIONS
    temperature: float = 1.0
    init: str = GLOROT
    weights: Given = ()  # those set by hand; the others are drawn

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of mask that heads take in turn."""
        return (self.patterns or USUAL_PATTERNS) if self.mask == A_PATTERN_A_HEAD else (self.mask,)

    @property
    def width_name(self) -> str:
        """What the mask's width is called; nothing where it has none."""
        names = {"sliding window": "Neighbours on each side", "padding": "Padded keys at the end"}
        widths = {kind: MASK_PATTERNS[kind].width for kind in self.kinds if MASK_PATTERNS[kind].width}
        if self.mask == A_PATTERN_A_HEAD:
            return "Window, block or prefix" if widths else ""
        return names.get(self.mask, widths.get(self.mask, ""))


@dataclass(frozen=True)
class Look:
    """How the maps are shown; heads, queries and keys are counted from 0."""

    view: str
    order: str
    head: int
    against: int
    off: tuple[int, ...]
    num_kv_heads: int = MAX_HEADS  # of keys and values, at most

    @property
    def drawn(self) -> "Look":
        """What of it the picture is made from: the chosen head is framed in the browser."""
        if self.view == "two heads":
            return self
        off = () if self.view in WITHOUT_HEADS else self.off
        shared = self.num_kv_heads if self.view == "diagram" else MAX_HEADS
        return replace(self, head=0, against=0, off=off, num_kv_heads=shared)


def read_link() -> tuple[Parameter, ...]:
    """Return the settings to read this run's address by; a link to an example means all of the example.

    A link that names an example and none of the settings that it decides stands for the example as it is. A
    link that names any of them is meant as it says: what it leaves out has the page's default. So that the
    two never look alike, the number of heads is always in the address of an example.
    """
    case = st.query_params.get(CASE.name)
    if case in EXAMPLES and not any(setting.name in st.query_params for setting in DECIDED):
        _take_over(case)
    shown = st.session_state.get(CASE.name, case)
    heads = replace(HEADS, always_written=shown in EXAMPLES)
    return tuple(heads if setting is HEADS else setting for setting in SETTINGS)


def _take_over(case: str) -> None:
    """Set the controls, and the address, to what an example is meant for."""
    sample = EXAMPLES[case]
    st.query_params[HEADS.name] = str(sample.num_heads)
    positions = WITH_POSITIONS.get(case, POSITIONS.default)
    st.session_state[POSITIONS.name] = positions
    if positions != POSITIONS.default:
        _put_into_address(POSITIONS.name, positions)
    wanted = {FREE_HEADS: sample.d_head is not None, PROJECTION: sample.output_projection, BIAS: False}
    for flag, value in wanted.items():
        st.session_state[flag.name] = value
        if value != flag.default:
            _put_into_address(flag.name, str(value).lower())
    if sample.d_head is not None:
        st.session_state[WIDTH_HEAD.name] = sample.d_head
        _put_into_address(WIDTH_HEAD.name, str(sample.d_head))


def _put_into_address(name: str, text: str) -> None:
    """Write what a control that is about to appear does not write itself; one that is there already does."""
    with suppress(StreamlitAPIException):
        st.query_params[name] = text


def _choose_case() -> None:
    """Take over what the chosen example is meant for; called when it is chosen, before the run."""
    case = st.session_state[CASE.name]
    if case in EXAMPLES:
        _take_over(case)
    state.move(HEADS, EXAMPLES[case].num_heads if case in EXAMPLES else HEADS.default)


def ask_setting() -> tuple[Setting, Callable[[int], None]]:
    """Ask for what decides the numbers, but for what a live slider may move.

    Returns the setting; and what says of an example, at its place, which settings are others here, given the
    number of heads that is asked for beside it: 0 where that is moved under the picture.
    """
    st.subheader("Words", anchor=False)
    case = controls.choose(CASE, "Example", on_change=_choose_case)
    own = case not in EXAMPLES
    text, memory_text, cross = TEXT.default, TEXT_2.default, False
    d_model = d_memory = WIDTH_MODEL.default
    if own:
        text = ask_sentence(SCREEN, TEXT, "Sentence", tokenize=tokenize, most=MAX_TOKENS)
        cross = controls.flag(CROSS, "Keys from a second sentence")
        if cross:
            memory_text = ask_sentence(SCREEN, TEXT_2, "Second sentence", tokenize=tokenize, most=MAX_TOKENS)
    about = st.container()
    st.subheader("Positions", anchor=False)
    positions = ask_scheme(SCREEN, POSITIONS, SCHEMES, live=(STRENGTH,))
    st.subheader("Sizes", anchor=False)
    if own:
        d_model = d_memory = controls.whole(WIDTH_MODEL, "d_model")
        if cross:
            d_memory = controls.whole(WIDTH_MEMORY, "Width of the second sentence")
    free = controls.flag(FREE_HEADS, "Set d_head freely")
    d_head = controls.whole(WIDTH_HEAD, "d_head") if free else None
    projection = controls.flag(PROJECTION, "Output projection W_o")
    bias = controls.flag(BIAS, "Biases")
    seed = controls.whole(SEED, "Seed")
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
        mask=_ask_mask(),
        reach=int(MASK_REACH.default),
        positions=_own_settings_of(positions),
    )
    asked = setting

    def say(n_head: int) -> None:
        if not own:
            about.caption(_about(asked, n_head))

    setting, note = _make_room(setting)
    if note:
        st.caption(f":material/info: {note}")
    if setting.mask == A_PATTERN_A_HEAD:
        chosen = controls.several(PATTERNS, "Patterns, one head after the other", PATTERNS.options)
        setting = replace(setting, patterns=tuple(sorted(chosen, key=PATTERNS.options.index)))
    details = ask_details(SCREEN, setting.kinds, blocks_in="a map")
    return replace(setting, masking=Masking(seed=seed, **details)), say


def _about(setting: Setting, n_head: int) -> str:
    """Say what an example is as it comes, and which of the settings that it decides are others beside it."""
    sample = EXAMPLES[setting.case]
    positions = WITH_POSITIONS.get(setting.case)
    said = sample.description + (f" Positions: {SCHEMES[positions].sentence}" if positions else "")
    pairs = {
        "the number of heads": (n_head or sample.num_heads, sample.num_heads),
        "d_head": (setting.d_head, sample.d_head),
        "the output projection": (setting.projection, sample.output_projection),
        "biases": (setting.bias, False),
        "positions": (setting.positions.name, positions or POSITIONS.default),
    }
    others = [name for name, (here, there) in pairs.items() if here != there]
    changed = f" Changed in this sidebar: {listed(others)}." if others else ""
    return f"As the example comes: {said}{changed}"


def _ask_mask() -> str:
    mask = controls.choose(HEADS_MASK, "Mask", on_change=_widen)
    if mask in MASK_PATTERNS and (also := in_papers(MASK_PATTERNS[mask].known_as)):
        SCREEN.say(also)
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
            return replace(setting, positions=NO_POSITIONS), (
                f"The learned table has width {scheme.fitting_width(width)} and this example {width}: no "
                "positions are added. A sentence of your own takes the table's width."
            )
        wide = replace(setting, d_model=used, d_memory=scheme.fitting_width(setting.d_memory))
        return wide, f"The learned table has width {used}, so the words have too." if wide != setting else ""
    if scheme.adds != "rotation":
        return setting, ""
    given = setting.d_model if setting.d_head is None else setting.d_head
    even = scheme.fitting_width(given)
    if even == given or (setting.d_head is None and setting.case in EXAMPLES):
        return setting, ""
    wide = replace(setting, d_model=even) if setting.d_head is None else replace(setting, d_head=even)
    if setting.d_head is None and not setting.cross:
        wide = replace(wide, d_memory=even)
    return wide, f"Rotary turns pairs of dimensions: {even} is used in place of {given}."


def _widen() -> None:
    """A prefix of 1 is the causal mask and a block of 1 a lone token: no start for one who chooses them."""
    widened = ("prefix", "block-sparse", A_PATTERN_A_HEAD)
    if st.session_state[HEADS_MASK.name] in widened and state.value(MASK_REACH) < 2:
        state.move(MASK_REACH, 2)


def ask_look(view: str, count_heads: Callable[[], int]) -> Look:
    """Ask in the sidebar for what decides the picture besides its view: which heads, in which order.

    Args:
        view: what is shown, as it was chosen above the figure.
        count_heads: returns how many there are; it is called where heads are chosen by name.
    """
    order = ORDER_BY.default
    if view not in WITHOUT_HEADS:
        st.subheader("Picture", anchor=False)
    if view == "two heads":
        names = names_of_heads(count_heads())
        controls.pick(HEAD, "Head", names)
        controls.pick(AGAINST, "minus", names)
    elif view not in WITHOUT_HEADS:
        order = controls.choose(ORDER_BY, "Order heads by")
    return Look(view, order, 0, 0, ())


def with_heads(look: Look, n_head: int) -> Look:
    """Offer to switch heads off, and say in the look which are chosen and which are off."""
    head, against = address.place(HEAD, n_head), address.place(AGAINST, n_head)
    offered = [str(head + 1) for head in range(n_head)]
    off = tuple(int(head) - 1 for head in controls.several(OFF, "Heads switched off", offered))
    if len(off) == n_head:
        st.caption(":material/edit: All heads are off: the output is what is left, zero or the bias.")
    return replace(look, head=head, against=against, off=off, num_kv_heads=int(state.value(KV_HEADS)))


def chosen_cell(n_query: int, n_key: int) -> tuple[int, int]:
    """Return the chosen query and key, counted from 0; the last where there are fewer."""
    return address.place(QUERY, n_query), address.place(KEY, n_key)


def block_or_free(cell: Cell) -> None:
    """Block or free what was clicked, in a mask of one's own.

    It stands here, not in the page: a session keeps it, and with it all that its file holds.
    """
    if cell.trace.removesuffix(" masked") != "output":
        toggle_cell(SCREEN, cell.row, cell.column)


def names_of_heads(n_head: int) -> Sequence[str]:
    """Return what the heads are called, counted from 1."""
    return [f"head {head}" for head in range(1, n_head + 1)]
