"""A step's operations and bytes against what a step itself multiplies and holds."""

import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

from attn_core import KVCache, MultiHeadAttention, decode_step
from attn_core.roofline import DEVICES, step_cost


@pytest.mark.parametrize(("keys", "texts"), [(1, 1), (7, 1), (13, 5)])
def test_a_step_is_counted_as_it_runs(keys: int, texts: int) -> None:
    module = MultiHeadAttention(12, 3, bias=False).requires_grad_(False)
    cache = KVCache(torch.zeros(texts, 3, keys - 1, 4), torch.zeros(texts, 3, keys - 1, 4))
    with FlopCounterMode(display=False) as counter:
        _, cache = decode_step(module, torch.ones(texts, 1, 12), cache if keys > 1 else None)
    cost = step_cost(keys, 12, 3, 4, texts=texts)
    softmax = texts * 3 * keys * 5  # the counter counts products alone
    assert cost.flops - softmax == counter.get_total_flops()
    held = 2 * sum(each.numel() for each in module.parameters())
    assert (cost.weight_bytes, cost.cache_bytes) == (held, 2 * cache.numbers)
    assert cost.intensity == pytest.approx(cost.flops / (held + 2 * cache.numbers))


def test_a_roof_has_its_ridge_where_memory_and_operations_meet() -> None:
    for device in DEVICES.values():
        assert device.attainable(device.ridge) == pytest.approx(device.flops)
        assert device.attainable(device.ridge / 2) == pytest.approx(device.flops / 2)
        assert device.attainable(device.ridge * 2) == device.flops


def test_texts_share_the_weights_and_not_the_cache() -> None:
    one, many = step_cost(64, 32, 2, 16), step_cost(64, 32, 2, 16, texts=512)
    assert many.intensity > one.intensity
    assert step_cost(8, 32, 2, 16, texts=512).intensity > many.intensity
