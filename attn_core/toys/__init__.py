"""Small models trained on tasks whose right attention is known, and measures of their heads."""

from attn_core.toys.files import SHIPPED, TRAINED, packaged_run, path_of, read_run, write_run
from attn_core.toys.generalisation import Generalisation, measure_generalisation
from attn_core.toys.measures import CHANCE, MEASURES, any_other_token, measure_heads, share_on
from attn_core.toys.mistakes import TOY_MISTAKES
from attn_core.toys.model import Attend, ToyModel, ToyRun
from attn_core.toys.tasks import BLANK, LETTERS, SYMBOLS, TASKS, Task
from attn_core.toys.training_loop import (
    Checkpoint,
    Evaluation,
    HeadAblation,
    Recipe,
    Run,
    TrainingCurve,
    evaluate,
    evaluate_without,
    train,
)

__all__ = [
    "BLANK",
    "CHANCE",
    "LETTERS",
    "MEASURES",
    "SHIPPED",
    "SYMBOLS",
    "TASKS",
    "TOY_MISTAKES",
    "TRAINED",
    "Attend",
    "Checkpoint",
    "Evaluation",
    "Generalisation",
    "HeadAblation",
    "Recipe",
    "Run",
    "Task",
    "ToyModel",
    "ToyRun",
    "TrainingCurve",
    "any_other_token",
    "evaluate",
    "evaluate_without",
    "measure_generalisation",
    "measure_heads",
    "packaged_run",
    "path_of",
    "read_run",
    "share_on",
    "train",
    "write_run",
]  # fmt: skip
