"""The claim that attention weights explain the output, for trained models."""

import torch
from torch.nn import functional as F

from attn_core import Check, compare
from attn_core import claims as measures
from attn_core.claims import Study
from attn_core.toys import packaged_run
from attn_words import N_, _
from pages.what_courses_say.claim import Claim, Measurement, Outcomes, Seeds
from pages.what_courses_say.settings import DONE

ONE_LAYER = ("previous token", "reverse", "sort")
LAST, ROLLED = "induction, last layer", "induction, all layers"
AGREES, MOSTLY = 0.8, 0.9


def _outcomes(study: Study) -> Outcomes:
    def first(*curves: str, at: int) -> bool:
        return all(bool(study.at("same first", curve, at).mean() >= MOSTLY) for curve in curves)

    def order(curve: str, at: int) -> bool:
        return bool(study.at("rank correlation", curve, at).mean() >= AGREES)

    return {
        ("same first", *ONE_LAYER, 100): first(*ONE_LAYER, at=100),
        ("rank correlation", ROLLED, 100): order(ROLLED, at=100),
        ("same first", *ONE_LAYER, 0): first(*ONE_LAYER, at=0),
        ("same first", ROLLED, 100): first(ROLLED, at=100),
        ("same first", LAST, 100): first(LAST, at=100),
        ("rank correlation", LAST, 100): order(LAST, at=100),
    }


def _ranks(numbers: list[float]) -> list[float]:
    """Return the rank of each number, with the mean rank for equal numbers."""
    ordered = sorted(numbers)
    return [ordered.index(each) + (ordered.count(each) - 1) / 2 for each in numbers]


def _taken_out(study: Study, seeds: Seeds) -> list[Check]:
    """Compute the rank correlation again, by `_ranks` after dropping each token of `reverse` sequences."""
    run = packaged_run("reverse")
    state = {name: each.double() for name, each in run.checkpoints[-1].state.items()}
    tokens = run.recipe.held_out(measures.explanation_trained.SEQUENCES)
    places = run.model(0).positions.double()
    n = tokens.shape[1]
    correlations = []
    for row in tokens:
        embedded = state["embedding"][row] + places

        def predicted(
            places_left: list[int], x: torch.Tensor = embedded
        ) -> tuple[torch.Tensor, torch.Tensor]:
            normed = F.layer_norm(
                x[places_left], x.shape[-1:], state["norms.0.weight"], state["norms.0.bias"]
            )
            q, k, v = (normed @ state[f"attention.0.W_{letter}.weight"].T for letter in "qkv")
            weights = torch.softmax(q @ k.T / q.shape[-1] ** 0.5, dim=-1)
            update = weights @ v @ state["attention.0.W_o.weight"].T
            return weights, torch.softmax(update @ state["readout"].T, dim=-1)

        weights, full = predicted([*range(n)])
        orders = []
        for place in (at for at in range(n) if row[n - 1 - at] != 15):
            others = [at for at in range(n) if at != place]
            effects = []
            for away in others:
                rest = [at for at in range(n) if at != away]
                change = predicted(rest)[1][rest.index(place)] - full[place]
                effects.append(round(float(change.abs().sum() / 2), measures.explanation_trained.DECIMALS))
            pairs = torch.tensor(
                [_ranks(weights[place, others].tolist()), _ranks(effects)], dtype=weights.dtype
            )
            orders.append(torch.corrcoef(pairs)[0, 1])
        correlations.append(torch.stack(orders).mean())
    ours = study.at("rank correlation", "reverse", 100).mean()
    what = _("reverse, trained: tokens taken out of the sequences, ranked in a sorted list")
    return [compare(what, ours, torch.stack(correlations).mean(), scale=1.0)]


CLAIMS = {
    "trained weights": Claim(
        statement=N_("Once trained, attention weights explain what a model answers."),
        method=N_(
            "The small models of *Learned heads*, on sequences that they were not trained on. At every place "
            "that has an answer, each other token in turn is blocked: nobody else may attend to it. Its "
            "effect is how much probability moves in the model's own prediction, from 0 to 1. Measured: the "
            "rank correlation between weights and effects, and how often the largest weight is on the token "
            "with the largest effect."
        ),
        formula=r"\begin{gathered} "
        r"e_{ij} = \frac{1}{2} \sum_{s} \bigl| p_i(s) - p_i^{\setminus j}(s) \bigr| \\[4pt] "
        r"\text{rank correlation} = \operatorname*{mean}_i\, \operatorname{corr}_j "
        r"\bigl(\operatorname{rank} w_{ij},\ \operatorname{rank} e_{ij}\bigr) \\[4pt] "
        r"\text{same first} = \operatorname*{mean}_i\, "
        r"\bigl[\operatorname{arg\,max}_j w_{ij} = \operatorname{arg\,max}_j e_{ij}\bigr] \\[4pt] "
        r"\text{all layers: } w = \tfrac{1}{2}(A_2 + I)\,\tfrac{1}{2}(A_1 + I) "
        r"\end{gathered}",
        in_words=N_(
            "$p_i(s)$ is the probability that the model gives symbol $s$ at place $i$, and "
            r"$p_i^{\setminus j}(s)$ the same where nobody else may attend to token $j$; $e_{ij}$ is the "
            "effect of that. $w_{ij}$ is the weight that place $i$ gives to token $j$, the mean over "
            "heads, and $j$ runs over the other tokens that place $i$ may see. The mean is over the "
            "places that have an answer and four such tokens or more. A bracket is 1 where it is true and "
            "0 elsewhere. $A_1$ and $A_2$ are the weights of the two layers, and $I$ stands for the "
            "residual."
        ),
        slider=DONE,
        measure=Measurement(measures.explanation_by_training, (DONE.values,)),
        charts={"same first": False, "rank correlation": False},
        reported=("same first", "rank correlation"),
        spread_over=N_("12 sequences"),
        criterion=N_(
            "the largest weight is on the token with the largest effect at nine places in ten, or the "
            "mean rank correlation is 0.8 or more; in one layer, for each of the three tasks"
        ),
        outcomes=_outcomes,
        explanation=N_(
            "In these models of one layer the answer is read from what the head fetched, and nothing else. "
            "Training makes one weight large, and blocking that token takes the answer away. The other "
            "tokens then move so little that their order says nothing (effects below 10⁻¹² count as equal),"
            " so the rank correlation falls again: it decides nothing there. In two layers the answer takes"
            " two steps: a head of the first layer copies each letter to the next place, and a head of the "
            "second finds it there. Blocking a token stops both, and a map of the last layer shows one. All"
            " weights multiplied tell the order well, and the first token less often."
        ),
        leads={"what_courses_say": {"claim": "weights explain"}, "learned_heads": {"task": "sort"}},
        checks=_taken_out,
    ),
}
