"""Names of measures, curves and axes of the claims: English in code, translated on screen."""

import re

from attn_words import N_, _

NAMES = (
    # Measures
    *(N_("difference"), N_("difference, no residual"), N_("difference, with residual"), N_("output (soft)")),
    *(N_("output (sharp)"), N_("weights (soft)"), N_("weights (sharp)"), N_("steps"), N_("operations")),
    *(N_("rank correlation"), N_("same first"), N_("parameters"), N_("length"), N_("product")),
    *(N_("share of a straight line"), N_("variance"), N_("largest weight"), N_("gradient"), N_("error")),
    *(N_("numbers kept"), N_("lost"), N_("previous token"), N_("induction"), N_("own weight")),
    *(N_("difference from the printed"), N_("weight on dogs"), N_("lead of dogs"), N_("asymmetry")),
    *(N_("weight of the pronoun"), N_("picks the noun meant"), N_("distance"), N_("effective keys")),
    # Curves
    *(N_("the noun meant"), N_("the other noun"), N_("this head"), N_("chance"), N_("equal weights")),
    *(N_("1 head"), N_("2 heads"), N_("4 heads"), N_("8 heads"), N_("no attention"), N_("attention")),
    *(N_("RNN"), N_("attention that writes"), N_("linear recurrence"), N_("the last layer's weights")),
    *(N_("all layers' weights multiplied"), N_("reverse"), N_("sort"), N_("induction, last layer")),
    *(N_("induction, all layers"), N_("rows in order"), N_("mixed"), N_("d_model / heads"), N_("sinusoid")),
    *(N_("ramp"), N_("fastest sine"), N_("slowest sine"), N_("not divided"), N_("kernel regression")),
    *(N_("straight line"), N_("attention with W"), N_("one vector"), N_("attention by q·k/√d")),
    *(N_("attention by q·k"), N_("layer 1 head 1"), N_("layer 1 head 2"), N_("layer 2 head 1")),
    *(N_("layer 2 head 2"), N_("all nine"), N_("rows of length 1"), N_("scores with Q = K")),
    *(N_("weights with Q = K"), N_("weights of one-hot words"), N_("scores with W_q and W_k")),
    *(N_("W drawn anew"), N_("W from one seed"), N_("one-hot words, no W")),
    # Cases in which a claim is tried
    *(N_("between layers"), N_("between heads of one layer"), N_("wholly")),
    N_("from each layer to the next"),
    # The curves' x axes
    *(N_("layers"), N_("size of the noise"), N_("tokens"), N_("percent of the training"), N_("heads")),
    *(N_("position"), N_("width and tokens"), N_("points"), N_("training steps"), N_("step of the ramp")),
    *(N_("run"),),
    # Columns of the table
    *(N_("measure"), N_("curve"), N_("mean"), N_("standard deviation")),
)
IN_FORMULAS = (
    *(N_("or, with residual,"), N_("output"), N_("weights"), N_("(soft)"), N_("(sharp)"), N_("all layers")),
    *(N_("row of"), N_("share")),
    *(N_("or"), N_("where"), N_("elsewhere")),
    *(N_("or of length 1"),),
)
"""Further words in formulas, without the colon after them."""
_WORDS = frozenset((*NAMES, *IN_FORMULAS))
_TEXT = re.compile(r"\\text\{(\s*\(?)([^{}]*?)(\)?:?\s*)\}")


def translate_formula(latex: str) -> str:
    r"""Return a formula with its words translated; words in symbols' indices stay.

    >>> translate_formula(r"\text{ramp: } 2\,p")
    '\\text{ramp: } 2\\,p'
    """

    def translate(match: re.Match[str]) -> str:
        before, words, after = match.groups()
        return rf"\text{{{before}{_(words)}{after}}}" if words in _WORDS else match[0]

    return _TEXT.sub(translate, latex)
