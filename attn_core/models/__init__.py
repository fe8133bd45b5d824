"""Trained models that transformers reads from a folder, with every stage of their attention."""

from attn_core.models.head_map import HeadMap
from attn_core.models.interface import Call
from attn_core.models.loading import load_model
from attn_core.models.model import MAX_TOKENS, RealModel
from attn_core.models.reading import Encoding

__all__ = ["MAX_TOKENS", "Call", "Encoding", "HeadMap", "RealModel", "load_model"]
