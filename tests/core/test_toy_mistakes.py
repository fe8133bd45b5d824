"""Mistakes made with trained models: each against the same written out on the checkpoint's numbers."""

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import pytest
import torch
from einops import rearrange
from torch import Tensor
from torch.nn import functional as F

from attn_core import MultiHeadAttention, causal_mask
from attn_core.toys import SHIPPED, TASKS, TOY_MISTAKES, Recipe, Run, ToyModel, evaluate, packaged_run
from attn_core.toys.mistakes import weights_not_transposed

RANDOM = replace(Recipe.usual("copy"), layers=2, heads=4, seed=5)


def run_of(recipe: Recipe) -> Run:
    return packaged_run(recipe.task, positions=recipe.positions)


def ways_of(name: str) -> dict[str, Any]:
    """Return how a mistake attends, and from where it counts places."""
    broken = TOY_MISTAKES[name].broken
    assert isinstance(broken, partial)
    return broken.keywords


def split_heads(x: Tensor, heads: int) -> Tensor:
    return rearrange(x, "b n (h d) -> b h n d", h=heads)


def one_layer(
    x: Tensor, matrices: Sequence[Tensor], *, heads: int, causal: bool, name: str
) -> tuple[Tensor, Tensor]:
    """Return the maps of a layer and what it writes, with a mistake written out in torch's own operations."""
    w_q, w_k, w_v, w_o = matrices
    n, width = x.shape[1:]
    scale = math.sqrt(width if name == "√d_model for √d_head" else width / heads)
    may = torch.ones(n, n).tril(-1 if name == "own key not yet cached" else 0) > 0
    if name == "mask forgotten" or not causal:
        may = torch.ones(n, n) > 0
    if name == "one W for all heads":
        w_q, w_k, w_v = (w[: width // heads].repeat(heads, 1) for w in (w_q, w_k, w_v))
    if name == "heads in another order":
        w_q, w_k = (torch.cat(w.chunk(heads)[::-1]) for w in (w_q, w_k))
    if name == "W not transposed":
        w_q, w_k, w_v, w_o = (w.T for w in (w_q, w_k, w_v, w_o))
    q, k, v = (split_heads(F.linear(x, w), heads) for w in (w_q, w_k, w_v))
    if name == "(d k h) for (k h d)":
        fused = F.linear(x, torch.cat([w_q, w_k, w_v]))
        q, k, v = rearrange(fused, "b n (d k h) -> k b h n d", k=3, h=heads)
    scores = torch.einsum("bhid,bhjd->bhij", q, k) / scale
    weights = scores.masked_fill(~may, -1e30).softmax(dim=-1) * may
    found = torch.einsum("bhij,bhjd->bhid", weights, v)
    joined = rearrange(found, "b h n d -> b n (h d)")
    if name == "merge without transpose":
        joined = found.reshape(joined.shape)
    return weights, F.linear(joined, w_o)


def by_hand(model: ToyModel, heads: int, tokens: Tensor, name: str) -> tuple[Tensor, Tensor]:
    """Return maps and logits of sequences (n_sequence, n) through a model with a mistake."""
    state, n = model.state_dict(), tokens.shape[1]
    width = state["embedding"].shape[1]
    first = 1 if name == "places from one" else 0
    places = torch.zeros(n, width)
    if bool(model.positions.any()):
        for row in range(n):
            for column in range(width):
                angle = (row + first) / 100 ** (2 * (column // 2) / width)
                places[row, column] = math.cos(angle) if column % 2 else math.sin(angle)
    start = x = state["embedding"][tokens] + places
    maps = []
    for layer in range(len(model.attention)):
        norm = F.layer_norm(x, (width,), state[f"norms.{layer}.weight"], state[f"norms.{layer}.bias"])
        matrices = [state[f"attention.{layer}.W_{part}.weight"] for part in "qkvo"]
        weights, written = one_layer(norm, matrices, heads=heads, causal=model.causal, name=name)
        maps.append(weights)
        x = x + written
    return torch.cat(maps, dim=1), (x - start) @ state["readout"].T


@pytest.mark.parametrize("name", TOY_MISTAKES)
def test_toy_mistakes_equal_torch_operations(name: str) -> None:
    models = [(recipe, run_of(recipe).model(at)) for recipe in SHIPPED for at in (0, -1)]
    for recipe, model in [*models, (RANDOM, RANDOM.model())]:
        tokens = recipe.held_out(6)
        if name == "own key not yet cached" and not model.causal:
            continue  # nothing is written symbol by symbol
        with torch.no_grad():
            found = model(tokens, **ways_of(name))
            weights, logits = by_hand(model, recipe.heads, tokens, name)
        torch.testing.assert_close(found.weights, weights, atol=1e-4, rtol=1e-4)
        size = float(logits.abs().max())
        torch.testing.assert_close(found.logits / size, logits / size, atol=1e-4, rtol=0.0)


@pytest.mark.parametrize("name", TOY_MISTAKES)
def test_accuracy_is_measured_with_the_mistake(name: str) -> None:
    recipe = Recipe.usual("induction")
    task, model, tokens = TASKS["induction"], packaged_run("induction").model(-1), recipe.held_out(40)
    judged = evaluate(model, task, tokens, **ways_of(name))
    with torch.no_grad():
        _, logits = by_hand(model, recipe.heads, tokens, name)
    answers = task.answers(tokens)
    losses, right = [], []
    for row, column in (answers >= 0).nonzero().tolist():
        said, answer = logits[row, column], int(answers[row, column])
        losses.append(float(said.logsumexp(dim=0) - said[answer]))
        right.append(int(said.argmax()) == answer)
    assert judged.accuracy == pytest.approx(sum(right) / len(right), abs=2e-3)
    assert judged.loss == pytest.approx(sum(losses) / len(losses), rel=1e-3, abs=1e-5)


def test_cost_of_mistakes_depends_on_the_task() -> None:
    def right(task: str, name: str, *, positions: bool = True) -> float:
        recipe = replace(Recipe.usual(task), positions=positions)
        model = run_of(recipe).model(-1)
        tokens = recipe.held_out()
        return evaluate(model, TASKS[task], tokens, **ways_of(name)).accuracy

    # Places themselves, for which a sequence is mirrored, against distances.
    assert right("reverse", "places from one") < 0.2
    assert right("copy", "places from one") > 0.95
    # Who looks at its own place, and who never does.
    assert right("copy", "own key not yet cached") < 0.5
    assert right("previous token", "own key not yet cached") > 0.95
    # Order known by the mask alone.
    assert right("induction", "mask forgotten") > 0.95
    assert right("induction", "mask forgotten", positions=False) < 0.5
    assert right("induction", "merge without transpose") < 0.5


def test_weights_not_transposed_refuses_weights_that_are_not_square() -> None:
    x = torch.ones(3, 8)
    wide = MultiHeadAttention(8, 2, d_head=3, bias=False)
    with pytest.raises(ValueError, match=r"four weights \(8, 8\) and no biases; got {'W_q.weight': \(6, 8\)"):
        weights_not_transposed(wide, x)
    with pytest.raises(ValueError, match="no biases"):
        weights_not_transposed(MultiHeadAttention(8, 2), x)
    module = MultiHeadAttention(8, 2, bias=False)
    found = weights_not_transposed(module, x, causal_mask(3))
    torch.testing.assert_close(found.contributions.sum(dim=-3), found.output)


def test_start_shifts_the_places() -> None:
    model = Recipe.usual("copy").model()
    tokens = torch.tensor([3, 1, 4, 1, 5])
    with torch.no_grad():
        longer = model(torch.tensor([0, 0, 3, 1, 4, 1, 5])).layers[0].query
        torch.testing.assert_close(model(tokens, start=2).layers[0].query, longer[:, 2:])
        assert model(torch.zeros(12, dtype=torch.long), start=1).logits.isfinite().all()
    with pytest.raises(ValueError, match="start must be a whole number >= 0; got -1"):
        model(tokens, start=-1)
