"""Trained models read from a folder, their attention in the open: families as data, and shared parts."""

from attn_core.models.families import FAMILIES, Family
from attn_core.models.loading import load_model
from attn_core.models.model import MAX_TOKENS, RealModel

__all__ = ["FAMILIES", "MAX_TOKENS", "Family", "RealModel", "load_model"]
