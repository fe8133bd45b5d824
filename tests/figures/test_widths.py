"""Words are cut by one walk from their beginning, however long they are, and no sign is parted."""

from itertools import product

import pytest

from attn_figures import widths


@pytest.mark.parametrize("sign", ["y", "注", "e\u0301", "🇩🇪"])
@pytest.mark.parametrize("most", [1, 6, 14])
def test_shorten_reads_no_more_than_it_keeps(monkeypatch: pytest.MonkeyPatch, sign: str, most: int) -> None:
    looked, before = list[str](), widths._adds

    def adds(char: str) -> bool:
        looked.append(char)
        return before(char)

    widths.letters.cache_clear()
    monkeypatch.setattr(widths, "_adds", adds)
    widths.shorten(sign * 4_000, most)
    assert len(looked) <= 4 * (most + 2)


def test_shorten_keeps_the_longest_fitting_beginning() -> None:
    signs = ["a", "注", "e\u0301", "👩\u200d👧", "👩🏽", "🇩🇪"]
    for chosen in product(signs, repeat=4):
        text = "".join(chosen)
        beginnings = ["".join(chosen[:count]) for count in (3, 2, 1)]
        for most in range(1, 10):
            fits = [each + "…" for each in beginnings if widths.letters(each) < most]
            wanted = text if widths.letters(text) <= most else next(iter(fits), text)
            assert widths.shorten(text, most) == wanted
