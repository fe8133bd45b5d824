"""One head's map of a long text, in blocks of which each shows its largest weight."""

from collections.abc import Sequence

import numpy as np

from attn_figures.attention_inputs import Numbers
from attn_figures.long_map import ranges
from attn_figures.matrix import Hover, Pick
from attn_figures.multi_head import PHONE_HEIGHT, ROOMY, text_map
from attn_figures.panels import compose
from attn_figures.picture import Spec
from attn_words import _

_SIDE = 15.0  # units of the map's sides


def spec(blocks: Numbers, head: str, tokens: Sequence[str], size: int) -> Spec:
    """Draw the map of one head.

    Args:
        blocks: (n_block, n_block), NaN where all of a block is masked.
        tokens: the words of the text; size: the number of words of a block's side.
    """
    names = ranges(tokens, size)
    may = ~np.isnan(blocks)
    title = _("head {number}", number=head)
    matrix = text_map(
        "blocks",
        np.nan_to_num(blocks),
        _("{title}; the largest of each {size} × {size} weights", title=title, size=size),
        names,
        hover=Hover(_("weight up to")),
        pick=Pick(together="query-key"),
        size=(_SIDE, _SIDE),
        mask=None if may.all() else may,
        numbered=False,
        names_rows=True,
    )
    return compose([matrix], phone_height=PHONE_HEIGHT, roomy=ROOMY)
