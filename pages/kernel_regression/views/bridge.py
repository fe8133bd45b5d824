"""The bridge: a Gaussian kernel is dot-product attention, once the keys are equally long."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from urllib.parse import urlencode

import numpy as np
import torch
from torch import Tensor

from attn_core import nadaraya_watson, scaled_dot_product_attention
from attn_figures.kernel_bridge import Terms, bridge
from attn_figures.numbers import fixed_point, number
from attn_figures.scene import Scene
from attn_ui.base.controls import Controls
from attn_ui.base.page import Slider, Small, View
from attn_ui.base.parameters import EXACT
from attn_ui.base.shared_settings import FREE_SCALE, TABLE_K, TABLE_Q, TABLE_V
from attn_ui.base.ties import drop_rounding
from attn_words import N_, _, paragraph
from pages.kernel_regression.compute import Result, Selection, Sweep, append_dimension, figure_at_sliders
from pages.kernel_regression.data_points import Numbers, Points
from pages.kernel_regression.settings import ALL_KEYS, BANDWIDTH, KEY_LENGTHS, KEYS_LIE, OWN_POINTS
from pages.kernel_regression.state import State

FEW_KEYS, FEW_QUERIES = 5, 3
SOME_QUERIES = 13  # if all keys are shown
CIRCLE, LINE = N_("{data}, keys on a circle"), N_("{data}, keys on a line")


@dataclass(frozen=True)
class BridgePoints:
    """Queries (n_query, d) and keys (n_key, d) of one data set, laid on a line or on a circle.

    All are in the sliders' unit, counted from the sliders' 0, which changes no weight of the kernel.
    `places` holds the queries and keys as numbers, before they became vectors.
    """

    points: Points
    places: tuple[Numbers, Numbers]
    queries: Tensor
    keys: Tensor

    @property
    def values(self) -> Tensor:
        """The values of the keys, (n_key,)."""
        return torch.from_numpy(self.points.values)

    def names(self) -> tuple[list[str], list[str]]:
        """Return the texts of the queries and of the keys."""
        queries, keys = ([fixed_point(place, 2) for place in places] for places in self.places)
        return queries, keys

    def terms(self) -> Terms:
        """The terms of -|q - k|^2 / 2."""
        products = self.queries @ self.keys.T
        half_keys = (self.keys.square().sum(-1) / 2).expand_as(products)
        half_queries = (self.queries.square().sum(-1, keepdim=True) / 2).expand_as(products)
        return Terms(products.numpy(), half_keys.numpy(), half_queries.numpy(), *self.names())

    def gaussian(self, bandwidths: Tensor) -> Tensor:
        """Weights of the Gaussian kernel, (steps, n_query, n_key)."""
        return nadaraya_watson(self.queries, self.keys, self.values, bandwidth=bandwidths).weights

    def for_attention(self, keeps_lengths: bool) -> tuple[Tensor, Tensor]:
        """Queries and keys for dot-product attention, with |k|^2 in one more dimension if it is kept."""
        return append_dimension(self.queries, self.keys) if keeps_lengths else (self.queries, self.keys)

    def attention(self, bandwidths: Tensor, keeps_lengths: bool) -> Tensor:
        """Weights of dot-product attention at temperature h^2, (steps, n_query, n_key)."""
        q, k = self.for_attention(keeps_lengths)
        temperature = bandwidths.square().reshape(-1, 1, 1)
        return scaled_dot_product_attention(
            q, k, self.values[:, None], scale=1.0, temperature=temperature
        ).weights

    def captions(self, bandwidths: Sequence[float], keeps_lengths: bool) -> list[str]:
        """Say of each bandwidth how far dot-product attention is from the Gaussian kernel."""
        h = torch.tensor(bandwidths, dtype=torch.float64)
        largest = (self.attention(h, keeps_lengths) - self.gaussian(h)).abs().amax(dim=(1, 2))
        shows = _(
            "At temperature h² the softmax of **q** · **k** − |**k**|²/2 gives the weights of the Gaussian "
            "kernel. Without |**k**|²/2 attention favours long **keys** over near ones, unless all are "
            "equally long. |**q**|²/2 is the same in a whole row: it cancels."
        )
        readout = _("h² = {temperature}: the weights differ by at most {difference}.")
        return [
            paragraph(
                shows, readout.format(temperature=number(b * b, 3), difference=number(drop_rounding(each), 3))
            )
            for b, each in zip(bandwidths, largest.tolist(), strict=True)
        ]

    def select(self, bandwidth: float, keeps_lengths: bool) -> Selection:
        """Select the middle query, at one bandwidth."""
        query_names, key_names = self.names()
        row = len(self.queries) // 2
        arrays = (self.queries.numpy(), self.keys.numpy(), self.points.values)
        return Selection(
            self.points, "gaussian", bandwidth, row, *arrays, key_names, query_names, keeps_lengths
        )


def lay_points(points: Points, everything: bool, on_circle: bool) -> BridgePoints:
    """Take all points or a few spread over the data, and lay them on a line or on the unit circle."""
    n_key = len(points.keys)
    few = np.unique(np.linspace(0, n_key - 1, FEW_KEYS).round().astype(int))
    rows = np.arange(n_key) if everything else few
    keys = (points.keys[rows] - points.low) / points.unit
    inner = np.linspace(0, 1, SOME_QUERIES) if everything else np.linspace(0.1, 0.9, FEW_QUERIES)
    queries = keys[0] + inner * (keys[-1] - keys[0])
    in_units = replace(
        points, keys=keys, values=points.values[rows], truth=None, low=0.0, unit=1.0, dated=False
    )
    # One unit is one radian, so that near places are as far apart as on the line.
    vectors = (
        torch.stack((x.cos(), x.sin()), dim=-1) if on_circle else x[:, None]
        for x in map(torch.from_numpy, (queries, keys))
    )
    return BridgePoints(in_units, (queries, keys), *vectors)


@dataclass(frozen=True)
class BridgeSweep(Sweep):
    """The bandwidths of the bridge, and its options: which keys, on a line or a circle, with |k|^2 or not."""

    everything: bool = ALL_KEYS.default
    on_circle: bool = False
    keeps_lengths: bool = KEY_LENGTHS.default

    @property
    def cache_key(self) -> Hashable:
        """The key of the sweep's picture in the cache."""
        return super().cache_key, self.everything, self.on_circle, self.keeps_lengths

    @property
    def weights_per_step(self) -> int:
        """How many numbers a step has: the kernel's weights, attention's, and their difference."""
        return 3 * len(self.bridge.queries) * len(self.bridge.keys)

    @property
    def slider(self) -> Slider:
        """The slider over the bandwidths and their squares."""
        names = [f"{number(b, EXACT)}, h² = {number(b * b, 3)}" for b in self.bandwidth.values]
        return Slider(_("Bandwidth h"), self.bandwidth, names=names)

    @cached_property
    def bridge(self) -> BridgePoints:
        """The queries and keys of the picture."""
        return lay_points(self.points, self.everything, self.on_circle)


def draw(sweep: BridgeSweep) -> Scene:
    """Draw the picture at each bandwidth of the slider."""
    points, values, keeps_lengths = sweep.bridge, sweep.bandwidth.values, sweep.keeps_lengths
    terms, bandwidths = points.terms(), torch.tensor(values, dtype=torch.float64)
    weights = points.gaussian(bandwidths).numpy(), points.attention(bandwidths, keeps_lengths).numpy()
    return Scene(
        [
            bridge(terms, ours, theirs, h_squared=h**2, keeps_lengths=keeps_lengths)
            for h, ours, theirs in zip(values, *weights, strict=True)
        ],
        captions=points.captions(values, keeps_lengths),
    )


def view(controls: Controls, state: State) -> View[Result]:
    """Draw the terms and the weights, with a link that opens a few keys on the single-head page."""
    points, h = state.points, controls.value(BANDWIDTH)
    with controls.row():
        on_circle = controls.segment(KEYS_LIE, _("Keys lie"), label_visibility="collapsed") == "on a circle"
        keeps_lengths = controls.flag(KEY_LENGTHS, _("Keep the |k|² term"), width="content")
        everything = controls.flag(ALL_KEYS, _("All points"), width="content")
        _show_link(controls, lay_points(points, False, on_circle), keeps_lengths, h)
    sweep = BridgeSweep(
        points, "gaussian", everything=everything, on_circle=on_circle, keeps_lengths=keeps_lengths
    )
    sweep, figure = figure_at_sliders(
        controls,
        sweep,
        draw,
        key="bridge",
        name=f"bridge to attention {points.name}",
        rows=None,
        caption=_(CIRCLE if on_circle else LINE, data=points.title),
    )
    note = Small(
        _(
            "Here q, k and h are counted in steps of {unit}, a fifth of the data's width, from {low}: that "
            "changes no weight of the kernel.",
            unit=points.width_text(points.unit),
            low=points.name_place(points.low),
        )
    )
    notes = [note] if points.name == OWN_POINTS else []
    return View(Result(state, sweep.bridge.select(h, keeps_lengths)), figure, notes=notes)


def single_head_link(bridge_points: BridgePoints, keeps_lengths: bool, h: float) -> str | None:
    """Return the address of the single-head page with the same numbers; None if a link cannot hold them."""
    q, k = bridge_points.for_attention(keeps_lengths)
    settings = {
        TABLE_Q.name: TABLE_Q.text(q.tolist()),
        TABLE_K.name: TABLE_K.text(k.tolist()),
        TABLE_V.name: TABLE_V.text(bridge_points.values[:, None].tolist()),
        FREE_SCALE.name: f"{1 / h**2:.6g}",
    }
    try:
        for parameter in (TABLE_Q, TABLE_K, TABLE_V, FREE_SCALE):
            parameter.read(settings[parameter.name])
    except ValueError:
        return None
    return "/single-head?" + urlencode({"qkv": "typed", "scale": "free", **settings})


def _show_link(controls: Controls, bridge_points: BridgePoints, keeps_lengths: bool, h: float) -> None:
    link = single_head_link(bridge_points, keeps_lengths, h)
    if link is None:
        controls.caption(
            _(
                ":material/link_off: These numbers outgrow a link: the single-head page takes h from 0.1 to "
                "10 and numbers up to 1000."
            )
        )
        return
    explanation = _(
        "The same numbers on the next page: q and k as Q and K, with 1 and −|k|²/2 beside them where that "
        "term is kept, the values as V, and 1/h² as its scale."
    )
    controls.page_link(_("Open as a single head"), link, help=explanation)
