"""Kernel regression."""

from attn_ui.frame import open_page

open_page("kernel-regression", "Kernel regression", "")
