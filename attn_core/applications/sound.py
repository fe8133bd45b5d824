"""A sound made by rule, and the frames of log energies that a speech model reads."""

import math

import torch
from jaxtyping import Float
from torch import Tensor

from attn_core import _require
from attn_words import N_

RATE, FRAME = 8000, 160  # samples a second, samples a frame: 20 milliseconds
PAUSE = N_("pause")
SOUNDS = (("a", 5), (PAUSE, 2), ("i", 5), (PAUSE, 2), ("u", 5), (PAUSE, 2), ("a", 5), (PAUSE, 2))
"""The sounds in order, and how many frames each lasts."""

# The first two resonances of each vowel in hertz, means of 33 men: Peterson and Barney (1952), table II.
_TONES = {"a": (730.0, 1090.0), "i": (270.0, 2290.0), "u": (300.0, 870.0)}
_SILENT = 1e-4  # added to every energy, as a share of a full tone's


def vowels() -> Float[Tensor, " n_sample"]:
    """Return the sound: each vowel is two tones, at its first two resonances, that swell and fade.

    >>> sound = vowels()
    >>> len(sound) == FRAME * sum(n_frame for _, n_frame in SOUNDS), float(sound.abs().max()) <= 1.0
    (True, True)
    """
    parts = []
    for name, n_frame in SOUNDS:
        time = torch.arange(n_frame * FRAME, dtype=torch.float64) / RATE
        swell = torch.sin(math.pi * (torch.arange(len(time), dtype=torch.float64) + 0.5) / len(time))
        tones = [torch.sin(2 * math.pi * hertz * time) for hertz in _TONES.get(name, ())]
        parts.append(swell * sum(tones) / 2 if tones else torch.zeros_like(time))
    return torch.cat(parts)


def log_energies(
    sound: Float[Tensor, " n_sample"], n_band: int = 12, frame: int = FRAME
) -> Float[Tensor, "n_frame n_band"]:
    r"""Cut a sound into frames, and return how loud each is in each band of frequencies.

    $$E_{t,b} = \log_{10} \Bigl(\varepsilon + \sum_{f \in b} \bigl|\mathrm{DFT}(w \cdot x_t)_f\bigr|^2\Bigr)$$

    w is Hann's window, scaled so that a steady tone of amplitude 1 has about the energy 1. Bands are equally
    wide, from 0 to half the rate. Epsilon is 10^-4, so that silence has the logarithm -4.

    Samples after the last whole frame are left out.

    Raises ValueError for a sound without a whole frame, and for n_band below 1 or above frame // 2.

    >>> energies = log_energies(torch.zeros(2 * FRAME, dtype=torch.float64))
    >>> tuple(energies.shape), round(float(energies[0, 0]), 6)
    ((2, 12), -4.0)
    """
    frame = _require.integer("frame", frame, least=2)
    n_band = _require.integer("n_band", n_band, least=1, most=frame // 2)
    if sound.ndim != 1 or len(sound) < frame:
        raise ValueError(f"sound must have shape (n_sample,), n_sample >= {frame}; got {tuple(sound.shape)}")
    n_frame = len(sound) // frame
    window = torch.hann_window(frame, periodic=True, dtype=sound.dtype)
    frames = sound[: n_frame * frame].reshape(n_frame, frame) * window
    # The window spreads a tone's energy over three frequencies: 1, 1/4 and 1/4 of (frame / 4) squared.
    energy = torch.fft.rfft(frames).abs().square() / (1.5 * (frame / 4) ** 2)
    band = torch.arange(energy.shape[-1]) * n_band // energy.shape[-1]
    energies = torch.zeros(n_frame, n_band, dtype=sound.dtype).index_add(1, band, energy)
    return torch.log10(energies + _SILENT)


def frame_names() -> tuple[str, ...]:
    """Name each frame by the vowel or pause in it.

    >>> frame_names()[:6]
    ('a', 'a', 'a', 'a', 'a', 'pause')
    """
    return tuple(name for name, n_frame in SOUNDS for _ in range(n_frame))
