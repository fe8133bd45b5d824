"""The mistakes of vectors under Break it: maps, sentences and lines, each held against plain loops."""

import math
import re
from itertools import product
from typing import Any

import numpy as np
import pytest
import torch

from attn_core.kernel_mistakes import KERNEL_MISTAKES, by_distance
from pages.kernel_regression import break_plane
from pages.kernel_regression.break_plane import FIXES, Asked, least, picture, said
from pages.kernel_regression.plane import AXIS, sample
from pages.kernel_regression.settings import VECTOR_SLIPS
from tests.core.test_kernel_mistakes import height
from tests.pages import open_sound
from tests.sentences import messages_in, numbers_in

KERNELS = ("gaussian", "boxcar", "triangular", "epanechnikov")


def asked(kernel: str = "gaussian", h: float = 0.5, n: int = 12) -> Asked:
    return Asked(sample(n, 0.5, 4), kernel, h, (2.5, 1.1))


def estimate(name: str, here: Asked, query: list[float], *, without: int | None = None) -> float:
    """One estimate, key after key."""
    pairs = [
        (height(name, here.kernel, query, key, here.bandwidth), value)
        for at, (key, value) in enumerate(
            zip(here.points.keys.tolist(), here.points.values.tolist(), strict=True)
        )
        if at != without
    ]
    total = sum(each for each, _ in pairs)
    return sum(each * value for each, value in pairs) / total if total else math.nan


def test_every_mistake_of_vectors_can_be_chosen_and_has_its_lines() -> None:
    assert set(VECTOR_SLIPS) == set(KERNEL_MISTAKES) == set(FIXES)


@pytest.mark.parametrize(("name", "kernel"), [*product(VECTOR_SLIPS, KERNELS)])
def test_the_maps_are_those_of_plain_loops(name: str, kernel: str) -> None:
    here = asked(kernel, 0.7)
    drawn = {each["name"]: each for each in picture(here, name)["data"]}
    down = AXIS[::-1].tolist()
    for which, way in (("broken", name), ("right", "right")):
        kernels = [[height(way, kernel, [*here.query], [x, y], 0.7) for x in AXIS.tolist()] for y in down]
        np.testing.assert_allclose(drawn[f"kernel, {which}"]["z"], kernels, atol=1e-9)
        estimates = [[estimate(way, here, [x, y]) for x in AXIS.tolist()] for y in down]
        np.testing.assert_allclose(drawn[f"estimate, {which}"]["z"], estimates, atol=1e-9)
    both = np.asarray(drawn["estimate, broken"]["z"]) - np.asarray(drawn["estimate, right"]["z"])
    np.testing.assert_allclose(drawn["difference"]["z"], both, atol=1e-12)


@pytest.mark.parametrize(("name", "kernel"), [*product(VECTOR_SLIPS, KERNELS)])
def test_the_sentences_tell_the_loops_numbers(name: str, kernel: str) -> None:
    here = asked(kernel, 0.7)
    told = " ".join(said(here, name))
    wrong, right = (estimate(way, here, [*here.query]) for way in (name, "right"))
    for value in (wrong, right):
        assert (
            "undefined (no key is in the window)" if math.isnan(value) else f"{value:.4g}".replace("-", "−")
        ) in told
    pairs = [(estimate(name, here, [x, y]), estimate("right", here, [x, y])) for x in AXIS for y in AXIS]
    apart = max(abs(a - b) for a, b in pairs if not math.isnan(a + b))
    assert numbers_in(messages_in(told, "largest")[0]["largest"])[0] == pytest.approx(apart, rel=1e-3)
    gaps = [sum(math.isnan(each) for each in side) for side in zip(*pairs, strict=True)]
    assert bool(messages_in(told, count=961, wrong=gaps[0], right=gaps[1])) == any(gaps)


@pytest.mark.parametrize("name", [*VECTOR_SLIPS, None])
def test_the_least_error_is_found_by_leaving_each_point_out(name: str | None) -> None:
    here = asked("gaussian", n=9)
    found = least(here, here.points.fingerprint, "gaussian", name)
    errors = {}
    for h in break_plane.tried(9):
        at = Asked(here.points, "gaussian", h, here.query)
        left = [
            estimate(name or "right", at, key, without=i) for i, key in enumerate(at.points.keys.tolist())
        ]
        errors[h] = float(np.mean((np.array(left) - at.points.values) ** 2))  # 0 / 0 where h is very small
    best = min((h for h in errors if not math.isnan(errors[h])), key=errors.__getitem__)
    assert found.bandwidth == best
    assert found.error == pytest.approx(errors[best], rel=1e-9)
    assert found.supported == 9


def test_mistake_that_changes_nothing_is_not_said_to_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    right = KERNEL_MISTAKES["mixed units"]
    mended = {"mixed units": type(right)(**{**vars(right), "attend": by_distance})}
    here = asked(h=0.55, n=13)  # data of its own: least errors are kept for all
    broken = " ".join(said(asked(h=0.55, n=14), "mixed units"))
    monkeypatch.setattr(break_plane, "KERNEL_MISTAKES", mended)
    told = " ".join(said(here, "mixed units"))
    assert [
        numbers_in(each["largest"])[0] > 1e-9
        for text in (broken, told)
        for each in messages_in(text, "largest")
    ] == [True, False]


@pytest.mark.sample(4)
@pytest.mark.parametrize(("apart", "mends"), [(0.0, True), (1e-8, True), (0.005, True), (0.02, False)])
def test_error_as_good_as_the_right_one_is_mended(
    apart: float, mends: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def last(factor: float) -> str:
        errors = {"mixed units": 3.5321 * factor, None: 3.5321}
        monkeypatch.setattr(break_plane, "least", lambda *at: break_plane.Least(0.5, errors[at[-1]], 12))
        return " ".join(said(asked(), "mixed units")).rpartition("). ")[2]

    assert (last(1 + apart) == last(1.0)) == mends


@pytest.mark.parametrize("name", VECTOR_SLIPS)
def test_of_four_points_each_mistake_comes_to_the_same_error(name: str) -> None:
    (told,) = messages_in(" ".join(said(asked(n=4), name)), "error", "right", "right_h")
    assert told["error"] == told["right"]


@pytest.mark.parametrize("name", VECTOR_SLIPS)
def test_the_lines_that_are_handed_over_do_what_is_drawn(name: str) -> None:
    """Run the wrong lines and the right ones, each against the loops."""
    here = asked("gaussian", 0.6)
    queries = torch.tensor([[2.5, 1.1], [0.3, 4.0]], dtype=torch.float64)
    keys = torch.from_numpy(here.points.keys)
    given = keys * torch.tensor([10.0, 1.0]) if name == "mixed units" else keys
    asks = queries * torch.tensor([10.0, 1.0]) if name == "mixed units" else queries
    wrong, right = FIXES[name].split("\n\n")
    for lines, way in ((wrong, name), (right, "right")):
        space: dict[str, Any] = {
            "torch": torch,
            "queries": asks,
            "keys": given,
            "h": 0.6,
            "kernel": lambda u: (-(u**2) / 2).exp(),
        }
        exec(lines, space)
        made = space.get("weight", space["kernel"](space["u"]))
        loops = [[height(way, "gaussian", q, k, 0.6) for k in keys.tolist()] for q in queries.tolist()]
        each = made / (2 if way == "kernel of each coordinate" else 1)
        torch.testing.assert_close(each, torch.tensor(loops, dtype=torch.float64), atol=1e-12, rtol=1e-9)


@pytest.mark.parametrize("picture_of", ["Two inputs", "Fit and weights", "Bridge to attention"])
@pytest.mark.parametrize("name", VECTOR_SLIPS)
def test_mistake_opens_from_every_picture_with_its_program(name: str, picture_of: str) -> None:
    at = open_sound("kernel-regression", picture=picture_of, tab="Break it", trap=name, points="20")
    assert KERNEL_MISTAKES[name].why in "\n".join(str(each.value) for each in at.markdown)
    assert FIXES[name] in [each.value for each in at.code]


def test_few_and_many_points_and_any_bandwidth() -> None:
    for n, h in product(("4", "500"), ("0.01", "25")):
        for name in VECTOR_SLIPS:
            at = open_sound(
                "kernel-regression",
                picture="Two inputs",
                tab="Break it",
                trap=name,
                points=n,
                h=h,
                kernel="boxcar",
            )
            assert not re.search(r"\b(nan|inf)\b", "\n".join(str(each.value) for each in at.markdown))
