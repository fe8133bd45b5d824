"""The rows of the course notes on attention, one link each: their numbers, or why theirs are different.

Numbers are those of the notes, or were computed by hand or by a slow program of its own; none comes
from this product. Claims of the notes have links of their own (`what-courses-say`), tried at the end.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pytest
from numpy.typing import NDArray

from pages.what_courses_say.claims import CLAIMS
from tests import run_programs
from tests.pages import open_sound
from tests.walk import said_now

Numbers = NDArray[np.float64]
RAMPED = [[0.359867, 0.280265, 0.359867], [0.111457, 0.389025, 0.499518], [0.040690, 0.142023, 0.817287]]
PLAIN = np.full((3, 3), 0.274069) + (0.451863 - 0.274069) * np.eye(3)
DOGS = {"example": "I love dogs"}


@dataclass(frozen=True)
class Row:
    """One row: where it is, and what must be read there.

    Attributes:
        page, link: what is opened.
        says: each must stand somewhere on the page.
        columns: numbers in columns of the first table under *Data*, by its name.
        output: the second table under *Data*, without its labels.
        maps: numbers of maps in the picture, by their names.
    """

    page: str
    link: Mapping[str, str]
    says: Sequence[str] = ()
    columns: Mapping[str, Sequence[float]] = field(default_factory=dict)
    output: Sequence[Sequence[float]] = ()
    maps: Mapping[str, Sequence[Sequence[float]]] = field(default_factory=dict)


def broken(page: str, mistake: str, *says: str, **link: str) -> Row:
    """A mistake that goes around: what it does is said."""
    name = {"single-head": "mistake", "multi-head": "fault", "kernel-regression": "trap"}[page]
    return Row(page, {"tab": "Break it", name: mistake} | link, says)


ROWS: dict[str, Row] = {
    "two keys, one query": Row(
        "single-head",
        {"example": "two keys, one query", "tab": "Data"},
        columns={
            "score": [32, 50],
            "scaled score": [18.475209, 28.867513],
            "weight": [0.00003067, 0.99996933],
        },
        output=[[6.999908, 7.999908, 8.999908]],
    ),
    "two keys without the division": Row(
        "single-head",
        {"example": "two keys, one query", "scale": "none", "tab": "Data"},
        columns={"scaled score": [32, 50], "weight": [1 / (1 + np.exp(18)), 1 / (1 + np.exp(-18))]},
    ),
    "I love ice: X and the sizes": Row(
        "single-head",
        {"example": "I love ice", "stage": "X"},
        ("“I”: 4 numbers, length",),
        maps={"X": [[1, 0, 1, 0], [0, 1, 1, 0], [1, 0.5, 0, 1]]},
    ),
    "I love ice: divided by √2 though d_k = 4": Row(
        "single-head",
        {"example": "I love ice", "scale": "free", "s": "0.71", "stage": "scaled"},
        ("A sum of d_k products varies about √d_k times as much",),
    ),
    "I love ice: √2 as a mistake": broken(
        "single-head",
        "constant-scale",
        "This keeps their variance at one for d_k = 2 only",
        "the output is that of torch",
        example="I love ice",
    ),
    "I love ice: two full-width heads, no W_o": Row(
        "multi-head",
        {"case": "I love ice, two full-width heads", "tab": "Shapes"},
        ("2 heads of width 4", "| output | `B, n_query, d_out` | `1, 3, 8` |"),
    ),
    "I love dogs, without positions": Row(
        "single-head", DOGS | {"tab": "Data"}, columns={"weight": PLAIN.ravel().tolist()}
    ),
    "I love dogs, with the ramp": Row(
        "single-head",
        DOGS | {"ramp": "true", "q": "1", "tab": "Data"},
        ("Dot products grow with length, not with meaning",),
        columns={"weight": np.ravel(RAMPED).tolist()},
    ),
    "I love dogs, the vectors with the ramp": Row(
        "single-head",
        DOGS | {"ramp": "true", "stage": "X"},
        ("A ramp adds p/2 to every number of position p",),
        maps={"X": [[1, 0, 0, 0], [0.5, 1.5, 0.5, 0.5], [1, 1, 2, 1]]},
    ),
    "I love dogs, rows of length 1": Row(
        "single-head",
        DOGS | {"ramp": "true", "unit": "true", "q": "1"},
        ("Query “love”: largest weight 0.386 on “love”;",),
    ),
    "I love dogs, two heads": Row(
        "multi-head",
        {"case": "I love dogs, two heads", "tab": "Shapes"},
        ("2 heads of width 2.", "| `1, 2, 3, 2` |"),
    ),
    "cross-attention": Row(
        "multi-head",
        {"case": "cross-attention, four heads", "tab": "Shapes"},
        (
            "| softmax(Q Kᵀ) | `B, n_head, n_query, n_key` | `1, 4, 1, 10` | 40 |",
            "| output | `B, n_query, d_out` | `1, 1, 20` | 20 |",
        ),
    ),
    "the original Transformer's parameters": Row(
        "multi-head",
        {"case": "the original Transformer", "view": "one or many"},
        (f"8 heads: {4 * 512 * 512:,} parameters", f" 1 head: {4 * 512 * 512:,} parameters"),
    ),
    "d_head free of d_model / heads": Row(
        "multi-head",
        {"case": "heads wider than their share", "view": "diagram"},
        ("4 heads make queries 8 wide from vectors 16 wide", "4 × 8 = 32"),
    ),
    "kernel regression is softmax": Row(
        "kernel-regression",
        {"picture": "Bridge to attention", "h": "1"},
        ("h² = 1: the weights differ by at most 0.", "gives the weights of the Gaussian kernel"),
    ),
    "four kernels": Row(
        "kernel-regression",
        {"picture": "Four kernels", "h": "0.5"},
        ("Gaussian 3.668", "boxcar 3.653", "triangular 3.812", "Epanechnikov 3.797"),
    ),
    "leave-one-out": Row(
        "kernel-regression",
        {"picture": "Choose the bandwidth"},
        ("The training error is smallest as h goes to 0: each point is among",),
    ),
    "sinusoids in two layouts": Row(
        "positional-encoding",
        {"show": "encoding", "layout": "concatenated"},
        ("concatenated, the sines come first, then the cosines",),
    ),
    "sinusoids: how long the waves are": Row(
        "positional-encoding", {"show": "encoding"}, ("wave repeats every 6.28 positions",)
    ),
    "the ramp": Row(
        "positional-encoding",
        {"show": "encoding", "scheme": "ramp"},
        ("Every dimension holds the same number, so a position is told by length alone.",),
    ),
    "order does not count without positions": Row(
        "positional-encoding",
        {"show": "shuffle test", "scheme": "none"},
        ("Without positions, the output has the same rows in that order",),
    ),
    "softmax over queries": broken("single-head", "softmax-over-queries", "each row of weights sums to one"),
    "no scale": broken("single-head", "no-scale", "the softmax saturates, and its gradient dies"),
    "mask after the softmax": broken(
        "single-head", "mask-after-softmax", "what is left sums to less than one", mask="causal"
    ),
    "0 in place of −∞": broken(
        "single-head",
        "zero-for-minus-infinity",
        "exp(0) = 1: a masked key keeps weight",
        "largest weight of a masked key",
        mask="causal",
    ),
    "mask turned round": broken(
        "single-head", "mask-turned-round", "under a causal mask, the future", mask="causal"
    ),
    "a fully masked row": broken("single-head", "unguarded-softmax", "0/0 is NaN", mask="padding", w="6"),
    "split without transpose": broken(
        "multi-head",
        "split without transpose",
        "heads attend to heads, not to positions",
        "columns of the map, which must be the 6 words",
        case="cross-attention, four heads",
    ),
    "merge without transpose": broken(
        "multi-head", "merge without transpose", "several positions of one head"
    ),
    "√d_model in every head": broken("multi-head", "√d_model for √d_head", "weights come out too flat"),
    "(d k h) for (k h d)": broken(
        "multi-head", "(d k h) for (k h d)", "a query some that were made as keys or values"
    ),
    "max(0, 1 − |u|) called Epanechnikov": broken(
        "kernel-regression",
        "triangular as Epanechnikov",
        "weights are in proportion to max(0, 1 − u²)",
        kernel="epanechnikov",
    ),
    "a kernel of each coordinate, added": broken(
        "kernel-regression", "kernel of each coordinate", "the disc becomes a cross", picture="Two inputs"
    ),
    "millimetres beside centimetres": broken(
        "kernel-regression", "mixed units", "the disc becomes a narrow strip", picture="Two inputs"
    ),
    "bandwidth by training error": broken(
        "kernel-regression", "training error", "each point predicts itself"
    ),
}


def test_course_notes_have_a_link_for_every_row() -> None:
    assert len(ROWS) >= 32
    links = [(row.page, tuple(sorted(row.link.items()))) for row in ROWS.values()]
    assert len({*links}) == len(ROWS)


@pytest.mark.parametrize("name", ROWS)
def test_course_notes_row_has_its_numbers_or_a_reason(name: str) -> None:
    row = ROWS[name]
    at = open_sound(row.page, **row.link)
    assert [each.value for each in at.warning] == []
    told = [*(each.value for each in at.markdown), *(each.value for each in at.caption), *said_now(at)]
    for words in row.says:
        assert any(words in each for each in told), words
    for column, numbers in row.columns.items():
        found = at.dataframe[0].value[column].to_numpy(dtype=float)
        np.testing.assert_allclose(found, numbers, atol=6e-7, rtol=1e-4 if column == "weight" else 1e-7)
    if row.output:
        np.testing.assert_allclose(run_programs.table(at, 1), row.output, atol=6e-7)
    for of, cells in row.maps.items():
        np.testing.assert_allclose(run_programs.cells(run_programs.picture(at)[of]), cells, atol=1e-12)


@pytest.mark.parametrize("h", ["0.1", "0.2", "0.5", "1", "2", "5"])
def test_course_notes_bandwidths_equal_those_used(h: str) -> None:
    at = open_sound("kernel-regression", h=h, tab="Arithmetic")
    assert any(f"at bandwidth h = {h}, Gaussian kernel" in each.value for each in at.markdown)
    assert not at.warning


def test_course_notes_kernels_equal_a_plain_loop() -> None:
    """The numbers of the row above, from the points that the page hands out."""
    at = open_sound("kernel-regression", tab="Data")
    points = at.dataframe[0].value
    profiles: dict[str, Callable[[Numbers], Numbers]] = {
        "Gaussian": lambda u: np.exp(-u * u / 2),
        "boxcar": lambda u: (u <= 1).astype(float),
        "triangular": lambda u: np.maximum(0, 1 - u),
        "Epanechnikov": lambda u: np.maximum(0, 1 - u * u),
    }
    x, y = (points[column].to_numpy(dtype=float) for column in ("x", "y"))
    for name, profile in profiles.items():
        weights = profile(np.abs(x - 2.5) / 0.5)
        estimate = f"{name} {(weights * y).sum() / weights.sum():.3f}"
        assert estimate in ROWS["four kernels"].says


@pytest.mark.parametrize("claim", CLAIMS)
def test_course_notes_claim_has_a_verdict(claim: str) -> None:
    at = open_sound("what-courses-say", claim=claim)
    assert any(each.value.startswith(("**Holds**", "**Does not hold**")) for each in at.markdown)
