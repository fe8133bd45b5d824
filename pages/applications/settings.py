"""What a link to this page can set: the use that is shown, and its sliders."""

from attn_ui.base.parameters import Choice, Parameter, Steps, page_tabs
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
# For a vision model on a visitor's picture; a token is a zero-based index, and token 0 is [CLS].
LAYER = Steps("imagelayer", 1, tuple(range(1, 65)), ".0f", only=N_("a layer of the model"))
HEAD = Steps("imagehead", 1, tuple(range(1, 65)), ".0f", only=N_("a head of the model"))
TOKEN = Steps("imagequery", 0, tuple(range(2048)), ".0f", only=N_("a token of the model"))
SETTINGS: tuple[Parameter, ...] = (
    *(TAB, USE, TEXT, SEED, TEMPERATURE, PREFIX, PATCH, WORD, WINDOW, FRAME, LAYER, HEAD, TOKEN),
)
