"""Types of the fixtures."""

from collections.abc import Callable
from contextlib import AbstractContextManager

from torch import Tensor

Draw = Callable[..., Tensor]
Refuses = Callable[[str], AbstractContextManager[None]]
