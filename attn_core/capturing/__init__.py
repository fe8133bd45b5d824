"""Captures the attention weights of any PyTorch model while it runs, without changing what it computes."""

import warnings
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate
from typing import Any

import numpy as np
from torch import nn

from attn_core import _require
from attn_core.attention_maps import PARTS, AttentionMaps
from attn_core.capture_manifest import Manifest, ManifestEntry
from attn_core.capturing.run_contexts import as_if_uncaptured, watched_modules
from attn_core.capturing.sequence_choice import SequenceWeights, choose_sequence, tensors
from attn_core.capturing.watching import AttentionCall, Watch
from attn_core.encoder_decoder import CROSS, check_tokens, kinds_of
from attn_core.precision import coarsest, row_tolerance

_FUSED_BACKENDS = ("flash", "flex", "paged")  # their kernels pass no weights to torch's functions


def capture(
    model: nn.Module,
    /,
    *args: Any,
    tokens: Sequence[str] | None = None,
    decoder_tokens: Sequence[str] | None = None,
    sequence: int = 0,
    as_is: bool = False,
    heads_first: bool | None = None,
    method: str = "forward",
    **inputs: Any,
) -> AttentionMaps:
    """Run a model, and return the weights of every attention where it is computed.

    $$A = \\mathrm{softmax}(s\\,QK^\\top + B)$$

    from the very Q, K, scale s and mask B of each call of ``F.scaled_dot_product_attention``,
    ``F.multi_head_attention_forward`` and torch's fused encoder layers; and, where a model writes its
    attention out, the softmax that multiplies the values. ``args`` and ``inputs`` are passed to the model;
    ``sequence`` is the index of the sequence of a batch to keep. Where a model puts several sequences and
    their heads into one axis, ``heads_first`` sets its order, (head, sequence) or (sequence, head).

    Each map is (n_head, n_query, n_key), named after the module that computed it (``layers.0.self_attn``).
    A module that runs more than once has a map for each run (``layers.0.self_attn (2)``); a sequence of
    several windows or images has one for each (``..., part 2 of 4``), and a note. ``tokens`` label the
    positions, in an encoder-decoder those of the encoder, and ``decoder_tokens`` those of the decoder.

    ``method`` is the method to call, such as "generate". Steps that each process one more token, with a cache
    of keys, become the rows of one map, also in a hand-written loop (but not if layers attend to a window);
    the last token that is generated is never processed, and has no row.

    ``manifest`` of the result lists every attention that ran, what was kept, what was missed and why: linear
    attention has no such weights, a local band or a factor is no map of queries over keys, and ambiguous axes
    cannot be named. A UserWarning is issued where any was missed.

    Invariant: the model computes bit for bit what it computes without ``capture``, random numbers included,
    and keeps its hooks, mode and settings, also where it raises. It runs as in ``model.eval()``, without
    dropout, unless ``as_is``; the weights are then those before dropout. No gradients are kept. A model
    compiled by ``torch.compile`` runs uncompiled.

    Edge cases: the row of a query that may attend to nothing is zero. ``beyond`` holds the weight that a row
    leaves on no key (an attention sink).

    Raises ValueError for a model that is no module or runs no attention that can be captured; for flash or
    flex attention, whose weights never exist; for a sequence outside the batch; for beam search, in which
    sequences exchange caches; and where no side of any map is as long as the tokens. Errors of the model
    itself are passed on.

    >>> import torch
    >>> layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
    >>> maps = capture(nn.TransformerEncoder(layer, 3), torch.zeros(1, 4, 8), tokens="a b c d".split())
    >>> [(name, weights.shape) for name, weights in maps.maps.items()][0]
    ('layers.0.self_attn', (2, 4, 4))
    >>> maps.manifest.summary
    'all of 3 attentions kept'
    """
    sequence = _require.integer("sequence", sequence, least=0)
    if not isinstance(model, nn.Module):
        raise ValueError(f"model must be a torch.nn.Module; got {type(model).__name__}")
    model = getattr(model, "_orig_mod", model)  # the original of a compiled model
    _refuse_hidden(model)
    _refuse_beams(model, method, inputs)
    watch = Watch(model, replace(choose_sequence(model, sequence, args, inputs), heads_first=heads_first))
    with (
        watched_modules(watch.enter, watch.leave),
        as_if_uncaptured(model, watch, tensors((args, inputs)), as_is=as_is),
    ):
        (model if method == "forward" else getattr(model, method))(*args, **inputs)
    watch.finish()
    result = _NamedMaps(watch.calls, generates=method == "generate")
    if not result.maps:
        raise ValueError(_nothing(model, watch.calls, result.entries, sequence))
    words = {"tokens": tokens, "decoder_tokens": decoder_tokens}
    kinds = kinds_of(result.maps, has_decoder_tokens=decoder_tokens is not None)
    counts = {name: None if each is None else len(each) for name, each in words.items()}
    check_tokens(counts, {name: each.shape[1:] for name, each in result.maps.items()}, kinds)
    manifest = Manifest(tuple(result.entries))
    notes = [] if manifest.is_complete else [f"Captured in part: {manifest.summary}."]
    if notes:
        warnings.warn(f"{notes[0]} print(captured.manifest) tells of all.", UserWarning, stacklevel=2)
    notes += [PARTS] if any(", part " in name for name in result.maps) else []
    return AttentionMaps(
        result.maps,
        None if tokens is None else tuple(tokens),
        notes=tuple(notes),
        beyond=result.beyond,
        precision=coarsest(result.precisions.values()),
        manifest=manifest,
        decoder_tokens=None if decoder_tokens is None else tuple(decoder_tokens),
        kinds=kinds,
    )


class _NamedMaps:
    """The maps of the calls that could be read, each under a name of its own."""

    def __init__(self, calls: Sequence[AttentionCall], *, generates: bool) -> None:
        self.maps: dict[str, np.ndarray] = {}
        self.precisions: dict[str, str] = {}
        self.entries: list[ManifestEntry] = []
        times: dict[str, int] = {}
        alone = Counter(id(each.module) for each in calls if each.weights and each.weights.shared_by > 1)
        for each in calls:
            name, kind = each.name or "attention", type(each.module).__name__
            reason = each.reason or _one_by_one(each.weights, alone[id(each.module)])
            if reason:
                self.entries.append(ManifestEntry(name, kind, each.computed_by, each.shape, reason=reason))
                continue
            times[name] = times.get(name, 0) + 1
            map_name = f"{name} ({times[name]})" if times[name] > 1 else name
            names = tuple(self._keep(map_name, each.weights))
            self.entries.append(ManifestEntry(name, kind, each.computed_by, each.weights.shape, names))
        self._join_steps(times, generates)

    def _join_steps(self, times: Mapping[str, int], generates: bool) -> None:
        """Join the maps of steps over all keys; a step has the keys cached so far, or a window's latest."""
        several = {name: [name, *(f"{name} ({run})" for run in range(2, n + 1))] for name, n in times.items()}
        sides = {
            name: [self.maps[step].shape[1:] for step in steps]
            for name, steps in several.items()
            if len(steps) > 1 and all(step in self.maps for step in steps)
        }
        ends = {name: list(accumulate(n_query for n_query, _n_key in each)) for name, each in sides.items()}
        growing, cross, kinds = dict[str, int](), dict[str, int](), kinds_of(sides)
        for name, (first, *later) in ends.items():
            n_keys = [n_key for _n_query, n_key in sides[name]]
            most = n_keys[-1] if generates and n_keys[-1] > 1 else later[-1]
            if kinds.get(name) == CROSS and len({*n_keys}) == 1:
                cross[name] = n_keys[0]
            elif n_keys == [first, *(min(end, most) for end in later)]:
                growing[name] = later[-1]
        for name, width in (growing | (cross if growing else {})).items():
            parts = [self.maps[name], *(self.maps.pop(step) for step in several[name][1:])]
            self.maps[name] = np.zeros((len(parts[0]), ends[name][-1], width), parts[0].dtype)
            for part, end in zip(parts, ends[name], strict=True):
                last = end if name in growing else width
                self.maps[name][:, end - part.shape[1] : end, last - part.shape[2] : last] = part
            for at, each in enumerate(self.entries):
                if each.maps and each.module == name:
                    self.entries[at] = replace(each, maps=(name,))

    def _keep(self, name: str, of: SequenceWeights) -> Iterator[str]:
        for part, weights in enumerate(of.parts, start=1):
            full = name if len(of.parts) == 1 else f"{name}, part {part} of {len(of.parts)}"
            self.maps[full] = weights
            self.precisions[full] = of.precision
            yield full

    @property
    def beyond(self) -> dict[str, np.ndarray]:
        """The weight of each row on no key, for the maps that have such weight."""
        outside = {name: 1 - weights.sum(axis=-1, dtype=np.float64) for name, weights in self.maps.items()}
        return {
            name: np.where(each == 1, 0, each).clip(0).astype(np.float32)  # 1: a row of zeros
            for name, each in outside.items()
            if each[each < 1].max(initial=0) > row_tolerance(self.precisions[name], self.maps[name].shape[-1])
        }


def _one_by_one(weights: SequenceWeights, runs: int) -> str:
    """Return why the maps cannot be assigned to a sequence of the batch; empty where they can."""
    if runs < 2 or weights.shared_by < 2 or runs % weights.shared_by:
        return ""
    return f"runs for one sequence at a time, {runs} times for {weights.shared_by}: capture each alone"


def _refuse_hidden(model: nn.Module) -> None:
    for name, module in model.named_modules():
        backend = getattr(getattr(module, "config", None), "_attn_implementation", None) or ""
        if any(kernel in backend for kernel in _FUSED_BACKENDS):
            where = f"{name} ({type(module).__name__})" if name else type(module).__name__
            raise ValueError(
                "model must compute its attention by torch, whose weights can be taken; "
                f"got {backend} in {where}: call model.set_attn_implementation('sdpa') first"
            )


def _refuse_beams(model: nn.Module, method: str, inputs: Mapping[str, Any]) -> None:
    config = inputs.get("generation_config", getattr(model, "generation_config", None))
    beams = inputs.get("num_beams") or getattr(config, "num_beams", None) or 1
    if method == "generate" and beams > 1:
        raise ValueError(f"num_beams must be 1, for beams trade their keys from step to step; got {beams}")


def _nothing(
    model: nn.Module, calls: Sequence[AttentionCall], entries: Sequence[ManifestEntry], sequence: int
) -> str:
    """Return the message of the error where a model has no map at all."""
    short = [each.outside for each in calls if each.outside]
    if short:
        return f"sequence must be one of the batch, from 0 to {max(short) - 1}; got {sequence}"
    reasons = [f"{each.name or 'the model'} {one.reason}" for each, one in zip(calls, entries, strict=True)]
    more = f", and {len(reasons) - 1} more" if len(reasons) > 1 else ""
    why = f": {reasons[0]}{more}" if reasons else ""
    return (
        "model must run an attention of torch (F.scaled_dot_product_attention, nn.MultiheadAttention) or a "
        f"softmax that multiplies values; got {type(model).__name__}, which ran none that can be seen{why}"
    )
