"""The claim that attention weights explain the output."""

import torch
from torch.nn import functional as F

from attn_core import Check, MultiHeadAttention
from attn_core import claims as measures
from attn_core.claims import Study
from attn_words import N_
from pages.what_courses_say.claim import SEEDS, Claim, Measurement, Seeds, recheck
from pages.what_courses_say.settings import STACKED

LAST, ROLLED = "the last layer's weights", "all layers' weights multiplied"
AGREES = 0.8


def _taken_away(study: Study, seeds: Seeds) -> list[Check]:
    """Compute the rank correlation again, by dropping each token from the sequence and torch's sort."""
    n = 10
    x = torch.randn(n, 16, generator=torch.Generator().manual_seed(seeds[0]), dtype=torch.float64)
    layer = MultiHeadAttention(16, 2, bias=False, seed=seeds[0], dtype=x.dtype)
    with torch.no_grad():
        full = layer(F.layer_norm(x, (16,)))
        effects = torch.zeros(n, n, dtype=x.dtype)
        for away in range(n):
            rest = [place for place in range(n) if place != away]
            rest_run = layer(F.layer_norm(x[rest], (16,)))
            effects[rest, away] = (rest_run.output - full.output[rest]).norm(dim=-1)
    weights = full.weights.mean(dim=0)
    correlations = []
    for query in range(n):
        others = [key for key in range(n) if key != query]
        pairs = torch.stack([each[query, others].argsort().argsort() for each in (weights, effects)])
        correlations.append(torch.corrcoef(pairs.to(x.dtype))[0, 1])
    expected, by = torch.stack(correlations).mean(), N_("tokens taken out of the sequence")
    return [recheck(study, "rank correlation", LAST, 1, by=by, expected=expected, scale=1.0)]


CLAIMS = {
    "weights explain": Claim(
        statement=N_("Attention weights explain what a model looks at."),
        method=N_(
            "Each token in turn is taken away from ten random tokens. Measured for every other token: do "
            "large weights fall on the tokens whose absence changes its output most? The rank correlation is "
            "1 where both have the same order, and 0 where they have nothing in common. The residual "
            "connection and a norm before each layer are there."
        ),
        formula=r"\begin{gathered} "
        r"e_{ij} = \bigl\lVert y_i(X) - y_i(X \setminus x_j) \bigr\rVert \\[4pt] "
        r"\text{rank correlation} = \frac{1}{10} \sum_{i=1}^{10} \operatorname{corr}_{j \neq i} "
        r"\bigl(\operatorname{rank} w_{ij},\ \operatorname{rank} e_{ij}\bigr) \\[4pt] "
        r"\text{same first} = \frac{1}{10} \sum_{i=1}^{10} "
        r"\bigl[\operatorname{arg\,max}_{j \neq i} w_{ij} = \operatorname{arg\,max}_{j \neq i} "
        r"e_{ij}\bigr] \\[4pt] "
        r"\text{all layers: } w = \tfrac{1}{2}(A_L + I) \cdots \tfrac{1}{2}(A_1 + I) "
        r"\end{gathered}",
        in_words=N_(
            "The rows $x_j$ of $X$ are ten tokens; $y_i(X)$ is what leaves the last layer for "
            "token $i$, "
            r"and $y_i(X \setminus x_j)$ the same without token $j$; $e_{ij}$ is how far that moves it. "
            "$w_{ij}$ is the weight that token $i$ "
            "gives to $j$, the mean over two heads: of the last layer, $A_L$, or of all $L$ layers "
            "multiplied, where $I$ stands for the residual. A bracket is 1 where it is true and 0 "
            "elsewhere."
        ),
        slider=STACKED,
        measure=Measurement(measures.explanation_by_depth, (STACKED.values,), "seeds"),
        charts={"rank correlation": False, "same first": False},
        reported=("rank correlation", "same first"),
        spread_over=SEEDS,
        criterion=N_("the mean rank correlation is 0.8 or more"),
        outcomes=lambda study: {
            (curve, depth): bool(study.at("rank correlation", curve, depth).mean() >= AGREES)
            for curve, depth in ((LAST, 1), (LAST, 3), (LAST, 6), (ROLLED, 6))
        },
        explanation=N_(
            "In one layer a weight says what share of the output comes from a token; what is carried "
            "matters besides: a value close to the average changes little. In a stack, the last layer "
            "attends to places that hold a mixture of many tokens by then. Multiplying the weights of all "
            "layers follows the mixtures, and leaves out what the values do. Weights are an answer to "
            "*where from*, not to *why*."
        ),
        leads={"what_courses_say": {"claim": "trained weights"}, "learned_heads": {"ablate": "2"}},
        checks=_taken_away,
    ),
}
