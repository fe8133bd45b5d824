"""The tab "One or many": its numbers hold in every setting, its programs print them, its links open."""

import json
import math
from dataclasses import replace

import pytest
import torch

from attn_figures.numbers import number
from attn_figures.one_or_many import LEAST
from pages.multi_head import study as studies
from pages.multi_head.compute import Now
from pages.multi_head.settings import EXAMPLES
from pages.multi_head.study import FIT_HEADS, bare, fitted, one_or_many
from pages.multi_head.tabs import one_or_many as tab
from pages.multi_head.views import one_or_many as view
from tests.app.test_multi_head import LOOK, OWN, SETTINGS, captions, open_page, text
from tests.handed import run
from tests.sentences import messages_in, numbers_in
from tests.walk import said_now


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
    printed = [float(line.split()[0]) for line in run(tab.program(here)).splitlines()]
    study, at = here.study, here.chosen
    expected = [study.entropy[:, at], study.score_rank[:, at], study.effective_rank[:, at]]
    if study.distances is not None:
        expected += [each[:, at, -1].clamp(min=LEAST).log() for each in study.distances]
    wanted = [float(each.mean().exp() if at > 2 else each.mean()) for at, each in enumerate(expected)]
    assert printed == pytest.approx(wanted, rel=6e-3)


@pytest.mark.parametrize("n_head", [1, 4])
def test_the_program_of_the_fit_prints_its_last_errors(n_head: int) -> None:
    here = one_or_many(Now(OWN, LOOK, n_head))
    theirs = torch.tensor(json.loads(run(tab.fit_program(here))), dtype=torch.float64)
    torch.testing.assert_close(
        fitted(OWN.seed)[FIT_HEADS.index(n_head)].losses[-1], theirs, rtol=1e-6, atol=0
    )


def test_tab_of_link_tells_counts_of_parameters_and_operations() -> None:
    at = open_page(tab="One or many", heads="4", residual="false", layers="3", fit="60")
    said = text(at)
    assert messages_in(said, heads=4, parameters=256, more=540)
    assert messages_in(said, heads=4, rank_of_one=5, rank_of_many=2)  # five different words
    assert messages_in(said, "apart", layers="3 layers")
    assert 1872 in numbers_in(said)  # 4 heads × 36 pairs × (2 × 2 + 5 + 2 × 2)
    assert messages_in(said, "error", heads=4)
    assert ":material/close:" not in said
    assert not at.warning


def test_view_moves_with_the_heads_whatever_mask_there_is() -> None:
    at = open_page(view="one or many", heads="2", hmask="causal", pos="ramp", t="3")
    assert messages_in(text(at), heads=2, parameters=256, more=180)
    bare = open_page(view="one or many", heads="2")
    assert said_now(at)[0] == said_now(bare)[0]


def test_heads_that_do_not_divide_the_width_leave_four() -> None:
    wide = open_page(tab="One or many", free="true", dh="5", heads="7")
    assert any(numbers_in(each)[:2] == [7, 4] for each in captions(wide).splitlines())
    alone = open_page(tab="One or many", text="word", heads="1")
    assert 256 in numbers_in(text(alone))


def test_no_mask_and_no_free_width_enter_the_study() -> None:
    assert bare(replace(OWN, mask="causal", reach=3, d_head=5)) == OWN
    assert {len(studies.seeds(bare(replace(OWN, case=case)))) for case in EXAMPLES} == {8, 3}


@pytest.mark.parametrize("text_typed", ["the cat sat", "a"])
@pytest.mark.parametrize("layers", [0, 12])
def test_table_and_sentence_tell_one_distance(text_typed: str, layers: int) -> None:
    """The mean over seeds of something that spans powers of ten is the geometric one, everywhere."""
    here = one_or_many(Now(replace(OWN, text=text_typed), LOOK, 4))
    assert here.study.distances is not None
    said = view.said(here, layers, residual=True)
    row = tab.sizes(here).splitlines()[2 + here.chosen]
    each = [math.log(value) for value in here.study.distances[1, :, here.chosen, layers].tolist() if value]
    if text_typed == "a":
        assert not each
        assert numbers_in(said)[-1] == 0
        assert row.endswith("| 0 | 0 |")
        return
    mean = number(math.exp(sum(each) / len(each)), 3)
    assert numbers_in(said)[-1] == numbers_in(mean)[0]
    spread = number(math.exp(torch.tensor(each, dtype=torch.float64).std().item()), 2)
    assert row.endswith(f"| {mean} ×/÷ {spread} |") or layers == 0


def test_table_sentence_and_caption_have_one_threshold() -> None:
    now = Now(replace(OWN, text="a b c"), LOOK, 8)
    here = one_or_many(now)
    assert here.study.distances is not None
    size = min(each for each in numbers_in(tab.notes(here, now)) if each > 0)
    assert size == 1e-12
    for apart, told in ((size * 0.9, False), (size * 1.1, True)):
        made = here._replace(
            study=replace(here.study, distances=torch.full_like(here.study.distances, apart))
        )
        cell = tab.sizes(made).splitlines()[-1].split(" | ")[-1].strip(" |")
        assert numbers_in(cell)[0] == pytest.approx(1.1e-12 if told else 1e-12)
        assert (numbers_in(view.said(made, 12, residual=True))[-1] == pytest.approx(1.1e-12)) == told
