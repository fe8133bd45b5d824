"""Other scores on the single-head page: what is drawn, said, checked, worked out and handed over."""

from urllib.parse import urlencode

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from attn_core import SCORES
from attn_ui.base.shared_settings import ALL_BUT_ONE
from pages import PAGES
from pages.single_head.compute import Result
from pages.single_head.stages import STAGES
from pages.single_head.tabs.arithmetic import score_to_weight_table, working
from tests.pages import open_sound
from tests.run_programs import leaves
from tests.sentences import messages_in

OTHERS = [score for score in SCORES if score != "dot product"]


def now_of(link: str) -> Result:
    result = PAGES["single-head"].at(link).view.result
    assert isinstance(result, Result)
    return result


def test_points_rank_changes_are_those_of_q_dot_k() -> None:
    planes = now_of("stage=points&text=one+two+three+four&score=additive").matrices.points()
    full, flat = (each.argsort(axis=1) for each in (planes.plane.products, planes.plane.plane_products))
    np.testing.assert_array_equal(planes.rank_changes, (full.argsort() != flat.argsort()).sum(axis=1))


@pytest.mark.parametrize("tab", ["Arithmetic", "Maths", "Cost", "Checks", "Code"])
@pytest.mark.parametrize("score", OTHERS)
def test_each_score_opens_with_every_tab_and_its_checks_hold(score: str, tab: str) -> None:
    at = open_sound("single-head", score=score, tab=tab, mask="causal")
    said = "\n".join(each.value for each in at.markdown)
    assert "fails" not in said
    assert ("pair by pair" in said) == (tab == "Checks")


def test_score_weights_equal_torch() -> None:
    result = now_of("score=linear")
    query, key = (F.elu(each) + 1 for each in (result.head.query, result.head.key))
    shares = F.normalize(query @ key.mT, p=1, dim=-1)
    torch.testing.assert_close(torch.tensor(result.matrices.weights), shares)
    result = now_of("score=cosine&t=0.5")
    cosine = F.cosine_similarity(result.head.query[:, None], result.head.key, dim=-1)
    torch.testing.assert_close(
        torch.tensor(result.matrices.weights), (cosine / result.temperature).softmax(dim=-1)
    )


def test_kernel_score_with_equal_key_lengths_is_the_dot_product() -> None:
    page = PAGES["single-head"].at("score=kernel&qkv=as+they+are&unit=true")
    assert messages_in(page.sentence, weights=0, outputs=0)
    assert max(page.view.result.beside_dot) < 1e-12


def test_score_sentence_has_the_difference_from_softmax() -> None:
    page = PAGES["single-head"].at("score=linear")
    plain = now_of("")
    apart = np.abs(page.view.result.matrices.weights - plain.matrices.weights).max()
    assert f"the weights differ by up to {apart:.3g}" in page.sentence


@pytest.mark.parametrize(("score", "own"), [("additive", {"W_a", "U_a", "v_a"}), ("general", {"W_a"})])
def test_score_with_its_own_weights_draws_them(score: str, own: set[str]) -> None:
    names = {
        trace["name"] for trace in PAGES["single-head"].at(f"score={score}&stage=scores").figure()["data"]
    }
    assert own <= names


# Features below 1e-308, e^-800 among them, and the logarithms of their products by hand.
TINY = "score=linear&qkv=typed&Q=-800,-801;1,2&K=-1,-3;-1000,-999;0.5,-700&V=1,0;0,1;2,2"


@pytest.mark.parametrize("kind", ["PyTorch", "NumPy", "attn_core"])
def test_linear_attention_program_has_features_too_small_for_a_float(kind: str) -> None:
    page = PAGES["single-head"].at(TINY)
    logs = np.array(
        [
            [-801 + np.log1p(np.exp(-3)), -1800 + np.log(2), -800 + np.log(1.5)],
            [np.log(2 * np.exp(-1) + 3 * np.exp(-3)), -999 + np.log(3 + 2 * np.exp(-1)), np.log(3)],
        ]
    )
    powers = np.exp(logs - logs.max(axis=1, keepdims=True))
    wanted = powers / powers.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(page.view.result.matrices.weights, wanted, atol=1e-12)
    np.testing.assert_allclose(np.asarray(leaves(page.programs, kind)["weights"]), wanted, atol=1e-12)


def test_score_formula_names_the_score_and_omits_factors_of_one() -> None:
    page = PAGES["single-head"].at("score=linear&scale=none")
    assert r"\left(\, S\right) V" in page.programs.text("LaTeX")
    assert page.programs.text("LaTeX").endswith(SCORES["linear"].formula)
    page = PAGES["single-head"].at("scale=none&t=0.5")
    assert r"\left(\frac{1}{0.5}\, Q K^\top\right) V" in page.programs.text("LaTeX")
    assert "S_{ij}" not in page.programs.text("LaTeX")


@pytest.mark.parametrize("score", ["additive", "general"])
def test_score_tables_have_the_terms_of_the_scores(score: str) -> None:
    page = PAGES["single-head"].at(f"score={score}&dk=3")
    own = {}
    for name in set(page.tables) - {"pairs", "output"}:
        rows, *columns = page.tables[name].values()
        assert [*rows] == [1, 2, 3]
        own[name] = np.stack([np.asarray(column) for column in columns], axis=-1)
    query, key = (np.asarray(each) for each in (page.view.result.head.query, page.view.result.head.key))
    wanted = (
        query @ own["W_a"] @ key.T
        if score == "general"
        else np.array(
            [[np.tanh(q @ own["W_a"] + k @ own["U_a"]) @ own["v_a"][:, 0] for k in key] for q in query]
        )
    )
    np.testing.assert_allclose(np.asarray(page.tables["pairs"]["score"]), wanted.ravel(), atol=1e-12)


@pytest.mark.parametrize("stage", [*STAGES])
def test_sink_takes_its_share_on_every_stage(stage: str) -> None:
    link = f"sink=true&logit=1.5&mask=causal&t=0.7&q=3&score=general&stage={stage}"
    page = PAGES["single-head"].at(link.replace(" ", "+"))
    matrices = now_of(link).matrices
    powers = np.where(matrices.mask, np.exp(matrices.scaled_scores), 0.0)
    weights = powers / (powers.sum(axis=1, keepdims=True) + np.exp(1.5))
    np.testing.assert_allclose(matrices.weights, weights, atol=1e-12)
    np.testing.assert_allclose(matrices.exponentials / matrices.row_sums, weights, atol=1e-12)
    np.testing.assert_allclose(matrices.output, weights @ matrices.value, atol=1e-12)
    share = 1 - weights.sum(axis=1)
    says = STAGES[stage].follows_slider and stage not in ("scaled", "masked")
    fields = {"share": f"{share[3]:.3f}", "mean": f"{share.mean():.3f}"}
    assert any(set(each) == {"query", *fields} for each in messages_in(page.sentence, **fields)) is says
    for kind in ("PyTorch", "NumPy", "attn_core"):
        np.testing.assert_allclose(leaves(page.programs, kind)["weights"], weights, atol=1e-9)


@pytest.mark.parametrize("link", [{}, {"score": "kernel"}, {"stage": "threshold", "keep": ALL_BUT_ONE}])
def test_sink_checks_hold_and_tabs_count_it(link: dict[str, str]) -> None:
    sink = {"sink": "true", "logit": "1.5", "mask": "causal", "t": "0.7"}
    at = open_sound("single-head", tab="Checks", **sink, **link)
    verdicts = "\n".join(each.value for each in at.markdown)
    assert "fails" not in verdicts
    assert "a key without value" in verdicts
    page = PAGES["single-head"].at(urlencode(sink | link))
    head, cell = page.view.result.matrices, working(page.view.result)
    np.testing.assert_allclose(np.array(page.tables["output"]["to the sink"]), 1 - head.weights.sum(axis=1))
    assert f"{head.sink_exponentials[0, 0]:.6g} to the sink" in score_to_weight_table(cell)
    if head.ablation is not None:  # without a word the sink takes more too
        key = head.ablation.key
        rest = np.delete(head.weights, key, axis=1) / (1 - head.weights[:, [key]])
        np.testing.assert_allclose(np.delete(head.ablation.weights, key, axis=1), rest, atol=1e-12)


def test_sink_that_takes_all_of_a_row_leaves_it_out_of_the_mean() -> None:
    link = "example=own+sentence&text=a+b&qkv=typed&Q=1000;1&K=-1;-2&V=1;2&sink=true&scale=none&logit=0"
    everything = PAGES["single-head"].at(f"{link}&q=0")
    assert not everything.view.result.matrices.weights[0].any()
    assert messages_in(everything.sentence, share="1.000")
    assert not messages_in(everything.sentence, "spread")
    share = np.exp([-1, -2]) / np.exp([-1, -2]).sum()
    spread = f"{np.exp(-(share * np.log(share)).sum()):.1f}"
    assert messages_in(PAGES["single-head"].at(f"{link}&q=1").sentence, spread=spread, mean=spread)
