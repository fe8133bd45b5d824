"""Overview."""

from attn_ui.frame import open_page

open_page("", "Overview", "")
