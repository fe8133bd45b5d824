"""What is said of a head that scores by something else than the dot product."""

import math

import torch

from attn_core import SCORES
from attn_core.scores import DOT
from attn_figures.numbers import number
from attn_words import N_, _, paragraph
from pages.single_head.compute import Now

EXPLAINS = {
    "additive": N_(
        "Additive attention, the first there was: a layer of hidden units hears query and key, and v_a adds "
        "up what they say. Hidden units are as many as d_k."
    ),
    "general": N_(
        "Luong's general score: a dot product after W_a has turned the query; W_a = I gives it back."
    ),
    "cosine": N_(
        "The cosine of the angle: lengths do not count. It lies within ±1, and 1/T is its sharpness."
    ),
    "kernel": N_(
        "Less the squared distance, halved: softmax makes a Gaussian kernel of it. Where keys have one "
        "length, its weights are those of the dot product."
    ),
    "linear": N_(
        "Linear attention: φ(q)ᵀφ(k), φ = elu + 1, divided by the row's sum. Softmax of the "
        "logarithm does just that at T = 1; other T raise similarities to the power 1/T, which "
        "no sum over the keys' φ gives."
    ),
}


DRAWN = {
    "additive": N_("The queries, W_a, the keys, U_a and v_a, and the scores of every query with every key"),
    "general": N_("The queries, W_a, the keys turned round, and the scores of every query with every key"),
}
"""What the picture of the scores holds, where a score has weights of its own."""
_ROUNDING = 1e-12  # two ways to the same weights differ by less


def beside_dot(now: Now) -> str:
    """Say how far the weights are from those of the dot product; "" where these are they."""
    if now.scoring.score == DOT:
        return ""
    largest = float(now.head.value.abs().max()) or 1.0  # of which outputs are means
    same_outputs = now.beside_dot[1] < _ROUNDING * largest
    if now.beside_dot[0] < _ROUNDING and same_outputs:
        same = _("Softmax of the scaled dot product at the same T gives the same weights and outputs.")
        return paragraph(same, _drawn(now))
    weights, outputs = (number(each, 3) for each in now.beside_dot)
    if same_outputs:
        said = _(
            "Softmax of the scaled dot product at the same T gives other weights by up to {weights}, and the "
            "same outputs.",
            weights=weights,
        )
        return paragraph(said, _drawn(now))
    said = _(
        "Softmax of the scaled dot product at the same T gives other weights by up to {weights}, other "
        "outputs by up to {outputs}.",
        weights=weights,
        outputs=outputs,
    )
    return paragraph(said, _drawn(now))


def explanation(now: Now, stage: str, of_dot: str) -> str:
    """What Maths says of a stage; of the dot product ``of_dot``."""
    score = now.scoring.score
    if score == DOT or stage not in ("all at once", "scores", "scaled"):
        return _(of_dot) if of_dot else ""
    if stage == "all at once":
        return _("One head in one line, with another score than the dot product.")
    if stage == "scores":
        return _(EXPLAINS[score])
    return _(of_dot) if SCORES[score].is_scaled else _("This score is not scaled.")


def _drawn(now: Now) -> str:
    own = SCORES[now.scoring.score].shapes
    return _("The score's own weights come from seed {seed}.", seed=now.inputs.seed + 1) if own else ""


def scaling(now: Now) -> str:
    """Say what scale or temperature mean to this score; "" where it is as for the dot product."""
    if now.scoring.score == "kernel":
        lengths = now.head.key.norm(dim=-1)
        h = number(math.sqrt(now.temperature / now.scale), 3)
        kernel = _("That is a Gaussian kernel of bandwidth h = {h}.", h=h)
        if torch.allclose(lengths, lengths[0], rtol=1e-9):
            return paragraph(kernel, _("All keys have one length: the dot product gives the same weights."))
        return kernel
    return _(EXPLAINS[now.scoring.score]) if not SCORES[now.scoring.score].is_scaled else ""


def formula(now: Now) -> str:
    """The score of one pair."""
    return rf"S_{{ij}} = {SCORES[now.scoring.score].formula}"
