"""Positional encoding."""

from attn_ui.frame import open_page

open_page("positional-encoding", "Positional encoding", "")
