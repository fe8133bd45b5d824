"""What courses say: one claim, what decides it, and where it holds."""

from dataclasses import replace
from functools import partial

import streamlit as st

from attn_ui import controls
from attn_ui.frame import lead_on, open_page, tabs, what_you_see
from attn_ui.live_figure import Slider, live_figure
from attn_ui.shared_settings import SEED
from pages.what_courses_say.claim import verdict
from pages.what_courses_say.numbers import Now, drawn
from pages.what_courses_say.settings import CLAIM, SETTINGS, TAB
from pages.what_courses_say.tabs import checks, code, data

open_page(
    "what-courses-say",
    SETTINGS,
    "What courses say",
    "Sentences that go around about attention, each measured here: does it hold, and where?",
)
name = controls.segment(CLAIM, "Claim", label_visibility="collapsed")
with st.sidebar:
    st.subheader("Chance", anchor=False)
    now = Now(name, controls.whole(SEED, "Seed"))
claim = now.claim
st.markdown(f"> {claim.says}")
figures, said = drawn(now)
live_figure(
    figures,
    key=f"claim-{CLAIM.options.index(name)}",
    alt=f"{' and '.join(claim.drawn)}, over {now.study.over}",
    name=f"what courses say: {name}",
    slider=Slider(claim.label.rstrip(":"), claim.slider),
    says=said,
    caption=claim.says,
)
what_you_see(verdict(claim.held(now.study)))
spread = (
    f" Bands, and numbers after ±, are one standard deviation over {claim.repeats}." if claim.repeats else ""
)
st.caption(f"Counted as held: {claim.counts}.{spread}")
st.markdown(f"**What is measured.** {claim.measured}")
st.markdown(f"**Where it holds, where not.** {claim.why}")
lead_on([replace(see, label=f"See it: {see.label}") for see in claim.see], key="see-it")
tabs(
    TAB,
    {"Checks": partial(checks.show, now), "Data": partial(data.show, now), "Code": partial(code.show, now)},
)
