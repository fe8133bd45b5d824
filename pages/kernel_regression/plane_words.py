"""Sentences that say what the picture of two inputs shows. Numbers in, sentences out."""

from collections.abc import Sequence
from dataclasses import dataclass

from attn_figures.numbers import number
from attn_live.says import Filled
from attn_words import N_, _, _n, paragraph
from pages.kernel_regression.points import Points
from pages.kernel_regression.words import CLOSE, Answered, among, estimates_said, named


@dataclass(frozen=True)
class LeftOutAt:
    """The leave-one-out error at one bandwidth, beside the least of those tried.

    Attributes:
        error: of this bandwidth; supported: how many points keep a neighbour when they are left out.
        best, best_error: the bandwidth with the least error of those tried that leave `most` points a
            neighbour, as many as any.
        tried, compared: how many bandwidths there were, and how many of them leave so many a neighbour.
    """

    error: float
    supported: int
    best: float
    best_error: float
    most: int
    tried: int
    compared: int


def plane_sentences(
    points: Points,
    answered: Answered,
    *,
    kernel: str,
    empty: Sequence[int],
    cells: int,
    left_out: Sequence[LeftOutAt],
) -> Filled:
    """Say of each query what it attends to, how much of the map has no estimate, and the error of h.

    Args:
        points: the data; answered: what is said of it.
        kernel: its name.
        empty: how many of the map's cells have no estimate at each step; cells: how many there are.
        left_out: what the leave-one-out error is, at each step.
    """
    gap = _(
        "At {place} the **query** finds no **key** within h = {window}: the nearest lies {distance} away, so "
        "there is nothing to average and no estimate."
    )
    return estimates_said(
        points,
        answered,
        gap=paragraph(gap, "{more}"),
        more=[
            paragraph(_gaps(kernel, none, cells) if none else "", left_out_sentence(points, h, at))
            for h, none, at in zip(answered.bandwidths, empty, left_out, strict=True)
        ],
    )


def left_out_sentence(points: Points, bandwidth: float, at: LeftOutAt) -> str:
    """Say how far points lie from an estimate that leaves them out, and which bandwidth does best."""
    h, n_key = points.set_width(bandwidth), len(points.keys)
    if not at.supported:
        return _(
            "Left out, no point has a neighbour within h = {h}, so there is no leave-one-out error.", h=h
        )
    error = number(at.error)
    if at.supported < at.most:
        return _(
            "Leave-one-out error at h = {h}: {error}, of the {supported} of {n_key} points that keep a "
            "neighbour.",
            h=h,
            error=error,
            supported=at.supported,
            n_key=n_key,
        )
    compared = among(at.tried, at.compared, at.most, n_key)
    if bandwidth == at.best:
        return _(
            "Leave-one-out error at h = {h}: {error}, the smallest of {among}.",
            h=h,
            error=error,
            among=compared,
        )
    said = (
        N_(
            "Leave-one-out error at h = {h}: {error}; the smallest of {among} is {least} at h = {best}, so "
            "this h is as good."
        )
        if at.error <= at.best_error * CLOSE
        else N_("Leave-one-out error at h = {h}: {error}; the smallest of {among} is {least} at h = {best}.")
    )
    return _(
        said,
        h=h,
        error=error,
        among=compared,
        least=number(at.best_error),
        best=points.set_width(at.best),
    )


def _gaps(kernel: str, empty: int, cells: int) -> str:
    """Say how much of the map has no estimate."""
    return _n(
        "{count} of the map's {cells} places ({share}) has no key in the window of the {kernel} kernel, so "
        "it has no estimate (hatched).",
        "{count} of the map's {cells} places ({share}) have no key in the window of the {kernel} kernel, so "
        "they have no estimate (hatched).",
        empty,
        cells=cells,
        share=_share(empty, cells),
        kernel=named(kernel),
    )


def _share(part: int, whole: int) -> str:
    """Write a share of a map: never 0 % or 100 % where it is neither."""
    share = part / whole
    return f"{share:.0%}" if part == whole or 0.005 <= share < 0.995 else f"{share:.1%}"
