"""A few students at once on the real server: nothing breaks. The long form is a benchmark."""

from benchmarks.classroom import ROOT, serving, teach

STUDENTS, ACTIONS = 4, 8


def test_a_small_class_works_without_an_error() -> None:
    with serving(ROOT) as server:
        outcome = teach(server, STUDENTS, every=0.05, seconds=100, actions=ACTIONS)
    assert outcome.errors == []
    assert len(outcome.reruns) + outcome.left == STUDENTS * ACTIONS
    assert len(outcome.first) == STUDENTS + outcome.left
    assert outcome.releases
    assert outcome.controls
    assert outcome.pages
