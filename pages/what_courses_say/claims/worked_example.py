"""Claims about the worked example "I love dogs": its printed weights, its grammar, its symmetry."""

import math

import torch

from attn_core import Check
from attn_core import claims as measures
from attn_core.claims import Study
from attn_words import N_
from pages.what_courses_say.claim import SEEDS, Claim, Measurement, Outcomes, Seeds, recheck
from pages.what_courses_say.settings import AGAIN, PHRASED, RAMPED, WORDED

_DOGS = {"example": "I love dogs"}
EXACT, ROUNDED = 1e-9, 5e-5


def _dogs_by_torch(step: float, *, turned: bool = False) -> torch.Tensor:
    x = torch.eye(3, 4, dtype=torch.float64)
    x = (x.flip(0) if turned else x) + step * torch.arange(3, dtype=torch.float64)[:, None]
    return torch.softmax(x @ x.T / math.sqrt(4), dim=-1)


def _printed(study: Study, seeds: Seeds) -> list[Check]:
    own = math.exp(0.5) / (math.exp(0.5) + 2)
    return [
        recheck(study, "own weight", "love", 0.0, by="e^½ / (e^½ + 2)", expected=own),
        *(
            recheck(study, "own weight", word, 0.5, by=N_("torch's softmax"), expected=expected)
            for word, expected in zip(("I", "love", "dogs"), _dogs_by_torch(0.5).diagonal(), strict=True)
        ),
    ]


def _phrase(study: Study, seeds: Seeds) -> list[Check]:
    phrases = {
        "I love dogs": _dogs_by_torch(0.5)[1, 2],
        "dogs love I": _dogs_by_torch(0.5, turned=True)[1, 0],
    }
    return [
        recheck(study, "weight on dogs", phrase, 0.5, by=N_("torch's softmax"), expected=expected)
        for phrase, expected in phrases.items()
    ]


def _symmetry(study: Study, seeds: Seeds) -> list[Check]:
    generator = torch.Generator().manual_seed(seeds[0])
    x = torch.randn(8, 4, generator=generator, dtype=torch.float64)
    weights = torch.softmax(torch.einsum("qd,kd->qk", x, x) / 2, dim=1)
    expected = (weights - weights.T).abs().max() / weights.max()
    return [recheck(study, "asymmetry", "weights with Q = K", 8, by=N_("einsum"), expected=expected)]


def _again(study: Study, seeds: Seeds) -> list[Check]:
    outputs = []
    for seed in (seeds[0], seeds[0] + 1):
        torch.manual_seed(seed)
        w = torch.randn(3, 4, 4, dtype=torch.float64)[:, :3]  # of one-hot words, rows of W
        outputs.append(torch.nn.functional.scaled_dot_product_attention(*w[:, None])[0])
    expected = (outputs[1] - outputs[0]).abs().max()
    return [recheck(study, "difference", "W drawn anew", 2, by=N_("torch's attention"), expected=expected)]


def _leads(study: Study) -> Outcomes:
    return {
        (curve, 0.5): bool(study.at("lead of dogs", curve, 0.5)[0] > 0)
        for curve in ("I love dogs", "dogs love I", "rows of length 1")
    }


CLAIMS = {
    "with positions": Claim(
        statement=N_(
            "With positions, “I love dogs” has weights 0.4519 on the diagonal and 0.2741 elsewhere."
        ),
        method=N_(
            "One-hot words of width 4, Q = K = V = X, and a ramp of growing step added to them. Measured: "
            "the weight that each word gives to itself, and the largest difference of the nine weights from "
            "the printed ones."
        ),
        formula=r"\begin{gathered} "
        r"x_p = e_p + \delta\,p\,\mathbf{1}, \qquad "
        r"w = \operatorname{softmax}\!\left(\frac{X X^\top}{\sqrt{4}}\right) \\[4pt] "
        r"\text{own weight} = w_{pp}, \qquad "
        r"\text{difference} = \max_{i,j} \bigl| w_{ij} - \bar w_{ij} \bigr| \\[4pt] "
        r"\bar w_{ij} = 0.4519 \text{ where } i = j, \qquad \bar w_{ij} = 0.2741 \text{ elsewhere} \\[4pt] "
        r"\delta = 0: \quad w_{pp} = \frac{\exp(1/2)}{\exp(1/2) + 2} = 0.4519 "
        r"\end{gathered}",
        in_words=N_(
            "Row $x_p$ of $X$ is the word at position $p$, counted from 0: its one-hot vector "
            "$e_p$, and "
            r"a ramp of step $\delta$, the same in all four dimensions, which $\mathbf{1}$ stands for. "
            r"$w_{ij}$ is the weight that word $i$ gives to word $j$, and $\bar w_{ij}$ the printed one."
        ),
        slider=RAMPED,
        measure=Measurement(measures.printed_with_positions, (RAMPED.values,)),
        charts={"own weight": False, "difference from the printed": False},
        reported=("own weight", "difference from the printed"),
        criterion=N_("all nine weights are the printed ones to four digits"),
        outcomes=lambda study: {
            ("all nine", step): bool(study.at("difference from the printed", "all nine", step)[0] < ROUNDED)
            for step in (0.0, 0.5, 0.1)
        },
        explanation=N_(
            "The printed weights are those without positions: each word's product with itself is 1 and with "
            "any other 0, so all rows are alike. Any ramp makes the rows differ, and the last word gets "
            "more."
        ),
        leads={"single_head": _DOGS | {"ramp": "true"}},
        checks=_printed,
    ),
    "grammar": Claim(
        statement=N_("“love” attends to “dogs” because the phrase says so."),
        method=N_(
            "The same words with a ramp, as they are written, turned round to “dogs love I”, and with all "
            "rows normalised to length 1. Measured: what “love” gives to “dogs”, and that less the largest "
            "of its other two weights."
        ),
        formula=r"\begin{gathered} "
        r"x_p = e_p + \delta\,p\,\mathbf{1}, \qquad \text{or of length 1: } \frac{x_p}{\lVert x_p "
        r"\rVert} \\[4pt] "
        r"w = \operatorname{softmax}\!\left(\frac{X X^\top}{\sqrt{4}}\right), \qquad "
        r"\text{weight on dogs} = w_{\text{love},\,\text{dogs}} \\[4pt] "
        r"\text{lead of dogs} = w_{\text{love},\,\text{dogs}} - \max_{j \neq \text{dogs}} "
        r"w_{\text{love},\,j} \\[4pt] "
        r"x_p \cdot x_r = [p = r] + \delta\,(p + r) + 4\,\delta^2\,p\,r "
        r"\end{gathered}",
        in_words=N_(
            "Row $x_p$ of $X$ is the word at position $p$, counted from 0: its one-hot vector "
            "$e_p$, and "
            r"a ramp of step $\delta$ in all four dimensions, which $\mathbf{1}$ stands for. "
            r"$w_{\text{love},\,j}$ is the weight that “love” gives to word $j$. In the last line $[p = "
            "r]$ is 1 for a word with itself and 0 for two words; the rest grows with the other word's "
            "position $r$, whichever word stands there."
        ),
        slider=PHRASED,
        measure=Measurement(measures.phrase, (PHRASED.values,)),
        charts={"weight on dogs": False, "lead of dogs": False},
        reported=("weight on dogs", "lead of dogs"),
        criterion=N_("“love” gives “dogs” more than any other word, at step 0.5"),
        outcomes=_leads,
        explanation=N_(
            "The words are one-hot, so no word is nearer to one than to another. The ramp makes the later "
            "vectors longer, and a product grows with length: from a step of 0.39 on, “love” attends most "
            "to whatever stands last. Nothing here was learned, so there is no grammar to be read."
        ),
        leads={"single_head": _DOGS | {"ramp": "true", "q": "1", "k": "2"}, "learned_heads": {}},
        checks=_phrase,
    ),
    "symmetric": Claim(
        statement=N_("Without positions the weights are symmetric."),
        method=N_(
            "Random words of width 4 with Q = K, the same with projections W_q and W_k, and one-hot "
            "words. Measured: the largest difference between a map and its transpose."
        ),
        formula=r"\begin{gathered} "
        r"\text{asymmetry} = \frac{\max_{ij} \lvert M_{ij} - M_{ji} \rvert}{\max_{ij} \lvert M_{ij} \rvert}, "
        r"\qquad M = S \ \text{or}\ M = A \\[4pt] "
        r"S = \frac{Q K^\top}{\sqrt{4}}, \qquad A_{ij} = \frac{e^{S_{ij}}}{Z_i}, \qquad "
        r"Z_i = \sum_l e^{S_{il}} \\[4pt] "
        r"Q = K = X: \quad S_{ij} = S_{ji}, \qquad \frac{A_{ij}}{W_{ji}} = \frac{Z_j}{Z_i} "
        r"\end{gathered}",
        in_words=N_(
            "$M$ is the map that is compared with its transpose: the scores $S$ or the weights "
            "$A$. $Z_i$ "
            "is what the softmax divides row $i$ by. With $Q$ and $K$ both equal to $X$ the scores are "
            "symmetric, and the weights where every $Z_i$ is the same."
        ),
        slider=WORDED,
        measure=Measurement(measures.symmetry, (WORDED.values,), "seeds"),
        charts={"asymmetry": False},
        reported=("asymmetry",),
        spread_over=SEEDS,
        criterion=N_("the map and its transpose differ by less than a share of 10⁻⁹, with 8 tokens"),
        outcomes=lambda study: {
            (curve, 8): bool((study.at("asymmetry", curve, 8) < EXACT).all())
            for curve in study.measures["asymmetry"]
        },
        explanation=N_(
            "Where Q = K, the score of two words is one product, whoever asks. The softmax then divides each "
            "row by a sum of its own, so the weights are symmetric only where these sums agree, as they do "
            "for one-hot words. With W_q and W_k even the scores are not."
        ),
        leads={"single_head": {"qkv": "as they are"}},
        checks=_symmetry,
    ),
    "printed results": Claim(
        statement=N_("Run the program, and it prints 2.2379, −0.8030, 0.7570."),
        method=N_(
            "Three words through W_q, W_k and W_v, which each run draws anew, or draws from one seed; and "
            "one-hot words without W. Measured: the largest difference of a later run's output from the "
            "first one's."
        ),
        formula=r"\text{difference} = \max_{i,j} \bigl| O'_{ij} - O_{ij} \bigr|",
        in_words=N_("$O$ is the output of the first run, and $O'$ that of a later one."),
        slider=AGAIN,
        measure=Measurement(measures.run_again, (AGAIN.values,), "seeds"),
        charts={"difference": False},
        reported=("difference",),
        spread_over=SEEDS,
        criterion=N_("all later outputs are the first one to four digits"),
        outcomes=lambda study: {
            (curve,): bool((values < ROUNDED).all()) for curve, values in study.measures["difference"].items()
        },
        explanation=N_(
            "Without a seed each run draws other matrices: nobody gets the printed numbers again, nor can "
            "tell a mistake from chance by them."
        ),
        leads={"single_head": {"seed": "7"}},
        checks=_again,
    ),
}
