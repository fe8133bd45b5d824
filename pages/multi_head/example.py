"""The example of the experiments: a short sentence, heads drawn from a seed, no mask."""

from typing import Any

from attn_ui.base.shared_settings import TYPED
from pages.multi_head.compute import ANY_LOOK, Result
from pages.multi_head.state import HeadsSetting
from pages.single_head import example as words


def example(text: str = TYPED.default, *, n_head: int = 2, d_model: int = 8, **others: Any) -> Result:
    """Return the example's self-attention, which no setting in the sidebar changes."""
    setting = HeadsSetting("own sentence", text, d_model=d_model, d_memory=d_model, **{"seed": 4} | others)
    return Result(setting, ANY_LOOK, n_head)


def read_words() -> str:
    """Read the example's sentence."""
    return " ".join(words.read_words())


def name_example(result: Result) -> None:
    """Write one line that names the experiment's example."""
    words.name_example(result.n_head, result.module.d_head)
