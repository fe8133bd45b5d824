"""Labels of rows and columns, as they are read back from a figure."""

from collections.abc import Sequence

_SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


def told_apart(names: Sequence[str]) -> list[str]:
    """Count names that come again, as pages do where a word stands twice.

    >>> told_apart(["a", "b", "a", "a"])
    ['a', 'b', 'a₂', 'a₃']
    """
    counts = [list(names[: place + 1]).count(name) for place, name in enumerate(names)]
    return [
        name if count == 1 else name + str(count).translate(_SUBSCRIPTS)
        for name, count in zip(names, counts, strict=True)
    ]
