"""The single-head page's sentences and its code: pure functions, numbers in, words out."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from pages.single_head import arithmetic, audit
from pages.single_head import study_words as single_head_study
from pages.single_head import words as single_head
from pages.single_head.numbers import Inputs, Masking, make_head, make_mask, make_stages
from pages.single_head.settings import MASK, STAGE
from pages.single_head.snippet import mask_expression, snippet
from pages.single_head.words import Seen

SEEN = Seen(
    query="a", key="b", top_key="c", n_query=3, n_key=5, d_model=7, d_k=4, d_v=2, score=1.5,
    scaled=0.75, allowed=True, weight=0.125, top_weight=0.5, row_effective=2.25, mean_effective=3.5,
    empty_rows=0, pairs=11, factor="÷ √4", temperature=1.0, untrained=True,
)  # fmt: skip


@pytest.mark.parametrize("kind", MASK.options)
@pytest.mark.parametrize(("scale", "number"), [("1 / math.sqrt(Q.shape[-1])", 3**-0.5), ("0.25", 0.25)])
def test_the_code_computes_what_the_page_shows(kind: str, scale: str, number: float) -> None:
    head = make_head(Inputs(text="a b c d e f g", second_text="h i j k l", d_k=3, d_v=2))
    masking = Masking(kind, dilation=3, global_tokens=2, blocked=((0, 1), (6, 4)))
    mask = make_mask(masking, 7, 5, 2)
    stages = make_stages(head, [mask], scale=number, temperatures=[0.7])
    rows = stages.mask[0].tolist()
    code = snippet(
        head.query.tolist(),
        head.key.tolist(),
        head.value.tolist(),
        mask=mask_expression(kind, 2, dilation=3, global_tokens=2, rows=rows),
        scale=scale,
        temperature=0.7,
    )
    names: dict[str, Any] = {}
    exec(code, names)
    torch.testing.assert_close(names["weights"], stages.weights[0], rtol=0, atol=1e-8)
    torch.testing.assert_close(names["output"], stages.output[0], rtol=0, atol=1e-8)
    assert names["mask"].expand(7, 5).tolist() == rows


@pytest.mark.parametrize("stage", STAGE.options)
def test_each_stage_has_a_sentence_and_a_formula_with_the_sizes(stage: str) -> None:
    assert single_head.sentence(stage, SEEN).endswith((".", ". "))
    formula = single_head.formula(stage, SEEN)
    if stage not in ("all at once",):
        assert "3\\times" in formula


def test_formulas_say_where_q_k_and_v_come_from() -> None:
    made = {
        (made, is_cross): single_head.formula("Q, K, V", replace(SEEN, made=made, is_cross=is_cross))
        for made in ("projected", "as they are", "typed")
        for is_cross in (False, True)
    }
    assert "= XW_q" in made["projected", True]
    assert "= YW_k" in made["projected", True]
    assert "Y" not in made["projected", False]
    assert made["as they are", True].count("= Y") == 2
    assert "=" not in made["typed", False]


def test_sentences_say_the_numbers() -> None:
    said = single_head.sentence("all at once", SEEN)
    assert ":violet[a] gives :orange[c] the largest weight, 0.500, and spreads over 2.2 of 5 keys" in said
    assert "knows no grammar" in said
    assert "1.5 ÷ √4 ÷ 1.00 = 0.75" in single_head.sentence("scaled", SEEN)
    assert "11 of 15 pairs are left" in single_head.sentence("masked", SEEN)
    nothing = replace(SEEN, top_weight=0.0, empty_rows=1, allowed=False)
    assert "may attend to nothing" in single_head.sentence("all at once", nothing)
    assert "One query has every key masked" in single_head.sentence("output", nothing)
    assert "its weight is 0" in single_head.sentence("weights", nothing)


def cell(**changes: Any) -> arithmetic.Cell:
    settings: dict[str, Any] = {
        "query_label": "<q>", "key_label": "k", "key_labels": ["j", "k"], "key_index": 1,
        "query": [1.0, -2.0], "key": [0.5, 3.0], "score": -5.5, "factor": "÷ √2", "temperature": 2.0,
        "scaled": -1.944544, "allowed": True, "row_allowed": [True, True], "largest": -1.0,
        "exponentials": [1.0, 0.388843], "row_sum": 1.388843, "weights": [0.720024, 0.279976],
        "values": [[1.0], [-4.0]], "output": [-0.39988],
    }  # fmt: skip
    return arithmetic.Cell(**settings | changes)


def test_arithmetic_writes_every_number() -> None:
    assert "| 2 | :violet[−2] | :orange[3] | −6 |" in arithmetic.products(cell())
    assert "**−5.5**" in arithmetic.products(cell())
    steps = arithmetic.steps(cell())
    assert "−5.5 ÷ √2 ÷ 2.00 | −1.94454" in steps
    assert "exp(−1.94454 − (−1)) | 0.388843" in steps
    assert "1 + 0.388843 | 1.38884" in steps
    assert "0.388843 ÷ 1.38884 | **0.279976**" in steps
    mixture = arithmetic.mixture(cell())
    assert "| **:orange[k]** | **0.279976** | **−1.1199** |" in mixture
    assert "| output of :violet[\\<q\\>] | 1.000000 | −0.39988 |" in mixture


def test_arithmetic_of_masked_cells() -> None:
    masked = arithmetic.steps(cell(allowed=False, row_allowed=[True, False], row_sum=1.0))
    assert "exp(−∞) | 0" in masked
    assert "**0.000000**" in masked
    empty = arithmetic.steps(cell(allowed=False, row_allowed=[False, False]))
    assert "a row of nothing is zero" in empty
    assert "÷ 0" not in empty


def test_long_rows_are_summed_up() -> None:
    many = cell(
        key_labels=[str(i) for i in range(20)], row_allowed=[True] * 20, exponentials=[0.5] * 20,
        weights=[0.05] * 20, values=[[2.0]] * 20, output=[2.0], row_sum=10.0,
    )  # fmt: skip
    assert "0.5 + 0.5 + 0.5 + … (20 terms)" in arithmetic.steps(many)
    assert "| the other 19 keys | 0.950000 | 1.9 |" in arithmetic.mixture(many)


def test_number_has_no_negative_zero() -> None:
    assert arithmetic.number(-0.0) == "0"


def test_checks_are_laid_out_with_their_verdicts() -> None:
    checks = [
        SimpleNamespace(name="one", error=0.0, passed=True),
        SimpleNamespace(name="two", error=float("inf"), passed=False),
    ]
    table = audit.checks_table([("here", checks)])
    assert "| one | :material/check: holds exactly |" in table
    assert "| two | :material/close: **fails**, not a number |" in table
    assert "fails now: two" in audit.mistake_sentence(0.5, ["two"], "two")
    assert "changes nothing" in audit.mistake_sentence(0.0, [], "two")


def test_cost_and_scale_sentences() -> None:
    half, full = (SimpleNamespace(pairs=n, flops=10 * n, bytes=100 * n) for n in (8, 16))
    assert "| pairs of query and key | 8 | 16 | 50.0% |" in single_head_study.cost_table(half, full)
    assert "leaves 25.0% of the pairs" in single_head_study.cost_sentence("dilated", 10, 25)
    assert "nothing to divide" in single_head_study.scale_sentence(1, [1, 1], [0.2, 0.2], [0.1, 0.1])
    said = single_head_study.scale_sentence(64, [63.0, 1.0], [0.8, 0.2], [0.1, 0.3])
    assert "variance 63.0, scaled 1.00" in said
