"""The address of a page: each bad value is replaced, and a notice reports it."""

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from attn_ui.base.link_options import framing
from attn_ui.base.links import Dropped, bad_settings, partly_unavailable, repair_query, unavailable_here
from attn_ui.base.parameters import MultiChoice, Parameter, Steps, parameters_by_name
from attn_ui.screen import option_names, state
from attn_ui.streamlit_inside.run import is_history_step, read_address_again
from attn_words import language

_PAGE = "_address_page"
_DROPPED = "_address_dropped"
_LEFT = "_address_left"  # names of the settings of every page visited
_LINKED_OPTIONS = "_address_asked"  # the link's options of each multiple choice, until its control is shown
_NOTICES = "_address_notices"  # the place of notices in the run in progress


def check(page: str, parameters: Sequence[Parameter]) -> list[Dropped]:
    """Read the address at the start of a run; return the settings dropped since the page was entered.

    Must run before any control of the page is made, because controls seed themselves from the address.
    """
    session = st.session_state
    readable = (*parameters, *framing(parameters))
    if is_history_step():
        read_address_again()
    entered = session.get(_PAGE) != page
    if entered and not is_history_step():
        option_names.clear_address()
    if entered:
        query = {name: st.query_params.get_all(name) for name in st.query_params}
        if (repaired := repair_query(readable, query)) != query:
            for name in query.keys() - repaired.keys():
                del st.query_params[name]
            st.query_params.update(repaired)
            st.rerun()
        bad_ones = bad_settings(readable, query)
        if bad_ones:
            # Settings of pages visited before are no mistake of the reader's.
            own, last_names = parameters_by_name(readable), session.get(_LEFT, frozenset())
            _keep(page, [bad for bad in bad_ones if bad.name in own or bad.name not in last_names])
            for bad in bad_ones:
                if bad.replacement:
                    st.query_params[bad.name] = bad.replacement
                else:
                    del st.query_params[bad.name]
            st.rerun()
        several = [setting.name for setting in parameters if isinstance(setting, MultiChoice)]
        session[_LINKED_OPTIONS] = {name: st.query_params.get_all(name) for name in several}
        session[_LEFT] = session.get(_LEFT, frozenset()) | {parameter.name for parameter in parameters}
    state.sync(parameters, entered=entered)
    option_names.take_options_from_address(
        parameters, is_news=entered or is_history_step(), goes_back=is_history_step()
    )
    session[_PAGE] = page  # last: a run that is stopped before has not entered
    return _dropped_on(page)


def _dropped_on(page: str) -> list[Dropped]:
    # After a change of language, earlier notices are not shown again.
    said_on, dropped = st.session_state.get(_DROPPED, ((page, language()), []))
    return list(dropped) if said_on == (page, language()) else []


def _keep(page: str, dropped: Sequence[Dropped]) -> None:
    st.session_state[_DROPPED] = ((page, language()), [*dropped])


def address_items(*without: str) -> list[tuple[str, str]]:
    """Return the names and values in the address, in its order, without some names."""
    names = [name for name in st.query_params if name not in without]
    return [(name, text) for name in names for text in st.query_params.get_all(name)]


def notify(dropped: Sequence[Dropped]) -> None:
    """Show a notice for each dropped setting, and reserve their place for any that are dropped later."""
    st.session_state[_NOTICES] = st.empty()
    if dropped:
        _show(dropped)


def show(steps: Steps) -> None:
    """Write the value that a slider shows into the address; show a notice if the link had another."""
    text = state.show(steps)
    if text is None or steps.page_explains:
        return
    value = steps.values[state.position(steps)]
    _add(unavailable_here(steps, text, value, _dropped_on(st.session_state[_PAGE])))


def show_several(setting: MultiChoice) -> None:
    """Show a notice if the link had options that are not available here."""
    dropped = st.session_state.get(_LINKED_OPTIONS, {}).pop(setting.name, [])
    if not set(dropped) <= set(setting.options):
        _add(partly_unavailable(setting, dropped))


def index_among(choice: Steps, count: int) -> int:
    """Return the index of the chosen word or head among the first ``count``.

    Args:
        choice: the setting, whose values are all possible indices; count: how many there are here.
    """
    show(replace(choice, values=choice.values[:count]))
    return min(state.position(choice), count - 1)


def drop_setting(bad: Dropped) -> None:
    """Drop a teacher's link option that proves unusable only after the page has run."""
    del st.query_params[bad.name]
    _add(bad)


def _add(bad: Dropped) -> None:
    page = st.session_state[_PAGE]
    dropped = {each.name: each for each in _dropped_on(page)} | {bad.name: bad}
    _keep(page, [*dropped.values()])
    _show([*dropped.values()])


def _show(dropped: Sequence[Dropped]) -> None:
    with st.session_state[_NOTICES].container():
        for bad in dropped:
            st.warning(bad.sentence(), icon=":material/link_off:")
