"""What the page is set to: the words, the scheme, and sentences about what did not fit."""

from dataclasses import dataclass, replace

import streamlit as st
import torch
from streamlit.delta_generator import DeltaGenerator
from torch import Tensor

from attn_core.limits import MAX_TOKENS
from attn_core.samples import sentence_vectors
from attn_core.schemes import SCHEMES, Scheme, make_scheme
from attn_core.tokens import label_tokens, tokenize
from attn_ui import controls, positions
from attn_ui.parameters import Steps
from attn_ui.schemes import ask_scheme
from attn_ui.shared_settings import BASE, HEAD, RAMP_STEP, SEED, STRENGTH, TEXT
from pages.positional_encoding.settings import HEADS_OF_BIAS, SCHEME, WIDTH, WORDS

MOST_NUMBERS = 300_000  # that the steps of one figure may hold, so that its message stays light


@dataclass(frozen=True)
class Setup:
    """Everything but where the sliders stand; plain values, so that it can key a cache."""

    tokens: tuple[str, ...]
    words: str
    width: int
    seed: int
    scheme: str
    layout: str
    num_heads: int

    @property
    def labels(self) -> list[str]:
        """The tokens with repeated ones told apart."""
        return label_tokens(self.tokens)

    def vectors(self) -> Tensor:
        """Return one vector a word, (n, width)."""
        return sentence_vectors(self.tokens, self.width, kind=self.words, seed=self.seed)

    def places(self) -> Tensor:
        """Return the positions of the words."""
        return torch.arange(len(self.tokens)) + self.start

    def at_width(self) -> "Setup":
        """Return the same with the width that the scheme can take: see `_width`."""
        return replace(self, width=_width(self.scheme, self.words, self.tokens, self.width))

    def with_scheme(self, scheme: str) -> "Setup":
        """Return the same words under another scheme."""
        return replace(self, scheme=scheme).at_width()

    def placed(self, settings: "Settings", strength: float | Tensor = 1.0) -> Scheme:
        """Return the scheme, ready to place the words."""
        return make_scheme(
            self.scheme,
            strength=strength,
            base=settings.base,
            layout=self.layout,
            step=settings.step,
            num_heads=self.num_heads,
            head=min(settings.head, self.num_heads) - 1,
            seed=self.seed,
        )

    @property
    def start(self) -> int:
        """The position of the first word."""
        return SCHEMES[self.scheme].first


@dataclass(frozen=True)
class Settings:
    """Where the sliders stand that belong to a scheme and not to the picture in sight."""

    base: float
    step: float
    head: int


def settings() -> Settings:
    """Read the sliders of the schemes."""
    return Settings(positions.value(BASE), positions.value(RAMP_STEP), int(positions.value(HEAD)))


def usable_schemes() -> list[str]:
    """Return the schemes that can be shown here: all, or all but the learned one."""
    return [name for name, scheme in SCHEMES.items() if not scheme.missing()]


def choose_setup() -> tuple[Setup, DeltaGenerator]:
    """Ask for the scheme and the words; return them, and room for what belongs to one picture."""
    st.subheader("Positions", anchor=False)
    # Strength, base and step move with the picture's own slider.
    asked = ask_scheme(SCHEME, SCHEMES, live=(STRENGTH, BASE, RAMP_STEP))
    scheme, layout = asked.name, asked.layout
    num_heads = int(HEADS_OF_BIAS.default)
    if SCHEMES[scheme].adds == "bias":
        num_heads = int(controls.segment(HEADS_OF_BIAS, "Heads"))
    room = st.container()
    st.subheader("Words", anchor=False)
    with st.container(horizontal=True, gap="xxsmall"):
        for name, example in EXAMPLES.items():
            st.button(name, on_click=_take, args=(example,), key=f"example-{name}")
    text = controls.line(TEXT, "Sentence")
    tokens, words_note = _tokens(text)
    if words_note:
        st.caption(words_note)
    words = controls.segment(WORDS, "Vectors", help=_VECTORS_HELP)
    width = controls.whole(WIDTH, "Width, d_model")
    width_note = st.empty()
    seed = controls.whole(SEED, "Seed")
    setup = Setup(tokens, words, width, seed, scheme, layout, num_heads).at_width()
    if setup.width != width:
        width_note.caption(_width_sentence(setup, width))
    return setup, room


@dataclass(frozen=True)
class Example:
    """A sentence with the settings under which it is shown."""

    text: str
    words: str
    width: int
    scheme: str


EXAMPLES = {
    "The cat": Example(TEXT.default, WORDS.default, WIDTH.default, SCHEME.default),
    "I love dogs": Example("I love dogs", "one-hot", 4, "ramp"),
    "Dog bites man": Example("dog bites man", "random", 16, "sinusoidal"),
}

_VECTORS_HELP = (
    "One-hot vectors have nothing in common, so all that words do to one another comes from their positions. "
    "Random vectors are drawn from the seed and the word: the same word has the same vector everywhere."
)


def _take(example: Example) -> None:
    """Set the page to an example; a callback, before the page runs."""
    st.session_state[TEXT.name] = example.text
    st.session_state[WORDS.name] = example.words
    st.session_state[WIDTH.name] = example.width
    st.session_state[SCHEME.name] = example.scheme
    moves: tuple[tuple[Steps, float], ...] = ((STRENGTH, 1.0), (BASE, BASE.default), (RAMP_STEP, 0.5))
    for steps, value in moves:
        positions.move(steps, value)


def _tokens(text: str) -> tuple[tuple[str, ...], str]:
    """Return the words to show, and a sentence when they are not just those typed."""
    found = tokenize(text)
    if not found:
        example = tuple(tokenize(TEXT.default))
        return example, ":material/info: There is no word in it, so the example sentence is shown."
    if len(found) > MAX_TOKENS:
        note = f":material/info: {len(found)} tokens are more than fit: the first {MAX_TOKENS} are shown."
        return tuple(found[:MAX_TOKENS]), note
    return tuple(found), ""


def _width(scheme: str, words: str, tokens: tuple[str, ...], width: int) -> int:
    """Return the width nearest to the one asked for that serves."""
    if words == "one-hot":
        width = max(width, len(set(tokens)))
    return SCHEMES[scheme].fitting_width(width)


def _width_sentence(setup: Setup, width: int) -> str:
    if setup.scheme == "learned":
        return f":material/info: The learned table has width {setup.width}, so the words have too."
    if setup.width - width > 1 or setup.scheme != "rotary":
        count = len(set(setup.tokens))
        return f":material/info: {count} different one-hot words need a width of {setup.width}: it is used."
    return f":material/info: Rotary turns pairs of dimensions: {setup.width} is used in place of {width}."


def thinned(steps: Steps, numbers_a_step: int) -> Steps:
    """Return the slider with as many of its values as a figure of that many numbers a step may have.

    Every second, fourth, ... value stays, so that the first and the last do, and the present one is near.
    """
    stride = 1
    while stride < len(steps.values) and numbers_a_step * len(steps.values[::stride]) > MOST_NUMBERS:
        stride *= 2
    return replace(steps, values=steps.values[::stride])


def now(steps: Steps) -> Steps:
    """Return the slider with the value at which it stands alone, for what is said in words."""
    return replace(steps, values=(positions.value(steps),))


def attention_steps(setup: Setup, at: Settings, schemes: tuple[str, ...], strengths: Steps) -> list[Tensor]:
    """Return the weights (steps, n, n) of each scheme at every strength of the slider."""
    strength = torch.tensor(strengths.values, dtype=torch.float64)
    weights = []
    for name in schemes:
        own = setup.with_scheme(name)
        attended = own.placed(at, strength).attend(own.vectors())
        weights.append(attended.weights.expand(len(strength), -1, -1))
    return weights
