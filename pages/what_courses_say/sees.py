"""A claim: its curves, its verdict, and where it holds."""

from dataclasses import replace

from attn_ui.base.ask import Ask
from attn_ui.base.page import Figure, Seen, Slider, Small
from attn_ui.base.places import See
from attn_ui.base.shared_settings import SEED
from pages.what_courses_say.claim import verdict
from pages.what_courses_say.compute import State, drawn
from pages.what_courses_say.settings import CLAIM


def asks(ask: Ask) -> State:
    """Ask for the claim and for the seed."""
    name = ask.segment(CLAIM, "Claim", label_visibility="collapsed")
    with ask.sidebar():
        ask.heading("Chance")
        return State(name, ask.whole(SEED, "Seed"))


def sees(ask: Ask, state: State) -> Seen[State]:
    """Show what decides it."""
    claim = state.claim
    ask.tell(f"> {claim.says}")
    steps, says = drawn(state)
    figure = Figure(
        steps,
        key=f"claim-{CLAIM.options.index(state.name)}",
        alt=f"{' and '.join(claim.drawn)}, over {state.study.over}",
        name=f"what courses say: {state.name}",
        slider=Slider(claim.label.rstrip(":"), claim.slider),
        says=says,
        caption=claim.says,
    )
    over = claim.repeats and (
        f" Bands, and numbers after ±, are one standard deviation over {claim.repeats}."
    )
    notes = (
        verdict(claim.held(state.study)),
        Small(f"Counted as held: {claim.counts}.{over}"),
        f"**What is measured.** {claim.measured}",
        f"**Where it holds, where not.** {claim.why}",
    )
    return Seen(state, figure, notes=notes, leads=[_named(see) for see in claim.see], view=state.name)


def _named(see: See) -> See:
    return replace(see, label=f"See it: {see.label}")
