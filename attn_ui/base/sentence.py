"""A sentence to type: what cannot be drawn is said beside the field, and nothing typed is lost."""

from collections.abc import Callable, Sequence

from attn_ui.base.ask import Ask
from attn_ui.base.markdown import plain
from attn_ui.base.parameters import Text
from attn_words import _


def ask_sentence(
    ask: Ask, setting: Text, label: str, *, tokenize: Callable[[str], Sequence[str]], most: int
) -> str:
    """Ask for a sentence; while it has no token, return the last one that had.

    Args:
        ask: answers.
        setting: whose text it is.
        label: what stands above the field.
        tokenize: what makes tokens of a sentence.
        most: how many tokens are drawn.
    """
    text = ask.line(setting, label)
    count = len(tokenize(text))
    kept = f"_sentence_{setting.name}"
    if not count:
        last: str = ask.kept(kept, setting.default)
        ask.call(setting.name, label, last)
        ask.say(
            _(":material/edit: No word here yet. The picture still shows “{sentence}”.", sentence=plain(last))
        )
        return last
    ask.keep(kept, text)
    if count > most:
        ask.say(
            _(":material/content_cut: {count} tokens. The first {most} are drawn.", count=count, most=most)
        )
    return text
