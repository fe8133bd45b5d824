"""Speech: the frames of a sound attend to one another, in a local head and in a global one."""

from functools import cache

import torch
from torch import Tensor

from attn_core import Check, compare, scaled_dot_product_attention, sliding_window_mask
from attn_core.applications import FRAME as SAMPLES
from attn_core.applications import PAUSE, RATE, frame_names, likeness, log_energies, vowels
from attn_figures.scene import Scene
from attn_figures.speech import Sound, speech_cursor, speech_weights
from attn_live.packing import Cursor
from attn_ui.base.page import Slider
from attn_ui.base.parameters import Steps
from attn_ui.base.search_entries import Place
from attn_words import N_, _, _c, cached
from pages.applications.application import UseMap
from pages.applications.settings import FRAME, WINDOW
from pages.applications.state import N_FRAME, State
from programs.writing import SHORT, Program

SCALE = 4.0  # the factor that makes a score of a cosine, which is at most 1
N_BAND = 12
SOUNDS = frame_names()
LOCAL, GLOBAL = N_("local head"), N_("global head")


@cached()
def names() -> tuple[str, ...]:
    """Return the name of each frame."""
    return tuple(f"{at + 1} {_(PAUSE) if sound == PAUSE else sound}" for at, sound in enumerate(SOUNDS))


@cache
def energies() -> Tensor:
    """Return the log energies of the sound, (n_frame, n_band)."""
    return log_energies(vowels(), N_BAND)


@cache
def vectors() -> Tensor:
    """Return the frames' vectors: their log energies minus the mean frame's."""
    return likeness(energies())


def heads(state: State) -> list[UseMap]:
    """Return the maps of both heads, of the same queries and keys."""
    x = vectors()
    near = sliding_window_mask(N_FRAME, state.window)
    return [UseMap(LOCAL, x, x, names(), names(), SCALE, near), UseMap(GLOBAL, x, x, names(), names(), SCALE)]


def _local(steps: Steps) -> tuple[Tensor, Tensor]:
    """Return the local head's weights and masks for every window, (n_steps, n_frame, n_frame)."""
    x = vectors()
    near = torch.stack([sliding_window_mask(N_FRAME, int(window)) for window in steps.values])
    return scaled_dot_product_attention(x, x, x, near, scale=SCALE).weights, near


def draw(state: State, steps: Steps) -> Scene:
    """Draw the sound and both maps at every window."""
    bands = torch.arange(N_BAND, dtype=torch.float64) * RATE / 2 / N_BAND
    spectrogram = Sound(energies().numpy(), bands.tolist(), SOUNDS)
    everywhere = heads(state)[1].attention.weights.numpy()
    local, near = _local(steps)
    figures = [
        speech_weights(spectrogram, weights.numpy(), everywhere, mask.numpy())
        for weights, mask in zip(local, near, strict=True)
    ]
    return Scene(figures, Cursor(N_FRAME, speech_cursor(N_FRAME)))


def captions(state: State, steps: Steps) -> list[list[str]]:
    """Return a sentence for each window and frame: the weight of each head on the same sound."""
    everywhere = heads(state)[1].attention.weights
    local, near = _local(steps)
    return [
        [
            _caption(frame, int(window), local[step, frame], everywhere[frame], near[step, frame])
            for frame in range(N_FRAME)
        ]
        for step, window in enumerate(steps.values)
    ]


def _caption(frame: int, window: int, local: Tensor, everywhere: Tensor, near: Tensor) -> str:
    same = torch.tensor([sound == SOUNDS[frame] for sound in SOUNDS])
    return _(
        "**Frame {frame}, {sound}**. Local head, window {window}: hears {heard} of {all} frames, weight on "
        "the same sound {share}. Global head: hears all, {far}, of which **{beyond}** beyond the window.",
        frame=frame + 1,
        sound=_(PAUSE) if SOUNDS[frame] == PAUSE else f"“{SOUNDS[frame]}”",
        window=window,
        heard=int(near.sum()),
        all=N_FRAME,
        share=f"{float(local[same].sum()):.3f}",
        far=f"{float(everywhere[same].sum()):.3f}",
        beyond=f"{float(everywhere[~near & same].sum()):.3f}",
    )


def checks(state: State) -> list[Check]:
    """Compare log energies with torch's own stft, and the local head with a loop over its windows."""
    sound, x = vowels(), vectors()
    window = torch.hann_window(SAMPLES, dtype=sound.dtype)
    spectra = torch.stft(sound, SAMPLES, hop_length=SAMPLES, window=window, center=False, return_complex=True)
    power = spectra.abs().square() / (1.5 * (SAMPLES / 4) ** 2)  # (frequency, frame)
    n = len(power)
    bands = [power[[f for f in range(n) if f * N_BAND // n == band]].sum(dim=0) for band in range(N_BAND)]
    looped = torch.zeros(N_FRAME, N_FRAME, dtype=x.dtype)
    for frame in range(N_FRAME):
        view = range(max(0, frame - state.window), min(N_FRAME, frame + state.window + 1))
        scores = torch.stack([SCALE * x[frame] @ x[key] for key in view])
        looped[frame, view.start : view.stop] = torch.softmax(scores, dim=0)
    return [
        compare(
            _("the log energies are those of `torch.stft`"),
            energies(),
            torch.log10(torch.stack(bands, dim=-1) + 1e-4),
        ),
        compare(
            _("the local head is a softmax over each window by itself"),
            heads(state)[0].attention.weights,
            looped,
            scale=1.0,
        ),
    ]


def formula(state: State) -> str:
    """Return the formulas of frames, vectors and weights of both heads."""
    local = _c("formula", "local:")
    return (
        rf"x_t \in \mathbb{{R}}^{{{N_BAND}}}, \qquad "
        r"u_t = \frac{x_t - \bar x}{\lVert x_t - \bar x \rVert}, "
        rf"\qquad A = \operatorname{{softmax}}\!\left({SCALE:g}\, U U^\top + M\right), \qquad "
        rf"\text{{{local} }} M_{{ij}} = -\infty \iff |i - j| > {state.window}"
    )


INTRODUCTION = N_("**Each frame of a sound asks the others**: near by, or everywhere.")
TRAINED = N_(
    "Nothing: the sound is made by rule, and a frame's query and key are both its own log energies. A "
    "trained Conformer learns matrices for both, and its local part is a convolution."
)
IN_WORDS = N_(
    """
- A **frame** is 20 milliseconds of sound: how loud it is in 12 bands of frequency, as logarithms.
- The **local** head attends through a window; the **global** head hears the same vowel again, however long
  ago it was. A **Conformer** (Gulati et al., 2020) has attention for what is far and a convolution for what
  is near.
- Each vowel has two tones, at its first two resonances (Peterson and Barney, 1952).
"""
)


def program(state: State) -> Program:
    """Return a program that prints the chosen frame's row of both heads, and their maps."""
    lines = f"""x = log_energies(vowels(), {N_BAND})  # (frame, band)
x = x - x.mean(dim=0)
x = x / x.norm(dim=-1, keepdim=True)  # dot products are cosines now
i, j = places(len(x), len(x))
masks = {{"{LOCAL}": abs(i - j) <= {state.window}, "{GLOBAL}": j >= 0}}  # True = may attend
scores = {SCALE:g} * x @ x.T"""
    last = f"""torch.set_printoptions(sci_mode=False, linewidth=120)
for name, mask in masks.items():
    _, weights = attend_masked(scores, x, mask)
    print(name, "frame {state.frame}:", weights[{state.frame - 1}], "all frames:", weights, sep="\\n")"""
    return Program(SHORT, lines, last=last)


def leads(state: State) -> list[Place]:
    """Return links to the pages that show windows in steps, and heads with a pattern each."""
    window = {"mask": "sliding window", "w": str(state.window)}
    return [
        Place("single_head", {"stage": "weights", **window}),
        Place("multi_head", {"hmask": "sliding window"}),
    ]


def slider(state: State) -> Slider:
    """Return the slider over the windows of the local head."""
    return Slider(_("Window of the local head"), WINDOW)


def rows() -> Slider:
    """Return the slider over the queries."""
    return Slider(_("Frame that asks"), FRAME, names())
