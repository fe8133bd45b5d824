"""One head or many: the same words and projections at each number of heads."""

from attn_core import HeadsStudy, heads_study
from attn_ui.base.bounds import MAX_HEADS
from attn_ui.base.shared_cache import shared
from attn_words import N_
from pages.multi_head.compute import Result, divisors, sequences
from pages.multi_head.settings import LAYERS
from pages.multi_head.state import HeadsSetting

N_LAYERS = len(LAYERS.values) - 1
N_SEEDS, N_SEEDS_WIDE, WIDE = 8, 3, 128  # fewer seeds for vectors wider than this: their layers are large
APART = 100  # step between seeds; the layers of a stack take seeds in between
WAYS = {False: N_("without the residual"), True: N_("with the residual")}


def plain_setting(setting: HeadsSetting) -> HeadsSetting:
    """Return the setting's words, sizes and drawing alone: no mask, d_head = d_model / heads."""
    fields = ("case", "text", "memory_text", "cross", "d_model", "d_memory", "bias", "projection", "seed")
    return HeadsSetting(**{name: getattr(setting, name) for name in (*fields, "init")})


def single_vs_multi(result: Result) -> tuple[HeadsStudy, int]:
    """Return the study of the page's words and sizes, and the index of the present number of heads in it."""
    study = study_head_counts(plain_setting(result.setting))
    return study, sum(heads <= result.n_head for heads in study.num_heads) - 1


def seeds(setting: HeadsSetting) -> list[int]:
    """Return the seeds that projections are drawn from, the page's own first."""
    wide = sequences(setting).query.shape[-1] > WIDE
    return [setting.seed + APART * at for at in range(N_SEEDS_WIDE if wide else N_SEEDS)]


@shared
def study_head_counts(setting: HeadsSetting) -> HeadsStudy:
    """Measure every number of heads that divides the width."""
    n = sequences(setting)
    return heads_study(
        n.query,
        None if n.key is n.query else n.key,
        num_heads=[heads for heads in divisors(n.query.shape[-1]) if heads <= MAX_HEADS],
        seeds=seeds(setting),
        n_layers=N_LAYERS,
        bias=setting.bias,
        output_projection=setting.projection,
        init=setting.init,
    )
