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
from functools import partial
from pathlib import Path

import torch

from attn_core.toys.files import SHIPPED, path_of, write_run
from attn_core.toys.tasks import TASKS
from attn_core.toys.training_loop import CHECKPOINTS, Evaluation, Recipe, train


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m attn_core.train", description=str(__doc__).partition("\n")[0]
    )
    parser.add_argument("task", choices=[*TASKS, "all"])
    parser.add_argument("--seed", type=int, help="the task's own unless given")
    parser.add_argument("--steps", type=int, help="how long; the task's own number unless given")
    parser.add_argument("--without-positions", action="store_true", help="add nothing that tells places")
    parser.add_argument("--out", type=Path, help="the file; beside the package's own unless given")
    options = parser.parse_args(arguments)
    if options.task == "all" and options.out:
        parser.error("--out is one file, and `all` writes several")
    if options.seed is not None and not 0 <= options.seed < 2**63:
        parser.error(f"--seed must be a whole number from 0 to 2^63 - 1; got {options.seed}")
    torch.set_num_threads(1)  # for the same sums everywhere; more gain nothing for small models
    settings = {"seed": options.seed, "steps": options.steps}
    changes = {name: each for name, each in settings.items() if each is not None}
    if options.without_positions:
        changes["positions"] = False
    recipes = SHIPPED if options.task == "all" else [Recipe.usual(options.task)]
    for recipe in (replace(each, **changes) for each in recipes):
        out = options.out or path_of(recipe)
        try:  # before the time that training takes
            out.parent.mkdir(parents=True, exist_ok=True)
            is_new = not out.exists()
            out.open("ab").close()
            if is_new:
                out.unlink()
        except OSError as error:
            parser.error(f"--out must be a file that can be written; got {out}: {error.strerror}")
        # Without positions little changes that is worth a checkpoint.
        checkpoints = CHECKPOINTS if recipe.positions else CHECKPOINTS // 2
        start = time.perf_counter()
        try:
            run = train(recipe, checkpoints=checkpoints, on_step=partial(_say, recipe))
        except ValueError as error:
            parser.error(str(error))
        write_run(run, out)
        took = time.perf_counter() - start
        print(f"\n{len(run.checkpoints)} checkpoints in {took:.1f} s: {out}, {out.stat().st_size:,} bytes")
    return 0


def _say(recipe: Recipe, step: int, look: Evaluation | None) -> None:
    if look is not None:
        filled = round(24 * step / recipe.steps)
        bar = "█" * filled + "░" * (24 - filled)
        text = f"step {step} of {recipe.steps}, loss {look.loss:.4f}, right {look.accuracy:.1%} "
        print(f"\r{recipe.task} {bar} {text}", end="", flush=True)


if __name__ == "__main__":
    sys.exit(main())
