"""What a link to this page can set: the use that is shown, and its sliders."""

from attn_ui.base.parameters import Choice, Parameter, Steps, page_tabs
from attn_ui.base.places import Found, Place
from attn_ui.base.shared_settings import SEED, TEMPERATURE, TEXT
from attn_words import N_
from pages.applications.state import MOST_WORDS, N_FRAME, N_PATCH, N_SHAPE, State

TAB = page_tabs(data=("Data",))
USE = Choice("use", State.use, ("translation", "BERT and GPT", "images", "captions", "speech"), views=True)
PREFIX = Steps("prefix", State.prefix, tuple(range(MOST_WORDS + 1)), ".0f")
# Patches, words of a caption and frames are counted from 1, as they are named.
PATCH = Steps("patch", State.patch, tuple(range(1, N_PATCH + 1)), ".0f")
WORD = Steps("word", State.word, tuple(range(1, N_SHAPE + 1)), ".0f")
WINDOW = Steps("window", State.window, tuple(range(N_FRAME)), ".0f")
FRAME = Steps("frame", State.frame, tuple(range(1, N_FRAME + 1)), ".0f")
SETTINGS: tuple[Parameter, ...] = (TAB, USE, TEXT, SEED, TEMPERATURE, PREFIX, PATCH, WORD, WINDOW, FRAME)

# What these uses are searched by besides the names that are shown: of models, and of tasks.
_ALSO = {
    "translation": (
        N_("machine translation"),
        N_("encoder–decoder attention"),
        N_("summarising"),
        N_("alignment"),
    ),
    "BERT and GPT": ("BERT", "GPT", "T5", N_("prefix language model"), N_("encoder or decoder")),
    "images": (N_("vision transformer"), "ViT", N_("patches")),
    "captions": (N_("captioning"),),
    "speech": ("Conformer", N_("spectrogram"), N_("local and global heads")),
}
FOUND = tuple(
    Found(names, "use, Applications", Place("applications", {} if use == USE.default else {USE.name: use}))
    for use, names in _ALSO.items()
)
