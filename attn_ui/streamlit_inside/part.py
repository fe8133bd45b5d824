"""A feature that relies on something undocumented: what that is, what it gives, and the app without it."""

import inspect
from collections.abc import Callable
from dataclasses import fields
from functools import cached_property, reduce
from importlib import import_module
from typing import Any

Look = Callable[[], str]
"""Looks for something; returns "" where it is there, or what is missing."""


class Part:
    """A feature that relies on undocumented names; without them the app is slower or plainer."""

    def __init__(
        self, name: str, *looks: Look, uses: str, buys: str, without: str, upstream: tuple[int, ...] = ()
    ) -> None:
        """Declare it.

        Args:
            name: of the part, in the log.
            looks: what must be there, each with its shape.
            uses: what of Streamlit's.
            buys: what for.
            without: how the app is where it is missing, as a sentence goes on after the name.
            upstream: Streamlit's own issues of the defect that it mends, on GitHub.
        """
        self.name = name
        self.looks = looks
        self.uses = uses
        self.buys = buys
        self.without = without
        self.upstream = upstream

    @cached_property
    def missing(self) -> str:
        """The first thing that is missing; "" where nothing is."""
        return next(filter(None, (look() for look in self.looks)), "")

    @property
    def on(self) -> bool:
        """Whether all is there."""
        return not self.missing


def look_up(where: str) -> Any:
    """Return what stands at a place, given as "module:name.name".

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


def expect(where: str, *takes: str) -> Look:
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


def equals(where: str, value: object) -> Look:
    """Return a check that a constant has this value."""

    def look() -> str:
        try:
            return "" if look_up(where) == value else f"{where} is not {value!r}"
        except LookupError:
            return f"{where} is missing"

    return look


def expect_fields(where: str, *names: str) -> Look:
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
