"""Weights against the effect of blocking a key: held against models without that token, and plain ranks."""

import pytest
import torch
from torch.nn import functional as F

from attn_core.claims import agreement, blocking_effects, explanation_by_training, nearest_checkpoint
from attn_core.claims.explanation_trained import DECIMALS
from attn_core.toys import TASKS, packaged_run


def test_effects_in_one_layer_equal_model_without_token() -> None:
    """Take the token out of the sequence: with one layer nothing else can tell of it."""
    run = packaged_run("sort")
    model = run.model(nearest_checkpoint(run, 0.3)).double()
    tokens = run.recipe.held_out(3)
    maps, effects = blocking_effects(model, tokens)
    state = {name: each.detach() for name, each in model.named_parameters()}
    n = tokens.shape[1]

    def predict(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        normed = F.layer_norm(x, x.shape[-1:], state["norms.0.weight"], state["norms.0.bias"])
        q, k, v = (normed @ state[f"attention.0.W_{letter}.weight"].T for letter in "qkv")
        weights = F.softmax((q @ k.T / q.shape[1] ** 0.5 + torch.full((len(x),) * 2, -torch.inf).triu(1)), -1)
        return weights, F.softmax(weights @ v @ state["attention.0.W_o.weight"].T @ state["readout"].T, -1)

    for at, row in enumerate(tokens):
        x = state["embedding"][row] + model.positions
        weights, whole = predict(x)
        torch.testing.assert_close(maps[at, 0], weights, atol=1e-12, rtol=0)
        for away in range(n):
            rest = [each for each in range(n) if each != away]
            moved = (predict(x[rest])[1] - whole[rest]).abs().sum(dim=-1) / 2
            torch.testing.assert_close(effects[at, rest, away], moved, atol=2 * 10.0**-DECIMALS, rtol=0)


def test_effects_in_two_layers_include_the_first() -> None:
    """The last layer looks at one place alone; the token before it counts as well, for a layer copied it."""
    run = packaged_run("induction")
    model = run.model(len(run.checkpoints) - 1).double()
    tokens = TASKS["induction"].tokens("abcdefgabc")[None]
    maps, effects = blocking_effects(model, tokens)
    assert not bool(effects.triu(1).any())  # a later token has no effect
    # At the last "c", the "d" after the first "c" is the answer, whose first layer saw "c".
    row = effects[0, -1, :-1]
    assert {*row.topk(2).indices.tolist()} == {2, 3}
    assert row[2] > 0.1
    assert maps[0, -1, -1, 2] < 0.1


def test_agreement_is_that_of_plain_ranks() -> None:
    generator = torch.Generator().manual_seed(3)
    weights, effects = torch.rand(2, 4, 7, 7, generator=generator, dtype=torch.float64)
    effects[:, :, 2] = effects[:, :, 1]  # equal ones share a rank
    asked = torch.rand(4, 7, generator=generator) < 0.7
    asked[3] = False
    for causal in (True, False):
        order, first = agreement(weights, effects, asked, causal=causal)
        for at in range(4):
            orders, firsts = [], []
            for place in range(7):
                others = [k for k in range(7) if (k < place if causal else k != place)]
                if not asked[at, place] or len(others) < 4:
                    continue
                w, e = (each[at, place, others].tolist() for each in (weights, effects))
                ranks = [[sum(b < a for b in x) + sum(b == a for b in x) / 2 for a in x] for x in (w, e)]
                orders.append(float(torch.corrcoef(torch.tensor(ranks, dtype=torch.float64))[0, 1]))
                firsts.append(float(w.index(max(w)) == e.index(max(e))))
            if not orders:
                assert order[at].isnan()
                assert first[at].isnan()
                continue
            assert float(order[at]) == pytest.approx(sum(orders) / len(orders), abs=1e-12)
            assert float(first[at]) == pytest.approx(sum(firsts) / len(firsts), abs=1e-12)


def test_nearest_checkpoint_is_nearest() -> None:
    run = packaged_run("induction")
    steps = [each.step for each in run.checkpoints]
    for share in (0.0, 0.05, 0.33, 1.0):
        chosen = run.checkpoints[nearest_checkpoint(run, share)].step
        assert abs(chosen - share * 1000) == min(abs(step - share * 1000) for step in steps)


def test_same_first_rises_with_training() -> None:
    study = explanation_by_training([0, 100])
    for task in ("previous token", "reverse", "sort"):
        before, after = (study.at("same first", task, at).mean() for at in (0, 100))
        assert before < 0.8
        assert after > 0.9
    assert study.at("rank correlation", "induction, last layer", 100).mean() < 0.5


@pytest.mark.parametrize("share", [-1, 101, float("nan")])
def test_explanation_refuses_shares_outside_0_to_100(share: float) -> None:
    with pytest.raises(ValueError, match="from 0 to 100"):
        explanation_by_training([share])
