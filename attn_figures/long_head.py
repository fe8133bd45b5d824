"""A head's map of a long text, in blocks that show their largest weight."""

from collections.abc import Sequence

import numpy as np

from attn_figures.frame import Side
from attn_figures.inputs import Numbers
from attn_figures.long_map import ranges
from attn_figures.matrix import ColourScale, Hover, Matrix, Pick
from attn_figures.multi_head import PHONE_HEIGHT, ROOMY, ROOT
from attn_figures.panels import compose
from attn_figures.picture import Spec
from attn_words import _

_SIDE = 15.0  # units of the map's sides


def spec(blocks: Numbers, head: str, tokens: Sequence[str], size: int) -> Spec:
    """Draw one head.

    Args:
        blocks: (n_block, n_block), NaN where all of a block is masked.
        head: its name, such as "3.2".
        tokens: the words of the text; size: the number of words of a block's side.
    """
    names = ranges(tokens, size)
    may = ~np.isnan(blocks)
    title = _("head {number}", number=head)
    matrix = Matrix(
        "blocks",
        np.nan_to_num(blocks),
        _("{title}; the largest of each {size} × {size} weights", title=title, size=size),
        Side.queries(names),
        Side.keys(names),
        ramp=ColourScale(bar=_("weight"), power=ROOT),
        hover=Hover(_("weight up to")),
        pick=Pick(together="query-key"),
        shows_shape=False,
        size=(_SIDE, _SIDE),
        mask=None if may.all() else may,
        numbered=False,
        names_rows=True,
    )
    return compose.spec([matrix], phone_height=PHONE_HEIGHT, roomy=ROOMY)
