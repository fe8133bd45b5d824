"""Speech in frames: its spectrogram, and the maps of a local and a global head."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attn_figures import theme
from attn_figures.frame import Side, Ticks
from attn_figures.geometry import ColourRange
from attn_figures.matrix import ColourScale, Hover, Matrix, Numbers, Pick, frame_at
from attn_figures.multi_head import ROOT
from attn_figures.panels import IN_SIGHT, LAPTOP, compose
from attn_figures.picture import Spec
from attn_words import N_, _

LIGHT = theme.LIGHT
BODY = 11.0  # units a side
PAUSE = N_("pause")  # the label of frames without speech


@dataclass(frozen=True)
class _Ink(Matrix):
    """A map in shades from paper to ink, readable in light and in dark themes."""

    low: float = 0.0
    high: float = 1.0

    def colour_range(self) -> tuple[ColourRange, bool]:
        """Return a ramp from paper to ink, and no bar: the hover shows the number."""
        return ColourRange((LIGHT.paper, LIGHT.ink), self.low, self.high, self.hover.quantity), False


@dataclass(frozen=True, eq=False)
class Sound:
    """A sound in frames.

    Attributes:
        energies: log energies, (n_frame, n_band).
        hertz: the lowest frequency of each band.
        labels: the sound spoken in each frame, or `PAUSE`.
    """

    energies: Numbers
    hertz: Sequence[float]
    labels: Sequence[str]

    @property
    def ticks(self) -> Ticks:
        """The labels, each at the middle of its frames, without the pauses."""
        changes = [at for at in range(1, len(self.labels)) if self.labels[at] != self.labels[at - 1]]
        parts = zip([0, *changes], [*changes, len(self.labels)], strict=True)
        return [
            ((start + end - 1) / 2, self.labels[start]) for start, end in parts if self.labels[start] != PAUSE
        ]


def speech_weights(
    sound: Sound, local: Numbers, everywhere: Numbers, near: NDArray[np.bool_], frame: int = 0
) -> Spec:
    """Draw the frames' log energies, and the maps of a head with a window and of one without.

    Args:
        local, everywhere: weights of the two heads, (n_frame, n_frame).
        near: True where the local head may attend, (n_frame, n_frame).
    """
    names = [f"{at + 1} {_(PAUSE) if label == PAUSE else label}" for at, label in enumerate(sound.labels)]
    bands = [f"{hertz:,.0f} Hz" for hertz in sound.hertz]
    top = sound.energies.shape[1] - 1
    spectrogram = _Ink(
        "sound",
        sound.energies.T[::-1],  # (frame, band) -> (band, frame), the highest on top
        _("the sound: louder stands out"),
        Side(
            bands[::-1],
            _("Frequency"),
            "ink",
            ticks=[(top - at, f"{sound.hertz[at]:,.0f}") for at in range(0, top + 1, 3)],
        ),
        Side(names, _("Frame"), "key", ticks=sound.ticks),
        hover=Hover(_("log energy"), words=(_("band from"), _("frame"))),
        ramp=ColourScale("scores"),
        shows_shape=False,
        numbered=False,
        marked=(None, frame),
        size=(BODY, BODY),
        low=float(sound.energies.min()),
        high=float(sound.energies.max()),
    )
    common: dict[str, Any] = {
        "rows": Side.queries(names, sound.ticks),
        "columns": Side.keys(names, sound.ticks),
        "ramp": ColourScale(bar=_("weight"), power=ROOT),
        "numbered": False,
        "shows_shape": False,
        "marked": (frame, None),
        "names_rows": True,
        "size": (BODY, BODY),
        "pick": Pick(together="frames", moves_cursor=True),
    }
    return compose(
        [
            spectrogram,
            Matrix("local", local, _("local head"), mask=near, **common),
            Matrix("global", everywhere, _("global head"), **common),
        ],
        phone_height=IN_SIGHT,
        laptop_height=LAPTOP,
    )


def speech_cursor(n_frame: int) -> dict[str, Any]:
    """Return the settings of `speech_weights` that change with the chosen frame."""
    at = np.arange(n_frame, dtype=np.float64)
    return frame_at("sound", column=at) | frame_at("local", row=at) | frame_at("global", row=at)
