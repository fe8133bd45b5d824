"""Contexts in which a model runs as it would without the capture: no hook is put on the model itself."""

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from threading import get_ident
from typing import Any

import torch
from torch import nn
from torch.nn.modules import module as all_modules
from torch.overrides import TorchFunctionMode

from attn_core.capturing.torch_inside import fast_paths


@contextmanager
def watched_modules(
    enter: Callable[[nn.Module], None], leave: Callable[[nn.Module, Any], None]
) -> Iterator[None]:
    """Call ``enter`` and ``leave`` for each module that starts and ends in this thread.

    The hooks are torch's global ones: a hook on one module would stay in its copies, and would make
    ``nn.TransformerEncoderLayer`` take another code path.
    """
    mine = get_ident()

    def before(module: nn.Module, args: Any) -> None:
        if get_ident() == mine:
            enter(module)

    def after(module: nn.Module, args: Any, output: Any) -> None:
        if get_ident() == mine:
            leave(module, output)

    hooks = (
        all_modules.register_module_forward_pre_hook(before),
        all_modules.register_module_forward_hook(after, always_call=True),  # also where the model raises
    )
    try:
        yield
    finally:
        for hook in hooks:
            hook.remove()


@contextmanager
def in_eval_mode(model: nn.Module) -> Iterator[None]:
    """Put a model into eval mode, and restore the mode of each module afterwards."""
    modes = [(module, module.training) for module in model.modules()]
    try:
        try:
            model.eval()
        except NotImplementedError as error:  # an exported module has one mode
            raise ValueError(
                f"model must be a module that can be put into eval mode; {type(model).__name__} refuses, as "
                "what torch.export made does: capture the module that was exported"
            ) from error
        yield
    finally:
        for module, training in modes:
            module.training = training


@contextmanager
def as_if_uncaptured(
    model: nn.Module, mode: TorchFunctionMode, inputs: Any, *, as_is: bool
) -> Iterator[None]:
    """Disable gradients and enable a mode, while torch takes the same code paths as without both."""
    learns = any(parameter.requires_grad for parameter in model.parameters())
    learns = learns or any(isinstance(each, torch.Tensor) and each.requires_grad for each in inputs)
    is_fast = not (torch.is_grad_enabled() and learns)
    with ExitStack() as stack:
        stack.enter_context(torch.no_grad())
        if "torch._dynamo" in sys.modules:  # compiled code runs uncompiled
            stack.enter_context(torch.compiler.set_stance("force_eager"))
        if not as_is:
            stack.enter_context(in_eval_mode(model))
        if is_fast:
            stack.enter_context(fast_paths(mode))
        stack.enter_context(mode)
        yield
