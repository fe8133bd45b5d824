"""A cache for the whole process: what many sessions need is computed once and kept, bounded in bytes.

When a class opens one link, the first session computes and the others wait for its result. The least recently
used results are dropped first. Results are shared, so their arrays are made read-only; other objects are not.
"""

import inspect
import sys
from collections.abc import Callable, Hashable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, fields, is_dataclass
from functools import update_wrapper
from threading import Lock
from typing import Any, Generic, ParamSpec, TypeVar

import numpy as np
from cachetools import LRUCache

from attn_words import manner

MOST_BYTES = 64_000_000
_ENTRY = 500  # bytes that an entry takes beside its value: its key and its places in the tables

P = ParamSpec("P")
R = TypeVar("R")


@dataclass(frozen=True)
class Fullness:
    """How full the cache is, and how often it was hit.

    Attributes:
        entries, n_bytes: of the kept results; most_bytes: the limit of these bytes.
        hits: calls answered from the cache; waits: calls that waited for another session's computation;
        misses: calls that computed.
    """

    entries: int
    n_bytes: int
    most_bytes: int
    hits: int
    waits: int
    misses: int


class SharedCache:
    """Results by function and arguments, least recently used dropped first."""

    def __init__(self, most_bytes: int) -> None:
        """Start empty; hold at most so many bytes."""
        self._entries: LRUCache[Hashable, Any] = LRUCache(
            most_bytes, getsizeof=lambda value: size_of(value) + _ENTRY
        )
        self._running: dict[Hashable, Future[Any]] = {}
        self._lock = Lock()
        self._hits = self._waits = self._misses = 0

    def share(self, function: Callable[P, R]) -> "Shared[P, R]":
        """Share a function's results among all sessions.

        Its arguments must be hashable, save those whose names begin with an underscore: these are no part of
        the key, so the other arguments must determine them. Equal arguments of different types have separate
        results; so has each `attn_words.manner`, because a result may hold words and pictures.
        """
        return Shared(self, function)

    def keeps(self, key: Hashable) -> bool:
        """Whether there is an entry for a key; asking does not count as a use."""
        with self._lock:
            return key in self._entries

    def get(self, key: Hashable, make: Callable[[], R]) -> R:
        """Return the entry for a key; wait where another session is computing it, else compute it.

        An error of `make` is raised in all that wait, and nothing is kept. If the computing session ends too
        early, one that waits computes instead.
        """
        while True:
            with self._lock:
                if key in self._entries:
                    self._hits += 1
                    value: R = self._entries[key]
                    return value
                running = self._running.get(key)
                if running is None:
                    mine: Future[Any] = Future()
                    self._running[key] = mine
                    self._misses += 1
                    break
                self._waits += 1
            try:
                result: R = running.result()
                return result
            except _LeftError:
                continue
        return self._make(key, make, mine)

    def _make(self, key: Hashable, make: Callable[[], R], mine: "Future[Any]") -> R:
        try:
            value = _lock(make())
        except BaseException as error:
            with self._lock:
                del self._running[key]
            mine.set_exception(error if isinstance(error, Exception) else _LeftError())
            raise
        with self._lock:
            if size_of(value) + _ENTRY <= self._entries.maxsize:
                self._entries[key] = value
            del self._running[key]
        mine.set_result(value)
        return value

    def bound(self, most_bytes: int) -> None:
        """Limit the cache to ``most_bytes`` from now on, and empty it."""
        with self._lock:
            self._entries = LRUCache(most_bytes, getsizeof=self._entries.getsizeof)

    def fullness(self) -> Fullness:
        """Return how full it is."""
        with self._lock:
            cache = self._entries
            counts = (self._hits, self._waits, self._misses)
            return Fullness(len(cache), int(cache.currsize), int(cache.maxsize), *counts)

    def clear(self) -> None:
        """Empty the cache and its counts."""
        with self._lock:
            self._entries.clear()
            self._hits = self._waits = self._misses = 0


class Shared(Generic[P, R]):
    """A function whose results all sessions share; see `SharedCache.share`."""

    def __init__(self, cache: SharedCache, function: Callable[P, R]) -> None:
        """Find the arguments that form the key: those without a leading underscore."""
        update_wrapper(self, function)
        self._cache, self._function = cache, function
        self._signature = inspect.signature(function)
        parameters = [*self._signature.parameters]
        self._names = [name for name in parameters if not name.startswith("_")]
        self._places = [place for place, name in enumerate(parameters) if not name.startswith("_")]
        self._n_every = len(parameters)
        self._name = f"{function.__module__}.{function.__qualname__}"

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Return the kept result, or compute and keep it."""
        return self._cache.get(self._key(*args, **kwargs), lambda: self._function(*args, **kwargs))

    def is_kept(self, *args: P.args, **kwargs: P.kwargs) -> bool:
        """Tell whether the result is there already."""
        return self._cache.keeps(self._key(*args, **kwargs))

    def _key(self, *args: P.args, **kwargs: P.kwargs) -> Hashable:
        if kwargs or len(args) != self._n_every:
            bound = self._signature.bind(*args, **kwargs)
            bound.apply_defaults()
            values = [bound.arguments[each] for each in self._names]
        else:  # the usual call; `bind` takes as long as all the rest
            values = [args[place] for place in self._places]
        return self._name, manner(), tuple((type(value), value) for value in values)


class _LeftError(Exception):
    """The session that was computing ended before it was done."""


_CACHE = SharedCache(MOST_BYTES)
shared = _CACHE.share
bound = _CACHE.bound
fullness = _CACHE.fullness
clear = _CACHE.clear


def size_of(value: Any) -> int:
    """Return about how many bytes a value takes, with all that it holds; what it holds twice counts once.

    >>> ten = np.zeros(10)
    >>> size_of((b"1234", ten, [ten]))
    84
    """
    visited: set[int] = set()

    def size(value: Any) -> int:
        if id(value) in visited:
            return 0
        visited.add(id(value))
        n_bytes = len(value) if isinstance(value, bytes) else getattr(value, "nbytes", None)
        if isinstance(n_bytes, int):  # an array or a tensor has it
            return n_bytes
        parts = _parts_of(value)
        return sys.getsizeof(value) if parts is None else sum(map(size, parts))

    return size(value)


def _parts_of(value: Any) -> list[Any] | None:
    """Return the parts of a container; None for any other value."""
    if isinstance(value, Mapping):
        return [*value.keys(), *value.values()]
    if isinstance(value, list | tuple | set | frozenset):
        return list(value)
    if is_dataclass(value):
        return [getattr(value, field.name) for field in fields(value)]
    parameters = getattr(value, "parameters", None)  # of a module of torch's
    return list(parameters()) if callable(parameters) else None


def _lock(value: R) -> R:
    """Make the arrays that a result holds read-only."""
    if isinstance(value, np.ndarray):
        value.flags.writeable = False
    elif isinstance(value, Mapping):
        for inner in value.values():
            _lock(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            _lock(inner)
    elif is_dataclass(value):
        for field in fields(value):
            _lock(getattr(value, field.name))
    return value
