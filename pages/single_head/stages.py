"""The stages of one head in order: each one's picture, caption and formula, in one table."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from attn_core.scores import DOT
from attn_figures import block_diagrams
from attn_figures import single_head as pictures
from attn_figures.numbers import number
from attn_figures.picture import Spec
from attn_figures.single_head import HeadMatrices
from attn_ui.base.ties import drop_rounding
from attn_words import N_, _, paragraph
from pages.single_head import formulas, removal_words, words
from pages.single_head.compute import Result

SCORE_EXPLANATIONS = {
    "additive": N_(
        "Additive attention, the first there was: a layer of hidden units hears query and key, and v_a adds "
        "up what they say. Hidden units are as many as d_k; their weights come from the seed after the "
        "page's."
    ),
    "general": N_(
        "Luong's general score: a dot product after W_a has turned the query; W_a = I gives it back. W_a "
        "comes from the seed after the page's."
    ),
    "cosine": N_(
        "The cosine of the angle: lengths do not count. It lies within ±1, and 1/T is its sharpness."
    ),
    "kernel": N_(
        "Less the squared distance, halved: softmax makes a Gaussian kernel of it, h² = T ÷ scale. Where "
        "keys have one length, its weights are those of the dot product."
    ),
    "linear": N_(
        "Linear attention: φ(q)ᵀφ(k), φ = elu + 1, divided by the row's sum. Softmax of the "
        "logarithm does just that at T = 1; other T raise similarities to the power 1/T, which "
        "no sum over the keys' φ gives."
    ),
}


@dataclass(frozen=True)
class Stage:
    """One stage: its picture, its formula, and two parts of its caption, fixed line and read-out.

    ``follows_slider`` is False if neither temperature nor mask change anything; ``follow`` returns the parts
    of the picture that a second slider over the queries moves, and is None without one.
    """

    picture: Callable[[HeadMatrices], Spec]
    readout: Callable[[Result], str]
    formula: Callable[[Result], str]
    fixed_line: str
    in_maths: bool = True  # whether the tab Maths has its formula
    follows_slider: bool = True
    follow: Callable[[Sequence[HeadMatrices]], dict[str, Any]] | None = None
    removes_weights: bool = False  # whether its slider sets which weights are removed
    takes_together: bool = False  # whether rows of several queries can be combined
    has_plane: bool = False  # whether it draws vectors in a plane
    tells_largest: bool = False  # whether its read-out names the largest weight, so that ties are stated


STAGES: Mapping[str, Stage] = MappingProxyType(
    {
        "all at once": Stage(
            pictures.all_at_once,
            words.describe_row,
            formulas.all_at_once,
            N_(
                "Each query weighs its keys; its output is their values, mixed by these weights. Dot "
                "products grow with length, not with meaning."
            ),
            tells_largest=True,
        ),
        "diagram": Stage(
            block_diagrams.single_head,
            words.describe_weight,
            formulas.all_at_once,
            N_("The boxes of one head, with the shapes of what goes between: follow one pair through them."),
            in_maths=False,
        ),
        "X": Stage(
            pictures.sources,
            words.describe_vector,
            formulas.sources,
            N_("One row a token: where attention starts. A ramp adds p/2 to every number of position p."),
            in_maths=False,
            follows_slider=False,
        ),
        "Q, K, V": Stage(
            pictures.projecting,
            words.describe_score,
            formulas.projected,
            N_("Three views of each token: what it asks for, what it is found by, what it passes on."),
            follows_slider=False,
        ),
        "scores": Stage(
            pictures.dot_products,
            words.describe_score,
            formulas.dot_products,
            N_("Each query's dot product with each key: it grows with their lengths and their agreement."),
            follows_slider=False,
        ),
        "scaled": Stage(
            pictures.scaling,
            words.describe_weight,
            formulas.scaling,
            N_(
                "A sum of d_k products varies about √d_k times as much as one; dividing by √d_k undoes that. "
                "T above 1 flattens the weights, T below 1 sharpens them."
            ),
        ),
        "masked": Stage(
            pictures.masking,
            words.describe_mask,
            formulas.masking,
            N_(
                "M, an additive mask, is 0 where a query may attend and −∞ elsewhere, before the softmax: "
                "exp(−∞) = 0."
            ),
        ),
        "weights": Stage(
            pictures.softmax,
            words.describe_weight,
            formulas.softmax,
            N_(
                "Softmax: each row that may attend to anything adds up to one. Taking its largest off first "
                "only keeps exp from overflowing."
            ),
        ),
        "output": Stage(
            pictures.mixing,
            words.describe_weight,
            formulas.mixing,
            N_(
                "Each row is an average of the values that its query may see, so it stays within their hull; "
                "a row that sees none is zero."
            ),
        ),
        "arcs": Stage(
            pictures.words_with_arcs,
            words.describe_thickest_arcs,
            formulas.softmax,
            N_("The weights, drawn between the words themselves."),
            follow=pictures.follow_arcs,
            takes_together=True,
        ),
        "points": Stage(
            pictures.words_in_plane,
            words.describe_points,
            formulas.points,
            N_(
                "Queries and keys in the plane of their two main directions, by singular value "
                "decomposition, or of two dimensions; on each line q · k is the same."
            ),
            follow=pictures.follow_points,
            has_plane=True,
        ),
        "hard or soft": Stage(
            pictures.hard_or_soft,
            words.describe_lookup,
            formulas.hard_or_soft,
            N_(
                "A dictionary returns the value of the one key that fits best; attention mixes those of all. "
                "As T falls to 0, softmax becomes that look-up; keys that tie for best share it."
            ),
            tells_largest=True,
        ),
        "threshold": Stage(
            pictures.threshold,
            lambda result: removal_words.describe_threshold(result.matrices, result.removal),
            lambda result: removal_words.threshold_formula(result.removal),
            N_(
                "Weights under a threshold τ, or all but the k largest of a row, are set aside; m is the "
                "mass kept. Divided by it, a row sums to one again: softmax over the kept keys alone."
            ),
            removes_weights=True,
        ),
        "without": Stage(
            pictures.ablation,
            lambda result: removal_words.describe_ablation(result.matrices),
            lambda _result: removal_words.ablation_formula(),
            N_(
                "Token ablation: leave one key l out, and the other weights of a row grow by the factor "
                "1 / (1 − its weight), and the output moves. The word itself still asks, without its own key."
            ),
            removes_weights=True,
        ),
    }
)

# The stage that a click on each box of the diagram opens.
STAGE_OF_BOX: Mapping[str, str] = MappingProxyType(
    {
        **dict.fromkeys(("X", "Y"), "X"),
        **dict.fromkeys(("Q", "K", "V", "W_q", "W_k", "W_v"), "Q, K, V"),
        "scores": "scores",
        "scale": "scaled",
        "mask": "masked",
        "softmax": "weights",
        **dict.fromkeys(("mix", "output"), "output"),
    }
)


def fixed_line(result: Result, stage: str, line: str) -> str:
    """Return the fixed line of a stage, or a note in its place on score, sink or untrained weights."""
    if stage == "all at once" and result.scoring.score != DOT:
        weights, outputs = (number(drop_rounding(each), 3) for each in result.beside_dot)
        return _(
            "Softmax of the scaled dot product at the same T: the weights differ by up to {weights}, the "
            "outputs by up to {outputs}.",
            weights=weights,
            outputs=outputs,
        )
    if stage in ("weights", "output", "hard or soft") and result.scoring.sink is not None:
        return _(
            "A sink is one more logit in each row's softmax, dropped after it: it takes weight and has no "
            "value, so that a row sums to less than one."
        )
    if stage == "all at once" and result.inputs.is_drawn:
        return _("The numbers are random, not trained: they know no grammar.")
    own = SCORE_EXPLANATIONS.get(result.scoring.score) if stage == "scores" else None
    return _(own or line)


def caption(stage: str, result: Result) -> str:
    """Return a stage's caption as markdown: fixed line, read-out of the chosen cell, at most one warning."""
    own = STAGES[stage]
    return paragraph(
        fixed_line(result, stage, own.fixed_line),
        own.readout(result),
        words.describe_sink(result) if own.follows_slider and stage not in ("scaled", "masked") else "",
        words.warning(result, of_largest=own.tells_largest),
    )
