"""A field for a sentence; a note beside it explains what is not drawn, and the typed text is kept."""

from collections.abc import Callable, Sequence

from attn_ui.base.controls import Controls
from attn_ui.base.markdown import plain
from attn_ui.base.parameters import Text
from attn_words import N_, _

CUT = {
    "": "",
    "spaces": N_("Chinese is cut at its spaces."),
    "characters": N_(
        "Each Chinese or Japanese character is a token. Spaces between Chinese words cut otherwise."
    ),
    "jieba": N_("Chinese words are found by jieba. Spaces between them cut otherwise."),
}
"""The note for each result of `attn_core.how_cut`."""


def read_sentence(
    controls: Controls,
    setting: Text,
    label: str,
    *,
    tokenize: Callable[[str], Sequence[str]],
    most: int,
    how_cut: Callable[[str], str] | None = None,
) -> str:
    """Read a sentence; while it has no token, return the default of the setting.

    Args:
        controls: those of the page.
        setting: of the text.
        label: of the field.
        tokenize: returns the tokens of a sentence.
        most: how many tokens are drawn.
        how_cut: returns how words without spaces between them are separated, a key of `CUT`.
    """
    text = controls.line(setting, label)
    count = len(tokenize(text))
    if not count:
        controls.describe(setting.name, label, setting.default)
        default = plain(setting.default)
        controls.caption(
            _(":material/edit: No word here yet. The picture shows “{sentence}”.", sentence=default)
        )
        return setting.default
    if how_cut and (note := CUT[how_cut(text)]):
        controls.caption(_(note))
    if count > most:
        controls.caption(
            _(":material/content_cut: {count} tokens. The first {most} are drawn.", count=count, most=most)
        )
    return text
