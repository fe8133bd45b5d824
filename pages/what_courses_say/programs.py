"""A program that measures the claim and prints the means of its curves."""

from attn_ui.base.programs import OneProgram
from attn_words import _
from pages.what_courses_say.compute import State


def program(state: State) -> str:
    """Return the program; it prints each curve's name, and its means."""
    seeds = f"seeds = {list(state.seeds)}\n" if "seed" in state.claim.call else ""
    return (
        "from attn_core import claims\n\n"
        f"{seeds}study = {state.claim.call}\n"
        "print(study.over, *study.x)\n"
        "for measure, curves in study.measures.items():\n"
        "    for curve, found in curves.items():  # (seeds, places)\n"
        '        print(f"{measure} | {curve} |", *(f"{mean:.6g}" for mean in found.mean(dim=0).tolist()))\n'
    )


def programs(state: State) -> OneProgram:
    """Return what is handed over."""
    return OneProgram(
        lambda: program(state),
        _(
            "The short one, with `attn_core`: `pip install .` in this app's folder. It prints the mean of "
            "every curve. What it calls is written out in `attn_core/claims`."
        ),
    )
