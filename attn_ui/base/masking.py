"""The controls that a mask needs beside its width; and cells that a click blocks."""

from collections.abc import Collection, Sequence
from typing import Any

from attn_ui.base.controls import Controls
from attn_ui.base.parameters import Choice, label_of, tab_name
from attn_ui.base.shared_settings import BLOCKED, DILATION, GLOBAL_TOKENS, RANDOM_BLOCKS
from attn_ui.base.terms import general
from attn_words import _


def describe_mask(setting: Choice, kinds: Sequence[str]) -> str:
    """Name the mask for the caption of a saved picture; "" for none.

    Args:
        setting: the choice of a mask; kinds: the chosen mask, or one for each head.
    """
    if not any(kind != "none" for kind in kinds):
        return ""
    masks = ", ".join(label_of(setting, each) for each in kinds)
    return _("masks, head by head: {masks}", masks=masks) if len(kinds) > 1 else _("mask: {mask}", mask=masks)


def explain_mask(kind: str) -> str | None:
    """Return the glossary's sentence on a kind of mask; None if it has none."""
    for term in general():
        if kind in term.also or f"{term.name} ".lower().startswith(f"{kind} "):
            return _(term.definition)
    return None


def read_details(controls: Controls, kinds: Collection[str], *, blocks_in: str) -> dict[str, Any]:
    """Read the settings that these kinds of masks need; return them as fields of `attn_core.Masking`.

    Args:
        controls: those of the page.
        kinds: the kinds of mask that are in use.
        blocks_in: the map in which a click blocks a cell, translated: "the scaled map".
    """
    details: dict[str, Any] = {}
    if "dilated" in kinds:
        details["dilation"] = controls.whole(DILATION, _("Places between neighbours"))
    if "global + local" in kinds:
        details["global_tokens"] = controls.whole(GLOBAL_TOKENS, _("Global tokens, from the first"))
    if "block-sparse" in kinds:
        details["random_blocks"] = controls.whole(RANDOM_BLOCKS, _("Random blocks a row"))
    if "own" in kinds:
        details["blocked_cells"] = tuple(sorted(BLOCKED.cells(controls.text(BLOCKED))))
        controls.caption(
            _(
                ":material/touch_app: Click a cell of {map} to block or free it, or choose it under *{tab}*.",
                map=blocks_in,
                tab=tab_name("Arithmetic"),
            )
        )
        controls.button(
            _("Free all cells"), lambda: controls.write(BLOCKED, ""), disabled=not details["blocked_cells"]
        )
    return details


def toggle_cell(controls: Controls, query: int, key: int) -> None:
    """Block a cell of the visitor's own mask; free it if it is blocked."""
    controls.write(BLOCKED, BLOCKED.text(BLOCKED.cells(controls.text(BLOCKED)) ^ {(query, key)}))
