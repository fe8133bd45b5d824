"""Letters of the app's formulas that belong to no other term, for all pages or for one."""

from attn_ui.base.search_entries import Place
from attn_ui.base.term import Term

_SINGLE = Place("single_head", {"tab": "Maths"})
_POSITIONS = Place("positional_encoding", {"tab": "Maths"})
_KERNEL = Place("kernel_regression", {"tab": "Maths"})
_LEARNED = Place("learned_heads", {"tab": "Maths"})


def _applied(use: str = "") -> Place:
    return Place("applications", {"use": use, "tab": "Maths"} if use else {"tab": "Maths"})


TERMS = (
    Term(
        "Indices i and j",
        "i counts queries, the rows of a map, and j counts keys, its columns; under a sum they count what is "
        "added up.",
        _SINGLE,
        symbols=("i", "j"),
        paper="i,\\ j",
    ),
    Term(
        "Index l",
        "l runs over all keys, in the sum that softmax divides by.",
        _SINGLE,
        symbols=("l",),
        paper="l",
    ),
    Term(
        "Masked score",
        "A masked score is a scaled score where its query may attend, and −∞ elsewhere.",
        Place("single_head", {"mask": "causal", "stage": "masked"}),
        symbols=("\\hat S",),
        paper="QK^\\top / \\sqrt{d_k} + M",
    ),
    Term(
        "Vectors of the second sentence",
        "Y holds the vectors of the sentence that keys and values come from, and F those before positions "
        "were added.",
        Place("single_head", {"cross": "true", "stage": "X"}),
        symbols=("Y", "F"),
        on="single_head",
        paper="Y",
    ),
    Term(
        "Biases of the projections",
        "A bias is a learned vector that a projection adds to each of its rows.",
        Place("single_head", {"stage": "Q, K, V", "bias": "true"}),
        symbols=("b_q", "b_k", "b_v", "b_o"),
        paper="b^Q",
        code="SelfAttention(bias)",
    ),
    Term(
        "Real numbers",
        "ℝ with two sizes stands for all matrices of real numbers with so many rows and columns.",
        Place("single_head", {"stage": "X"}),
        symbols=("\\mathbb R",),
        paper="\\mathbb R",
    ),
    Term(
        "Exponential",
        "e, about 2.718, to the power of a number makes it positive; softmax takes it of every score.",
        Place("single_head", {"stage": "weights"}),
        also=("exp",),
        symbols=("e",),
        paper="e^x",
    ),
    Term(
        "Vectors of the words",
        "E holds the words' vectors before anything is added to them, one a row.",
        Place("positional_encoding", {"show": "E + P", "tab": "Maths"}),
        also=("words' vectors",),
        symbols=("E", "E_{token}"),
        paper="E",
        code="sentence_vectors",
    ),
    Term(
        "Strength of positions",
        "The strength s says how much of the positions is added: at 1 all of it, at 0 nothing.",
        Place("positional_encoding", {"strength": "0.5"}),
        also=("strength",),
        symbols=("s",),
        paper="1",
        code="Sinusoidal(strength)",
    ),
    Term(
        "Frequency",
        "ω is how fast a wave, or a turn, goes round from one place to the next; each pair of numbers "
        "has its own.",
        Place("positional_encoding", {"show": "encoding", "tab": "Maths"}),
        symbols=("\\omega", "\\mathrm{base}"),
        paper="\\omega_i = 10000^{-2i/d}",
        code="Sinusoidal(base)",
    ),
    Term(
        "Positions p and r",
        "p is the place of a word, counted from 0, and r that of another.",
        _POSITIONS,
        symbols=("p", "r"),
        paper="pos",
    ),
    Term(
        "Width d",
        "d is the width of the vectors that carry positions.",
        _POSITIONS,
        symbols=("d",),
        paper="d_{\\mathrm{model}}",
    ),
    Term(
        "Biases of positions",
        "B holds what a scheme adds to the score of each query with each key, by how far apart they stand.",
        Place("positional_encoding", {"scheme": "ALiBi", "show": "encoding", "tab": "Maths"}),
        symbols=("B",),
        paper="B",
        code="BiasScheme.bias",
    ),
    Term(
        "Offset",
        "An offset is how far a key stands after its query; o stands for one.",
        Place("positional_encoding", {"scheme": "rotary", "show": "shift test"}),
        symbols=("o",),
        paper="j - i",
    ),
    Term(
        "Distance over the bandwidth",
        "u is the distance between query and key, counted in bandwidths.",
        _KERNEL,
        symbols=("u",),
        paper="(x - x_i) / h",
    ),
    Term(
        "Indicator",
        "1 before brackets is one where what stands in them is true, and zero elsewhere.",
        Place("kernel_regression", {"kernel": "boxcar", "tab": "Maths"}),
        symbols=("\\mathbb 1",),
        paper="\\mathbf 1",
    ),
    Term(
        "Number of points n",
        "n is how many points, or tokens, there are.",
        _KERNEL,
        symbols=("n",),
        paper="n",
    ),
    Term(
        "Residual stream",
        "x with a number in brackets holds the vectors of all places after so many layers; l counts the "
        "layers.",
        _LEARNED,
        symbols=("x", "l"),
        on="learned_heads",
        paper="x^{(l)}",
        source="Elhage et al., 2021",
    ),
    Term(
        "Unembedding",
        "W_u is the learned matrix that turns a place's vector into one logit for each symbol.",
        _LEARNED,
        symbols=("W_u",),
        paper="W_U",
    ),
    Term(
        "Probability of a symbol",
        "p is the probability that the model gives each symbol at a place.",
        _LEARNED,
        symbols=("p",),
        on="learned_heads",
        paper="p",
    ),
    Term(
        "Loss L, layers L",
        "L by itself is the loss, the mean over m places that have an answer; in brackets over x it is "
        "the number of layers.",
        _LEARNED,
        symbols=("L", "m"),
        on="learned_heads",
        paper="\\mathcal L",
    ),
    Term(
        "Answer and token",
        "The answer at a place is the symbol that should come next there; the token is the symbol that "
        "stands there.",
        _LEARNED,
        symbols=("\\mathrm{answer}", "\\mathrm{token}"),
        on="learned_heads",
        paper="y_i,\\ x_i",
    ),
    Term(
        "Places that count",
        "R holds, for a place, the places that a measure of a head counts.",
        _LEARNED,
        symbols=("R",),
        on="learned_heads",
    ),
    Term(
        "Compared vectors",
        "u is a vector less the mean of all, at length one; U holds them all: their products are cosines.",
        _applied("images"),
        symbols=("u", "U", "\\bar x"),
        on="applications",
        paper="u_i",
    ),
    Term(
        "Pixels and bands",
        "x is what a patch, or a frame of sound, is as it comes: its pixels, or how loud each band is.",
        _applied("speech"),
        symbols=("x",),
        on="applications",
        paper="x_t",
    ),
    Term(
        "Vectors of source words",
        "e is the vector of a word of the source; t is the word that is translated, f the one that "
        "decides its form. Of sound t is a frame.",
        _applied(),
        symbols=("e", "t", "f"),
        on="applications",
        paper="e_j",
    ),
    Term(
        "Patches of a word",
        "w is a word of the caption, as the set of the patches that show it.",
        _applied("captions"),
        symbols=("w",),
        on="applications:captions",
        paper="q_w",
    ),
    Term(
        "Frobenius norm",
        "The norm F of a matrix is the root of the sum of the squares of all its numbers.",
        Place("what_courses_say"),
        symbols=("F",),
        paper="\\lVert X \\rVert_F",
    ),
    Term(
        "Mean, variance and ranks",
        "mean and Var are the mean and the variance, rank the place in order of size, corr the "
        "correlation of two lists, and vec all rows of a matrix in one vector.",
        Place("what_courses_say", {"claim": "trained weights"}),
        also=("rank correlation",),
        apart=("rank correlation",),
        symbols=("\\mathrm{mean}", "\\mathrm{Var}", "\\mathrm{rank}", "\\mathrm{corr}", "\\mathrm{vec}"),
        paper="\\mathrm{Var}",
    ),
)
