"""The stages of one head, in their order: what each draws, says and computes, in one table."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from attn_figures import block_diagrams
from attn_figures import single_head as pictures
from attn_figures.picture import Picture
from attn_figures.single_head import Walk
from attn_words import N_, paragraph
from pages.single_head import words
from pages.single_head.compute import Now


@dataclass(frozen=True)
class Stage:
    """One stage: its picture with what it is of, its sentence, its formula for `st.latex` and in words.

    ``follows_slider`` is False where neither temperature nor mask change anything; ``follow`` says what goes
    with a second slider over the queries, where there is one.
    """

    picture: Picture[[Walk]]
    alt: str
    sentence: Callable[[Now], str]
    formula: Callable[[Now], str]
    explanation: str = ""
    follows_slider: bool = True
    follow: Callable[[Sequence[Walk]], dict[str, Any]] | None = None
    sets_aside: bool = False  # whether its slider is that of what it sets aside
    takes_together: bool = False  # whether rows of several queries can be taken together
    has_plane: bool = False  # whether it sees vectors in a plane

    def says(self, now: Now) -> str:
        """Return what the picture shows, as markdown; and which rows have nothing to attend to."""
        return paragraph(self.sentence(now), words.empty_rows(now))


STAGES: Mapping[str, Stage] = MappingProxyType(
    {
        "all at once": Stage(
            pictures.all_at_once,
            N_("The matrices of one attention head, from its scores to its output"),
            words.all_at_once,
            words.all_at_once_formula,
            N_("One head in one line: scaled dot-product attention."),
        ),
        "diagram": Stage(
            block_diagrams.single_head,
            N_(
                "One attention head as a block diagram: boxes for its steps, and the shapes of what goes "
                "between"
            ),
            words.diagram,
            words.all_at_once_formula,
        ),
        "X": Stage(
            pictures.sources,
            N_("What queries, keys and values are made from, one vector a row"),
            words.sources,
            words.sources_formula,
            follows_slider=False,
        ),
        "Q, K, V": Stage(
            pictures.projecting,
            N_("The vectors, what they are multiplied by, and the queries, keys and values that come of it"),
            words.projected,
            words.projected_formula,
            N_("Three views of each token: what it asks for, what it is found by, what it passes on."),
            follows_slider=False,
        ),
        "scores": Stage(
            pictures.dot_products,
            N_("The queries, the keys turned round, and the scores of every query with every key"),
            words.dot_products,
            words.dot_products_formula,
            N_("Each query's dot product with each key: it grows with their lengths and their agreement."),
            follows_slider=False,
        ),
        "scaled": Stage(
            pictures.scaling,
            N_("The scores before and after they are scaled"),
            words.scaling,
            words.scaling_formula,
            N_(
                "Dividing by √d_k gives scores one spread whatever the width; T above 1 flattens the "
                "weights, T below 1 sharpens them."
            ),
        ),
        "masked": Stage(
            pictures.masking,
            N_("The scaled scores, the mask that is added, and the masked scores"),
            words.masking,
            words.masking_formula,
            N_(
                "M, an additive mask, is 0 where a query may attend and −∞ elsewhere, before the softmax: "
                "exp(−∞) = 0."
            ),
        ),
        "weights": Stage(
            pictures.softmax,
            N_("The masked scores, their exponentials, the sum of each row, and the weights"),
            words.softmax,
            words.softmax_formula,
            N_(
                "Softmax: each row that may attend to anything adds up to one. Taking its largest off first "
                "only keeps exp from overflowing."
            ),
        ),
        "output": Stage(
            pictures.mixing,
            N_("The weights, the values, and the output that they mix"),
            words.mixing,
            words.mixing_formula,
            N_(
                "Each row is an average of the values that its query may see, so it stays within their hull; "
                "a row that sees none is zero."
            ),
        ),
        "arcs": Stage(
            pictures.words_with_arcs,
            N_("The words as a text, with arcs from queries to their keys, and the map of all weights"),
            words.arcs,
            words.softmax_formula,
            N_("The weights of one row, drawn between the words themselves."),
            follow=pictures.follow_arcs,
            takes_together=True,
        ),
        "points": Stage(
            pictures.in_planes,
            N_(
                "Queries and keys as points of one plane, with an arrow to one query and lines of equal "
                "score, and the values with the output in another"
            ),
            words.points,
            words.points_formula,
            N_(
                "The plane of the two main directions of queries and keys, by singular value decomposition: "
                "no other plane through the origin keeps more of their squared length. Two dimensions of "
                "the head make another. What a plane leaves out of a score is the product of what it leaves "
                "out of both vectors."
            ),
            follow=pictures.follow_points,
            has_plane=True,
        ),
        "hard or soft": Stage(
            pictures.hard_or_soft,
            N_("The look-up of the best key alone, and softmax: weights and output of each"),
            words.hard_or_soft,
            words.hard_or_soft_formula,
            N_(
                "A dictionary returns the value of the one key that fits best; attention mixes those of all. "
                "As T falls to 0, softmax becomes that look-up. J is the set of best keys: one, unless some "
                "tie."
            ),
        ),
        "kept": Stage(
            pictures.kept_weights,
            N_("The weights, those that are set aside faded, and how much of each row is kept"),
            words.kept,
            words.kept_formula,
            N_(
                "Weights below a threshold τ, or all but the k largest of a row, are set aside; m is the "
                "mass kept. Divided by it, a row sums to one again: softmax over the kept keys alone."
            ),
            sets_aside=True,
        ),
        "without": Stage(
            pictures.without_a_word,
            N_(
                "The weights, those when nobody may attend to one word, their difference, and the output "
                "without that word"
            ),
            words.without,
            words.without_formula,
            N_(
                "Token ablation: leave one key l out, and the other weights of a row grow by the factor "
                "1 / (1 − its weight), and the output moves. The word itself still asks, without its own key."
            ),
            sets_aside=True,
        ),
    }
)

# The stage that each box of the diagram is.
OPENS: Mapping[str, str] = MappingProxyType(
    {
        **dict.fromkeys(("X", "Y"), "X"),
        **dict.fromkeys(("Q", "K", "V", "W_q", "W_k", "W_v"), "Q, K, V"),
        "scores": "scores",
        "scale": "scaled",
        "mask": "masked",
        "softmax": "weights",
        **dict.fromkeys(("mix", "output"), "output"),
    }
)
