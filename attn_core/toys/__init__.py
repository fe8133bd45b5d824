"""Small models that learn a task whose right attention is known, and what each of their heads has learned."""

from attn_core.toys.files import TRAINED, read_run, shipped, write_run
from attn_core.toys.measures import MEASURES, measure_heads, share_on
from attn_core.toys.model import ToyModel, ToyRun
from attn_core.toys.tasks import BLANK, LETTERS, SYMBOLS, TASKS, Task
from attn_core.toys.training import Checkpoint, Curve, Judged, Recipe, Run, judge, train

__all__ = [
    "BLANK",
    "LETTERS",
    "MEASURES",
    "SYMBOLS",
    "TASKS",
    "TRAINED",
    "Checkpoint",
    "Curve",
    "Judged",
    "Recipe",
    "Run",
    "Task",
    "ToyModel",
    "ToyRun",
    "judge",
    "measure_heads",
    "read_run",
    "share_on",
    "shipped",
    "train",
    "write_run",
]
