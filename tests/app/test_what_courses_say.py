"""What courses say: each claim opens with a verdict that follows from its numbers, and all can be checked."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from attn_core import claims
from attn_core.claims import Difference, Study
from attn_figures.numbers import number
from attn_ui.base.links import bad_settings
from attn_words import speaking
from pages.what_courses_say.claim import Claim, Outcomes, seeds_from, verdict
from pages.what_courses_say.claims import CLAIMS
from pages.what_courses_say.compute import State
from pages.what_courses_say.settings import CLAIM
from pages.what_courses_say.tables import columns
from pages.what_courses_say.vocabulary import IN_FORMULAS, NAMES, translate_formula
from tests import run_programs
from tests.pages import PAGES, open_page, open_sound
from tests.sentences import numbers_in
from tests.walk import said_now

ADDRESSES = {folder: address for address, (folder, _) in PAGES.items()}
TYPED = {"I", "love", "dogs", "I love dogs", "dogs love I"}
SYMBOLS = {"d_k", "÷ √d_k", "÷ √2", "W X", "X Wᵀ", "(Wᵀ Xᵀ)ᵀ", "d_model"}
SENTENCES = ("coreference", "hierarchy")  # what a trained model does with them
LINKS = [(name, *see) for name, claim in CLAIMS.items() for see in claim.leads.items()]


@pytest.mark.parametrize("name", CLAIM.options)
def test_claim_states_measured_numbers_and_its_checks_hold(name: str) -> None:
    at = open_sound("what-courses-say", claim=name, tab="Checks", seed="7")
    claim, study = CLAIMS[name], State(name, 7).study
    said = [each.value for each in at.markdown]
    held = {each.holds if isinstance(each, Difference) else each for each in claim.outcomes(study).values()}
    alone = {True: "Holds", False: "Does not hold", None: "Too small to tell"}
    several = "Holds in part" if True in held else "Does not hold, or"
    verdicts = alone[held.pop()] if len(held) == 1 else several
    assert any(each.startswith(f"## {claim.statement}\n\n**{verdicts}") for each in said)
    assert verdict(claim.outcomes(study), study.over) in said
    table = next(each for each in said if "What must hold" in each)
    assert ":material/check:" in table
    assert ":material/close:" not in table
    assert set(claim.reported) <= set(claim.charts) <= set(study.measures)
    assert study.x == claim.slider.values
    here = study.measures[claim.reported[0]]
    first = next(iter(here.values()))[:, claim.slider.nearest(claim.slider.default)].mean()
    assert any(number(float(first), 3) in each for each in said_now(at))


@pytest.mark.parametrize("name", CLAIM.options)
def test_claim_program_prints_the_means_of_its_table(name: str) -> None:
    program = open_sound("what-courses-say", claim=name, tab="Code", seed="7").code[0].value
    printed = run_programs.run(program).splitlines()
    table = open_sound("what-courses-say", claim=name, tab="Data", seed="7").dataframe[0].value
    curves = table.groupby(["measure", "curve"], sort=False)["mean"]
    assert len(printed) == 1 + len(curves)
    for line, ((measure, curve), means) in zip(printed[1:], curves, strict=True):
        start, numbers = line.rsplit("|", 1)
        assert start == f"{measure} | {curve} "
        assert [float(each) for each in numbers.split()] == pytest.approx(list(means), rel=1e-5, abs=1e-14)


def test_claim_table_has_every_number_and_its_spread() -> None:
    result = State("robust to noise", 3)
    table = columns(result)
    found = result.study.measures["weights (sharp)"]["4 heads"][:, 2]
    rows = list(zip(*table.values(), strict=True))
    x = result.study.x[2]
    assert ("weights (sharp)", "4 heads", x, float(found.mean()), float(found.std())) in rows


@pytest.mark.parametrize(("name", "folder", "see"), LINKS)
def test_claim_link_names_settings_of_its_page(name: str, folder: str, see: dict[str, str]) -> None:
    settings = PAGES[ADDRESSES[folder]][1]
    link = {key: [text] for key, text in see.items()}
    assert bad_settings(settings, link) == []


def test_claim_links_are_on_the_page_with_their_settings() -> None:
    at = open_page("what-courses-say", claim="linear positions")
    told = [(link.proto.page, link.proto.query_string) for link in at.get("page_link")]
    assert told == [("positional-encoding", "scheme=ramp&show=similarity")]


def constant(study: Study, value: float) -> Study:
    """The same study with every curve at one number: no two differ."""
    return replace(
        study,
        measures={
            measure: {curve: torch.full_like(found, value) for curve, found in curves.items()}
            for measure, curves in study.measures.items()
        },
    )


def decided(claim: Claim) -> tuple[Study, Outcomes]:
    study = claim.measure(seeds_from(4))
    return study, claim.outcomes(study)


@pytest.mark.parametrize(
    "name", [name for name in CLAIM.options if name not in ("over-smoothing", "robust to noise", *SENTENCES)]
)
def test_claim_verdict_follows_the_numbers(name: str) -> None:
    """Here every claim holds somewhere and somewhere not; where all curves are one, it is another verdict."""
    claim = CLAIMS[name]
    study, held = decided(claim)
    assert {*held.values()} == {True, False}
    assert any(dict(claim.outcomes(constant(study, value))) != held for value in (0.0, 1.0))


def test_claims_of_a_trained_model_follow_its_numbers() -> None:
    study, held = decided(CLAIMS["coreference"])
    assert {each.holds for each in held.values() if isinstance(each, Difference)} == {None, False}
    meant = study.measures["weight of the pronoun"]["the noun meant"][:, 3]
    other = study.measures["weight of the pronoun"]["the other noun"][:, 3]
    assert meant[0] > other[0] + 0.2  # tired / wide moves it,
    assert abs(meant[1] - other[1]) < 0.05  # big / small does not
    better = {name: {**each} for name, each in study.measures.items()}
    better["weight of the pronoun"]["the noun meant"] = (
        study.measures["weight of the pronoun"]["the other noun"]
        + torch.linspace(0.1, 0.2, 10, dtype=torch.float64)[:, None]
    )
    outcomes = CLAIMS["coreference"].outcomes(replace(study, measures=better))
    weights = [each for name, each in outcomes.items() if "weight" in str(name[0])]
    assert all(isinstance(each, Difference) and each.holds for each in weights)
    assert set(study.measures["picks the noun meant"]["this head"][:, 3].tolist()) == {0.5}  # always the same
    study, held = decided(CLAIMS["hierarchy"])
    verdicts = {name: each if isinstance(each, bool) else each.holds for name, each in held.items()}
    assert [*verdicts.values()] == [False, True, False]
    alike = CLAIMS["hierarchy"].outcomes(constant(study, 1.0)).values()
    assert [each if isinstance(each, bool) else each.holds for each in alike] == [False] * 3
    distance, spread = (study.measures[name]["attention"].mean(dim=0) for name in study.measures)
    assert (int(distance.argmin()), int(distance.argmax()), int(spread.argmax())) == (1, 5, 0)
    assert distance.max() < study.measures["distance"]["equal weights"].mean()
    counts = [record[0] for record in claims.sentence_records()["layers"].values()]
    assert numbers_in(CLAIMS["hierarchy"].method) == [min(counts), max(counts)]


@pytest.mark.parametrize(("name", "sign"), [("over-smoothing", 1), ("robust to noise", -1)])
def test_claim_eight_better_heads_would_be_reported(name: str, sign: int) -> None:
    claim = CLAIMS[name]
    study = CLAIMS[name].measure(seeds_from(4))

    def holding(changed: Study) -> list[bool | None]:
        differences = claim.outcomes(changed).values()
        return [each.holds for each in differences if isinstance(each, Difference)]

    assert {*holding(study)} <= ({False, None} if name == "over-smoothing" else {True, None})
    assert not any(holding(constant(study, 1.0)))
    better = {
        measure: {**curves, "8 heads": curves["1 head"] + sign * 0.1}
        for measure, curves in study.measures.items()
    }
    assert holding(replace(study, measures=better)) == [True] * len(claim.outcomes(study))
    assert claims.DRAWS in numbers_in(claim.spread_over)


def test_claim_numbers_of_sines_and_love_are_right() -> None:
    places, frequencies = np.arange(1, 64)[:, None], 10000.0 ** (-np.arange(8) / 8)
    share = np.sin(places * frequencies) / (places * frequencies)
    straight = int((abs(share - 1) < 0.01).all(axis=0).sum())
    quarter = int((frequencies * 9 >= np.pi / 2).sum())
    assert numbers_in(CLAIMS["linear positions"].explanation) == [8, straight, 63, 1, quarter, 10]
    # "love" at place 1 gives itself 1 + 2 d + 4 d² and the last word 3 d + 8 d².
    assert numbers_in(CLAIMS["grammar"].explanation) == pytest.approx([max(np.roots([4, 1, -1]))], abs=0.005)
    plain, *ramped = (
        torch.softmax(x @ x.T / 2, dim=-1)
        for step in (0.0, 0.1, 0.5, 1.0)
        for x in [torch.eye(3, 4) + step * torch.arange(3)[:, None]]
    )
    assert all(bool((each[:, 2] > plain[:, 2]).all()) for each in ramped)  # the last word gets more,
    assert all(each[2, 1] < plain[2, 1] for each in ramped)  # and not each later one


def test_claim_softmax_stays_finite_where_exp_overflows() -> None:
    scores = torch.randn(10, 64, generator=torch.Generator().manual_seed(0)) * 1e4
    assert scores.exp().isinf().any()
    assert scores.softmax(dim=-1).isfinite().all()


def test_claim_seed_is_shown_for_random_draws_only() -> None:
    assert State("parameters", 1).study is State("parameters", 2).study
    assert State("robust to noise", 1).study is not State("robust to noise", 2).study


@pytest.mark.parametrize("name", CLAIM.options)
def test_claim_names_on_screen_are_messages(name: str) -> None:
    study = decided(CLAIMS[name])[0]
    seen = {study.over, *study.measures, *(curve for curves in study.measures.values() for curve in curves)}
    assert seen <= {*NAMES} | TYPED | SYMBOLS


def test_claim_formula_words_are_translated_and_symbols_not() -> None:
    assert len({*NAMES, *IN_FORMULAS}) == len(NAMES) + len(IN_FORMULAS)
    with speaking("en-XA"):
        said = translate_formula(r"\text{parameters} = d_{\text{head}}, \text{ramp: } 2\,p")
    assert r"d_{\text{head}}" in said
    assert "parameters" not in said
    assert "ramp" not in said
    for claim in CLAIMS.values():
        assert translate_formula(claim.formula) == claim.formula
