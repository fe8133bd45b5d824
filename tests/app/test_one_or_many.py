"""The tab "One or many": its numbers hold in every setting, its programs print them, its links open."""

import math
import re
from dataclasses import replace

import pytest
import torch

from attn_figures.numbers import number
from attn_figures.one_or_many import LEAST
from pages.multi_head import study as studies
from pages.multi_head import words
from pages.multi_head.compute import Now
from pages.multi_head.settings import EXAMPLES, FIT_STEP
from pages.multi_head.study import FIT_HEADS, bare, fitted, one_or_many
from pages.multi_head.tabs import one_or_many as tab
from pages.multi_head.views import one_or_many as view
from tests.app.test_multi_head import LOOK, OWN, SETTINGS, captions, open_page, text
from tests.handed import leaves

LOW = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")


@pytest.mark.parametrize("name", SETTINGS)
def test_the_checks_hold_in_every_setting(name: str) -> None:
    setting, n_head = SETTINGS[name]
    here = one_or_many(Now(setting, LOOK, n_head))
    for residual, layer in ((False, 3), (True, 12)):
        found = tab.checks(here, layer, residual=residual)
        assert [check.name for check in found if not check.passed] == []
        assert len(found) == (9 if here.study.distances is None else 10)
        assert view.said(here, 12, residual=residual)


def test_a_wrong_number_fails_its_check(monkeypatch: pytest.MonkeyPatch) -> None:
    here = one_or_many(Now(OWN, LOOK, 4))
    assert here.study.distances is not None
    wrong = replace(
        here.study,
        sizes=tuple(replace(size, parameters=size.parameters + 1) for size in here.study.sizes),
        entropy=here.study.entropy + 1e-6,
        score_rank=here.study.score_rank + 1,
        effective_rank=here.study.effective_rank * 1.0001,
        distances=here.study.distances * 1.0001 + 1e-6,
    )
    fits = tuple(replace(fit, losses=fit.losses * 0.9999) for fit in fitted(OWN.seed))
    monkeypatch.setattr(tab, "fitted", lambda _: fits)
    failing = [
        check for check in tab.checks(here._replace(study=wrong), 3, residual=True) if not check.passed
    ]
    assert len(failing) == 10


@pytest.mark.parametrize("name", ["default", "biases", "concatenated", "cross", "causal", "free width"])
def test_the_program_prints_the_row_of_the_table(name: str) -> None:
    setting, n_head = SETTINGS[name]
    here = one_or_many(Now(setting, LOOK, n_head))
    found = leaves(tab.program(here))
    study, at = here.study, here.chosen
    expected = [study.entropy[:, at], study.score_rank[:, at], study.effective_rank[:, at]]
    if study.distances is not None:
        expected += [each[:, at, -1].clamp(min=LEAST).log() for each in study.distances]
    columns = torch.stack(expected)
    counted = columns.mean(dim=1) > math.log(1e-9)  # below it there is rounding, other here and there
    assert counted.sum() >= min(len(columns), 4)
    for name_, wanted in (("mean", columns.mean(dim=1)), ("deviation", columns.std(dim=1))):
        torch.testing.assert_close(found[name_][counted], wanted[counted], atol=1e-9, rtol=0)
    assert bool((found["mean"][~counted] < math.log(1e-9)).all())


@pytest.mark.parametrize("n_head", [1, 4])
def test_the_program_of_the_fit_prints_its_last_errors(n_head: int) -> None:
    here = one_or_many(Now(OWN, LOOK, n_head))
    found = leaves(tab.fit_program(here))
    theirs = torch.tensor(found["errors"], dtype=torch.float64)
    torch.testing.assert_close(
        fitted(OWN.seed)[FIT_HEADS.index(n_head)].losses[-1], theirs, rtol=1e-6, atol=0
    )


def test_it_is_one_link() -> None:
    at = open_page(tab="One or many", heads="4", residual="false", layers="3", fit="60")
    said = text(at)
    assert "One head and 4 hold the same 256 parameters; 4 take 540 operations more." in said
    assert "scores have rank 5 with one, 2 in each of 4" in said  # five different words
    assert "After 3 layers without the residual tokens are" in said
    assert "4 heads × 36 pairs × (2 × 2 + 5 + 2 × 2) = **1,872**" in said
    assert "After 60 steps the mean error is 0.5 with 1 head" in said
    assert "fails" not in said
    assert "link" not in captions(at)


def test_the_view_moves_with_the_heads_and_speaks_of_no_mask() -> None:
    at = open_page(view="one or many", heads="2", hmask="causal", pos="ramp", t="3")
    said = text(at)
    assert "One head and 2 hold the same 256 parameters; 2 take 180 operations more." in said
    assert "After 3 layers without the residual tokens are" in said
    assert "causal" not in said
    assert "ramp" not in said
    assert "7 heads do not divide the width, so 4 stand out." in text(
        open_page(view="one or many", free="true", heads="7")
    )
    assert "One head and 4 hold" in text(open_page(view="one or many", cross="true"))


def test_what_cannot_be_stacked_or_does_not_divide_is_said() -> None:
    across = open_page(tab="One or many", cross="true")
    assert "Layers are left out: here queries attend to another sequence." in captions(across)
    assert "| 4 |" in text(across)
    wide = open_page(tab="One or many", free="true", dh="5", heads="7")
    assert "7 heads do not divide the width, so 4 stand out." in captions(wide)
    alone = open_page(tab="One or many", text="word", heads="1")
    assert "One head holds 256 parameters" in text(alone)


def test_no_mask_and_no_free_width_enter_the_study() -> None:
    assert bare(replace(OWN, mask="causal", reach=3, d_head=5)) == OWN
    assert {len(studies.seeds(bare(replace(OWN, case=case)))) for case in EXAMPLES} == {8, 3}


def test_the_slider_of_the_fit_stands_where_numbers_were_kept() -> None:
    assert all(fit.steps == FIT_STEP.values for fit in fitted(0))


@pytest.mark.parametrize("text_typed", ["the cat sat", "a", "the the the"])
@pytest.mark.parametrize("layers", [0, 12])
def test_table_sentence_and_picture_tell_one_distance(text_typed: str, layers: int) -> None:
    """The mean over seeds of something that spans powers of ten is the geometric one, everywhere."""
    here = one_or_many(Now(replace(OWN, text=text_typed), LOOK, 4))
    assert here.study.distances is not None
    said = view.said(here, layers, residual=True)
    row = tab.sizes(here).splitlines()[2 + here.chosen]
    each = [math.log(value) for value in here.study.distances[1, :, here.chosen, layers].tolist() if value]
    if text_typed == "the cat sat":
        mean = number(math.exp(sum(each) / len(each)), 3)
        assert f"tokens are {mean} of their size apart." in said
        spread = number(math.exp(torch.tensor(each, dtype=torch.float64).std().item()), 2)
        if layers == 12:
            assert row.endswith(f"| {mean} ×/÷ {spread} |")
    else:
        exact = "nothing tells tokens apart: the distance is exactly 0."
        assert (exact if not each else "no more than rounding tells tokens apart.") in said
    if text_typed == "a":
        assert not each
        assert row.endswith("| 0 | 0 |")


def test_table_sentence_and_caption_have_one_threshold() -> None:
    now = Now(replace(OWN, text="a b c"), LOOK, 8)
    here = one_or_many(now)
    assert here.study.distances is not None
    threshold = float(re.findall(r"Below 1 × 10⁻(\d+) there is only", tab.notes(here, now).translate(LOW))[0])
    size = 10**-threshold
    for apart, is_rounding in ((size * 0.9, True), (size * 1.1, False)):
        study = replace(here.study, distances=torch.full_like(here.study.distances, apart))
        made = here._replace(study=study)
        cell = tab.sizes(made).splitlines()[-1].split(" | ")[-1].strip(" |")
        assert cell == ("below 1 × 10⁻¹²" if is_rounding else "1.1 × 10⁻¹² ×/÷ 1")
        assert ("no more than rounding" in view.said(made, 12, residual=True)) == is_rounding


def test_sentences() -> None:
    said = words.one_or_many(
        2,
        parameters=9,
        more_flops=180,
        entropies=[1.0, 1.5],
        ranks=[6.0, 4.0],
        stacked=(12, "without the residual", 1e-16),
    )
    assert said.endswith("After 12 layers without the residual no more than rounding tells tokens apart.")
    assert "Before the first layer tokens are 0.9 of their size apart." in words.one_or_many(
        1, parameters=9, more_flops=0, entropies=[1.0], ranks=[6.0], stacked=(0, "", 0.9)
    )
