"""The single-head page's sentences and its code: pure functions, numbers in, words out."""

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import attn_core
from attn_core import MASK_PATTERNS, Masking
from attn_ui.base.shared_settings import TEMPERATURE
from attn_words import speaking
from pages import PAGES
from pages.single_head.compute import Result, at_every_step
from pages.single_head.head import make_head
from pages.single_head.settings import MASK_WIDTH
from pages.single_head.stages import STAGES
from pages.single_head.stages import caption as stage_caption
from pages.single_head.state import Inputs, Scoring, StageOptions, State
from pages.single_head.tabs import arithmetic, cost, scale
from pages.single_head.words import describe_row, warning
from tests.plain_words import english_in
from tests.sentences import messages_in, numbers_in


def attend(
    inputs: Inputs | None = None,
    masking: Masking | None = None,
    *,
    cell: tuple[int, int] = (0, 1),
    width: int = 1,
    temperature: float = 1.0,
    **more: Any,
) -> Result:
    """The page's state at one place of its slider."""
    settings: dict[str, Any] = {"scale": "1/√dₖ", "free_scale": 1.0, "moves": "temperature"}
    scoring = Scoring(masking or Masking(), temperature=TEMPERATURE, width=MASK_WIDTH, **settings | more)
    (result,) = at_every_step(
        State(inputs or Inputs(), scoring), cell, look=StageOptions(width=width, temperature=temperature)
    )
    return result


TYPED = Inputs(qkv="typed", text="x", q=((1.0, -2.0),), k=((0.5, 1.0), (0.5, 3.0)), v=((1.0,), (-4.0,)))
# What sets weights aside, and points, say nothing where nobody asked for them: `test_removed_weights` and
# `test_points` read those.
WITH_ALL = [name for name, stage in STAGES.items() if not stage.removes_weights and name != "points"]


def says(stage: str, *args: Any, **more: Any) -> str:
    """A stage's sentence as plain text."""
    return re.sub(r":(?:violet|orange|green)\[(.*?)\]", r"\1", stage_caption(stage, attend(*args, **more)))


@pytest.mark.parametrize("stage", WITH_ALL)
def test_stage_sentence_has_equal_numbers_in_both_languages(stage: str) -> None:
    cases = [
        (
            Inputs(text="ab cd ab ef", ramp=ramp, unit_rows=ramp),
            Masking(kind, blocked_cells=((0, 1), (2, 2))),
            query,
        )
        for kind in MASK_PATTERNS
        for ramp, query in ((False, 0), (True, 3))
    ] + [
        (Inputs("I love dogs", qkv="as they are", ramp=True), Masking("causal"), 0),
        (Inputs(qkv="typed", q=((1.0,),), k=((1.0,), (1.0,)), v=((2.0,), (3.0,))), Masking("padding"), 0),
        (Inputs(text="ab", second_text="cd ef", vectors="one-hot", d_k=1), Masking("none"), 0),
        (Inputs(text="ab cd", weights=(("W_q", ((1.0, 2.0, 3.0, 4.0),) * 6),)), Masking("none"), 1),
    ]
    for inputs, masking, query in cases:
        for width in (0, 2):
            given = {"inputs": inputs, "masking": masking, "cell": (query, 1), "width": width}
            english = says(stage, **given)
            with speaking("zh"):
                chinese = says(stage, **given)
            assert sorted(re.findall(r"\d+\.\d+", chinese)) == sorted(re.findall(r"\d+\.\d+", english))
            assert english_in(chinese, frozenset(("love", "dogs"))) == [], chinese
            assert chinese.endswith("。")


@pytest.mark.parametrize("stage", WITH_ALL)
def test_each_stage_has_a_sentence_and_a_formula_with_the_sizes(stage: str) -> None:
    assert says(stage).endswith(".")
    formula = STAGES[stage].formula(attend())
    if stage not in ("all at once", "diagram"):
        assert "6\\times" in formula


def test_formulas_define_q_k_and_v() -> None:
    formula = STAGES["Q, K, V"].formula
    assert "= XW_q," in formula(attend())
    assert "Y" not in formula(attend())
    assert "= YW_k + b_k" in formula(attend(Inputs(bias=True, second_text="a b")))
    assert formula(attend(Inputs(qkv="as they are", second_text="a b"))).count("= Y") == 2
    typed = Inputs(qkv="typed", q=((1.0,),), k=((2.0,),), v=((3.0,),))
    assert "=" not in formula(attend(typed))


def test_whole_head_formula_equals_the_computation() -> None:
    formula = STAGES["all at once"].formula
    assert formula(attend()) == r"O = \mathrm{softmax}\!\left(\frac{QK^\top}{\sqrt{d_k}}\right)V"
    assert r"\left(QK^\top\right)" in formula(attend(scale="none"))
    free = formula(attend(scale="free", free_scale=0.5, temperature=2.0, masking=Masking("causal")))
    assert r"\left(0.5\,\frac{QK^\top}{T} + M\right)" in free


# ---- every sentence against the settings that it depends on ----


def test_largest_weight_of_a_query_has_its_key_and_the_key_count() -> None:
    inputs = Inputs(text="one two three")
    for masking, row, count in ((Masking(), 0, 3), (Masking("causal"), 0, 1), (Masking("causal"), 1, 2)):
        weights = attend(inputs, masking).matrices.weights[row]
        key = f"“{inputs.text.split()[int(weights.argmax())]}”"
        said = says("all at once", inputs, masking, cell=(row, 0))
        assert messages_in(said, "spread", query=f"“{inputs.text.split()[row]}”", key=key, count=count)
        assert messages_in(said, "mean", weight=f"{weights.max():.3f}")


def test_row_with_nothing_to_attend_to_has_a_warning_and_no_readout() -> None:
    masking = Masking("own", blocked_cells=((0, 0), (0, 1), (0, 2)))
    for stage, told in (("all at once", "spread"), ("hard or soft", "apart"), ("arcs", "sum")):
        inputs = Inputs(text="a a b", vectors="one-hot")
        empty, full = (says(stage, inputs, masking, cell=(row, 0)) for row in (0, 1))
        assert messages_in(empty, count=1, queries="“a”")
        assert not messages_in(empty, told)
        assert messages_in(full, told)
        assert "ied with" not in full  # at most one warning, an empty row first


def test_equal_weights_are_named_as_ties() -> None:
    one_hot = Inputs(vectors="one-hot", qkv="as they are", text="the cat saw the dog")
    assert messages_in(says("all at once", one_hot), "weight", query="“the”", key="“the” and “the₂”")
    assert numbers_in(says("all at once", one_hot))[-1] == 1
    assert numbers_in(says("all at once", replace(one_hot, text="the the the the")))[-1] == 3


def test_query_vector_has_its_length() -> None:
    for inputs in (Inputs(), Inputs(width=1), Inputs(ramp=True), TYPED):
        result = attend(inputs)
        x = result.matrices.query if result.matrices.x is None else result.matrices.x
        (told,) = messages_in(says("X", inputs), "query", count=x.shape[1])
        assert numbers_in(told["length"]) == pytest.approx([np.sqrt((x[0] ** 2).sum())], rel=1e-5)


@pytest.mark.parametrize("more", [{}, {"scale": "none"}, {"scale": "free", "free_scale": 3.0}])
def test_score_has_its_scaled_value(more: dict[str, Any]) -> None:
    result = attend(Inputs(d_k=9), temperature=2.0, **more)
    score, scaled = result.matrices.query[0] @ result.matrices.key[1], result.matrices.scaled_scores[0, 1]
    factor = {"none": 1.0, "free": 3.0}.get(more.get("scale", ""), 1 / 3)
    assert scaled == pytest.approx(score * factor / 2)
    told = numbers_in(stage_caption("scaled", result).split(": ")[-1])
    assert [told[0], told[2], *told[3:]] == pytest.approx(
        [score, 2, scaled, result.matrices.weights[0, 1]], rel=1e-4
    )


def test_masking_sentence_has_the_number_of_pairs_left() -> None:
    inputs = Inputs(text="a b c")
    causal = says("masked", inputs, Masking("causal"))
    assert messages_in(causal, query="“a”", key="“b”", masked="−∞", left=6, count=9)
    assert messages_in(says("masked", inputs, Masking("causal"), cell=(1, 0)), "masked", left=6)
    assert "∞. " not in says("masked", inputs, cell=(1, 0)).replace("exp(−∞) = 0. ", "")
    assert "weight 0." in says("weights", inputs, Masking("causal"))


def test_sentences_follow_the_slider() -> None:
    scoring = attend().scoring
    steps = at_every_step(State(Inputs(), scoring), (0, 1), look=StageOptions(moves="temperature"))
    assert len({stage_caption("all at once", result) for result in steps}) > len(steps) // 2
    assert "÷ 0.10 = " in stage_caption("scaled", steps[0])


# ---- arithmetic ----


def test_arithmetic_writes_every_number() -> None:
    result = arithmetic.working(attend(TYPED, temperature=2.0))
    assert "| 2 | :violet[−2] | :orange[3] | −6 |" in arithmetic.products(result)
    assert "**−5.5**" in arithmetic.products(result)
    steps = arithmetic.score_to_weight_table(result)
    scaled = [-1.5 / 2**0.5 / 2, -5.5 / 2**0.5 / 2]
    weight = 1 / (1 + np.exp(scaled[0] - scaled[1]))
    assert f"−5.5 ÷ √2 ÷ 2.00 | −{-scaled[1]:.6g}".replace("-", "−") in steps
    assert f"exp(−{-scaled[1]:.6g} − (−{-scaled[0]:.6g})) | {np.exp(scaled[1] - scaled[0]):.6g}" in steps
    assert f"**{weight:.6f}**" in steps
    mixture = arithmetic.mixture(result)
    assert f"| **:orange[k2]** | **{weight:.6f}** |" in mixture
    assert "1.000000" in mixture


def test_arithmetic_of_masked_cells_says_masked() -> None:
    def steps(*args: Any) -> str:
        return arithmetic.score_to_weight_table(arithmetic.working(attend(*args)))

    masked = steps(TYPED, Masking("causal"))
    assert "exp(−∞) | 0" in masked
    assert "**0.000000**" in masked
    assert "÷ 0" not in steps(TYPED, Masking("own", blocked_cells=((0, 0), (0, 1))))
    many = arithmetic.working(attend(Inputs(text=" ".join(f"w{i}" for i in range(20)))))
    assert 20 in numbers_in(arithmetic.score_to_weight_table(many))
    assert 19 in numbers_in(arithmetic.mixture(many))


# ---- the other tabs ----


def test_cost_sentence_has_its_numbers() -> None:
    half, full = (attn_core.attention_cost(4, 4, 2, 2, pairs=pairs) for pairs in (8, 16))
    assert [8, 16] in [numbers_in(line) for line in cost.cost_table({"": half, " ": full}).splitlines()]
    assert messages_in(cost.sentence(2, half, full), window=2, share="50.0%")
    assert [cost.pairs(5, window) for window in (0, 1, 2, 9)] == [5, 9, 12, 15]
    study = attn_core.scale_study([1, 64], seed=3)
    variances = [f"{study.variance[0, 1]:.1f}", f"{study.variance[1, 1]:.2f}"]
    assert all(each in scale.sentence(study, 1) for each in variances)


def test_row_of_zeros_is_not_normalised() -> None:
    inputs = Inputs(text="a b", vectors="typed", x=((0.0, 0.0), (1.0, 1.0)), ramp=True, unit_rows=True)
    x = attend(inputs).matrices.x
    assert x is not None
    np.testing.assert_allclose(np.linalg.norm(x, axis=1), [0, 1])
    assert r"\frac{p}{2} = 0)" in STAGES["X"].formula(attend(inputs))
    whole = replace(inputs, x=((1.0, 0.0), (1.0, 1.0)))
    assert "= 0" not in STAGES["X"].formula(attend(whole))


def test_tables_of_unequal_rows_are_refused_with_their_sizes() -> None:
    typed = Inputs(qkv="typed", q=((1.0,),), k=((2.0,),), v=((3.0,), (4.0,)))
    with pytest.raises(ValueError, match=r"K.* 1 .*V.* 2"):
        make_head(typed)


def test_mean_over_queries_leaves_out_empty_rows() -> None:
    masking = Masking("own", blocked_cells=((1, 0), (1, 1), (1, 2), (2, 0)))
    result = attend(Inputs(text="a b c"), masking, cell=(0, 1))
    rows = result.matrices.weights[[0, 2]]
    logs = np.log(np.where(rows > 0, rows, 1.0))
    one, other = np.exp(-(rows * logs).sum(axis=1))
    told = says("all at once", Inputs(text="a b c"), masking)
    assert messages_in(told, spread=f"{one:.1f}", count=3, mean=f"{(one + other) / 2:.1f}")
    assert f"{(one + other) / 2:.1f}" != f"{(one + other + 1) / 3:.1f}" != f"{(one + other) / 3:.1f}"


def test_weight_near_none_or_all_has_enough_digits() -> None:
    page = PAGES["single-head"].at("stage=output&q=2&k=3&t=0.1")
    scaled = np.asarray(page.view.result.matrices.scaled_scores)[2]
    (told,) = messages_in(page.sentence, "query", "key", "scaled", "weight")
    weight = 1 / np.exp(scaled - scaled[3]).sum()
    assert numbers_in(told["weight"]) == pytest.approx([weight], rel=0.01)
    assert weight < 1e-29
    # Softmax of 32 and 50 over the root of three.
    page = PAGES["single-head"].at("example=two+keys,+one+query&stage=hard+or+soft")
    assert messages_in(page.sentence, "key", weight=f"{1 / (1 + np.exp(-18 / 3**0.5)):.6f}")


def test_weights_that_differ_by_rounding_tie_for_the_largest() -> None:
    result = PAGES["single-head"].at("text=a+b+c&t=10").view.result
    weights = result.matrices.weights.copy()
    for last, weight, tie in ((1e-15, "0.400", True), (1e-3, "0.401", False)):
        weights[result.cell[0]] = [0.4, 0.4 + last, 0.2 - last]
        changed = replace(result, matrices=replace(result.matrices, weights=weights))
        assert messages_in(describe_row(changed), "query", "key", weight=weight)
        assert bool(warning(changed, of_largest=True)) == tie
