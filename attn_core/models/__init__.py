"""Trained models read from a folder, their attention in the open: families as data, and shared parts."""

from attn_core.models.families import FAMILIES, Family
from attn_core.models.head_map import HeadMap
from attn_core.models.loading import load_model
from attn_core.models.model import MAX_TOKENS, RealModel
from attn_core.models.reading import Encoded

__all__ = ["FAMILIES", "MAX_TOKENS", "Encoded", "Family", "HeadMap", "RealModel", "load_model"]
