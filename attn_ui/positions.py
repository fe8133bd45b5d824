"""The sliders' part of `attn_ui.state`, under the name by which pages know it."""

from attn_ui.state import commanded, move, offer, position, report, revision, sync, value

__all__ = ["commanded", "move", "offer", "position", "report", "revision", "sync", "value"]
