"""Multi-head attention."""

from attn_ui.frame import open_page

open_page("multi-head", "Multi-head attention", "")
