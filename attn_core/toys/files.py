"""Writes and reads a training as one safetensors file."""

import json
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import torch
from safetensors import safe_open
from safetensors.torch import save_file

from attn_core.toys.tasks import TASKS
from attn_core.toys.training_loop import Checkpoint, HeadAblation, Recipe, Run, TrainingCurve

TRAINED = Path(__file__).parent / "trained"
_NEEDED = {
    *("curve.steps", "curve.loss", "curve.accuracy"),
    *("checkpoints", "ablated.loss", "ablated.accuracy"),
}


def write_run(run: Run, path: Path) -> None:
    """Write a training: recipe, curve, ablation of each head, each parameter (n_checkpoint, *shape)."""
    states = [each.state for each in run.checkpoints]
    tensors = {
        "curve.steps": run.curve.steps,
        "curve.loss": run.curve.loss,
        "curve.accuracy": run.curve.accuracy,
        "checkpoints": torch.tensor([each.step for each in run.checkpoints]),
        "ablated.loss": run.ablation.loss,
        "ablated.accuracy": run.ablation.accuracy,
    }
    tensors |= {f"measures.{name}": each for name, each in run.curve.measures.items()}
    tensors |= {f"model.{name}": torch.stack([state[name] for state in states]) for name in states[0]}
    save_file(tensors, path, {"recipe": json.dumps(vars(run.recipe))})


def read_run(path: Path) -> Run:
    """Read a training back.

    Raises FileNotFoundError where there is no such file, ValueError where it holds something else.
    """
    with safe_open(path, "pt") as file:
        recipe = (file.metadata() or {}).get("recipe")
        if recipe is None or not set(file.keys()) >= _NEEDED:
            raise ValueError(
                f"{path.name} must hold a training with its recipe and {', '.join(sorted(_NEEDED))}; "
                f"got {sorted(file.keys())[:7]}"
            )
        tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118  (not a mapping)
    parameters, measures = (
        {name.removeprefix(part): each for name, each in tensors.items() if name.startswith(part)}
        for part in ("model.", "measures.")
    )
    return Run(
        Recipe(**json.loads(recipe)),
        TrainingCurve(tensors["curve.steps"], tensors["curve.loss"], tensors["curve.accuracy"], measures),
        tuple(
            Checkpoint(int(step), {name: each[at] for name, each in parameters.items()})
            for at, step in enumerate(tensors["checkpoints"])
        ),
        HeadAblation(tensors["ablated.loss"], tensors["ablated.accuracy"]),
    )


def path_of(recipe: Recipe) -> Path:
    """Return the path of a recipe's training in this package."""
    without = "" if recipe.positions else "-without-positions"
    return TRAINED / f"{recipe.task.replace(' ', '-')}{without}.safetensors"


SHIPPED: tuple[Recipe, ...] = (
    *map(Recipe.usual, TASKS),
    *(replace(Recipe.usual(task), positions=False) for task in ("induction", "previous token")),
)
"""The recipes of the packaged trainings."""


@lru_cache(maxsize=len(SHIPPED))
def packaged_run(task: str, *, positions: bool = True) -> Run:
    """Return the training of a task that comes with this package.

    Raises ValueError where there is none.
    """
    recipes = [each for each in SHIPPED if (each.task, each.positions) == (task, positions)]
    if not recipes:
        options = ", ".join(
            f"{each.task}{'' if each.positions else ' without positions'}" for each in SHIPPED
        )
        name = f"{task}{'' if positions else ' without positions'}"
        raise ValueError(f"a training that comes with the package is one of {options}; got {name}")
    return read_run(path_of(recipes[0]))
