"""A process gives back what it no longer needs, and keeps a bounded part of what it computed."""

import asyncio
import gc
import platform
import subprocess
import sys
import weakref
from collections.abc import Iterator
from types import ModuleType

import pytest
import torch

from attn_core import MultiHead, MultiHeadAttention
from attn_ui.base import shared_cache
from attn_ui.base.shared_cache import MOST_BYTES, size_of
from attn_ui.host.server import tidy
from pages.multi_head import compute
from pages.multi_head.settings import TAB
from tests.pages import PAGES, open_page, open_sound

GLIBC = pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc's heap is told what to do")
MEGABYTES = """
import asyncio, os, sys, torch
from attn_ui.host.server import give_memory_back, tidy

def megabytes():
    return int(open("/proc/self/statm").read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6
"""
# Large numbers come and go while small ones between them stay, as in a class.
COME_AND_GO = """
if "told" in sys.argv:
    give_memory_back()
torch.ones(2_000_000)  # from now on glibc takes the like from its heap
before = megabytes()
small, large = [], []
for _ in range(40):
    large.append(torch.ones(1_200_000))
    small.append(torch.ones(20_000))
assert megabytes() > before + 150
del large
print(megabytes() - before)
"""
# What is too small to be the system's again by itself.
SCATTERED = """
async def wait():
    tidying = asyncio.create_task(tidy(0.01))
    while megabytes() > before + 50:
        await asyncio.sleep(0.01)
    tidying.cancel()

give_memory_back()
before = megabytes()
small, large = [], []
for _ in range(3000):
    large.append(torch.ones(20_000))
    small.append(torch.ones(100))
del large
assert megabytes() > before + 150
asyncio.run(asyncio.wait_for(wait(), 60))
"""


def _megabytes_kept(*told: str, **environment: str) -> float:
    said = subprocess.run(
        [sys.executable, "-c", MEGABYTES + COME_AND_GO, *told],
        capture_output=True,
        text=True,
        check=True,
        env=environment,
    )
    return float(said.stdout)


@pytest.mark.slow
@GLIBC
def test_freed_memory_is_returned_unless_the_host_disables_it() -> None:
    assert _megabytes_kept("told") < 20
    assert _megabytes_kept() > 100
    own = {"MALLOC_MMAP_THRESHOLD_": "33554432", "MALLOC_TRIM_THRESHOLD_": "268435456"}
    assert _megabytes_kept("told", **own) > 100


@pytest.mark.slow
@GLIBC
def test_fragmented_memory_is_returned_in_time() -> None:
    subprocess.run([sys.executable, "-c", MEGABYTES + SCATTERED], check=True, env={})


class _Ring:
    """What holds itself, as a session does that has ended."""

    def __init__(self) -> None:
        self.itself = self


def test_reference_cycles_are_collected_in_time() -> None:
    async def wait() -> None:
        gone = weakref.ref(_Ring())
        tidying = asyncio.create_task(tidy(0.001))
        while gone() is not None:
            await asyncio.sleep(0.001)
        tidying.cancel()

    gc.disable()
    try:
        asyncio.run(asyncio.wait_for(wait(), 60))
    finally:
        gc.enable()


def test_module_size_includes_its_arrays() -> None:
    linear = torch.nn.Linear(100, 10, dtype=torch.float64)
    assert size_of((linear, linear.weight)) == 8 * (100 * 10 + 10)


@pytest.mark.slow
def test_heads_cache_is_bounded_in_bytes() -> None:
    """Modules of d_model = 512 were kept by number, up to 2 GB of them, and drawn at each step anew."""
    shared_cache.clear()
    gc.collect()
    before = _tensor_bytes()
    for seed in range(6):
        for tab in ("Heads add up", "Shared heads", "Token by token"):
            open_sound("multi-head", case="the original Transformer", seed=str(seed), tab=tab)
    gc.collect()
    assert _tensor_bytes() - before < MOST_BYTES
    shared_cache.clear()


@pytest.mark.slow
def test_session_keeps_no_results_of_many_heads() -> None:
    """What a callback of a page holds lives as long as the session: once the modules of its last picture."""
    open_page("multi-head", tab="Break it")  # a mistake keeps its example: it has one, whoever asks
    shared_cache.clear()  # of what another test asked for
    compute._NUMBERS.clear()
    gc.collect()
    before = _stages()
    session = None
    for tab in TAB.options:
        session = open_page("multi-head", session, tab=tab)
        assert _stages() - before
        shared_cache.clear()
        compute._NUMBERS.clear()
        gc.collect()
        assert not _stages() - before, tab


@pytest.mark.parametrize("page", PAGES)
def test_session_keeps_no_picture(page: str) -> None:
    """What takes the reports of a figure lives as long as the session: 0.4 MB, had it its picture in it."""
    session = open_sound(page)
    sizes = [len(figure.proto.bytes) for figure in session.get("bidi_component")]
    assert (least := min(10_000, max(sizes) // 2)) > 2_000
    shared_cache.clear()
    assert [len(each) for each in _bytes_held_by(session.session_state) if len(each) > least] == []


def _bytes_held_by(root: object) -> Iterator[bytes]:
    """Yield all byte strings that can be reached from an object, save those of modules and classes."""
    seen = {id(vars(module)) for module in sys.modules.values()}
    waiting = [root]
    while waiting:
        each = waiting.pop()
        if id(each) in seen or isinstance(each, ModuleType | type):
            continue
        seen.add(id(each))
        if isinstance(each, bytes):
            yield each
        waiting += gc.get_referents(each)


def _stages() -> set[int]:
    return {
        id(each) for each in gc.get_objects() if type(each) in (compute.Result, MultiHead, MultiHeadAttention)
    }


def _tensor_bytes() -> int:
    # No FakeTensor: it has no memory, and torch's compiler, which another test may have called, keeps some.
    tensors = (each for each in gc.get_objects() if type(each) in (torch.Tensor, torch.nn.Parameter))
    return sum(
        {each.untyped_storage().data_ptr(): each.untyped_storage().nbytes() for each in tensors}.values()
    )
