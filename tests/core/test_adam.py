"""Our steps of Adam are those of `torch.optim.Adam`, and bring nothing of torch's compiler with them."""

import subprocess
import sys

import pytest
import torch
from torch import Tensor

from attn_core._adam import Adam


def _start() -> tuple[Tensor, Tensor]:
    generator = torch.Generator().manual_seed(3)
    first, second = (torch.randn(shape, generator=generator) for shape in ((4, 3), (3,)))
    return first.requires_grad_(), second.requires_grad_()


def _loss(first: Tensor, second: Tensor) -> Tensor:
    return (torch.tanh(first @ second) - 0.3).square().sum() + first.abs().sum() / 100


def test_adam_step_equals_torch_bit_for_bit() -> None:
    ours, theirs = _start(), _start()
    adam = Adam((ours[:1], 0.05), (ours[1:], 0.01))
    torchs = torch.optim.Adam([{"params": theirs[:1], "lr": 0.05}, {"params": theirs[1:], "lr": 0.01}])
    began = [each.detach().clone() for each in ours]
    for _ in range(50):
        adam.step(_loss(*ours))
        torchs.zero_grad()
        _loss(*theirs).backward()
        torchs.step()
        assert all(torch.equal(mine, its) for mine, its in zip(ours, theirs, strict=True))
    assert not any(torch.equal(before, result) for before, result in zip(began, ours, strict=True))


@pytest.mark.slow
def test_fit_and_training_import_no_compiler() -> None:
    asked = (
        "import sys, attn_core as a, attn_core.toys.training_loop as t\n"
        "a.fit_heads(2, seeds=[0], steps=2); t.train(t.Recipe('copy', steps=2), checkpoints=2)\n"
        "print([name for name in ('torch._dynamo', 'sympy') if name in sys.modules])"
    )
    said = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True)
    assert said.stdout.strip() == "[]"
