"""How much room words take, before any browser has set them: counted in letters of the Latin alphabet."""

from unicodedata import east_asian_width


def letters(text: str) -> int:
    """Count the letters of a text; one of Chinese, Japanese or Korean is as wide as two others.

    >>> letters("key"), letters("键"), letters("查询 cat")
    (3, 2, 8)
    """
    if text.isascii():
        return len(text)
    return sum(2 if east_asian_width(letter) in "WF" else 1 for letter in text)


def shortened(text: str, most: int) -> str:
    """Cut a text that is longer than `most` letters, and end it in an ellipsis.

    >>> shortened("attention", 6), shortened("注意力权重", 6), shortened("key", 6)
    ('atten…', '注意…', 'key')
    """
    if letters(text) <= most:
        return text
    kept = most - 1
    while letters(text[:kept]) > most - 1:
        kept -= 1
    return f"{text[:kept]}…"
