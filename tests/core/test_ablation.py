"""Each key left out in turn, against a loop over torch's own masked attention."""

import torch
import torch.nn.functional as F

from attn_core import causal_mask
from attn_core.ablation import ablate_keys


def test_ablate_keys_equals_masked_calls_of_torch() -> None:
    generator = torch.Generator().manual_seed(5)
    query, key, value = (torch.randn(6, 4, generator=generator, dtype=torch.float64) for _ in range(3))
    for mask in (None, causal_mask(6), torch.rand(6, 6, generator=generator) > 0.4):
        found = ablate_keys(query, key, value, mask, scale=0.7, temperature=0.5)
        may = torch.ones(6, 6, dtype=torch.bool) if mask is None else mask
        whole = F.scaled_dot_product_attention(query, key, value, attn_mask=may, scale=1.4).nan_to_num()
        for left_out in range(6):
            less = may.clone()
            less[:, left_out] = False
            output = F.scaled_dot_product_attention(query, key, value, attn_mask=less, scale=1.4).nan_to_num()
            weights = F.scaled_dot_product_attention(
                query, key, torch.eye(6, dtype=torch.float64), attn_mask=less, scale=1.4
            ).nan_to_num()
            torch.testing.assert_close(found.output[left_out], output, rtol=0, atol=1e-12)
            torch.testing.assert_close(found.weights[left_out], weights, rtol=0, atol=1e-12)
            distance = (output - whole).norm(dim=-1)
            torch.testing.assert_close(found.output_change[left_out], distance, rtol=0, atol=1e-12)


def test_ablate_keys_moves_removed_weight_to_other_keys() -> None:
    x = torch.eye(3, dtype=torch.float64)
    found = ablate_keys(x, x, x, causal_mask(3))
    gained = (found.weights - found.full.weights).clamp(min=0).sum(dim=-1)
    assert found.empty.tolist() == [[True, False, False], [False] * 3, [False] * 3]
    torch.testing.assert_close(gained[~found.empty], found.full.weights.mT[~found.empty], rtol=0, atol=1e-15)
    assert found.output[0, 0].tolist() == [0.0, 0.0, 0.0]
    assert found.output_change[0, 0].item() == 1.0
