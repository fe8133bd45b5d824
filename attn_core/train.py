"""Train a toy on a task whose right attention is known, and write its checkpoints.

python -m attn_core.train induction               # the file that comes with the package
python -m attn_core.train all                     # all of them
python -m attn_core.train sort --seed 3 --steps 800 --out sort.safetensors
"""

import argparse
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import torch

from attn_core.toys.files import TRAINED, write_run
from attn_core.toys.tasks import TASKS
from attn_core.toys.training import Judged, Recipe, Run, train


def main(arguments: Sequence[str] | None = None) -> int:
    """Train as the command line says."""
    parser = argparse.ArgumentParser(
        prog="python -m attn_core.train", description=str(__doc__).partition("\n")[0]
    )
    parser.add_argument("task", choices=[*TASKS, "all"])
    parser.add_argument("--seed", type=int, help="the task's own unless given")
    parser.add_argument("--steps", type=int, help="how long; the task's own number unless given")
    parser.add_argument("--out", type=Path, help="the file; beside the package's own unless given")
    chosen = parser.parse_args(arguments)
    if chosen.task == "all" and chosen.out:
        parser.error("--out is one file, and `all` writes several")
    torch.set_num_threads(1)  # the sums are the same wherever it runs; models as small gain nothing by more
    for task in TASKS if chosen.task == "all" else [chosen.task]:
        given = {"seed": chosen.seed, "steps": chosen.steps}
        recipe = replace(
            Recipe.usual(task), **{name: each for name, each in given.items() if each is not None}
        )
        out = chosen.out or TRAINED / f"{task.replace(' ', '-')}.safetensors"
        out.parent.mkdir(parents=True, exist_ok=True)
        started = time.perf_counter()
        run = train(
            recipe, on_step=lambda step, look, task=task, recipe=recipe: _say(task, recipe, step, look)
        )
        write_run(run, out)
        print(
            f"\n{_ended(run)}; {time.perf_counter() - started:.1f} s; {out.stat().st_size:,} bytes in {out}"
        )
    return 0


def _say(task: str, recipe: Recipe, step: int, look: Judged | None) -> None:
    if look is not None:
        done = round(24 * step / recipe.steps)
        bar = "█" * done + "░" * (24 - done)
        line = (
            f"\r{task} {bar} step {step} of {recipe.steps}, loss {look.loss:.4f}, right {look.accuracy:.1%} "
        )
        print(line, end="", flush=True)


def _ended(run: Run) -> str:
    return f"{len(run.checkpoints)} checkpoints, loss {float(run.curve.loss[-1]):.4f}"


if __name__ == "__main__":
    sys.exit(main())
