"""Claims about the worked example "I love dogs": its printed weights, its grammar, its symmetry."""

import math

import torch

from attn_core import Check, compare
from attn_core import claims as measures
from attn_core.claims import Study
from attn_ui.base.places import See
from pages.what_courses_say.claim import Claim, Seeds
from pages.what_courses_say.settings import PHRASED, RAMPED, WORDED

_DOGS = {"example": "I love dogs"}
EXACT, ROUNDED = 1e-9, 5e-5


def _dogs_by_torch(step: float, *, turned: bool = False) -> torch.Tensor:
    x = torch.eye(3, 4, dtype=torch.float64)
    x = (x.flip(0) if turned else x) + step * torch.arange(3, dtype=torch.float64)[:, None]
    return torch.softmax(x @ x.T / math.sqrt(4), dim=-1)


def _printed(study: Study, seeds: Seeds) -> list[Check]:
    own = math.exp(0.5) / (math.exp(0.5) + 2)
    return [
        compare(
            "without positions each word gives itself e^½ / (e^½ + 2)",
            study.at("own weight", "love", 0.0)[0],
            own,
        ),
        compare(
            "at step 0.5: by torch's softmax",
            torch.stack([study.at("own weight", word, 0.5)[0] for word in ("I", "love", "dogs")]),
            _dogs_by_torch(0.5).diagonal(),
        ),
    ]


def _phrase(study: Study, seeds: Seeds) -> list[Check]:
    return [
        compare(
            "“I love dogs” at step 0.5: by torch's softmax",
            study.at("weight on dogs", "I love dogs", 0.5)[0],
            _dogs_by_torch(0.5)[1, 2],
        ),
        compare(
            "“dogs love I” at step 0.5: by torch's softmax",
            study.at("weight on dogs", "dogs love I", 0.5)[0],
            _dogs_by_torch(0.5, turned=True)[1, 0],
        ),
    ]


def _symmetry(study: Study, seeds: Seeds) -> list[Check]:
    generator = torch.Generator().manual_seed(seeds[0])
    x = torch.randn(8, 4, generator=generator, dtype=torch.float64)
    weights = torch.softmax(torch.einsum("qd,kd->qk", x, x) / 2, dim=1)
    return [
        compare(
            "weights, Q = K, 8 tokens, first seed: by einsum",
            study.at("asymmetry", "weights with Q = K", 8)[0],
            (weights - weights.T).abs().max() / weights.max(),
        ),
    ]


def _leads(study: Study) -> dict[str, bool]:
    return {
        where: bool(study.at("lead of dogs", curve, 0.5)[0] > 0)
        for where, curve in (
            ("for “I love dogs” as it is written", "I love dogs"),
            ("for “dogs love I”", "dogs love I"),
            ("where all rows have length 1", "rows of length 1"),
        )
    }


CLAIMS = {
    "with positions": Claim(
        says="With positions, “I love dogs” has weights 0.4519 on the diagonal and 0.2741 elsewhere.",
        measured="One-hot words of width 4, Q = K = V = X, and a ramp of growing step added to them. "
        "Measured: the weight that each word gives to itself, and the largest difference of the nine weights "
        "from the printed ones.",
        slider=RAMPED,
        label="Step of the ramp:",
        bent=False,
        measure=lambda seeds: measures.printed_with_positions(RAMPED.values),
        call=f"claims.printed_with_positions({RAMPED.values})",
        drawn={"own weight": False, "difference from the printed": False},
        tells=("own weight", "difference from the printed"),
        repeats="",
        counts="all nine weights are the printed ones to four digits",
        held=lambda study: {
            where: bool(study.at("difference from the printed", "all nine", step)[0] < ROUNDED)
            for where, step in (
                ("without positions (step 0)", 0.0),
                ("with the ramp of the example, step 0.5", 0.5),
                ("with a ramp of step 0.1", 0.1),
            )
        },
        why="The printed weights are those without positions: each word's product with itself is 1 and with "
        "any other 0, so all rows are alike. Any ramp makes the rows differ, and the later words get more.",
        see=(
            See("Without positions", "single_head", _DOGS),
            See("With the ramp", "single_head", _DOGS | {"ramp": "true"}),
        ),
        checks=_printed,
    ),
    "grammar": Claim(
        says="“love” attends to “dogs” because the phrase says so.",
        measured="The same words with a ramp, as they are written, turned round to “dogs love I”, and with "
        "all rows normalised to length 1. Measured: what “love” gives to “dogs”, and that less the largest "
        "of its other two weights.",
        slider=PHRASED,
        label="Step of the ramp:",
        bent=False,
        measure=lambda seeds: measures.phrase(PHRASED.values),
        call=f"claims.phrase({PHRASED.values})",
        drawn={"weight on dogs": False, "lead of dogs": False},
        tells=("weight on dogs", "lead of dogs"),
        repeats="",
        counts="“love” gives “dogs” more than any other word, at step 0.5",
        held=_leads,
        why="The words are one-hot, so no word is nearer to one than to another. The ramp makes the later "
        "vectors longer, and a product grows with length: “love” attends to whatever stands last. Turned "
        "round, that is “I”. Nothing here was learned, so there is no grammar to be read.",
        see=(
            See("As it is written", "single_head", _DOGS | {"ramp": "true", "q": "1", "k": "2"}),
            See("Rows of length 1", "single_head", _DOGS | {"ramp": "true", "unit": "true"}),
            See("Heads that learned", "learned_heads"),
        ),
        checks=_phrase,
    ),
    "symmetric": Claim(
        says="Without positions the weights are symmetric.",
        measured="Random words of width 4 with Q = K, the same with projections W_q and W_k, and one-hot "
        "words. Measured: the largest difference between a map and its transpose.",
        slider=WORDED,
        label="Tokens:",
        bent=False,
        measure=lambda seeds: measures.symmetry(seeds, [int(each) for each in WORDED.values]),
        call=f"claims.symmetry(seeds, {WORDED.values})",
        drawn={"asymmetry": False},
        tells=("asymmetry",),
        repeats="8 seeds",
        counts="the map and its transpose differ by less than a share of 10⁻⁹, with 8 tokens",
        held=lambda study: {
            where: bool((study.at("asymmetry", curve, 8) < EXACT).all())
            for where, curve in (
                ("for the scores where Q = K", "scores with Q = K"),
                ("for the weights of one-hot words", "weights of one-hot words"),
                ("for the weights of random words", "weights with Q = K"),
                ("for the scores with W_q and W_k", "scores with W_q and W_k"),
            )
        },
        why="Where Q = K, the score of two words is one product, whoever asks. The softmax then divides each "
        "row by a sum of its own, so the weights are symmetric only where these sums agree, as they do for "
        "one-hot words. With W_q and W_k even the scores are not.",
        see=(
            See("“I love dogs”", "single_head", _DOGS),
            See("Random words, Q = K", "single_head", {"qkv": "as they are"}),
        ),
        checks=_symmetry,
    ),
}
