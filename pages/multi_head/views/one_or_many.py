"""The view "one or many": what every number of heads is like at one width, and how tokens fare."""

from collections.abc import Sequence

from attn_figures import one_or_many as pictures
from attn_figures.one_or_many import Compared, Spread
from attn_figures.picture import Spec
from attn_words import _, _n, paragraph
from pages.multi_head import words
from pages.multi_head.compute import Now
from pages.multi_head.study import WAYS, OneOrMany, one_or_many

LAYER = 3  # is marked while the slider moves heads: after more, without the residual, all is rounding


def draw(steps: Sequence[Now]) -> list[Spec]:
    """Draw the study of pure attention, with the number of heads of each step beside one head."""
    return [picture(one_or_many(now), LAYER, residual=False) for now in steps]


def say(now: Now) -> str:
    """Say what one head and the present number have in common, and what differs."""
    here = one_or_many(now)
    return paragraph(uneven(here, now), said(here, LAYER, residual=False), without(now))


def picture(here: OneOrMany, layer: int, *, residual: bool) -> Spec:
    """Draw the study with one layer marked, and with one of the two ways to stack layers standing out."""
    study = here.study
    compared = Compared(
        study.num_heads,
        [size.parameters for size in study.sizes],
        [size.flops for size in study.sizes],
        *(Spread.of(each) for each in (study.entropy, study.score_rank, study.effective_rank)),
    )
    distances = {}
    if study.distances is not None:
        distances = {
            name: [Spread.of_powers(each) for each in study.distances[int(kept)].unbind(dim=1)]
            for kept, name in WAYS.items()
        }
    return pictures.one_or_many.spec(compared, distances, chosen=here.chosen, layer=layer, way=WAYS[residual])


def uneven(here: OneOrMany, now: Now) -> str:
    """Say that the present number of heads does not divide the width, where it does not."""
    if here.num_heads == now.n_head:
        return ""
    return _n(
        "{heads} heads do not divide the width, so {count} stands out.",
        "{heads} heads do not divide the width, so {count} stand out.",
        here.num_heads,
        heads=now.n_head,
    )


def without(now: Now) -> str:
    """Say that the study draws all weights, where some are set by hand; else nothing."""
    if not now.setting.weights:
        return ""
    return _("What is set by hand has no part in it: all projections are drawn.")


def said(here: OneOrMany, layer: int, *, residual: bool) -> str:
    """Say what the heads share, what differs, and what is left of the tokens after some layers."""
    study, many = here.study, here.chosen
    apart = None
    if study.distances is not None:
        each = study.distances[int(residual), :, many, layer]
        apart = float(Spread.of_powers(each[:, None]).mean[0]) if bool(each.any()) else 0.0
    return words.one_or_many(
        here.num_heads,
        parameters=study.sizes[many].parameters,
        more_flops=study.sizes[many].flops - study.sizes[0].flops,
        entropies=[float(study.entropy[:, at].mean()) for at in (0, many)],
        ranks=[float(study.score_rank[:, at].mean()) for at in (0, many)],
        stacked=(layer, _(WAYS[residual]), apart),
    )
