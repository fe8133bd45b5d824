"""A sentence to type: what cannot be drawn is said beside the field, and nothing typed is lost."""

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
"""What is said of each answer of `attn_core.how_cut`."""


def read_sentence(
    controls: Controls,
    setting: Text,
    label: str,
    *,
    tokenize: Callable[[str], Sequence[str]],
    most: int,
    how_cut: Callable[[str], str] | None = None,
) -> str:
    """Read a sentence; while it has no token, return the default: a link alone decides what is shown.

    Args:
        controls: those of the page.
        setting: whose text it is.
        label: what stands above the field.
        tokenize: what makes tokens of a sentence.
        most: how many tokens are drawn.
        how_cut: what tells where words are cut that no space parts, one of `CUT`.
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
