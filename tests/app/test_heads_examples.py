"""Experiments of the multi-head page, each on an example of its own: the same whatever the sidebar says."""

import json
import math
import re
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from streamlit.testing.v1 import AppTest
from torch import Tensor
from torch.nn import functional as F

from attn_core import MULTI_HEAD_MISTAKES, sentence_vectors
from pages.multi_head import head_count_study, programs
from pages.multi_head.compute import Result
from pages.multi_head.example import example
from pages.multi_head.settings import EXAMPLES, SPELLING
from pages.multi_head.spellings import FUNCTIONS, inputs, program, run, source
from pages.multi_head.tabs import batch, block, cost, one_or_many, shared_heads, token_by_token
from pages.multi_head.tabs import spellings as spellings_tab
from pages.multi_head.views.single_vs_multi import describe
from programs.writing import PYTORCH, imports
from tests import run_programs
from tests.app.test_multi_head import OWN
from tests.pages import open_sound
from tests.run_programs import leaves
from tests.sentences import messages_in, numbers_in
from tests.walk import fields, said_now

open_page = partial(open_sound, "multi-head")
Numbers = NDArray[np.float64]
LOOK = example().look
EXPERIMENTS = ("Block", "Shared heads", "Token by token", "Batch", "One or many", "Cost", "Spellings")


def in_tab(at: AppTest) -> tuple[list[bytes], list[str]]:
    """What an experiment draws and says, without the page's own picture and words."""
    drawn = [packed for head, _, packed in fields(at) if head.get("key") != "maps"]
    shown = [each.value for each in at.markdown if "|" in each.value] + [each.value for each in at.code]
    return drawn, shown + said_now(at)[1:]


@pytest.mark.sample(3)
@pytest.mark.parametrize("tab", EXPERIMENTS)
def test_experiment_is_equal_under_any_sidebar(tab: str) -> None:
    hostile = {"cross": "true", "hmask": "padding", "reach": "6", "pos": "rotary", "free": "true", "dh": "6"}
    others = {"heads": "1", "wo": "false", "bias": "true", "seed": "9", "t": "3", "off": "1"}
    shown = in_tab(open_page(tab=tab))
    assert shown == in_tab(open_page(tab=tab, **hostile, **others))
    assert len(shown[0]) + len(shown[1]) >= 2
    assert "fails" not in "".join(shown[1])


def test_experiment_sentence_takes_two_to_twelve_words() -> None:
    for typed, taken in (("word", "the cat sat on the mat"), (" ".join(["w"] * 14), " ".join(["w"] * 12))):
        at = open_page(tab="Block", typed=typed)
        assert messages_in("\n".join(each.value for each in at.caption), sentence=taken)
    assert "12 × 8" not in said_now(open_page(tab="Block", typed="two words"))[-1]


def projected(result: Result) -> tuple[Tensor, Tensor, Tensor]:
    """Queries, keys and values of all heads, (n_head, n, d_head), by torch alone."""
    module, x = result.module, result.tokens.query
    q, k, v = (
        F.linear(x, each.weight).reshape(len(x), result.n_head, -1).transpose(0, 1)
        for each in (module.W_q, module.W_k, module.W_v)
    )
    return q, k, v


def merged(result: Result, heads: Tensor) -> Tensor:
    assert result.module.W_o is not None
    return F.linear(heads.transpose(0, 1).flatten(1), result.module.W_o.weight)


def test_token_by_token_equals_the_causal_computation() -> None:
    result = example("one two three four five")
    right = merged(result, F.scaled_dot_product_attention(*projected(result), is_causal=True))
    weights, kept, output = token_by_token.write(result)
    torch.testing.assert_close(output, right, atol=1e-12, rtol=0)
    torch.testing.assert_close(weights.sum(dim=-1), torch.ones(2, 5, dtype=torch.float64))
    torch.testing.assert_close(leaves(programs.token_by_token(result))["written"], right, atol=1e-10, rtol=0)
    third = token_by_token.read_out(result, 2, token_by_token.costs(result)[2])
    # Four projections of 8 × 8 and 3 pairs in 2 heads of width 4: 2 × 4 + 5 + 2 × 4 each.
    alone = 4 * 2 * 8 * 8 + 2 * 3 * (8 + 5 + 8)
    assert messages_in(third, cached=alone, kept=kept.numbers * 3 // 5)
    # Without the cache all three are projected again, and every pair of the causal map so far is scored.
    assert messages_in(third, uncached=f"{3 * 512 + 2 * 6 * 21:,}")


def test_wrong_kv_cache_fails_its_check(monkeypatch: pytest.MonkeyPatch) -> None:
    result = example()
    weights, kept, output = token_by_token.write(result)
    monkeypatch.setattr(token_by_token, "write", lambda _now: (weights, kept, output * 1.001))
    assert [check.passed for check in token_by_token.checks(result)] == [False, True]


@pytest.mark.parametrize("groups", shared_heads.GROUPS)
def test_shared_heads_equal_means_of_the_heads_they_replace(groups: int) -> None:
    result = shared_heads.attend_in("the cat sat on the mat")
    q, k, v = projected(result)
    k, v = (
        x.reshape(groups, 8 // groups, 6, 2).mean(dim=1).repeat_interleave(8 // groups, 0) for x in (k, v)
    )
    output = merged(result, F.scaled_dot_product_attention(q, k, v))
    off = float((output - result.attention.output).abs().max() / result.attention.output.abs().max())
    assert messages_in(
        shared_heads.read_out(result, groups), count=groups, kept=4 * groups, full=32, off=f"{off:.1%}"
    )
    rows = shared_heads.sizes(result).splitlines()
    wanted = [groups, 512 + 64 * groups, 4 * groups, 48 * groups, float(f"{100 * off:.1f}")]
    assert wanted in [numbers_in(row) for row in rows]
    torch.testing.assert_close(
        leaves(programs.shared_heads(result, groups))["output"], output, atol=1e-9, rtol=0
    )
    assert all(check.passed for check in shared_heads.checks(result, groups, 3))


def test_shared_heads_keep_less_and_lose_more_when_shared_more() -> None:
    result = shared_heads.attend_in("the cat sat on the mat")
    lost = [shared_heads.change(result, groups) for groups in shared_heads.GROUPS]
    assert lost == sorted(lost, reverse=True)
    assert lost[-1] < 1e-12
    assert shared_heads.latent_errors("the cat sat on the mat")[-1] < 1e-12


@pytest.mark.parametrize(("residual", "norm"), block.VARIANTS)
def test_block_lengths_and_cosines_equal_numpy_layers(residual: bool, norm: str) -> None:
    def normed(x: Numbers) -> Numbers:
        normal: Numbers = (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5)
        return normal

    def attend(x: Numbers, seed: int) -> Numbers:
        module = example(seed=seed).module
        assert module.W_o is not None
        q, k, v, o = (each.weight.numpy() for each in (module.W_q, module.W_k, module.W_v, module.W_o))
        heads = []
        for own in (slice(0, 4), slice(4, 8)):
            scores = np.exp((x @ q[own].T) @ (x @ k[own].T).T / 2)
            heads.append(scores / scores.sum(-1, keepdims=True) @ (x @ v[own].T))
        output: Numbers = np.hstack(heads) @ o.T
        return output

    first = x = example().tokens.query.numpy()
    for layer in range(3):
        made = attend(normed(x) if norm == "before" else x, 4 + layer) + residual * x
        x = normed(made) if norm == "after" else made
    units = x / np.linalg.norm(x, axis=-1, keepdims=True)
    cosine = (units @ units.T)[np.triu_indices(6, 1)].mean()
    scene = block._over_layers("the cat sat on the mat", block.VARIANTS.index((residual, norm))).scene
    length, before = (f"{np.linalg.norm(each, axis=-1).mean():.3g}" for each in (x, first))
    assert messages_in(scene.caption(3), count=3, length=length, before=before, cosine=f"{cosine:.4f}")


TEXT = "the cat sat / rain / cats like milk"


def test_batch_equals_single_sentences_with_padding_masked() -> None:
    masked, open_to_all = (batch.batch_of(TEXT, masked=each) for each in (True, False))
    assert [check.passed for check in batch.checks(masked)] == [True, True]
    assert [check.passed for check in batch.checks(open_to_all)] == [False, True]
    assert masked.wasted == [0.0, 0.0, 0.0]
    x = torch.cat([sentence_vectors(["rain"], 8, seed=4), torch.zeros(2, 8, dtype=torch.float64)])
    module = example().module
    q, k = (F.linear(x, each.weight)[:, :4] for each in (module.W_q, module.W_k))
    assert open_to_all.wasted[1] == pytest.approx(float(torch.softmax(q @ k.T / 2, dim=-1)[0, 1:].sum()))
    for row in ("| X | `B, n, d_model` | `3, 3, 8` |", "`3, 2, 3, 4` |", "`3, 1, 3, 3` |", "`3, 2, 3, 3` |"):
        assert row in batch.shapes(masked)


def test_batch_sentences_are_split_and_cut() -> None:
    assert batch.split_sentences("/".join(["a b"] * 9)) == [["a", "b"]] * batch.MOST_SENTENCES
    assert len(batch.split_sentences(" ".join(["a"] * 40))[0]) == batch.MOST_WORDS
    assert batch.batch_of(" / ", masked=True).lengths == [6, 4, 2]


def test_five_implementations_agree_and_run_as_programs() -> None:
    result = spellings_tab.make_example()
    right = merged(result, F.scaled_dot_product_attention(*projected(result), is_causal=True))
    assert list(FUNCTIONS) == list(SPELLING.options)
    for spelling in FUNCTIONS:
        shapes, output = run(spelling, result)
        torch.testing.assert_close(output, right, atol=1e-12, rtol=0)
        assert shapes[0] == (4, 30)
        torch.testing.assert_close(leaves(program(spelling, result))["output"], output, atol=1e-14, rtol=0)
    assert all(check.passed for check in spellings_tab.checks(result))


def test_implementations_need_no_package_beyond_the_apps() -> None:
    brought = {re.split(r"[=<>;]", line)[0] for line in Path("requirements.txt").read_text().splitlines()}
    lines = [line for each in FUNCTIONS for line in imports(PYTORCH, source(each)).splitlines()]
    assert {re.split(r"[ .]", line)[1] for line in lines} <= brought


def test_wrong_axis_order_equals_einops() -> None:
    result = spellings_tab.make_example()
    scope: dict[str, object] = {}
    exec(imports(PYTORCH, source("einops")), scope)
    exec(source("einops").replace("(k h d)", "(d k h)"), scope)
    wrong = scope["einops"]
    assert callable(wrong)
    output = wrong(**inputs(result), n_head=2)
    ours = MULTI_HEAD_MISTAKES["(d k h) for (k h d)"].broken(
        result.module, result.tokens.query, attn_mask=result.mask
    )
    torch.testing.assert_close(ours.output, output, atol=1e-12, rtol=0)


def test_cost_counts_pairs_by_their_definitions() -> None:
    n = 16
    cells = [(i, j) for i in range(n) for j in range(n)]
    window = sum(abs(i - j) <= 4 for i, j in cells)
    local = sum(abs(i - j) <= 4 or not i or not j for i, j in cells)
    # Two blocks of 8: each row of blocks has its own and the one that is left to be drawn.
    wanted = [n * (n + 1) // 2, window, local, n * n]
    assert [*cost.pairs(n)] == wanted
    rows = cost.cost_table(n).splitlines()[2:]
    assert [numbers_in(row)[0] for row in rows] == [*wanted, sum(wanted), 4 * n * n]
    assert numbers_in(rows[1])[1:] == [pytest.approx(100 * window / n**2, abs=0.05), 2 * 64 * window]


def test_head_fits_pass_checks_and_the_program_prints_them() -> None:
    fits = one_or_many.fit_head_counts()
    assert all(check.passed for check in one_or_many.checks(fits))
    wrong = tuple(replace(fit, losses=fit.losses * 0.9999) for fit in fits)
    assert not any(check.passed for check in one_or_many.checks(wrong))
    errors = run_programs.run(one_or_many.program()).removeprefix("errors: ")
    theirs = torch.tensor(json.loads(errors), dtype=torch.float64)
    torch.testing.assert_close(fits[1].losses[-1], theirs, rtol=1e-6, atol=0)
    said = one_or_many.read_out(120, [float(fit.losses[-1].mean()) for fit in fits])
    assert numbers_in(said)[1] >= 0.5 > numbers_in(said)[3]


def test_one_or_many_view_has_counts_equal_to_numpy() -> None:
    result = Result(OWN, LOOK, 4)
    said = describe(result)
    entropies = []
    for seed in head_count_study.seeds(head_count_study.plain_setting(OWN)):
        module, x = Result(replace(OWN, seed=seed), LOOK, 4).module, result.tokens.query
        q, k = (
            F.linear(x, each.weight).reshape(6, 4, 2).transpose(0, 1) for each in (module.W_q, module.W_k)
        )
        weights = torch.softmax(q @ k.mT / math.sqrt(2), dim=-1)
        entropies.append(float(-(weights * weights.log()).sum(-1).mean()))
    # Four projections, and for 36 pairs a head 2 d_head + 5 + 2 d_head operations; five words differ.
    flops = f"{4 * 2 * 6 * 64 + 4 * 36 * (4 + 5 + 4):,}"
    assert messages_in(said, "parameters", count=4, flops=flops, entropy=f"{np.mean(entropies):.2f}", rank=2)
    assert messages_in(said, parameters=256, flops=f"{4 * 2 * 6 * 64 + 36 * (16 + 5 + 16):,}", rank=5)
    masked = replace(OWN, mask="causal", reach=3, d_head=5)
    assert head_count_study.plain_setting(masked) == OWN
    assert describe(Result(masked, LOOK, 7)) == said
    assert {
        len(head_count_study.seeds(head_count_study.plain_setting(replace(OWN, case=case))))
        for case in EXAMPLES
    } == {8, 3}
