"""Claims about the divisor of the scores, the side of W in the product, and the ramp."""

import math

import torch

from attn_core import Check, compare
from attn_core import claims as measures
from attn_core.claims import Study
from attn_words import N_, _
from pages.what_courses_say.claim import SEEDS, Claim, Measurement, Outcomes, Seeds, recheck
from pages.what_courses_say.settings import NO_ROOT, PLACE, ROOT_2, SIDE

BY_ROOT, BY_ROOT_2, BY_NOTHING = "÷ √d_k", "÷ √2", "not divided"
ENOUGH = 0.9


def _check_gradients(study: Study, seeds: Seeds) -> list[Check]:
    """Compute the gradients of the first seed again, as autograd's Jacobian of each query's softmax."""
    generator = torch.Generator().manual_seed(seeds[0])
    query, key = (
        torch.randn(*shape, generator=generator, dtype=torch.float64) for shape in ((64, 1, 64), (64, 10, 64))
    )
    scores = torch.einsum("qod,qkd->qk", query, key)
    sizes = [
        torch.autograd.functional.jacobian(lambda row: torch.softmax(row, dim=-1), row).norm()
        for row in scores
    ]
    variance = study.measures["variance"]
    return [
        recheck(study, "gradient", BY_NOTHING, 64, by=N_("autograd"), expected=torch.stack(sizes).mean()),
        compare(_("half of the variance remains after ÷ √2"), variance[BY_ROOT_2], variance[BY_NOTHING] / 2),
    ]


def _turned(study: Study, seeds: Seeds) -> list[Check]:
    x, w = torch.randn(2, 4, 4, generator=torch.Generator().manual_seed(seeds[0]), dtype=torch.float64)
    right, other = torch.einsum("nd,de->ne", x, w), torch.einsum("nd,de->ne", w, x)
    linear = torch.nn.functional.linear(x, w.T)
    return [
        recheck(
            study, "difference", "W X", 4, by=N_("einsum"), expected=(other - right).norm() / right.norm()
        ),
        compare(_("X W is what `torch.nn.functional.linear` gives with Wᵀ"), right, linear),
    ]


def _by_cosines(study: Study, seeds: Seeds) -> list[Check]:
    cosines = sum(math.cos(5 * 10000 ** (-2 * pair / 16)) for pair in range(8))
    checks = [
        recheck(study, "product", "sinusoid", x, by=N_("its formula"), expected=cosines) for x in (1, 63)
    ]
    return [
        *checks,
        recheck(study, "product", "ramp", 10, by=N_("its formula"), expected=4.0 * 10 * (10 + 5)),
    ]


def _ramp(study: Study) -> Outcomes:
    def level(measure: str) -> bool:
        ramp = study.measures[measure]["ramp"]
        return bool((ramp - ramp[:, :1]).abs().max() < 1e-9)

    slowest = study.measures["share of a straight line"]["slowest sine"]
    return {
        ("slowest sine",): bool((slowest - 1).abs().max() < 0.01),
        ("length", "ramp"): level("length"),
        ("product", "ramp"): level("product"),
    }


CLAIMS = {
    "linear positions": Claim(
        statement=N_("The ramp (0, 0.5, 1, … in every dimension) is a simplified sinusoid."),
        method=N_(
            "Both encodings have width 16. Measured at each position: the length of its vector, the "
            "product with the vector five places on, and sin(w p) as a share of w p, for the fastest and the "
            "slowest sine: 1 is a straight line."
        ),
        formula=r"\begin{gathered} "
        r"P^{\text{ramp}}_{p,i} = \tfrac{p}{2}, \qquad "
        r"P_{p,2i} = \sin(\omega_i\,p), \quad P_{p,2i+1} = \cos(\omega_i\,p), \quad \omega_i = "
        r"10000^{-2i/16} \\[4pt] "
        r"\text{length} = \lVert P_p \rVert, \qquad "
        r"\text{product} = P_p \cdot P_{p+5}, \qquad "
        r"\text{share} = \frac{\sin(\omega_i\,p)}{\omega_i\,p} \\[4pt] "
        r"\text{ramp: } \lVert P_p \rVert = 2\,p, \quad P_p \cdot P_{p+5} = 4\,p\,(p + 5) \\[4pt] "
        r"\text{sinusoid: } \lVert P_p \rVert = \sqrt{8}, \quad "
        r"P_p \cdot P_{p+5} = \sum_{i=0}^{7} \cos(5\,\omega_i) "
        r"\end{gathered}",
        in_words=N_(
            r"Row $P_p$ is the vector of position $p$, of 16 numbers, counted from 0; $\omega_i$ is the "
            "frequency of the sine and cosine of pair $i$. The fastest sine has $i$ = 0, the slowest $i$ "
            "= 7. The ramp's length and product contain $p$; the sinusoid's do not."
        ),
        slider=PLACE,
        measure=Measurement(measures.ramp_and_sinusoid, (range(1, 64),)),
        charts={"length": False, "product": True, "share of a straight line": False},
        reported=("length", "product"),
        criterion=N_(
            "over 63 positions, the slowest sine is a straight line to one part in a hundred; the ramp's "
            "lengths, and its products with the place five on, are one number each, as a sinusoid's are"
        ),
        outcomes=_ramp,
        explanation=N_(
            "A sinusoid turns: all positions have one length, and a product tells only how far apart two of "
            "them are. A ramp grows: later words get longer vectors and so larger scores, whatever they "
            "mean, and all its dimensions say the same. Of the 8 sines here, the 3 slowest do rise as "
            "straight lines over 63 positions, to 1 %; the 2 fastest do a quarter turn within 10 words."
        ),
        leads={"positional_encoding": {"scheme": "ramp", "show": "similarity"}},
        checks=_by_cosines,
    ),
    "√2": Claim(
        statement=N_("The scores are divided by √2."),
        method=N_(
            "Random queries and keys of growing width d_k. Measured: the variance of what enters the "
            "softmax, which should stay near 1 at every width, and the largest of ten weights."
        ),
        formula=r"\begin{gathered} "
        r"s_j = \frac{q \cdot k_j}{c}, \qquad c \in \{\sqrt{d_k},\ \sqrt{2},\ 1\}, \qquad "
        r"\operatorname{Var}(s_j) = \frac{d_k}{c^2} \\[4pt] "
        r"w = \operatorname{softmax}(s), \qquad \text{largest weight} = \max_j w_j "
        r"\end{gathered}",
        in_words=N_(
            "A query $q$ and ten keys $k_j$ have $d_k$ standard normal numbers each; $c$ divides their "
            "products, which gives the scores $s_j$. The variance $d_k$ / $c^2$ is what is expected; the "
            "chart shows that of the scores that were drawn, 64 queries with ten keys each. The weights "
            "$w$ are a row of ten, and the largest is the mean over the queries."
        ),
        slider=ROOT_2,
        log_x=True,
        measure=Measurement(measures.divisors, (ROOT_2.values,), "seeds"),
        charts={"variance": True, "largest weight": False},
        reported=("variance", "largest weight"),
        spread_over=SEEDS,
        criterion=N_("the variance is that with √d_k"),
        outcomes=lambda study: {
            (BY_ROOT_2, width): bool(
                (study.at("variance", BY_ROOT_2, width) - study.at("variance", BY_ROOT, width)).abs().max()
                < 1e-9
            )
            for width in (2, 4, 64)
        },
        explanation=N_(
            "A product of d_k terms has variance d_k, so √d_k brings it back to 1. √2 is right for heads two "
            "numbers wide and for no others. Two heads whose projections keep the whole width 4 have d_k = 4 "
            "each, so their scores are to be divided by 2."
        ),
        leads={
            "single_head": {"tab": "Break it", "mistake": "constant-scale"},
            "multi_head": {"case": "I love ice, two full-width heads"},
        },
        checks=_check_gradients,
    ),
    "without √d": Claim(
        statement=N_("α = softmax(Q Kᵀ): the division by √d can be left out."),
        method=N_(
            "Random queries and keys of growing width d_k. Measured: the size of the softmax's "
            "gradient, through which weights are learned, and the largest of ten weights."
        ),
        formula=r"\begin{gathered} "
        r"w = \operatorname{softmax}(s), \qquad s_j = \frac{q \cdot k_j}{c}, \qquad "
        r"c \in \{\sqrt{d_k},\ \sqrt{2},\ 1\} \\[4pt] "
        r"\frac{\partial w_i}{\partial s_j} = w_i\,(\delta_{ij} - w_j), \qquad "
        r"\text{gradient} = \Bigl(\sum_{i,j} \Bigl(\frac{\partial w_i}{\partial "
        r"s_j}\Bigr)^{2}\Bigr)^{1/2} \\[4pt] "
        r"\text{largest weight} = \max_j w_j "
        r"\end{gathered}",
        in_words=N_(
            "A query $q$ and ten keys $k_j$ have $d_k$ standard normal numbers each, and $c$ divides "
            r"their products, which gives the scores $s_j$; $c$ = 1 leaves the division out. $\delta_{ij}$ "
            "is 1 where $i$ and $j$ are "
            r"the same, and 0 elsewhere. Where one weight is near 1, every $w_i\,(\delta_{ij} - w_j)$ is "
            "near 0. Both measures are means over 64 queries."
        ),
        slider=NO_ROOT,
        log_x=True,
        measure=Measurement(measures.divisors, (NO_ROOT.values,), "seeds"),
        charts={"gradient": False, "largest weight": False},
        reported=("gradient", "largest weight"),
        spread_over=SEEDS,
        criterion=N_("without the division, the mean gradient is at least nine tenths of that with it"),
        outcomes=lambda study: {
            (BY_NOTHING, width): bool(
                study.at("gradient", BY_NOTHING, width).mean()
                >= ENOUGH * study.at("gradient", BY_ROOT, width).mean()
            )
            for width in (1, 4, 16, 64)
        },
        explanation=N_(
            "Without it, scores spread as √d_k. In wide heads one weight takes nearly all, and the softmax "
            "hardly changes when its scores do: little is learned through it. A model can learn smaller W_q"
            " and W_k instead; the division gives it that from the start. It is not “for numerical "
            "stability”: softmax takes each row's largest score off first, and overflows at no width."
        ),
        leads={"single_head": {"tab": "Scale"}},
        checks=_check_gradients,
    ),
    "XW or WX": Claim(
        statement=N_("X W or W X: it comes to the same."),
        method=N_(
            "X and W are random and square, as many tokens as numbers in each; otherwise W X has no "
            "shape. Measured: how far other products are from X W, as a share of its size."
        ),
        formula=r"\begin{gathered} "
        r"\text{difference} = \frac{\lVert B - X W \rVert_F}{\lVert X W \rVert_F}, \qquad "
        r"B \in \{W X,\ X W^\top,\ (W^\top X^\top)^\top\} \\[4pt] "
        r"(W^\top X^\top)^\top = X W "
        r"\end{gathered}",
        in_words=N_(
            "Tokens are the rows of $X$. $X$ and $W$ are square and standard normal; $B$ is the product "
            "that is taken for $X W$. The norm $F$ is the square root of the sum of all squares. The last "
            "line holds for all matrices, so its difference is rounding."
        ),
        slider=SIDE,
        measure=Measurement(measures.sides, (SIDE.values,), "seeds"),
        charts={"difference": False},
        reported=("difference",),
        spread_over=SEEDS,
        criterion=N_("the products differ by less than 10⁻⁹ of their size"),
        outcomes=lambda study: {
            (curve, width): bool((study.at("difference", curve, width) < 1e-9).all())
            for curve, width in (("W X", 1), ("W X", 4), ("(Wᵀ Xᵀ)ᵀ", 4), ("X Wᵀ", 4))
        },
        explanation=N_(
            "With tokens as rows, W stands on the right: it mixes the numbers of each token. On the left it "
            "would mix tokens. Books that write tokens as columns have W on the left, and their W is the "
            "transpose of ours. `nn.Linear` keeps that transpose: it computes X Wᵀ with what it calls weight."
        ),
        leads={"single_head": {"stage": "all at once", "tab": "Arithmetic"}},
        checks=_turned,
    ),
}
