"""A feature that relies on undocumented parts of Streamlit: what it needs, and the app without it."""

import inspect
from collections.abc import Callable
from dataclasses import fields
from functools import cached_property, reduce
from importlib import import_module
from typing import Any

Need = Callable[[], str]
"""Checks that something is there; returns "" if so, or else what is missing."""


class Feature:
    """A feature that relies on undocumented names; without them the app is slower or plainer."""

    def __init__(
        self, name: str, *needs: Need, uses: str, gives: str, without: str, upstream: tuple[int, ...] = ()
    ) -> None:
        """Declare the feature.

        Args:
            name: of the feature, in the log.
            needs: checks that what it uses is there and has the expected form.
            uses: the undocumented things of Streamlit that it uses.
            gives: what it is for.
            without: how the app behaves where it is off; a clause that follows the name.
            upstream: the numbers of Streamlit's issues on GitHub about the defect that it works around.
        """
        self.name = name
        self.needs = needs
        self.uses = uses
        self.gives = gives
        self.without = without
        self.upstream = upstream

    @cached_property
    def missing(self) -> str:
        """The first thing that is missing; "" where nothing is."""
        return next(filter(None, (missing() for missing in self.needs)), "")

    @property
    def on(self) -> bool:
        """Whether all that it needs is there."""
        return not self.missing


def look_up(where: str) -> Any:
    """Return the object at a path such as "module:name.name".

    Raises:
        LookupError: there is no such module, or nothing of that name in it.

    >>> look_up("json:JSONDecoder.decode").__name__
    'decode'
    """
    module, _, names = where.partition(":")
    try:
        return reduce(getattr, filter(None, names.split(".")), import_module(module))
    except (ImportError, AttributeError) as error:
        raise LookupError(where) from error


def expect(where: str, *takes: str) -> Need:
    """Return a check that a name exists, and that it takes these parameters where it is called.

    >>> expect("json:dumps", "obj", "indent")()
    ''
    >>> expect("json:dumps", "colour")(), expect("json:dump_all")()
    ('json:dumps takes no colour', 'json:dump_all is missing')
    """

    def look() -> str:
        try:
            target = look_up(where)
            parameters = inspect.signature(target).parameters if takes else {}
        except LookupError:
            return f"{where} is missing"
        except (TypeError, ValueError):
            return f"{where} cannot be called"
        return next((f"{where} takes no {name}" for name in takes if name not in parameters), "")

    return look


def equals(where: str, value: object) -> Need:
    """Return a check that a constant has this value."""

    def look() -> str:
        try:
            return "" if look_up(where) == value else f"{where} is not {value!r}"
        except LookupError:
            return f"{where} is missing"

    return look


def expect_fields(where: str, *names: str) -> Need:
    """Return a check that a dataclass or protobuf message has these fields."""

    def look() -> str:
        try:
            target = look_up(where)
        except LookupError:
            return f"{where} is missing"
        message = getattr(target, "DESCRIPTOR", None)
        try:
            names_there = set(message.fields_by_name) if message else {field.name for field in fields(target)}
        except (TypeError, AttributeError):
            names_there = set()
        return next((f"{where} has no {name}" for name in names if name not in names_there), "")

    return look
