"""The panel Teach: cover a panel until a class has predicted it; links for the class and to the guide."""

from collections.abc import Sequence

import streamlit as st

from attn_ui.base.link_options import COVER, PARTS, PREDICT, PROJECTOR, SAY
from attn_ui.base.parameters import Parameter
from attn_ui.screen import language, predicting, share, state
from attn_words import _, paragraph

_PLACE = "_teach_place"  # where the run in progress has the panel, and what its page can set
_MOST_CHIPS = 12


def show(settings: Sequence[Parameter]) -> None:
    """Show the button; the panel behind it is filled at the end of the run (`fill`)."""
    panel = st.popover(_("Teach"), icon=":material/school:", key="teach", on_change="rerun")
    st.session_state[_PLACE] = (panel, settings)


def is_open() -> bool:
    """Whether the panel is open; then its content is refreshed with every change."""
    return bool(st.session_state.get("teach"))


def fill() -> None:
    """Fill the panel where it is open: at the end of the run, when it is known what can be covered."""
    panel, settings = st.session_state.pop(_PLACE, (None, ()))
    if panel is None or not panel.open:
        return
    with panel:
        _cover()
        projected = share.link(framed=True, **{PROJECTOR.name: "true"})
        with st.container(horizontal=True):
            st.link_button(_("Fill a projector"), projected, icon=":material/present_to_all:")
            guide = f"guide{language.language_query()}"
            st.link_button(_("Slides, decks, handouts, lessons"), guide, icon=":material/menu_book:")
        st.divider()
        _show_class_link(settings)


def _cover() -> None:
    """Cover one panel of the figure on screen, or none."""
    panels = predicting.coverable_panels()
    if not panels:
        st.markdown(_("Nothing here can be covered."))
        return
    now = st.query_params.get(COVER.name, COVER.default)
    st.session_state["teach-cover"] = now if now in panels else None
    label = _("Cover, and let the class predict it")
    if len(panels) <= _MOST_CHIPS:
        st.pills(
            label, list(panels), format_func=predicting.panel_label, key="teach-cover", on_change=_put_cover
        )
    else:
        st.selectbox(
            label,
            list(panels),
            None,
            predicting.panel_label,
            "teach-cover",
            on_change=_put_cover,
            placeholder=_("Nothing"),
        )
    if now not in panels:
        return
    kinds = panels[now]
    kind = st.query_params.get(PREDICT.name, PREDICT.default)
    st.session_state["teach-predict"] = kind if kind in kinds else PREDICT.default
    st.selectbox(
        _("Ask"),
        kinds,
        format_func=lambda kind: _(predicting.KINDS[kind]),
        key="teach-predict",
        on_change=_put_question,
    )


def _put_cover() -> None:
    state.put_in_address(COVER.name, *filter(None, [st.session_state["teach-cover"]]))
    state.put_in_address(PREDICT.name)


def _put_question() -> None:
    state.put_in_address(PREDICT.name, st.session_state["teach-predict"])


def _show_class_link(settings: Sequence[Parameter]) -> None:
    """Show a link for a class; what the link hides, covers and says does not apply to this page."""
    labels = state.control_names()
    widgets = {each.name: labels[each.name] for each in settings if each.name in labels}
    parts = {name: _(label) for name, label in PARTS.items()}
    names = parts | {name: label for name, label in widgets.items() if name not in PARTS}
    hidden_names = st.multiselect(
        _("Hide"), list(names), format_func=lambda name: names[name], key="teach-hide"
    )
    sentence = st.text_input(_("Say one sentence"), max_chars=SAY.longest, key="teach-say")
    covered = {each.name: st.query_params.get(each.name, "") for each in (COVER, PREDICT)}
    more = {"hide": ",".join(hidden_names), SAY.name: sentence, **covered}
    address, about = share.public_link(share.link(framed=False, **more))
    st.caption(paragraph(_("The link for the class:"), about))
    share.link_field("lesson-link", address)
