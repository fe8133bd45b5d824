"""The loggers of Streamlit's that repeat what a person typed, or say what is no news."""

import logging

from attn_ui.streamlit_inside.part import Part, find

_FAULTS = "streamlit.error_util"
# Says that it is no visitor's thread.
_THREADS = "streamlit.runtime.scriptrunner_utils.script_run_context"


def _logs_there() -> str:
    try:
        logger = find(f"{_FAULTS}:_LOGGER")
    except LookupError:
        return f"{_FAULTS}:_LOGGER is missing"
    return "" if getattr(logger, "name", "") == _FAULTS else f"{_FAULTS}:_LOGGER has another name"


PART = Part(
    "the log of faults",
    _logs_there,
    uses="the name of the logger that repeats the message of an exception",
    buys="faults are logged without their messages, which may repeat what was typed",
    without="all of Streamlit's logs leave the messages of exceptions out",
)


def of_faults() -> tuple[str, ...]:
    """Name the loggers that are told of an exception."""
    if PART.on:
        return (_FAULTS,)
    return tuple(name for name in list(logging.root.manager.loggerDict) if name.startswith("streamlit"))


def say_nothing_of_threads() -> None:
    """Leave out of the log that pages are run where no visitor is; without that name it is said."""

    def is_news(record: logging.LogRecord) -> bool:
        return "missing ScriptRunContext" not in record.getMessage()

    logging.getLogger(_THREADS).addFilter(is_news)
