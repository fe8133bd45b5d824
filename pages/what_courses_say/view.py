"""The view of a claim: its curves, its verdict, and the cases in which it holds."""

from attn_ui.base.controls import Controls
from attn_ui.base.page import Figure, Slider, Small, View
from attn_ui.base.search_entries import Place
from attn_ui.base.shared_settings import SEED
from attn_words import _, paragraph
from pages.what_courses_say.claim import axis_label, short_verdict, verdict
from pages.what_courses_say.compute import State, draw_claim
from pages.what_courses_say.settings import CLAIM


def read_controls(controls: Controls) -> str:
    """Read which claim is shown."""
    return controls.choose(CLAIM, _("Claim"), label_visibility="collapsed")


def view(controls: Controls, name: str) -> View[State]:
    """Show the verdict, the curves that decide the claim, and the control of the seed."""
    heading = controls.space()
    with controls.under_picture():
        state = State(name, controls.whole(SEED, _("Seed"), width=200))
    claim = state.claim
    statement = _(claim.statement)
    outcomes = claim.outcomes(state.study)
    with heading:
        controls.message(f"## {statement}\n\n**{short_verdict(outcomes)}**")
    figure = Figure(
        draw_claim(state),
        key=f"claim-{CLAIM.options.index(state.name)}",
        name=f"what courses say: {state.name}",
        slider=Slider(axis_label(state.study.over), claim.slider),
        caption=statement,
    )
    over = claim.spread_over and _(
        "Bands, and numbers after ±, are one standard deviation over {draws}.", draws=_(claim.spread_over)
    )
    notes = (
        verdict(outcomes, state.study.over),
        Small(paragraph(_("Counted as held: {what}.", what=_(claim.criterion)), over)),
        _("**What is measured.** {what}", what=_(claim.method)),
        _("**Where it holds, where not.** {why}", why=_(claim.explanation)),
    )
    leads = [Place(*each) for each in claim.leads.items()]
    return View(state, figure, notes=notes, leads=leads, name=state.name)
