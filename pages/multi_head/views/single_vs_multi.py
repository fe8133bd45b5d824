"""The view "single vs multi-head": sizes, entropy, rank and tokens' distances by number of heads."""

from attn_figures import single_vs_multi as pictures
from attn_figures.picture import Spec
from attn_figures.single_vs_multi import HeadCountStudy, Spread
from attn_words import N_, _n, paragraph
from pages.multi_head.compute import Result
from pages.multi_head.head_count_study import WAYS, single_vs_multi

LAYER = 3  # the marked layer: further on, without the residual, only rounding is left


ABOUT = N_(
    "Plain attention at one width, without mask, positions and temperature, all projections drawn from "
    "several seeds; bars and bands are one standard deviation. The effective rank of weights is e to the "
    "entropy of the shares of their singular values (Roy and Vetterli, 2007). The distance of tokens is "
    "what is left of the vectors without their mean, as a share of their size (Dong et al., 2021), below "
    "10⁻¹² only rounding."
)


def picture(result: Result) -> Spec:
    """Draw the study; its stacked layers are without the residual and, dotted, with it."""
    study, place = single_vs_multi(result)
    compared = HeadCountStudy(
        study.num_heads,
        [size.parameters for size in study.sizes],
        [size.flops for size in study.sizes],
        *(Spread.of(each) for each in (study.entropy, study.score_rank, study.effective_rank)),
    )
    distances = {}
    if study.distances is not None:
        distances = {
            name: [Spread.of_powers(each) for each in study.distances[int(residual)].unbind(dim=1)]
            for residual, name in WAYS.items()
        }
    return pictures.single_vs_multi(compared, distances, highlight=place, layer=LAYER, way=WAYS[False])


def describe(result: Result) -> str:
    """Say size, entropy and rank with the present number of heads, and with one head."""
    study, place = single_vs_multi(result)
    return paragraph(
        *(
            _n(
                "{count} head: {parameters} parameters, {flops} operations, entropy {entropy} nats, scores "
                "of rank {rank}.",
                "{count} heads: {parameters} parameters, {flops} operations, entropy {entropy} nats, scores "
                "of rank {rank}.",
                study.num_heads[at],
                parameters=f"{study.sizes[at].parameters:,}",
                flops=f"{study.sizes[at].flops:,}",
                entropy=f"{float(study.entropy[:, at].mean()):.2f}",
                rank=f"{float(study.score_rank[:, at].mean()):.3g}",
            )
            for at in sorted({0, place}, reverse=True)
        )
    )
