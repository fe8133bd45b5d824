"""The part of `attn_ui.state` for typed tables and clicked cells, under the name by which pages know it."""

from attn_ui.state import keep, revision, sync, text

__all__ = ["keep", "revision", "sync", "text"]
