"""What a link to this page can set."""

from attn_ui.base.parameters import Choice, Parameter, Steps
from attn_ui.base.shared_settings import TEMPERATURE
from pages.overview.sentences import SENTENCES

SENTENCE = Choice("sentence", next(iter(SENTENCES)), tuple(SENTENCES))
# How many words after the one that its sentence opens with: so each sentence opens with its own.
WORD = Steps("opening", 0, tuple(range(-14, 15)), ".0f")
SETTINGS: tuple[Parameter, ...] = (SENTENCE, WORD, TEMPERATURE)
