"""Small examples of where attention is used, each made here by rule: a picture, a sound, two sentences."""

from attn_core.applications.likeness import likeness
from attn_core.applications.picture import PATCH, SHAPES, drawing, patch_names, patches
from attn_core.applications.sound import FRAME, PAUSE, RATE, SAID, frame_names, log_energies, vowels
from attn_core.applications.translation import SOURCE, TARGET, alignment, translated

__all__ = [
    "FRAME",
    "PATCH",
    "PAUSE",
    "RATE",
    "SAID",
    "SHAPES",
    "SOURCE",
    "TARGET",
    "alignment",
    "drawing",
    "frame_names",
    "likeness",
    "log_energies",
    "patch_names",
    "patches",
    "translated",
    "vowels",
]
