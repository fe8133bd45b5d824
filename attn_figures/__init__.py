"""Pictures of attention: numpy arrays and labels in, one Plotly figure out. Knows no torch, no Streamlit."""

from attn_figures.live_steps import live
from attn_figures.show_attention import show

__all__ = ["live", "show"]
