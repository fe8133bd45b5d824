"""The tab "Code": a program that measures the claim and prints the means of its curves."""

import streamlit as st

from pages.what_courses_say.numbers import Now


def program(now: Now) -> str:
    """Return the program; it prints each curve's name, and its means."""
    seeds = f"seeds = {list(now.seeds)}\n" if "seeds" in now.claim.call else ""
    return (
        "from attn_core import claims\n\n"
        f"{seeds}study = {now.claim.call}\n"
        "print(study.over, *study.x)\n"
        "for measure, curves in study.measures.items():\n"
        "    for curve, found in curves.items():  # (seeds, places)\n"
        '        print(f"{measure} | {curve} |", *(f"{mean:.6g}" for mean in found.mean(dim=0).tolist()))\n'
    )


def show(now: Now) -> None:
    """Hand the program over."""
    st.markdown(
        "The short one, with the packages of this app: `pip install .` in its folder. It prints the mean of "
        "every curve. What it calls is written out in `attn_core/claims`."
    )
    st.code(program(now), language="python")
