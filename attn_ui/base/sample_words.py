"""The words of the worked examples, as they are shown."""

from attn_words import _


def token_label(token: str) -> str:
    """Return a sample's token as it is shown: only "query" and "key 1" are translated, words are not.

    >>> token_label("key 1"), token_label("love")
    ('key 1', 'love')
    """
    kind, _space, number = token.partition(" ")
    if number:
        return _("key {number}", number=number) if kind == "key" else token
    return _("query") if kind == "query" else token
