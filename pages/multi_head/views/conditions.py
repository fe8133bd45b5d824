"""What positions, a mask and a temperature do to the maps, said under every view of them."""

import numpy as np

from attn_ui.frame import coloured, plain
from pages.multi_head import words
from pages.multi_head.numbers import Now, allowed, one_length
from pages.multi_head.settings import A_PATTERN_A_HEAD


def conditions(now: Now) -> list[str]:
    """Return a sentence for each of them that is set."""
    said = []
    setting = now.setting
    if setting.temperature != 1.0:
        said.append(words.temperature(setting.temperature))
    may = allowed(setting, now.n_head)
    if may is not None:
        each = np.asarray(may.expand(now.n_head, *may.shape[-2:]))
        kinds = list(setting.kinds) if setting.mask == A_PATTERN_A_HEAD else []
        said.append(words.pairs(int(each.sum()), each.size, kinds, now.n_head))
    if now.scheme.adds != "nothing":
        change = now.result.weights - now.unplaced.result.weights
        head, query, key = np.unravel_index(int(change.abs().argmax()), change.shape)
        said.append(
            words.placed(
                setting.positions.name,
                setting.positions.strength,
                f"head {head + 1}, {coloured('query', now.tokens.queries[query])} to "
                f"{coloured('key', now.tokens.keys[key])}",
                float(now.unplaced.result.weights[head, query, key]),
                float(now.result.weights[head, query, key]),
            )
        )
    return said


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
            f"Queries and keys are different sequences: {setting.positions.name} compares their places, each "
            "counted from its own start."
        )
    return said
