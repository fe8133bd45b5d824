"""The readers of sentences: numbers, and the fields of the messages that are there."""

import pytest

from tests.sentences import messages_in, numbers_in


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("none, nor in W_q2, k2, L6-v2 or two", []),
        ("**0.5**, −0.25; 7", [0.5, -0.25, 7]),
        ("1,024 of 16,384 and 1, 2", [1024, 16384, 1, 2]),
        ("1.2 × 10⁻¹⁴, −3 × 10¹² or 1.1e−16", [1.2e-14, -3e12, 1.1e-16]),
        ("a :violet[cat 3] at (12, 3.5).", [3, 12, 3.5]),
    ],
)
def test_numbers_in_reads_the_numbers_of_a_text(text: str, numbers: list[float]) -> None:
    assert numbers_in(text) == numbers


def test_messages_sentence_are_found_by_fields_and_values() -> None:
    given = {
        "one": 1,
        "other": 2,
        "query": "**cat**",
        "key": ":violet[dog]",
        "first": "0.30",
        "second": "0.1",
    }
    pair = "Heads {one} and {other}: largest difference at {query} on {key}, {first} and {second}."
    said, fields = f"Before. {pair.format(**given)} After.", tuple(given)
    (found,) = messages_in(said, *fields)
    assert found == dict(zip(fields, ("1", "2", "cat", "dog", "0.30", "0.1"), strict=True))
    assert messages_in(said, "key", one=1, first="0.30") == [found]
    assert not messages_in(said, "key", first="0.3")
    assert not messages_in(said, *fields, "strength")
    assert not messages_in("Before. After.", *fields)
