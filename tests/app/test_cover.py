"""Cover and predict: what is covered is nowhere in what is sent, and answers are scored as NumPy does."""

import json
import re
from fnmatch import fnmatch
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from attn_figures.scene import Scene
from attn_live.packing import Cursor, count_steps
from attn_ui.base import cover, predict
from attn_ui.base.cover import GIVEN, cover_panel
from attn_ui.base.page import At
from attn_words import speaking
from pages import PAGES
from tests.messages import body_of, caption_at, figure_at, read_body
from tests.pages import open_sound

# A link, what it covers, and what may be seen beside it.
COVERED = {
    ("single-head", "q=1", "weights"): {"scores", "masked", "V"},
    ("single-head", "mask=causal", "scores"): {"V"},
    ("single-head", "mask=causal&stage=weights", "weights"): {"masked", "row sums"},
    ("single-head", "stage=hard or soft", "weights"): {"masked"},
    ("single-head", "stage=masked", "masked"): {"mask"},  # no mask is set: the scaled scores are the same
    ("single-head", "stage=Q, K, V", "Q"): {"X", "Wq", "Wk", "Wv", "K", "V"},
    ("multi-head", "", "head 2"): {"head 1", "head 3", "head 4"},
    ("kernel-regression", "", "weights"): {"data", "true curve", "kernel"},
    ("kernel-regression", "", "estimate"): {"data", "true curve", "kernel", "weights"},
    ("kernel-regression", "picture=Four kernels", "gaussian estimate"): {"boxcar kernel", "gaussian data"},
    ("positional-encoding", "", "after"): {"before"},
    ("applications", "use=images", "weights"): {"picture"},
    ("learned-heads", "", "head 2.1"): {"head 1.1", "loss"},
    ("", "", "weights"): set(),
}


def at(page: str, link: str) -> At[Any]:
    return PAGES[page].at(link)


def numbers_of(packed: bytes, name: str) -> list[np.ndarray[Any, Any]]:
    """The numbers of a panel or curve, a flat array a step."""
    found = []
    for figure in (figure_at(packed, step) for step in range(count_steps(packed))):
        trace = next(each for each in figure["data"] if each.get("name") == name)
        numbers = trace.get("z", trace.get("y", ()))
        found.append(np.ravel(np.asarray(numbers, dtype=np.float32)))
    return found


def telling(numbers: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Pairs of neighbours that no other panel has by chance."""
    pairs = np.stack([numbers[:-1], numbers[1:]], axis=-1)
    written = np.isfinite(pairs).all(axis=-1) & (np.round(pairs, 3) != pairs).all(axis=-1)
    found: np.ndarray[Any, Any] = pairs[written].copy().view("f4,f4").ravel()
    return found


@pytest.mark.parametrize(("page", "link", "name"), COVERED)
def test_covered_values_are_absent_from_the_message(page: str, link: str, name: str) -> None:
    whole, there = at(page, link), at(page, f"{link}&cover={name}")
    assert whole.view.figure
    assert there.view.figure
    assert not there.dropped
    packed = there.view.figure.steps
    assert count_steps(packed) == count_steps(whole.view.figure.steps)
    header, arrays = read_body(body_of(packed))
    shown = [telling(np.ravel(each).astype(np.float32)) for each in arrays if hasattr(each, "dtype")]
    # What is given, the data or the map before, may come to equal it at an end of the slider.
    given = {each for each, sources in whole.page.panel_sources.items() if sources == GIVEN}
    free = np.concatenate(
        [
            telling(each)
            for trace in {trace["name"] for trace in whole.figure()["data"]}
            if any(fnmatch(trace, pattern) for pattern in given)
            for each in numbers_of(whole.view.figure.steps, trace)
        ]
        or [telling(np.empty(0, np.float32))]
    )
    secret = [np.setdiff1d(telling(each), free) for each in numbers_of(whole.view.figure.steps, name)]
    assert sum(map(len, secret)) > len(secret) / 2
    for step, each in enumerate(secret):
        assert not any(len(np.intersect1d(each, some)) for some in shown), step
    # And nowhere in words: at the link's step no number is written, in four digits or more.
    said = json.dumps({key: value for key, value in header.items() if key not in ("arrays", "screens")})
    said = re.sub(r'"domain": \[[^\]]*\]', "", said)  # where a panel stands
    result = numbers_of(whole.view.figure.steps, name)[whole.position[0]]
    told = re.findall(r"\d+\.\d{4,}", said + there.sentence + there.view.figure.alt)
    for digits in [each for each in (4, 5, 6) if len(result) < 10 ** (each - 2)]:  # else one fits by chance
        written = {f"{each:.{digits}f}" for each in np.abs(result[np.isfinite(result)])} - {f"{0:.{digits}f}"}
        assert not written & {each for each in told if len(each.partition(".")[2]) == digits}
    # What is known without it stays.
    names = {
        trace["name"]
        for trace in there.figure()["data"]
        if trace.get("visible", True) is not False and not (trace.get("meta") or {}).get("covered")
    }
    assert COVERED[page, link, name] <= names
    assert name not in names


@pytest.mark.parametrize(("page", "name"), [("single-head", "weights"), ("kernel-regression", "estimate")])
def test_covered_values_are_absent_from_the_rest_of_the_page(page: str, name: str) -> None:
    there = at(page, f"cover={name}")
    figure = there.view.figure
    assert figure
    assert there.sentence == f"Covered: {name}. Predict it."
    assert figure.captions
    said = {
        "".join(text for _, text in caption_at(figure.captions, step, 0))
        for step in range(count_steps(figure.steps))
    }
    assert said == {there.sentence}
    assert not re.search(r"\d\.\d", figure.alt)
    seen = there.view
    assert not any((seen.formula, seen.notes, seen.leads, seen.below, figure.clicked, figure.invites))
    assert there.tables == {}
    with pytest.raises(LookupError, match="no programs at this link"):
        _ = there.programs


SECRET = np.random.default_rng(5).random((6, 6))
PLACES = np.arange(6) * 0.5 + 1


def beside_the_secret(**trace: Any) -> dict[str, Any]:
    """A map whose numbers are covered, with its hatch, and another trace of which no source is told."""
    weights = {"type": "heatmap", "name": "weights", "z": SECRET, "x": PLACES}
    hatch = {"type": "scatter", "name": "weights hatch", "mode": "lines", "visible": False, "x": [], "y": []}
    figure = {"data": [weights, hatch, {"name": "other", **trace}], "layout": {}}
    scene = Scene([figure])
    covering = cover_panel(scene, "weights", (("other", ()), ("weights", ())))
    return {each["name"]: each for each in figure_at(covering.pack(), 0)["data"]}


OTHERS: dict[str, tuple[dict[str, Any], bool]] = {
    # One row of what is covered, among twenty times as many numbers of its own; and nothing of it.
    "a row": (
        {"type": "heatmap", "z": np.vstack([SECRET[2], np.random.default_rng(6).random((19, 6))])},
        True,
    ),
    "no row": ({"type": "heatmap", "z": np.random.default_rng(6).random((20, 6))}, False),
    "what a hover of points tells": ({"type": "scatter", "x": [*range(6)], "customdata": SECRET[:, 1]}, True),
    # A map's hover tells what other panels show, which are judged by themselves.
    "what a hover of a map tells": (
        {"type": "heatmap", "z": np.random.default_rng(6).random((6, 6)), "customdata": SECRET[..., None]},
        False,
    ),
}


@pytest.mark.parametrize("case", OTHERS)
def test_panel_repeating_covered_numbers_is_withheld(case: str) -> None:
    trace, is_withheld = OTHERS[case]
    other = beside_the_secret(**trace)["other"]
    own, shown = (
        np.ravel(np.asarray(each.get("z", each.get("customdata", ())), dtype=np.float32))
        for each in (trace, other)
    )
    assert bool(np.isin(own, shown).all()) != is_withheld


def test_cursor_repeating_covered_numbers_is_withheld() -> None:
    """The dot is of a source of its own, as far as anybody says; its heights are the diagonal of the map."""
    dot = {"type": "scatter", "name": "dot", "x": [0.0], "y": [0.0]}
    figure = {"data": [{"type": "heatmap", "name": "weights", "z": SECRET}, dot], "layout": {}}
    scene = Scene([figure], Cursor(6, {"data[dot].y": SECRET.diagonal()[:, None]}))
    covering = cover_panel(scene, "weights", (("dot", ()), ("weights", ()))).pack()
    _, arrays = read_body(body_of(covering))
    assert not any(np.isin(SECRET.astype(np.float32), each).any() for each in arrays if np.ndim(each))


def test_cover_hatch_spans_the_map_from_first_to_last_cell() -> None:
    hatch = beside_the_secret(type="scatter", x=[0.0], y=[0.0])["weights hatch"]
    corners = np.asarray(hatch["x"][:5], dtype=float), np.asarray(hatch["y"][:5], dtype=float)
    assert [(side.min(), side.max()) for side in corners] == [(0.75, 3.75), (-0.5, 5.5)]
    assert (hatch["x"][-1], hatch["y"][-1]) == (2.25, 2.5)


def test_cover_is_hatched_and_keeps_its_cells() -> None:
    there = at("single-head", "cover=weights&mask=causal")
    traces = {trace["name"]: trace for trace in there.figure()["data"]}
    assert np.isnan(traces["weights"]["z"]).all()
    assert traces["weights masked"]["z"].shape == (6, 6)  # to point at, and to click
    assert not traces["weights masked"]["z"].any()
    assert "<b>covered</b>" in traces["weights masked"]["hovertemplate"]
    assert "customdata" not in traces["weights masked"]
    assert traces["weights hatch"]["fillpattern"]["shape"] == "x"
    assert "<b>?</b>" in traces["weights hatch"]["text"]
    assert "text" not in traces["output hatch"]


def test_covered_title_with_a_measure_shows_its_name_only() -> None:
    def titles(link: str) -> str:
        return " ".join(
            str(note.get("text")) for note in at("learned-heads", link).figure()["layout"]["annotations"]
        )

    measure = r"2\.1 induction \d\.\d\d"
    assert re.search(measure, titles(""))
    there = titles("cover=head 2.1")
    assert not re.search(measure, there)
    assert "head 2.1" in there
    assert "1.1 previous token 0." in there  # of a head that is not covered


def test_frames_of_right_answers_are_covered_with_their_map() -> None:
    def frames(link: str) -> list[str]:
        shapes = PAGES["learned-heads"].at(link).figure()["layout"]["shapes"]
        return [
            each["name"] for each in shapes if "answer" in each.get("name", "") and each.get("visible", True)
        ]

    assert len(frames("training=0")) == 8
    assert frames("training=0&cover=prediction") == []
    assert len(frames("training=0&cover=loss")) == 8


def test_stage_without_the_covered_panel_does_not_reveal_it() -> None:
    there = at("single-head", "stage=output&cover=masked")
    assert not there.dropped
    shown = {
        trace["name"] for trace in there.figure()["data"] if not (trace.get("meta") or {}).get("covered")
    }
    assert "weights" not in shown
    assert "Covered" in there.sentence
    assert "0." not in at("single-head", "stage=diagram&cover=weights").sentence


def test_cover_with_an_unknown_name_is_dropped_and_named() -> None:
    there = at("single-head", "cover=wieghts&predict=key")
    assert [each.name for each in there.dropped] == ["cover"]
    wanted = "a panel or curve that is shown here: scores, masked, weights, V, output"
    assert wanted in there.dropped[0].sentence()
    assert "Covered" not in there.sentence
    kind = at("kernel-regression", "cover=estimate&predict=key").dropped
    assert [each.name for each in kind] == ["predict"]
    app = open_sound("single-head", cover="wieghts")
    said = [each.value for each in app.warning if "The link's " in each.value]
    assert len(said) == 1
    assert wanted in said[0]
    assert "cover" not in app.query_params


# ---- scoring ----


def weights_of(n_query: int, n_key: int, seed: int, *, masked: float = 0.0) -> predict.Map:
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=(n_query, n_key)) * 2
    scores[rng.random(scores.shape) < masked] = -np.inf
    with np.errstate(invalid="ignore"):
        exponentials = np.exp(scores - scores.max(axis=1, keepdims=True))
    weights = exponentials / exponentials.sum(axis=1, keepdims=True)
    weights = np.where(np.isneginf(scores), np.nan, weights)
    names = [f"w{place}" for place in range(max(n_query, n_key))]
    return predict.Map("weights", weights, names[:n_query], names[:n_key], ("query", "key"), scores)


def question_on(
    kind: str, *maps: predict.Map, row: int = 0, column: int = 0, step: int = 0
) -> predict.CoverQuestion:
    texts = [str(place) for place in range(len(maps))]
    return predict.CoverQuestion("weights", kind, maps, step, row, column, "T", texts)


def written_weight(weight: float) -> str:
    """With three decimals, or with two digits where these would be 0.000."""
    if weight >= 0.0005 or weight <= 1e-6:
        return f"{weight:.3f}"
    digits, power = f"{weight:.1e}".split("e-")
    superscript = str(int(power)).translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return f"{weight:.2g}" if weight >= 1e-4 else f"{digits.removesuffix('.0')} × 10⁻{superscript}"


def test_cover_largest_key_equals_numpy() -> None:
    for seed in range(20):
        here = weights_of(5, 7, seed, masked=0.3)
        for row, values in enumerate(here.values):
            if np.isnan(values).all():
                assert "may attend to nothing" in question_on("key", here, row=row).verdict(0)
                continue
            best = int(np.nanargmax(values))
            for answer in range(7):
                said = question_on("key", here, row=row).verdict(answer)
                assert said.startswith("**Right.**") == (answer == best)
                assert f"{values[best]:.3f}" in said
                if np.isnan(values[answer]):
                    assert "masked" in said
                else:
                    assert f"({written_weight(values[answer])})" in said
            order = np.argsort(np.where(np.isnan(values), -1, values))[::-1]
            if not np.isnan(values[order[1]]):
                assert here.scores is not None
                gap = here.scores[row, best] - here.scores[row, order[1]]
                assert f", {gap:.2f} above that of the next" in question_on("key", here, row=row).verdict(0)


def test_cover_ties_are_all_right_and_no_answer_is_named() -> None:
    even = predict.Map("weights", np.full((1, 4), 0.25), ["q"], list("abcd"), ("query", "key"))
    assert all(question_on("key", even).verdict(answer).startswith("**Right.**") for answer in range(4))
    said = question_on("key", even).verdict(None)
    assert said.startswith("You gave no answer. The largest is")
    quoted = ", ".join(f"“:orange[{letter}]”" for letter in "abc")
    assert f"{quoted} and 1 more (0.250)" in said


def test_guessed_number_is_told_its_error() -> None:
    here = weights_of(3, 4, seed=1)
    for row in range(3):
        value = here.values[row, 2]
        said = question_on("number", here, row=row, column=2).verdict(0.4)
        assert f"0.400, computed {value:.3f}" in said
        assert not said.startswith("**Right.**")
        assert question_on("number", here, row=row, column=2).verdict(float(value)).startswith("**Right.**")


def test_guessed_trend_is_compared_with_the_ends() -> None:
    maps = [weights_of(3, 4, seed) for seed in range(4)]
    for step in range(4):
        end = 3 if step < 3 else 0
        for row in range(3):
            start, stop = maps[step].values[row, 1], maps[end].values[row, 1]
            question = question_on("trend", *maps, row=row, column=1, step=step)
            right, wrong = (predict.RISES, predict.FALLS) if stop > start else (predict.FALLS, predict.RISES)
            assert question.verdict(right).startswith("**Right.**")
            assert not question.verdict(wrong).startswith("**Right.**")
            assert f"{written_weight(start)}, at {end} {written_weight(stop)}" in question.verdict(right)
            assert f"T goes from {step} to {end}" in question.sentence(step, row)


def two_keys(first: float, second: float, *scores: float) -> predict.Map:
    row, scored = np.array([[first, second]]), np.array([scores]) if scores else None
    return predict.Map("weights", row, ["q"], ["a", "b"], ("query", "key"), scored)


def test_guessed_number_equal_at_three_decimals_gets_more_digits() -> None:
    # exp(-101.82) and exp(-10.182), as NumPy has them.
    small = [float(np.exp(-101.82)), float(np.exp(-10.182))]
    maps = [two_keys(1 / (1 + each), each / (1 + each)) for each in small]
    said = question_on("trend", *maps, column=1).verdict(predict.RISES)
    assert "at 0 it is 0.000, at 1 3.8 × 10⁻⁵" in said
    assert "goes from 1 to 0.99996" in said
    assert "computed 3.8 × 10⁻⁵" in question_on("number", maps[1], column=1).verdict(0.1)
    scores = predict.Map("scores", np.array([[-1e-4, 1e-4]]), ["q"], ["a", "b"], ("query", "key"))
    said = question_on("key", scores).verdict(0)
    assert "(−0.0001)" in said
    assert "“:orange[b]” (0.0001); the next, “:orange[a]” with −0.0001" in said
    assert "| +0.100 |" in (row := question_on("row", maps[1]).table([0.9, 0.1]))
    assert "−0.000" not in row
    assert "−0.000" not in question_on("row", maps[0]).table([1 - 1e-4, 1e-4])


def test_guessed_trend_of_a_small_difference_is_not_level() -> None:
    near = two_keys(0.5001, 0.4999)
    assert "“:orange[a]” (0.5001)" in question_on("key", near).verdict(0)
    scored = two_keys(0.50002, 0.49998, 1e-4, 2e-5)
    assert "scaled score 0.0001, 8 × 10⁻⁵ above" in question_on("key", scored).verdict(0)


def test_guessed_row_is_scored_by_cell_and_half_the_absolute_sum() -> None:
    for seed in range(20):
        here = weights_of(3, 6, seed, masked=0.2)
        said = tuple(np.random.default_rng(seed).dirichlet(np.ones(6)))
        for row in range(3):
            is_there = np.where(np.isnan(here.values[row]), 0.0, here.values[row])
            half = sum(max(0.0, p - q) for p, q in zip(said, is_there, strict=True))
            if not is_there.any():
                half = 0.5  # a row of nothing is told apart in the sentence
            assert predict.total_variation(said, here.values[row]) == pytest.approx(half, abs=1e-9)
            question = question_on("row", here, row=row)
            worst = max(range(6), key=lambda key: abs(said[key] - is_there[key]))
            verdict, table = question.verdict(said), question.table(said).split("\n")
            assert f"“:orange[w{worst}]”: you gave {said[worst]:.3f}" in verdict
            assert f"Half the sum of the differences is {half:.3f}" in verdict
            assert len(table) == 2 + 6
            for key in range(6):
                assert f"{said[key] - is_there[key]:+.3f}".replace("-", "−") in table[2 + key]
                assert ("masked" in table[2 + key]) == bool(np.isnan(here.values[row, key]))
    here = weights_of(1, 6, 1)
    assert question_on("row", here).verdict(tuple(here.values[0])).startswith("**Right.**")


def test_guessed_curve_is_scored_where_the_computed_one_is_finite() -> None:
    x, ends = np.linspace(-1, 3, 41), (-1.0, 3.0)
    y = np.where((x > 1) & (x < 1.5), np.nan, np.sin(x))
    drawn = tuple(float(2 * each) for each in np.linspace(*ends, predict.NODES))  # a straight line
    apart = predict.from_curve(drawn, ends, predict.Curve(x, y))
    np.testing.assert_allclose(apart, 2 * x - y, atol=1e-12)
    pad = predict.Pad(ends, (-5.0, 5.0), ())
    question = predict.CoverQuestion("estimate", "curve", (), 0, 0, 0, curve=predict.Curve(x, y), pad=pad)
    far = max(
        (each for each in range(41) if not np.isnan(y[each])), key=lambda each: abs(2 * x[each] - y[each])
    )
    said = question.verdict(drawn)
    mean = sum(abs(2 * at - there) for at, there in zip(x, y, strict=True) if not np.isnan(there)) / np.sum(
        ~np.isnan(y)
    )
    assert f"{mean:.3f} away from it on average" in said
    assert f"at {x[far]:.3g}: you drew {2 * x[far]:.3f}, it is {y[far]:.3f}" in said
    assert predict.read_curve([0.5] * predict.NODES) == (0.5,) * predict.NODES
    for bad in (None, [0.5], ["a"] * predict.NODES, [float("inf")] * predict.NODES):
        assert predict.read_curve(bad) is None


def test_guessed_row_must_be_shares_of_one() -> None:
    assert predict.read_row([0.25, 0.75], 2) == (0.25, 0.75)
    for bad in (None, "ab", [0.5, 0.6], [1.5, -0.5], [1.0], [float("nan"), 1.0], [[], 1], {"0": 1}):
        assert predict.read_row(bad, 2) is None


def test_question_words_of_users_are_no_markup() -> None:
    there = at("single-head", "text=*a* :red[c]&cover=weights&predict=key")
    assert "for the query “*”?" in there.sentence


# ---- on screen ----


def panel(app: AppTest) -> str:
    return " ".join(each.value for each in app.markdown)


def test_cover_can_be_revealed_scored_and_covered_again() -> None:
    whole = at("single-head", "")
    (weights,) = (trace["z"] for trace in whole.figure()["data"] if trace["name"] == "weights")
    right = int(np.argmax(weights[0]))
    app = open_sound("single-head", cover="weights", predict="key")
    assert not app.tabs
    app.button_group(key="predict-key").set_value((right + 1) % 6).run()
    assert app.button(key="predict-reveal")
    app.button(key="predict-reveal").click().run()
    assert app.tabs
    said = panel(app)
    assert "You said" in said
    assert "The largest is" in said
    assert "cover" in app.query_params  # and no answer is
    assert set(app.query_params) == {"cover", "predict"}
    app.button(key="predict-again").click().run()
    assert not app.tabs
    assert "The largest is" not in panel(app)
    assert app.query_params["q"] == "2"  # another query
    assert not app.exception


@pytest.mark.parametrize(
    ("page", "link"),
    [
        ("single-head", "stage=threshold&renorm=true"),
        ("single-head", "stage=without"),
        ("single-head", "stage=scores"),
        ("multi-head", "view=two heads"),
        ("positional-encoding", "show=attention"),
        ("positional-encoding", "show=shift test"),
        ("positional-encoding", "show=shuffle test"),
        ("kernel-regression", "picture=Four kernels"),
        ("kernel-regression", "picture=Two inputs"),
        ("learned-heads", "look=attention+flow"),
        ("applications", "use=images"),
        ("applications", "use=speech"),
    ],
)
def test_covered_maps_are_named_in_chinese(page: str, link: str) -> None:
    with speaking("zh"):
        figure = at(page, link).view.figure
        assert figure is not None
        scene = figure.scene.scene
        maps = [each for each in cover.names(scene) if predict.read_maps(scene, each)]
        assert maps
        english = [each for each in maps if re.search("[a-z]{3}", cover.panel_title(each, scene))]
    # Epanechnikov is a name.
    assert not [each for each in english if not each.startswith("epanechnikov")]
