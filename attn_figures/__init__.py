"""Pictures of attention: from numpy arrays and labels to one Plotly figure, without torch or Streamlit."""

from attn_figures.live_steps import live
from attn_figures.show_attention import show

__all__ = ["live", "show"]
