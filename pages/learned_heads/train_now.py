"""The control part "train it now": buttons to train and stop, the place in the queue, and the progress."""

import secrets

import streamlit as st

from attn_core.toys import Recipe
from attn_words import _
from pages.learned_heads import words
from pages.learned_heads.trainer import TRAINER, LineIsFullError

_WHO, _REFUSED = "_trainer_who", "_trainer_refused"


def show(recipe: Recipe) -> None:
    """Show the button that trains a recipe; while it trains, its progress and a button to stop it."""
    job = TRAINER.job(recipe)
    if job is not None and not job.is_over:
        _show_progress(recipe)
        return
    if job is None or job.run is None:
        st.button(_("Train"), on_click=_begin, args=(recipe,))
        if st.session_state.pop(_REFUSED, False):
            full = _("Too many trainings wait in this process. Try again in a minute.")
            st.caption(f":material/info: {full}")
        elif job is not None:
            step, is_stopped = f"{job.step:,}", job.state == "stopped"
            outcome = (
                _("Stopped at step {step}.", step=step)
                if is_stopped
                else _("Failed at step {step}.", step=step)
            )
            st.caption(f":material/info: {outcome}")


@st.fragment(run_every=0.5)
def _show_progress(recipe: Recipe) -> None:
    """Show the progress of a training; rerun the page when it is over."""
    job = TRAINER.job(recipe)
    if job is None or job.is_over:
        st.rerun()
    st.progress(job.step / recipe.steps, words.progress(job, TRAINER.before(job)))
    if TRAINER.look(job, _who()):
        st.button(_("Stop"), on_click=TRAINER.stop, args=(recipe, _who()))
    else:
        st.caption(_("The window that asked for this training can stop it."))


def _begin(recipe: Recipe) -> None:
    try:
        TRAINER.ask(recipe, _who())
    except LineIsFullError:
        st.session_state[_REFUSED] = True


def _who() -> str:
    """Return this session's name in the queue, a random one."""
    who: str = st.session_state.setdefault(_WHO, secrets.token_hex(8))
    return who
