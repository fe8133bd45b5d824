"""What a link to this page can set."""

from attn_ui.parameters import Parameter
from attn_ui.shared_settings import TEMPERATURE

SETTINGS: tuple[Parameter, ...] = (TEMPERATURE,)
