"""Common mistakes: the right and the broken computation, a small example, and the check that fails."""

from attn_core.mistakes.heads import MULTI_HEAD_MISTAKES
from attn_core.mistakes.kernels import KERNEL_MISTAKES
from attn_core.mistakes.one_head import ATTENTION_MISTAKES
from attn_core.mistakes.positions import POSITION_MISTAKES
from attn_core.mistakes.record import Example, LabelledMap, Mistake, MustHold

__all__ = [
    "ATTENTION_MISTAKES",
    "KERNEL_MISTAKES",
    "MULTI_HEAD_MISTAKES",
    "POSITION_MISTAKES",
    "Example",
    "LabelledMap",
    "Mistake",
    "MustHold",
]
