"""The stage "hard or soft": what it says and draws, against sums over the numbers in plain Python."""

import math
import re

import numpy as np
import pytest
import streamlit as st

from attn_core import Masking
from attn_core.checks import Check
from attn_ui.base.shared_settings import TEMPERATURE
from pages.single_head.compute import Result, at_every_step
from pages.single_head.settings import MASK_WIDTH
from pages.single_head.stages import caption
from pages.single_head.state import Inputs, Scoring, StageOptions, State
from pages.single_head.tabs import checks
from tests.sentences import messages_in

TYPED = Inputs(qkv="typed", text="x", q=((1.0, -2.0),), k=((0.5, 1.0), (0.5, 3.0)), v=((1.0,), (-4.0,)))


def steps(
    inputs: Inputs, kind: str = "none", *, row: int = 0, blocked: tuple[tuple[int, int], ...] = ()
) -> list[Result]:
    """The page at every temperature of its slider."""
    masking = Masking(kind, blocked_cells=blocked)
    scoring = Scoring(masking, "1/√dₖ", 1.0, TEMPERATURE, MASK_WIDTH, "temperature")
    return at_every_step(State(inputs, scoring), (row, 0), look=StageOptions(moves="temperature"))


def caption_text(result: Result) -> str:
    return re.sub(r":(?:violet|orange|green)\[(.*?)\]", r"\1", caption("hard or soft", result)).replace(
        "−", "-"
    )


def by_hand(result: Result, row: int) -> tuple[list[float], list[float]]:
    """The value of the best key, and the softmax mixture, from Q, K and V and the temperature alone."""
    query, keys, values = result.matrices.query[row], result.matrices.key, result.matrices.value.tolist()
    scores = {
        at: math.fsum(a * b for a, b in zip(query, key, strict=True)) / math.sqrt(len(query))
        for at, key in enumerate(keys)
        if result.matrices.mask[row, at]
    }
    best = max(scores, key=lambda at: scores[at])
    parts = {at: math.exp((score - scores[best]) / result.temperature) for at, score in scores.items()}
    total = math.fsum(parts.values())
    mixed = [math.fsum(parts[at] / total * values[at][d] for at in parts) for d in range(len(values[0]))]
    return values[best], mixed


@pytest.mark.parametrize("kind", ["none", "causal"])
@pytest.mark.parametrize("row", [2, 5])
def test_hard_lookup_page_equals_numpy_at_every_temperature(kind: str, row: int) -> None:
    distances = []
    for result in steps(Inputs(text="a cat sat on my mat"), kind, row=row):
        hard, soft = by_hand(result, row)
        assert result.matrices.lookup is not None
        lookup = result.matrices.lookup()
        np.testing.assert_allclose(lookup.output[row], hard, atol=1e-12)
        np.testing.assert_allclose(result.matrices.output[row], soft, atol=1e-12)
        distances.append(math.dist(hard, soft))
        assert lookup.output_change[row] == pytest.approx(distances[-1], abs=1e-12)
        told = re.search(r"the two outputs are (\S+)(?: × 10\S+)? apart", caption_text(result))
        assert told is not None
        if distances[-1] > 1e-3:
            assert float(told[1]) == pytest.approx(distances[-1], rel=6e-3)
    assert distances[0] < distances[-1] / 10


def test_hard_lookup_sentence_has_the_best_key_and_its_weight() -> None:
    result = next(each for each in steps(TYPED) if each.temperature == 1.0)
    # scores 0.5 - 2 and 0.5 - 6, over the root of 2
    best, following = -1.5 / math.sqrt(2), -5.5 / math.sqrt(2)
    less = math.exp(following - best)
    text = caption_text(result)
    assert f"best scaled score {best:.6g}, with" in text
    assert messages_in(text, "key", weight=f"{1 / (1 + less):.6f}", apart=f"{5 * less / (1 + less):.3g}")


def test_hard_lookup_ties_are_named_and_shared() -> None:
    result = steps(Inputs(text="the cat saw the dog", vectors="one-hot", qkv="as they are"))[0]
    assert result.matrices.lookup is not None
    assert result.matrices.lookup().weights[0].tolist() == [0.5, 0, 0, 0.5, 0]
    assert messages_in(caption_text(result), "score", key="“the” and “the₂”")
    assert messages_in(caption_text(result), count=1)


def test_hard_lookup_has_a_line_in_checks(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[str] = []
    monkeypatch.setattr(st, "markdown", shown.append)
    monkeypatch.setattr(st, "caption", lambda text: None)
    result = steps(Inputs(text="the cat saw the dog"))[0]
    checks.show(result)
    (line,) = (each for each in "\n".join(shown).splitlines() if "hard look-up" in each)
    assert "holds" in line
    monkeypatch.setattr(checks, "audit_hard_lookup", lambda *_: Check("the hard look-up", 1.0))
    checks.show(result)
    assert "fails" in next(each for each in "\n".join(shown[2:]).splitlines() if "hard look-up" in each)
