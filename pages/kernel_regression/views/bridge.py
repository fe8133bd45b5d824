"""The bridge: a Gaussian kernel is dot-product attention, once the keys are equally long."""

from dataclasses import dataclass
from urllib.parse import urlencode

import numpy as np
import streamlit as st
import torch
from torch import Tensor

from attn_core import nadaraya_watson, scaled_dot_product_attention
from attn_figures.kernel_bridge import Terms, bridge
from attn_ui import controls
from attn_ui.frame import what_you_see
from attn_ui.live_figure import Slider, live_figure, pack
from attn_ui.positions import position
from attn_ui.shared_settings import FREE_SCALE, TABLE_K, TABLE_Q, TABLE_V
from pages.kernel_regression.data import Numbers, Points
from pages.kernel_regression.numbers import Sweep
from pages.kernel_regression.settings import ALL_KEYS, KEY_LENGTHS, KEYS_LIE
from pages.kernel_regression.words import bridge_sentence

FEW_KEYS, FEW_QUERIES = 5, 3
SOME_QUERIES = 13  # where all keys are shown


@dataclass(frozen=True)
class Bridge:
    """Queries (n_query, d) and keys (n_key, d) of one data set, laid on a line or on a circle."""

    queries: Tensor
    keys: Tensor
    values: Tensor
    query_names: list[str]
    key_names: list[str]

    @classmethod
    def on_a_line(cls, queries: Tensor, keys: Tensor, values: Tensor) -> "Bridge":
        """Queries and keys that are numbers, without names."""
        return cls(queries[:, None], keys[:, None], values, [], [])

    def terms(self) -> Terms:
        """The terms of -|q - k|^2 / 2."""
        products = self.queries @ self.keys.T
        half_keys = (self.keys.square().sum(-1) / 2).expand_as(products)
        half_queries = (self.queries.square().sum(-1, keepdim=True) / 2).expand_as(products)
        return Terms(
            products.numpy(), half_keys.numpy(), half_queries.numpy(), self.query_names, self.key_names
        )

    def gaussian(self, bandwidths: Tensor) -> Tensor:
        """Weights of the Gaussian kernel, (steps, n_query, n_key)."""
        return nadaraya_watson(self.queries, self.keys, self.values, bandwidth=bandwidths).weights

    def lengthened(self, keeps_lengths: bool) -> tuple[Tensor, Tensor]:
        """Queries and keys for attention; one more dimension, 1 and -|k|^2/2, carries the lengths."""
        if not keeps_lengths:
            return self.queries, self.keys
        ones = torch.ones_like(self.queries[:, :1])
        half_keys = self.keys.square().sum(-1, keepdim=True) / 2
        return torch.cat((self.queries, ones), -1), torch.cat((self.keys, -half_keys), -1)

    def attention(self, bandwidths: Tensor, keeps_lengths: bool) -> Tensor:
        """Weights of dot-product attention at temperature h^2, (steps, n_query, n_key)."""
        q, k = self.lengthened(keeps_lengths)
        temperature = bandwidths.square().reshape(-1, 1, 1)
        return scaled_dot_product_attention(
            q, k, self.values[:, None], scale=1.0, temperature=temperature
        ).weights


def lay(points: Points, everything: bool, on_circle: bool) -> Bridge:
    """Take all points or a few spread over the data, and lay them on a line or on the unit circle."""
    n_key = len(points.keys)
    few = np.unique(np.linspace(0, n_key - 1, FEW_KEYS).round().astype(int))
    chosen = np.arange(n_key) if everything else few
    keys = points.keys[chosen]
    inner = np.linspace(0.1, 0.9, FEW_QUERIES) if not everything else np.linspace(0, 1, SOME_QUERIES)
    queries = keys[0] + inner * (keys[-1] - keys[0])
    form = ".2f" if 0.01 <= points.unit <= 20 else ".3g"
    return Bridge(
        _place(points, queries, on_circle),
        _place(points, keys, on_circle),
        torch.from_numpy(points.values[chosen]),
        [format(query, form) for query in queries],
        [format(key, form) for key in keys],
    )


def _place(points: Points, x: Numbers, on_circle: bool) -> Tensor:
    if not on_circle:
        return torch.from_numpy(x)[:, None]
    # One unit of the sliders is one radian, so that near places are as far apart as on the line.
    angle = (torch.from_numpy(x) - points.low) / points.unit
    return points.unit * torch.stack((angle.cos(), angle.sin()), dim=-1)


@st.cache_data(max_entries=32, show_spinner=False)
def _packed(_sweep: Sweep, fingerprint: str, everything: bool, on_circle: bool, keeps_lengths: bool) -> bytes:
    laid = lay(_sweep.points, everything, on_circle)
    bandwidths = torch.from_numpy(_sweep.bandwidths())
    gaussian = laid.gaussian(bandwidths).numpy()
    attention = laid.attention(bandwidths, keeps_lengths).numpy()
    terms = laid.terms()
    return pack(
        [
            bridge.spec(
                terms,
                gaussian[step],
                attention[step],
                h_squared=float(bandwidth) ** 2,
                keeps_lengths=keeps_lengths,
            )
            for step, bandwidth in enumerate(bandwidths)
        ]
    )


def show(points: Points) -> None:
    """Draw the terms and the weights, and hand the same numbers to the single-head page."""
    left, middle, right, across = st.columns([1.1, 1.1, 0.7, 1.3], vertical_alignment="center")
    with left:
        on_circle = controls.segment(KEYS_LIE, "Keys lie", label_visibility="collapsed") == "on a circle"
    with middle:
        keeps_lengths = controls.flag(KEY_LENGTHS, "Keep the |k|² term")
    with right:
        everything = controls.flag(ALL_KEYS, "All points")
    sweep = Sweep(points, "gaussian", maps=3, n_query=SOME_QUERIES)
    bandwidths = sweep.bandwidths()
    h = float(bandwidths[position(sweep.bandwidth)])
    laid = lay(points, everything, on_circle)
    live_figure(
        _packed(sweep, points.fingerprint, everything, on_circle, keeps_lengths),
        key="bridge",
        alt=(
            "Above: q · k, minus half the squared key length, minus half the squared query length, equals "
            "minus half the squared distance. Below: its softmax, the Gaussian weights, and the difference."
        ),
        name=f"bridge to attention {points.name}",
        slider=Slider(
            "Bandwidth h",
            sweep.bandwidth,
            names=[
                f"{name}, h² = {b * b:.3g}"
                for name, b in zip(sweep.bandwidth_names(), bandwidths, strict=True)
            ],
        ),
    )
    at = torch.tensor([h], dtype=torch.float64)
    difference = laid.attention(at, keeps_lengths) - laid.gaussian(at)
    what_you_see(
        bridge_sentence(
            largest=float(difference.abs().max()),
            keeps_lengths=keeps_lengths,
            on_circle=on_circle,
            h_squared=h * h,
        )
    )
    with across:
        _cross(lay(points, False, on_circle), keeps_lengths, h)


def single_head_link(laid: Bridge, keeps_lengths: bool, h: float) -> str | None:
    """The address of the single-head page on the same numbers; None where they outgrow what a link holds."""
    q, k = laid.lengthened(keeps_lengths)
    settings = {
        TABLE_Q.name: TABLE_Q.text(q.tolist()),
        TABLE_K.name: TABLE_K.text(k.tolist()),
        TABLE_V.name: TABLE_V.text(laid.values[:, None].tolist()),
        FREE_SCALE.name: f"{1 / h**2:.6g}",
    }
    try:
        for parameter in (TABLE_Q, TABLE_K, TABLE_V, FREE_SCALE):
            parameter.read(settings[parameter.name])
    except ValueError:
        return None
    return "/single-head?" + urlencode({"qkv": "typed", "scale": "free", **settings})


def _cross(laid: Bridge, keeps_lengths: bool, h: float) -> None:
    link = single_head_link(laid, keeps_lengths, h)
    what = "q and k with one more number each, 1 and −|k|²/2," if keeps_lengths else "q and k as they are"
    if link is None:
        st.caption(
            ":material/link_off: These numbers outgrow a link: the single-head page takes h from 0.1 to 10 "
            "and numbers up to 1000."
        )
        return
    st.link_button(
        "Open as a single head",
        link,
        icon=":material/arrow_forward:",
        help=f"The same numbers on the next page: {what} as Q and K, the values as V, and 1/h² as its scale.",
    )
