"""Claims about several heads."""

import torch
from torch import nn
from torch.nn import functional as F

from attn_core import Check, compare, multi_head_size, token_distance
from attn_core import claims as measures
from attn_core.claims import Study, clearly_below, difference
from attn_core.toys import packaged_run
from attn_words import N_, _
from pages.what_courses_say.claim import DRAWS, SEEDS, Claim, Measurement, Outcomes, Seeds, recheck
from pages.what_courses_say.settings import COUNTED, COURSE, FUSED, LAYERS, NOISE


def _normal(*shape: int, seed: int) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def _by_torch(layer: torch.Tensor, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Return output and weights of torch's module of eight heads with the weights `layer` (4, 16, 16)."""
    module = nn.MultiheadAttention(16, 8, bias=False, batch_first=True, dtype=x.dtype)
    module.load_state_dict({"in_proj_weight": layer[:3].flatten(0, 1), "out_proj.weight": layer[3]})
    with torch.no_grad():
        output, weights = module(x, x, x, average_attn_weights=False)
    return output, weights


def _check_distances(study: Study, seeds: Seeds) -> list[Check]:
    """Compute the tokens' distance again, by layers of torch's attention with eight heads and residual."""
    tokens, layers = measures.random_layers(seeds[0], len(study.x) - 1)
    x = tokens[0, 0]
    for layer in layers[0]:
        x = x + _by_torch(layer, x)[0]
    expected = token_distance(x)
    return [
        recheck(
            study, "difference, with residual", "8 heads", 12, by=N_("torch's attention"), expected=expected
        )
    ]


def _noisy(study: Study, seeds: Seeds) -> list[Check]:
    tokens, layers = measures.random_layers(seeds[0], 1)
    x, e = tokens[0]
    (before, was), (after, result) = (_by_torch(layers[0, 0], each) for each in (x, x + 0.5 * e))
    changes = {
        "output (soft)": (after - before).norm() / before.norm(),
        "weights (soft)": ((result - was).abs().sum(dim=-1) / 2).mean(),
    }
    return [
        recheck(study, name, "8 heads", 0.5, by=N_("torch's attention"), expected=expected)
        for name, expected in changes.items()
    ]


def _check_fused_outputs(study: Study, seeds: Seeds) -> list[Check]:
    """Compute the outputs again, from columns of the fused projection taken one by one."""
    heads, width = 4, 4
    x, weight = _normal(8, 16, seed=seeds[0]), _normal(48, 16, seed=seeds[0] + 1) / 4
    fused = x @ weight.T
    outputs = []
    for first in ("d k h", "h d k"):
        head_outputs = []
        for head in range(heads):
            q, k, v = (
                torch.stack(
                    [
                        fused[:, (number * 3 + part) * heads + head]
                        if first == "d k h"
                        else fused[:, (head * width + number) * 3 + part]
                        for number in range(width)
                    ],
                    dim=-1,
                )
                for part in range(3)
            )
            head_outputs.append(F.scaled_dot_product_attention(q, k, v))
        outputs.append(torch.cat(head_outputs, dim=-1))
    expected = (outputs[1] - outputs[0]).norm() / outputs[0].norm()
    return [recheck(study, "difference", "mixed", 4, by=N_("number by number"), expected=expected)]


def _parameters_by_formula(study: Study, seeds: Seeds) -> list[Check]:
    shared, own = float(multi_head_size(8, 8, 16, 8, 2, bias=False).parameters), 4.0 * 8 * 16 * 16
    return [
        recheck(study, "parameters", width, 8, by=N_("its formula"), expected=expected)
        for width, expected in (("d_model / heads", shared), ("d_model", own))
    ]


def _special(study: Study) -> Outcomes:
    after = study.x[-1]
    return {
        ("between layers", 0.0): _layers_differ(study, 0.0),
        ("between layers", after): _layers_differ(study, after),
        ("between heads of one layer", after): any(
            _one_of(study, measure, layer, after)
            for measure in study.measures
            for layer in ("layer 1", "layer 2")
        ),
    }


def _layers_differ(study: Study, step: float) -> bool:
    """Return whether on each measure every head of one layer has twice the weight of each of the other's."""
    for measure, curves in study.measures.items():
        one, two = (
            [study.at(measure, head, step) for head in curves if head.startswith(layer)]
            for layer in ("layer 1", "layer 2")
        )
        if not any(
            all(clearly_below(2 * a, b) for a in low for b in high) for low, high in ((one, two), (two, one))
        ):
            return False
    return True


def _one_of(study: Study, measure: str, layer: str, step: float) -> bool:
    """Return whether one of the layer's two heads has more than twice the weight of the other."""
    a, b = (study.at(measure, head, step) for head in study.measures[measure] if head.startswith(layer))
    return clearly_below(2 * a, b) or clearly_below(2 * b, a)


def _measured_again(study: Study, seeds: Seeds) -> list[Check]:
    """Compute the measures of one state again, weight by weight."""
    run = packaged_run("induction")
    with torch.no_grad():
        weights = run.model(len(run.checkpoints) - 1)(run.recipe.held_out(32)).weights
    by_hand = torch.stack([weights[:, :, place, place - 1] for place in range(1, weights.shape[-1])]).mean(
        dim=0
    )
    ours = torch.stack([each[:, -1] for each in study.measures["previous token"].values()], dim=-1)
    return [compare(_("weight on the token before, after 1000 steps, summed place by place"), ours, by_hand)]


CLAIMS = {
    "over-smoothing": Claim(
        statement=N_(
            "Several heads guard against over-smoothing: with a single head, all tokens end up alike."
        ),
        method=N_(
            "Eight random tokens go through twelve layers of attention, with no feed-forward part and no "
            "norm. All numbers of heads have the same parameters. Measured: what is left of the differences "
            "between tokens, as a share of their size; 0 means that all are equal."
        ),
        formula=r"\begin{gathered} "
        r"X^{(l+1)} = O^{(l)} \quad\text{or, with residual,}\quad X^{(l+1)} = X^{(l)} + O^{(l)} \\[4pt] "
        r"O^{(l)} = [A_1 V_1, \ldots, A_h V_h]\,W_o, \qquad "
        r"A_m = \operatorname{softmax}\!\left(\frac{Q_m K_m^\top}{\sqrt{16/h}}\right) \\[4pt] "
        r"\text{difference} = \frac{\lVert X - \mathbf{1}\,\bar x^\top \rVert_F}{\lVert X \rVert_F}, \qquad "
        r"\bar x = \frac{1}{8} \sum_{i=1}^{8} x_i "
        r"\end{gathered}",
        in_words=N_(
            r"The rows $x_i$ of $X$ are the eight tokens, and $\bar x$ is their mean; $\mathbf{1}$ "
            "is a column of ones. Layer $l$ makes "
            "$O^{(l)}$ from $X^{(l)}$: $h$ heads with weights $A_m$, side by side, times $W_o$. Head $m$ "
            "makes $Q_m$, $K_m$ and its values, each of width 16 / $h$, from $X^{(l)}$. The norm $F$ is "
            "the square root of the sum of all squares."
        ),
        slider=LAYERS,
        measure=Measurement(measures.over_smoothing, (len(LAYERS.values) - 1,), "seeds[0]"),
        charts={"difference, with residual": False, "difference, no residual": True},
        reported=("difference, with residual",),
        spread_over=DRAWS,
        criterion=N_(
            "eight heads keep tokens further apart than one head: the difference, in parentheses with three "
            "standard errors, is above 0"
        ),
        outcomes=lambda study: {
            (measure, layer): difference(
                *(study.at(measure, heads, layer) for heads in ("1 head", "8 heads"))
            )
            for measure, layer in (
                ("difference, no residual", 2),
                ("difference, with residual", 6),
                ("difference, with residual", 12),
            )
        },
        explanation=N_(
            "Every row of weights is an average, and averages of averages are alike: that is so for each "
            "head. What keeps tokens apart is the residual connection, which adds each token's own vector "
            "again. Without it, all curves fall to rounding within a few layers, however many heads there "
            "are."
        ),
        leads={"multi_head": {"view": "single vs multi-head"}},
        checks=_check_distances,
    ),
    "robust to noise": Claim(
        statement=N_("Several heads make attention robust to noise."),
        method=N_(
            "Normal noise is added to eight random tokens. Measured: how far the output moves, as a share of "
            "its size, and how much weight of a row moves to other keys, from 0 to 1. All numbers of heads "
            "have the same parameters. Soft is temperature 1, sharp is temperature 0.1."
        ),
        formula=r"\begin{gathered} "
        r"\text{output} = \frac{\lVert O(X + \sigma E) - O(X) \rVert_F}{\lVert O(X) \rVert_F} \\[4pt] "
        r"\text{weights} = \frac{1}{8\,h} \sum_{m=1}^{h} \sum_{i=1}^{8} \frac{1}{2} \sum_{j=1}^{8} "
        r"\bigl| w^{(m)}_{ij}(X + \sigma E) - w^{(m)}_{ij}(X) \bigr| \\[4pt] "
        r"w^{(m)} = \operatorname{softmax}\!\left(\frac{Q_m K_m^\top}{T \sqrt{16/h}}\right), \qquad "
        r"T = 1 \text{ (soft)}, \quad T = 0.1 \text{ (sharp)} \\[4pt] "
        r"\text{no attention: } O(X) = X W_v W_o "
        r"\end{gathered}",
        in_words=N_(
            "The rows of $X$ are the eight tokens, $E$ is standard normal noise of the same shape, and "
            r"$\sigma$ is its size. $O(X)$ is the output and $w^{(m)}_{ij}(X)$ the weight that token $i$ "
            "gives to $j$ in head $m$ of $h$; $T$ is the temperature. Half the sum over $j$ is the weight "
            "of a row that moved."
        ),
        slider=NOISE,
        measure=Measurement(measures.noise, (NOISE.values,), "seeds[0]"),
        charts={f"{what} ({kind})": False for kind in ("soft", "sharp") for what in ("output", "weights")},
        reported=("output (soft)",),
        spread_over=DRAWS,
        criterion=N_(
            "at noise 0.5, eight heads move less than one head: the difference, in parentheses with three "
            "standard errors, is above 0"
        ),
        outcomes=lambda study: {
            (measure, 0.5): difference(study.at(measure, "8 heads", 0.5), study.at(measure, "1 head", 0.5))
            for measure in ("output (soft)", "weights (soft)", "output (sharp)", "weights (sharp)")
        },
        explanation=N_(
            "An average of several heads has less noise only where their errors are independent. Here all "
            "heads read the same noisy tokens. The line *no attention* maps each token by itself: where "
            "attention lies above it, the moving weights add to the noise."
        ),
        leads={"multi_head": {"t": "0.1", "heads": "8"}},
        checks=_noisy,
    ),
    "(d k h)": Claim(
        statement=N_("(d k h) and (h d k) are two ways to write the same fused projection."),
        method=N_(
            "One matrix W_qkv makes query, key and value (k) of all heads (h), each of d numbers. It is "
            "laid down as (d k h), and read as (h d k): as it is, or with its rows brought into that order. "
            "Measured: how far the outputs differ, as a share of their size."
        ),
        formula=r"\begin{gathered} "
        r"\text{row of } W_{qkv} \text{ (d k h)}: \quad (3\,\delta + \kappa)\,h + \eta \\[4pt] "
        r"\text{row of } W_{qkv} \text{ (h d k)}: \quad (\eta\,d + \delta)\,3 + \kappa \\[4pt] "
        r"\text{difference} = \frac{\lVert O' - O \rVert_F}{\lVert O \rVert_F} "
        r"\end{gathered}",
        in_words=N_(
            r"Number $\delta$ of query, key or value ($\kappa$ = 0, 1 or 2) in head $\eta$ stands "
            "at this "
            "row; all are counted from 0, and there are $h$ heads of $d$ numbers. $O$ is the output where "
            "$W_{qkv}$ is read in the order in which it was laid down, (d k h), and $O'$ where it is read "
            "as (h d k)."
        ),
        slider=FUSED,
        log_x=True,
        measure=Measurement(measures.fused_layouts, (FUSED.values,), "seeds"),
        charts={"difference": False},
        reported=("difference",),
        spread_over=SEEDS,
        criterion=N_("the outputs differ by less than 10⁻⁹ of their size"),
        outcomes=lambda study: {
            ("rows in order",): bool((study.measures["difference"]["rows in order"] < 1e-9).all()),
            ("mixed", 1): bool((study.at("difference", "mixed", 1) < 1e-9).all()),
            ("mixed", 4): bool((study.at("difference", "mixed", 4) < 1e-9).all()),
        },
        explanation=N_(
            "A layout is a name for rows. Weights trained in one layout are right in that layout, and the "
            "same rows in another order are right in another. Mixed, a query holds numbers that were made "
            "as keys or values, and no error is raised: the shapes are the same."
        ),
        leads={"multi_head": {"tab": "Break it", "fault": "(d k h) for (k h d)"}},
        checks=_check_fused_outputs,
    ),
    "parameters": Claim(
        statement=N_("More heads cost more parameters."),
        method=N_(
            "Counted in modules of width 16: the numbers in W_q, W_k, W_v and W_o, without biases. A "
            "head is d_model / heads wide, as in the paper, or keeps the whole width d_model."
        ),
        formula=r"\begin{gathered} "
        r"\text{parameters} = 3\,d_{\text{model}}\,h\,d_{\text{head}} + h\,d_{\text{head}}\,d_{\text{model}} "
        r"= 4\,h\,d_{\text{head}}\,d_{\text{model}} \\[4pt] "
        r"d_{\text{head}} = \frac{d_{\text{model}}}{h}: \quad 4\,d_{\text{model}}^2, \qquad "
        r"d_{\text{head}} = d_{\text{model}}: \quad 4\,h\,d_{\text{model}}^2 "
        r"\end{gathered}",
        in_words=N_(
            r"$h$ is the number of heads, $d_{\text{head}}$ the width of each, and "
            r"$d_{\text{model}}$ that "
            "of the module, here 16. The first term counts W_q, W_k and W_v, the second W_o. $h$ cancels "
            "where the heads share the width out."
        ),
        slider=COUNTED,
        log_x=True,
        measure=Measurement(measures.parameters, (COUNTED.values,)),
        charts={"parameters": False},
        reported=("parameters",),
        criterion=N_("eight heads have more parameters than one"),
        outcomes=lambda study: {
            (width, 8): clearly_below(study.at("parameters", width, 1), study.at("parameters", width, 8))
            for width in study.measures["parameters"]
        },
        explanation=N_(
            "Heads of d_model / heads share the width out, so the matrices stay d_model × d_model. Heads "
            "that keep a width of their own make W_q, W_k and W_v wider with each head, and W_o longer."
        ),
        leads={"multi_head": {"view": "single vs multi-head"}},
        checks=_parameters_by_formula,
    ),
    "heads specialise": Claim(
        statement=N_("Heads specialise: each learns to look at something else."),
        method=N_(
            "A model of two layers with two heads each, trained to go on with repeated blocks of letters; "
            "its states come with this app. Measured on 32 sequences that it was not trained on: the mean "
            "weight on the token before, and on what once stood after the present letter."
        ),
        formula=r"\begin{gathered} "
        r"\text{previous token} = \frac{1}{n - 1} \sum_{i=2}^{n} w_{i,i-1} \\[4pt] "
        r"\text{induction} = \frac{1}{m} \sum_{i:\,R_i \neq \emptyset}\, \sum_{j \in R_i} w_{ij}, \qquad "
        r"R_i = \{\, j \le i : t_{j-1} = t_i \,\} "
        r"\end{gathered}",
        in_words=N_(
            "$w_{ij}$ is the weight that a head gives from place $i$ to place $j$ of $n$, and $t_i$ the "
            "letter at place $i$. $R_i$ are the places that follow an earlier letter of the same kind, "
            "and $m$ counts the places $i$ that have any. Both are means over the places of a sequence."
        ),
        slider=COURSE,
        measure=Measurement(measures.head_roles, (COURSE.values,)),
        charts={"previous token": False, "induction": False},
        reported=("previous token", "induction"),
        spread_over=N_("32 sequences"),
        criterion=N_("one has more than twice the weight of the other, by more than three standard errors"),
        outcomes=_special,
        explanation=N_(
            "What is asked of the heads decides. This task needs a layer that looks at the token before, "
            "and one after it that finds what once followed; nothing in it asks two heads of one layer to "
            "differ, so they may well learn the same."
        ),
        leads={"learned_heads": {}},
        checks=_measured_again,
    ),
}
