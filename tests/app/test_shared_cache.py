"""What many sessions share: computed once, kept within its bounds, never changed."""

import threading
import time
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from attn_ui.base import shared_cache
from attn_ui.base.shared_cache import SharedCache, shared


@pytest.fixture(autouse=True)
def _fresh() -> None:
    shared_cache.clear()


def together(n: int, call: Any) -> list[Any]:
    """Call from n threads at once; return what each got, or its error."""
    start = threading.Barrier(n)
    got: list[Any] = [None] * n

    def run(i: int) -> None:
        start.wait()
        try:
            got[i] = call(i)
        except BaseException as error:
            got[i] = error

    threads = [threading.Thread(target=run, args=(i,)) for i in range(n)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=20)
    assert not any(thread.is_alive() for thread in threads)
    return got


def wait_for(waiters: int) -> None:
    """Return when so many wait for what is being made."""
    deadline = time.monotonic() + 10
    while shared_cache.fullness().waits < waiters:
        assert time.monotonic() < deadline
        time.sleep(0.001)  # leaves them the processor


def test_shared_cache_thirty_equal_requests_compute_once() -> None:
    made: list[int] = []

    @shared
    def slow(seed: int) -> bytes:
        made.append(seed)
        wait_for(29)
        return bytes([seed]) * 10

    assert together(30, lambda _: slow(3)) == [b"\x03" * 10] * 30
    assert made == [3]
    full = shared_cache.fullness()
    assert (full.entries, full.misses, full.hits + full.waits) == (1, 1, 29)


def test_shared_cache_computes_other_keys_meanwhile() -> None:
    """One slow result holds nobody up who asks for another."""
    slow_began, fast_done = threading.Event(), threading.Event()

    @shared
    def work(name: str) -> str:
        if name == "slow":
            slow_began.set()
            assert fast_done.wait(10)
        return name

    def call(i: int) -> str:
        if i == 0:
            return work("slow")
        assert slow_began.wait(10)
        found = work("fast")
        fast_done.set()
        return found

    assert together(2, call) == ["slow", "fast"]


def test_shared_cache_error_reaches_all_who_wait_and_is_not_stored() -> None:
    calls: list[int] = []

    @shared
    def fails(n: int) -> int:
        calls.append(n)
        if len(calls) == 1:
            wait_for(4)
            raise ValueError(f"n must be positive, got {n}")
        return n

    got = together(5, lambda _: fails(-1))
    assert all(isinstance(error, ValueError) for error in got)
    assert fails(-1) == -1
    assert len(calls) == 2


def test_shared_cache_abandoned_computation_is_taken_over() -> None:
    class Stopped(BaseException):
        pass

    calls: list[int] = []

    @shared
    def interrupted() -> str:
        calls.append(1)
        if len(calls) == 1:
            wait_for(3)
            raise Stopped
        return "done"

    got = together(4, lambda _: interrupted())
    assert sum(isinstance(each, Stopped) for each in got) == 1
    assert got.count("done") == 3
    assert len(calls) == 2


def made_again() -> bytes:
    raise AssertionError("what is kept was made again")


def test_shared_cache_bound_counts_bytes_and_drops_the_least_used() -> None:
    cache = SharedCache(10_000)
    for name in "abc":
        cache.get(name, lambda: bytes(2500))
    cache.get("a", made_again)
    cache.get("d", lambda: bytes(2500))
    full = cache.fullness()
    assert (full.entries, full.n_bytes, full.most_bytes) == (3, 3 * 3000, 10_000)
    cache.get("a", made_again)
    made: list[str] = []
    cache.get("b", lambda: made.append("b"))
    assert made == ["b"]
    assert cache.get("huge", lambda: bytes(20_000)) == bytes(20_000)
    assert cache.fullness().n_bytes <= 10_000


def test_shared_cache_new_bound_counts_like_the_first() -> None:
    cache = SharedCache(1_000_000)
    cache.get("large", lambda: b"x" * 100_000)
    cache.bound(50_000)
    assert cache.fullness().entries == 0
    assert cache.fullness().most_bytes == 50_000
    for name in range(10):
        cache.get(name, lambda: bytes(20_000))
    assert cache.fullness().entries == 2
    cache.get("large", lambda: b"x" * 100_000)
    assert cache.fullness().entries == 2


def test_shared_cache_key_is_the_setting_only() -> None:
    calls: list[Any] = []

    @dataclass(frozen=True)
    class Setting:
        seed: int
        name: str = ""

    @shared
    def drawn(_data: list[int], setting: Setting, scale: float = 1.0) -> int:
        calls.append((setting, scale))
        return len(_data)

    drawn([1], Setting(1))
    drawn([1, 2], Setting(1), 1.0)
    drawn([1], setting=Setting(1), scale=1.0)
    assert len(calls) == 1
    drawn([1], Setting(2))
    drawn([1], Setting(1), 1)
    drawn([1], Setting(1), True)
    assert len(calls) == 4
    with pytest.raises(TypeError, match="unhashable"):
        drawn([1], [1])  # type: ignore[arg-type]  # wrong on purpose


def test_shared_cache_results_are_immutable() -> None:
    @dataclass(frozen=True)
    class Result:
        weights: np.ndarray
        more: tuple[np.ndarray, ...]

    @shared
    def compute() -> Result:
        return Result(np.zeros(3), (np.ones(2),))

    for array in (compute().weights, *compute().more):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1.0
