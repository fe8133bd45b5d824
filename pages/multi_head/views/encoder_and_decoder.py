"""The view "encoder and decoder": one layer of each as boxes, with the shapes of the tensors between them."""

from collections.abc import Mapping
from types import MappingProxyType

from attn_figures import encoder_decoder as pictures
from attn_figures.encoder_decoder import Layers
from attn_figures.picture import Spec
from attn_ui.base.controls import Controls
from attn_ui.base.page import Cell
from attn_ui.base.parameters import Choice, Flag, Tabs
from attn_ui.base.shared_settings import CROSS
from attn_words import N_, _n
from pages.multi_head.compute import Result
from pages.multi_head.settings import CASE, EXAMPLES, HEADS_MASK, TAB, VIEW

# The settings that a click on each box changes, and their new values.
TARGET_OF_BOX: Mapping[str, tuple[tuple[Choice | Flag, str | bool], ...]] = MappingProxyType(
    {
        "self": ((CROSS, False), (HEADS_MASK, "none"), (VIEW, "diagram")),
        "masked": ((CROSS, False), (HEADS_MASK, "causal"), (VIEW, "every head")),
        "cross": ((CROSS, True), (HEADS_MASK, "none"), (VIEW, "every head")),
        "output": ((VIEW, "every head"),),
        **dict.fromkeys(("encoder words", "decoder words"), ((TAB, "Data"),)),
    }
)
BLOCK = ((TAB, "Block"),)  # for the boxes add & norm and feed-forward


ABOUT = N_(
    "The decoder has the first sentence, the encoder the second, or the same where there is none. In the "
    "masked self-attention no word attends to a later one; all attentions are drawn with W_o. A click on a "
    "box opens what shows it."
)


def open_box(controls: Controls, cell: Cell) -> None:
    """Set the controls to the kind of attention that a box stands for, or open its tab."""
    for setting, option in TARGET_OF_BOX.get(cell.trace, BLOCK):
        if setting is CROSS:
            case = controls.peek(CASE)
            # An example decides whether it has a second sentence.
            if case in EXAMPLES and (EXAMPLES[case].key is not EXAMPLES[case].query) != option:
                controls.answer(CASE, CASE.default)
        if isinstance(setting, Tabs):
            controls.write(setting, str(option))
        else:
            controls.answer(setting, option)


def picture(result: Result) -> Spec:
    """Draw the boxes."""
    return pictures.encoder_and_decoder(layers(result))


def layers(result: Result) -> Layers:
    """Return the sizes of an encoder layer and a decoder layer with the page's heads."""
    (n_decoder, d_decoder), (n_encoder, d_encoder) = result.tokens.query.shape, result.tokens.key.shape
    return Layers(n_encoder, d_encoder, n_decoder, d_decoder, result.n_head, result.module.d_head)


def describe(result: Result) -> str:
    """Say how many weights cross-attention has."""
    n_query, n_key = result.tokens.shape
    return _n(
        "Cross-attention: {count} head of {n_query} × {n_key} weights.",
        "Cross-attention: {count} heads of {n_query} × {n_key} weights.",
        result.n_head,
        n_query=n_query,
        n_key=n_key,
    )
