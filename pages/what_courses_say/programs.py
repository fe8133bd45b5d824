"""A program that measures the claim and prints the means of its curves."""

from attn_ui.base.programs import OneProgram
from attn_words import _
from pages.what_courses_say.compute import State
from programs.writing import SHORT, Program


def programs(state: State) -> OneProgram:
    """Return what is handed over; it prints each curve's name, and its means."""
    seeds = f"seeds = {list(state.seeds)}\n" if state.claim.measure.draws else ""
    lines = f"""{seeds}study = {state.claim.measure.code}
print(study.over, *study.x)
for measure, curves in study.measures.items():
    for curve, found in curves.items():  # (seeds, places)
        print(f"{{measure}} | {{curve}} |", *(f"{{mean:.6g}}" for mean in found.mean(dim=0).tolist()))"""
    return OneProgram(
        Program(SHORT, lines),
        _(
            "The short one, with `attn_core`: `pip install .` in this app's folder. It prints the mean of "
            "every curve. What it calls is written out in `attn_core/claims`."
        ),
    )
