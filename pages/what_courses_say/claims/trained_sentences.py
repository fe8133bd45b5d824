"""Claims about the heads of a trained language model."""

from itertools import pairwise

from attn_core import Check
from attn_core import claims as measures
from attn_core.claims import Study, clearly_below, difference
from attn_core.claims.trained_sentences import UNIT
from attn_words import N_
from pages.what_courses_say.claim import Claim, Measurement, Outcomes, Seeds, recheck
from pages.what_courses_say.settings import DEEPER, PRONOUN


def _resolved(study: Study) -> Outcomes:
    weight, picks = "weight of the pronoun", "picks the noun meant"
    outcomes: dict[tuple[str | float, ...], bool | measures.Difference] = {
        (weight, layer): difference(
            study.at(weight, "the other noun", layer), study.at(weight, "the noun meant", layer)
        )
        for layer in study.x
    }
    outcomes[picks, 4] = difference(study.at(picks, "chance", 4), study.at(picks, "this head", 4))
    return outcomes


def _one_by_one(study: Study, seeds: Seeds) -> list[Check]:
    """Compute the first pair's weight again, from the records of its two sentences."""
    _heads, (tired, wide), *_others = measures.sentence_records()["pairs"].values()
    expected = (tired[3][0] + wide[3][1]) / 2 / UNIT
    by = N_("the two sentences of the first pair")
    return [recheck(study, "weight of the pronoun", "the noun meant", 4, by=by, expected=expected)]


def _deeper(study: Study) -> Outcomes:
    distances, counts = (
        study.measures[name]["attention"].unbind(dim=1) for name in ("distance", "effective keys")
    )
    each_time = all(clearly_below(*each) for each in pairwise(distances))
    return {
        ("distance", "from each layer to the next"): each_time,
        ("distance", study.x[-1]): difference(distances[0], distances[-1]),
        ("effective keys", study.x[-1]): difference(counts[0], counts[-1]),
    }


def _evenly(study: Study, seeds: Seeds) -> list[Check]:
    """Compute the distance under equal weights again, from each pair of the first sentence's tokens."""
    n = next(iter(measures.sentence_records()["layers"].values()))[0]
    expected = sum(abs(i - j) for i in range(n) for j in range(n)) / n**2
    return [recheck(study, "distance", "equal weights", 6, by=N_("token by token"), expected=expected)]


CLAIMS = {
    "coreference": Claim(
        statement=N_("A head resolves coreference: from a pronoun it looks at the noun that is meant."),
        method=N_(
            "Ten pairs of sentences in all-MiniLM-L6-v2, such as *The animal did not cross the street "
            "because it was too tired* and *… too wide*: one word decides which of two nouns the pronoun "
            "means. Of each layer the head that gives the two nouns most weight. Measured: what the pronoun "
            "gives to the noun that is meant and to the other, and in which share of the sentences the noun "
            "that is meant has more."
        ),
        formula=r"\begin{gathered} "
        r"\text{weight of the pronoun} = \tfrac{1}{2}\, \bigl( w_{pj}^{(1)} + w_{pj}^{(2)} \bigr) \\[4pt] "
        r"\text{picks the noun meant} = \tfrac{1}{2} \sum_{s=1}^{2} "
        r"\bigl[\, w_{pj}^{(s)} > w_{pk}^{(s)} \,\bigr] "
        r"\end{gathered}",
        in_words=N_(
            "$w_{pj}^{(s)}$ is the weight that the pronoun $p$ gives to noun $j$ in sentence $s$ of a pair. "
            "$j$ is the noun that is meant there and $k$ the other, so that they trade places between the "
            "two sentences. A bracket is 1 where it is true and 0 elsewhere."
        ),
        slider=PRONOUN,
        measure=Measurement(measures.pronoun_weights, (PRONOUN.values,)),
        charts={"weight of the pronoun": False, "picks the noun meant": False},
        reported=("weight of the pronoun", "picks the noun meant"),
        spread_over=N_("10 pairs"),
        criterion=N_(
            "the noun that is meant has more weight than the other, and it is picked more often than by "
            "chance: the difference, in parentheses with three standard errors, is above 0"
        ),
        outcomes=_resolved,
        explanation=N_(
            "The head of layer 4 does look from a pronoun at a noun. But in every pair it is the same "
            "noun in both sentences: what the noun is and where it stands count, and not the word that "
            "decides. With *animal / street* weight moves when *tired* becomes *wide*; with *trophy / "
            "suitcase* nothing moves. One sentence in which a head is right shows nothing: its partner has "
            "to be tried too. It is one small model; a larger one may do better."
        ),
        leads={"learned_heads": {"source": "a real model", "look": "two sentences"}},
        checks=_one_by_one,
    ),
    "hierarchy": Claim(
        statement=N_("Attention is hierarchical: later layers attend to larger structure."),
        method=N_(
            "Fifteen sentences in all-MiniLM-L6-v2, of 9 to 21 tokens. [CLS] and [SEP] are left out, and "
            "each row is divided by its remaining sum. Measured, as a mean over the twelve heads of a "
            "layer: how far a token looks, in places, and at how many tokens; beside them the same with "
            "equal weights."
        ),
        formula=r"\begin{gathered} "
        r"\text{distance} = \frac{1}{n} \sum_{i=1}^{n} \sum_{j=1}^{n} w_{ij}\, |i - j| \\[4pt] "
        r"\text{effective keys} = \frac{1}{n} \sum_{i=1}^{n} "
        r"\exp\Bigl( -\sum_{j=1}^{n} w_{ij} \ln w_{ij} \Bigr) \\[4pt] "
        r"\text{equal weights}: \quad \frac{n^2 - 1}{3\,n}, \quad n "
        r"\end{gathered}",
        in_words=N_("$w_{ij}$ is the weight that a head gives from token $i$ to token $j$ of $n$."),
        slider=DEEPER,
        measure=Measurement(measures.reach_of_layers, (DEEPER.values,)),
        charts={"distance": False, "effective keys": False},
        reported=("distance", "effective keys"),
        spread_over=N_("15 sentences"),
        criterion=N_(
            "the last layer looks further, and at more tokens, than the first: the difference, in "
            "parentheses with three standard errors, is above 0; and each layer looks further than the one "
            "before"
        ),
        outcomes=_deeper,
        explanation=N_(
            "The last layer looks furthest. But it does not look at more tokens than the first, whose heads "
            "spread their weight widely, and from layer to layer it goes up and down: heads of the second "
            "layer look nearest. A larger distance is no larger structure yet: with equal weights, which "
            "know no structure, it is larger than in any layer."
        ),
        leads={"learned_heads": {"source": "a real model"}},
        checks=_evenly,
    ),
}
