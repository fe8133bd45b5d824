"""A program that measures the claim and prints the means of its curves."""

from attn_ui.base.programs import OneProgram
from attn_words import _
from pages.what_courses_say.compute import State
from programs.writing import SHORT, Program


def programs(state: State) -> OneProgram:
    """Return the program of a claim, which prints each curve's name and means."""
    code = state.claim.measure.code.replace("seeds[0]", str(state.seeds[0]))
    seeds = f"seeds = {[*state.seeds]}\n" if "seeds" in code else ""
    lines = f"""{seeds}study = {code}
print(study.over, *study.x)
for measure, curves in study.measures.items():
    for curve, values in curves.items():  # (seeds, places)
        print(f"{{measure}} | {{curve}} |", *(f"{{mean:.6g}}" for mean in values.mean(dim=0).tolist()))"""
    return OneProgram(
        Program(SHORT, lines),
        _(
            "The short one, with `attn_core`: `pip install .` in this app's folder. It prints the mean of "
            "every curve. What it calls is written out in `attn_core/claims`."
        ),
    )
