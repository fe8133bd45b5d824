"""What positions, a mask and a temperature do to the maps, said under every view of them."""

from dataclasses import replace

import numpy as np

from attn_core import entropy
from attn_figures.ties import largest
from attn_ui.base.markdown import coloured, plain
from attn_ui.base.parameters import shown
from attn_words import _
from pages.multi_head import words
from pages.multi_head.compute import Now, allowed, mean_of_rows, one_length
from pages.multi_head.settings import POSITIONS

ROUNDING = 1e-12  # nats by which an entropy changes without a reason


def conditions(now: Now) -> list[str]:
    """Return a sentence for each of them that is set."""
    said = []
    setting = now.setting
    if setting.temperature != 1.0:
        biased = now.scheme.adds == "bias" and setting.positions.strength != 0
        said.append(words.temperature(setting.temperature, _changed_rows(now) if biased else None))
    may = allowed(setting, now.n_head)
    if may is not None:
        kinds = list(setting.kinds) if may.ndim > 2 else []
        each = may.expand(now.n_head, *may.shape[-2:])
        said.append(words.pairs(int(each.sum()), each.numel(), kinds, now.n_head))
    if now.scheme.adds != "nothing":
        change = now.result.weights - now.unplaced.result.weights
        most, *ties = largest(change.abs().numpy())
        head, query, key = np.unravel_index(most, change.shape)
        said.append(
            words.placed(
                setting.positions.name,
                setting.positions.strength,
                _(
                    "head {head}, {query} to {key}",
                    head=head + 1,
                    query=coloured("query", now.tokens.queries[query]),
                    key=coloured("key", now.tokens.keys[key]),
                ),
                float(now.unplaced.result.weights[head, query, key]),
                float(now.result.weights[head, query, key]),
                n_tied=len(ties),
            )
        )
    if setting.positions.name == "ramp" and now.tokens.shape[1] > 1:
        maps = now.result.weights, now.unplaced.result.weights
        placed, bare = (mean_of_rows(each[..., -1], each).tolist() for each in maps)
        said.append(words.last_key(coloured("key", now.tokens.keys[-1]), placed, bare, "ramp"))
    return said


def _changed_rows(now: Now) -> tuple[int, int, int]:
    """Count the rows that the temperature makes sharper, those that it makes flatter, and all."""
    at_one = replace(now, setting=replace(now.setting, temperature=1.0)).result.weights
    change = entropy(now.result.weights) - entropy(at_one)
    return int((change < -ROUNDING).sum()), int((change > ROUNDING).sum()), change.numel()


def notes_on(now: Now) -> list[str]:
    """Return what a newcomer may stumble over in masks, widths and places."""
    setting, sizes = now.setting, now.tokens.shape
    unfit = next((kind for kind in setting.kinds if one_length(kind)), "")
    said = words.notes(
        setting.mask, setting.reach, sizes, (now.module.d_model, now.module.d_key), unfit=unfit
    )
    may = allowed(setting, now.n_head)
    if may is not None and setting.mask != "padding":
        rows = may.any(dim=-1)
        some = rows if rows.ndim == 1 else rows.all(dim=0)
        empty = [plain(now.tokens.queries[row]) for row in (~some).nonzero().flatten().tolist()]
        if empty:
            said.append(words.empty_rows(empty, sizes[0]))
    if now.scheme.adds in ("rotation", "bias") and not now.is_self_attention:
        said.append(
            _(
                "Queries and keys are different sequences: {scheme} compares their places, each counted from "
                "its own start.",
                scheme=shown(POSITIONS, setting.positions.name),
            )
        )
    return said
