"""What a link to this page can set."""

from attn_ui.base.parameters import Choice, Parameter, Steps
from attn_ui.base.shared_settings import TEMPERATURE
from pages.overview.sentences import SENTENCES

SENTENCE = Choice("sentence", next(iter(SENTENCES)), tuple(SENTENCES))
# The chosen word, counted from the one that its sentence opens with: 0 in every sentence at first.
WORD = Steps("opening", 0, tuple(range(-14, 15)), ".0f")
SETTINGS: tuple[Parameter, ...] = (SENTENCE, WORD, TEMPERATURE)
