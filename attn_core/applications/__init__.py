"""Small examples of where attention is used, each computed by a rule: a picture, a sound, two sentences."""

from attn_core.applications.likeness import likeness
from attn_core.applications.picture import PATCH, SHAPES, house_picture, patch_names, patches
from attn_core.applications.sound import FRAME, PAUSE, RATE, SOUNDS, frame_names, log_energies, vowels
from attn_core.applications.translation import SOURCE, TARGET, alignment, source_word

__all__ = [
    "FRAME",
    "PATCH",
    "PAUSE",
    "RATE",
    "SHAPES",
    "SOUNDS",
    "SOURCE",
    "TARGET",
    "alignment",
    "frame_names",
    "house_picture",
    "likeness",
    "log_energies",
    "patch_names",
    "patches",
    "source_word",
    "vowels",
]
