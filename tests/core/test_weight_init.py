"""How projections are drawn, against torch's own initialisers, and by moments and bounds."""

import math
from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn

from attn_core import GLOROT, INITS, MultiHeadAttention, SelfAttention, set_weights, weights_of

SIZES = [(3, 2), (5, 7), (16, 16), (31, 6)]


def by_torch(name: str, weight: Tensor, generator: torch.Generator) -> Tensor:
    d_in = weight.shape[1]
    own: dict[str, Callable[[], Tensor]] = {
        "Glorot uniform": lambda: nn.init.xavier_uniform_(weight, generator=generator),
        "scaled normal": lambda: nn.init.normal_(weight, std=1 / math.sqrt(d_in), generator=generator),
        "standard normal": lambda: nn.init.normal_(weight, generator=generator),
        "nn.Linear": lambda: nn.init.kaiming_uniform_(weight, a=math.sqrt(5), generator=generator),
    }
    return own[name]()


@pytest.mark.parametrize(("d_in", "d_out"), SIZES)
@pytest.mark.parametrize("name", INITS)
def test_init_equals_torch_from_the_same_generator(name: str, d_in: int, d_out: int) -> None:
    ours = INITS[name].draw(d_in, d_out, torch.Generator().manual_seed(11))
    theirs = by_torch(name, torch.empty(d_out, d_in, dtype=torch.float64), torch.Generator().manual_seed(11))
    torch.testing.assert_close(ours, theirs, rtol=1e-14, atol=1e-15)


@pytest.mark.parametrize(("d_in", "d_out"), SIZES)
def test_init_nn_linear_equals_module_with_bias(d_in: int, d_out: int) -> None:
    with torch.random.fork_rng():
        torch.manual_seed(5)
        theirs = [nn.Linear(d_in, d_out, dtype=torch.float64) for _ in "qkv"]
    ours = SelfAttention(d_in, d_out, d_out, bias=True, seed=5, dtype=torch.float64, init="nn.Linear")
    for linear, name in zip(theirs, ("W_q", "W_k", "W_v"), strict=True):
        torch.testing.assert_close(getattr(ours, name).weight, linear.weight, rtol=1e-14, atol=1e-15)
        torch.testing.assert_close(getattr(ours, name).bias, linear.bias, rtol=1e-14, atol=1e-15)


@pytest.mark.parametrize("name", INITS)
def test_init_std_equals_that_of_many_draws(name: str) -> None:
    d_in, d_out = 300, 500
    numbers = INITS[name].draw(d_in, d_out, torch.Generator().manual_seed(2))
    told = INITS[name].std(d_in, d_out)
    assert float(numbers.std()) == pytest.approx(told, rel=0.01)
    assert abs(float(numbers.mean())) < 0.01 * told
    kurtosis = float((numbers / told).pow(4).mean())
    assert kurtosis == pytest.approx(3.0 if INITS[name].is_normal else 1.8, rel=0.03)
    if not INITS[name].is_normal:
        assert float(numbers.abs().max()) == pytest.approx(math.sqrt(3) * told, rel=1e-3)
        assert float(numbers.abs().max()) <= math.sqrt(3) * told


def test_init_default_is_glorot() -> None:
    assert next(iter(INITS)) == GLOROT
    plain, named = SelfAttention(5, 3, seed=1), SelfAttention(5, 3, seed=1, init=GLOROT)
    assert torch.equal(plain.W_v.weight, named.W_v.weight)
    generator = torch.Generator().manual_seed(1)
    wanted = nn.init.xavier_uniform_(torch.empty(3, 5, dtype=torch.float64), generator=generator)
    torch.testing.assert_close(plain.W_q.weight, wanted.float())


@pytest.mark.parametrize("name", INITS)
def test_seed_gives_equal_maps_in_every_dtype(name: str) -> None:
    whole = MultiHeadAttention(6, 2, bias=False, seed=3, dtype=torch.float64, init=name)
    half = MultiHeadAttention(6, 3, bias=False, seed=3, init=name)
    single = SelfAttention(6, seed=3, dtype=torch.float64, init=name)
    assert torch.equal(whole.W_q.weight, single.W_q.weight)
    assert torch.equal(whole.W_v.weight.float(), half.W_v.weight)
    assert whole.W_o is not None
    assert not torch.equal(whole.W_o.weight, whole.W_q.weight)


def test_make_init_refuses_unknown_names() -> None:
    with pytest.raises(ValueError, match=r"init must be one of 'Glorot uniform', .*; got 'randn'"):
        SelfAttention(3, init="randn")


def test_weights_are_set_as_x_times_w_takes_them() -> None:
    module = MultiHeadAttention(4, 2, d_head=3, d_key=5, d_value=5, dtype=torch.float64)
    assert {name: tuple(each.shape) for name, each in weights_of(module).items()} == {
        "W_q": (4, 6),
        "W_k": (5, 6),
        "W_v": (5, 6),
        "W_o": (6, 4),
        "b_q": (6,),
        "b_k": (6,),
        "b_v": (6,),
        "b_o": (4,),
    }
    generator = torch.Generator().manual_seed(0)
    W_k = torch.randn(5, 6, generator=generator, dtype=torch.float64)
    b_k = torch.randn(6, generator=generator, dtype=torch.float64)
    memory = torch.randn(7, 5, generator=generator, dtype=torch.float64)
    before = weights_of(module)["W_q"].clone()
    set_weights(module, {"W_k": W_k, "b_k": b_k})
    torch.testing.assert_close(module.W_k(memory), memory @ W_k + b_k)
    assert torch.equal(weights_of(module)["W_q"], before)


def test_set_weights_refuses_other_shapes_and_sets_nothing() -> None:
    module = SelfAttention(3, 2, dtype=torch.float64)
    before = weights_of(module)["W_q"].clone()
    with pytest.raises(ValueError, match=r"W_k must have shape \(3, 2\), as X W takes it; got \(2, 3\)"):
        set_weights(module, {"W_q": torch.ones(3, 2), "W_k": torch.ones(2, 3)})
    assert torch.equal(weights_of(module)["W_q"], before)
    with pytest.raises(ValueError, match="must be one of W_q, W_k, W_v; got 'W_o'"):
        set_weights(module, {"W_o": torch.ones(2, 2)})
