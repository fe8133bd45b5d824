"""All terms of the glossary, by group."""

from attn_ui.base.term import Term
from pages.glossary.terms import (
    attention,
    cost,
    heads,
    kernel_regression,
    masks,
    positions,
    symbols,
    training,
)

TERMS: dict[str, tuple[Term, ...]] = {
    "attention": attention.TERMS,
    "masks": masks.TERMS,
    "positions": positions.TERMS,
    "heads": heads.TERMS,
    "kernel regression": kernel_regression.TERMS,
    "training": training.TERMS,
    "cost": cost.TERMS,
    "symbols": symbols.TERMS,
}
