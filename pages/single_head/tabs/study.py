"""The tabs Scale and Cost: why scores are divided by sqrt(d_k), and what a mask saves."""

import numpy as np
import streamlit as st

import attn_core
from attn_figures.scale_study import cost_picture, scale_picture
from attn_ui import positions
from attn_ui.frame import what_you_see
from attn_ui.live_figure import Slider, live_figure, pack
from attn_ui.shared_cache import shared
from attn_ui.shared_settings import SEED
from pages.single_head import study_words, words
from pages.single_head.numbers import Masking, make_mask
from pages.single_head.settings import SWEEP_WIDTH
from pages.single_head.view import View

LENGTHS = (8, 16, 32, 64, 128, 256, 512, 1024)


@shared
def _study(seed: int) -> tuple[attn_core.ScaleStudy, bytes]:
    study = attn_core.scale_study([int(width) for width in SWEEP_WIDTH.values], seed=seed)
    curves = {
        "variance": study.variance,
        "entropy": study.entropy,
        "largest weight": study.largest,
        "gradient size": study.gradient,
    }
    drawn = {name: np.asarray(both) for name, both in curves.items()}
    weights = np.asarray(study.weights)
    steps = range(len(study.widths))
    return study, pack([scale_picture.spec(study.widths, drawn, weights, step) for step in steps])


def show_scale(view: View) -> None:
    """Sweep the width of random queries and keys, scaled and not."""
    seed = view.inputs.seed if SEED.name in st.session_state else SEED.default
    study, figures = _study(seed)
    st.markdown(
        "128 random queries, each with 16 random keys of its own, from the page's seed "
        f"({seed}). Drag the width: a sum of d_k products spreads √d_k times as wide."
    )
    live_figure(
        figures,
        key="sweep",
        alt="Weights of one query, and variance, entropy, largest weight and gradient size over the width",
        name="why divide by the root of the width",
        slider=Slider("Width d_k", SWEEP_WIDTH),
    )
    at = positions.position(SWEEP_WIDTH)
    what_you_see(
        study_words.scale_sentence(
            study.widths[at],
            study.variance[:, at].tolist(),
            study.largest[:, at].tolist(),
            study.gradient[:, at].tolist(),
        )
    )
    st.caption(
        "Gradient size is the Frobenius norm of the softmax's Jacobian, averaged over the queries: where it "
        "nears 0, nothing more is learned through the weights."
    )


@shared
def _pairs(masking: Masking, width: int) -> tuple[int, ...]:
    """Pairs left of n x n, at each length."""
    counts = []
    for n in LENGTHS:
        mask = make_mask(masking, n, n, max(1, width) if masking.kind == "block-sparse" else min(width, n))
        counts.append(n * n if mask is None else int(mask.sum()))
    return tuple(counts)


def show_cost(view: View) -> None:
    """Show what is computed now, and how it grows."""
    seen = view.seen()
    cost = attn_core.attention_cost(seen.n_query, seen.n_key, seen.d_k, seen.d_v, pairs=seen.pairs)
    full = attn_core.attention_cost(seen.n_query, seen.n_key, seen.d_k, seen.d_v)
    st.markdown(study_words.cost_table(cost, full))
    kind = view.scoring.masking.kind
    pairs = _pairs(view.scoring.masking, int(view.width))
    each = [
        [
            attn_core.attention_cost(n, n, seen.d_k, seen.d_v, pairs=count)
            for n, count in zip(LENGTHS, counts, strict=True)
        ]
        for counts in ([n * n for n in LENGTHS], pairs)
    ]
    curves = {
        "pairs": np.array([[c.pairs for c in row] for row in each], dtype=float),
        "operations": np.array([[c.flops for c in row] for row in each], dtype=float),
        "bytes": np.array([[c.bytes for c in row] for row in each], dtype=float),
    }
    masked = "no mask" if kind == "none" else f"{kind} mask"
    live_figure(
        [cost_picture.spec(LENGTHS, curves, max(seen.n_query, seen.n_key), masked)],
        key="cost",
        alt="Pairs, operations and bytes over the number of tokens, in full and under the mask",
        name=f"cost of attention {masked}",
    )
    what_you_see(study_words.cost_sentence(kind, LENGTHS[-1], pairs[-1]))


def show_maths(view: View) -> None:
    """Write every stage as a formula with the present sizes."""
    seen = view.seen()
    for stage in ("all at once", "Q, K, V", "scores", "scaled", "masked", "weights", "output"):
        left, right = st.columns([3, 4], vertical_alignment="center", gap="large")
        left.latex(words.formula(stage, seen))
        right.markdown(words.EXPLANATIONS[stage])
    st.markdown(words.NOTES)
