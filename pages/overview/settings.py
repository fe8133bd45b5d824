"""What a link to this page can set."""

from attn_ui.base.parameters import Parameter
from attn_ui.base.shared_settings import TEMPERATURE

SETTINGS: tuple[Parameter, ...] = (TEMPERATURE,)
