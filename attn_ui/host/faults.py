"""When a page fails, the visitor reads a sentence with the link, and the log holds no typed text.

Addresses and the messages of exceptions repeat what a person typed; neither may reach a log.
"""

import logging
import traceback
from collections.abc import Iterator
from urllib.parse import urlencode

import streamlit as st

from attn_words import N_, _

LOST = N_(
    "The app could not work with these settings. That is a fault of the app, not yours. What you set is in "
    "this link: it opens the same state again, and shows the fault to whoever mends it."
)


def show_fault(_fault: Exception) -> bool:
    """Show our sentence and the link in place of Streamlit's box; return True, so that no box follows."""
    address = st.context.url or ""
    settings = {name: st.query_params.get_all(name) for name in st.query_params}
    query = urlencode(settings, doseq=True, errors="replace")
    st.error(_(LOST))
    st.code(f"{address}?{query}" if query else address, language=None, wrap_lines=True)
    st.link_button(_("Open this page with its defaults"), address or "/", icon=":material/restart_alt:")
    return True


class WithoutQuery(logging.Filter):
    """Cut the query out of the addresses in uvicorn's lines."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Keep the record, with paths only."""
        if isinstance(record.args, tuple):
            record.args = tuple(
                arg.partition("?")[0] if isinstance(arg, str) and arg.startswith("/") else arg
                for arg in record.args
            )
        return True


class WithoutMessage(logging.Filter):
    """Log where an exception was raised and its type, not its message, which may repeat what was typed."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Keep the record, with its traceback as text."""
        if record.exc_info and record.exc_info[1] is not None:
            record.msg = f"{record.getMessage()}\n{places(record.exc_info[1])}"
            record.args = ()
            record.exc_info = None
            record.exc_text = None
        return True


def places(error: BaseException) -> str:
    """Return the traceback of an exception and of those that led to it, without their messages."""
    return "".join(
        f"{''.join(traceback.format_tb(one.__traceback__))}{type(one).__module__}.{type(one).__qualname__}\n"
        for one in _chain(error)
    )


def _chain(error: BaseException) -> Iterator[BaseException]:
    before = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    if before is not None:
        yield from _chain(before)
    yield error


_REPEAT_WHAT_WAS_TYPED = (
    ("uvicorn.access", WithoutQuery),
    ("uvicorn.error", WithoutQuery),
    ("uvicorn.error", WithoutMessage),
)


def loggers_of_streamlit() -> list[str]:
    """Return the names of Streamlit's loggers: any may repeat the message of an exception."""
    return [name for name in logging.root.manager.loggerDict if name.split(".")[0] == "streamlit"]


def keep_logs_clean() -> None:
    """Filter what visitors typed out of the server's logs; a second call changes nothing."""
    own = [(name, WithoutMessage) for name in loggers_of_streamlit()]
    for name, kind in (*_REPEAT_WHAT_WAS_TYPED, *own):
        logger = logging.getLogger(name)
        if not any(isinstance(one, kind) for one in logger.filters):
            logger.addFilter(kind())
