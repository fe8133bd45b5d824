"""The message of a live figure: everything that differs, each array once, nothing malformed."""

import math
from typing import Any

import numpy as np
import orjson
import plotly.graph_objects as go
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from attn_live import paths
from attn_live.arrays import Arrays, CrossedLabels, IndexedItems, narrow, narrow_each
from attn_live.packing import MOST_BYTES, MOST_STEPS, Cursor, _same, count_steps, pack, pack_with_texts
from tests.messages import body_of, figure_at, read_body, stacks


def heatmap(z: np.ndarray, title: str = "") -> dict[str, Any]:
    return {"data": [{"type": "heatmap", "name": "w", "z": z}], "layout": {"title": {"text": title}}}


@given(
    hnp.arrays(np.float64, (5, 3, 7), elements=st.floats(-1e6, 1e6, width=32)),
    st.lists(st.text(max_size=5), min_size=5, max_size=5),
)
def test_pack_returns_every_step_unchanged(values: np.ndarray, titles: list[str]) -> None:
    message = pack([heatmap(z, title) for z, title in zip(values, titles, strict=True)])
    assert count_steps(message) == 5
    for step in range(5):
        figure = figure_at(message, step)
        np.testing.assert_array_equal(figure["data"][0]["z"], values[step])
        assert figure["layout"].get("title", {}).get("text", "") == titles[step]


def test_pack_takes_plotly_figures() -> None:
    steps = [go.Figure(go.Heatmap(z=np.full((2, 3), float(i)))) for i in range(3)]
    assert figure_at(pack(steps), 2)["data"][0]["z"].tolist() == [[2.0] * 3] * 2


def test_pack_sends_equal_arrays_once() -> None:
    z = np.arange(4096.0).reshape(64, 64)
    one = len(pack([heatmap(z)]))
    many = len(pack([heatmap(z.copy(), str(i)) for i in range(50)]))
    assert many < one + 3000


def test_pack_lists_only_differences() -> None:
    z = np.ones((2, 2))
    header, _ = read_body(body_of(pack([heatmap(z, "a"), heatmap(z, "b"), heatmap(z, "a")])))
    assert header["changes"] == [{"path": ["layout", "title", "text"], "values": ["a", "b"], "at": [0, 1, 0]}]


def test_pack_moves_equal_one_figure_per_step() -> None:
    steps = [heatmap(np.full((2, 2), each), "ab"[each > 1]) for each in (1.0, 2.0, 3.0)]
    moves: dict[str, Any] = {
        "data[0].z": np.stack([step["data"][0]["z"] for step in steps]),
        "layout.title.text": [step["layout"]["title"]["text"] for step in steps],
        "data[0].type": ["heatmap"] * 3,
    }
    header, _ = read_body(body_of(pack(steps[:1], moves=moves)))
    assert [change["path"] for change in header["changes"]] == [["data", 0, "z"], ["layout", "title", "text"]]
    for step in range(3):
        np.testing.assert_equal(figure_at(pack(steps[:1], moves=moves), step), figure_at(pack(steps), step))


@pytest.mark.parametrize(
    ("n_figures", "moves", "message"),
    [
        (2, {"data[0].z": np.ones((2, 1, 1))}, "one figure .* got 2 figures; data.0..z: 2"),
        (1, {"data[0].z": np.ones((2, 1, 1)), "layout.title.text": ["a"]}, "z: 2, layout.title.text: 1"),
        (1, {}, "none"),
        (1, {"data[0].z": np.ones((401, 1, 1))}, "1 to 400 steps, got 401"),
        (1, {"data[nobody].z": np.ones((2, 1, 1))}, "must be named 'nobody'"),
    ],
)
def test_pack_moves_of_unequal_lengths_raise(n_figures: int, moves: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        pack([heatmap(np.ones((1, 1)))] * n_figures, moves=moves)


@pytest.mark.parametrize("values", [(math.nan, math.nan), (None, math.nan), (1.0, -math.inf)])
def test_pack_nan_outside_of_arrays_raises(values: tuple[float | None, ...]) -> None:
    with pytest.raises(ValueError, match="outside of arrays must be finite"):
        pack([{"data": [], "layout": {"width": value}} for value in values])


def test_pack_objects_other_than_words_raise() -> None:
    names = np.array([["here", math.nan]], dtype=object)
    with pytest.raises(ValueError, match="must hold words, got nan"):
        pack([{"data": [{"hovertext": names}], "layout": {}}])


def test_pack_keeps_gaps() -> None:
    z = np.array([[1.0, np.nan]])
    assert np.isnan(figure_at(pack([heatmap(z), heatmap(z)]), 0)["data"][0]["z"][0, 1])


def test_pack_keeps_points_in_time_apart() -> None:
    times = 1.7e9 + np.arange(5.0)
    drawn = figure_at(pack([{"data": [{"x": times}], "layout": {}}]), 0)
    np.testing.assert_array_equal(drawn["data"][0]["x"], times)


def test_pack_removes_settings_that_a_step_lacks() -> None:
    with_title, without = heatmap(np.ones((1, 1)), "t"), heatmap(np.ones((1, 1)), "t")
    del without["layout"]["title"]
    message = pack([with_title, without])
    assert figure_at(message, 0)["layout"] == {"title": {"text": "t"}}
    assert figure_at(message, 1)["layout"] == {}


def test_pack_lists_of_unequal_length_change_as_a_whole() -> None:
    steps = [{"data": [], "layout": {"shapes": [{"x0": i}] * i}} for i in range(3)]
    assert figure_at(pack(steps), 2)["layout"]["shapes"] == [{"x0": 2}, {"x0": 2}]


def test_pack_cursor_changes_one_row_at_a_time() -> None:
    cursor = Cursor(3, {"layout.x0": np.arange(3.0)}, {"data[w].y": np.zeros((2, 3, 5))})
    header, arrays = read_body(body_of(pack([heatmap(np.ones((1, 1)))] * 2, cursor)))
    fixed, moving = header["cursor"]["changes"]
    assert (fixed["path"], fixed["by_step"]) == (["layout", "x0"], False)
    assert (moving["path"], moving["by_step"]) == (["data", 0, "y"], True)
    assert arrays[moving["values"]["@"]].shape == (2, 3, 5)


@given(hnp.arrays(np.float64, (3, 4, 2), elements=st.floats(-10, 10, width=32)), st.integers(0, 2))
def test_packed_figure_at_one_step_and_row_equals_the_drawing(values: np.ndarray, step: int) -> None:
    names = np.array([["a", "b"]] * 4, dtype=object)
    steps = [heatmap(z, str(i)) for i, z in enumerate(values)]
    for i, figure in enumerate(steps):
        figure["data"][0] |= {"hovertext": names, "meta": {"at": i}} if i != 1 else {"hovertext": names}
    cursor = Cursor(
        4,
        {"layout.x0": np.arange(4.0)},
        {"data[w].opacity": np.arange(12.0).reshape(3, 4) / 12},
        {"data[w].x": "data[w].z"},
    )
    figure = figure_at(pack(steps, cursor), step, row=2)
    trace = figure["data"][0]
    np.testing.assert_array_equal(trace["z"], values[step])
    np.testing.assert_array_equal(trace["x"], values[step][2])
    assert trace["opacity"] == pytest.approx((4 * step + 2) / 12)
    assert trace["hovertext"] == names.tolist()
    assert trace.get("meta", {}).get("at") == (None if step == 1 else step)
    assert (figure["layout"]["x0"], figure["layout"]["title"]["text"]) == (2.0, str(step))


def test_pack_indexed_items_are_sent_once() -> None:
    items, words = np.random.default_rng(0).random((5, 3000)), ["cat", "mat", "sat"]
    at = np.random.default_rng(1).integers(0, 5, (6, 40))
    picked = {"data[w].x": IndexedItems(items, at), "data[w].text": IndexedItems(words, at % 3)}
    message = pack([heatmap(np.ones((1, 1)))] * 6, Cursor(40, by_step=picked))
    assert len(message) < 5 * 3000 * 4 + 3000
    for step, row in ((0, 0), (5, 39), (2, 17)):
        trace = figure_at(message, step, row)["data"][0]
        np.testing.assert_allclose(trace["x"], items[at[step, row]], atol=1e-7)
        assert trace["text"] == words[at[step, row] % 3]
    with pytest.raises(ValueError, match=r"must start with axes \(6, 40\)"):
        pack([heatmap(np.ones((1, 1)))] * 6, Cursor(40, by_step={"data[w].x": IndexedItems(items, at[:5])}))


def test_pack_rows_of_another_array_are_not_sent_twice() -> None:
    steps = [heatmap(np.random.default_rng(i).random((61, 40))) for i in range(5)]
    alone = pack(steps)
    message = pack(steps, Cursor(61, rows_of={"data[w].marker.size": "data[w].z"}))
    header, _ = read_body(body_of(message))
    assert header["cursor"]["copies"] == [{"path": ["data", 0, "marker", "size"], "of": ["data", 0, "z"]}]
    assert len(message) - len(alone) < 200


@pytest.mark.parametrize(
    ("steps", "cursor", "message"),
    [
        ([], None, f"1 to {MOST_STEPS} steps, got 0"),
        ([heatmap(np.ones((1, 1)))] * (MOST_STEPS + 1), None, f"got {MOST_STEPS + 1}"),
        (
            [heatmap(np.ones((1, 1))), {"data": [], "layout": {}}],
            None,
            r"step 0 has 1 \(heatmap\), step 1 has 0",
        ),
        (
            [heatmap(np.ones((1, 1))), {"data": [{"type": "bar"}], "layout": {}}],
            None,
            r"step 1 has 1 \(bar\)",
        ),
        ([heatmap(np.random.default_rng(0).random((800, 800)))], None, f"{MOST_BYTES:,} bytes"),
        (
            [heatmap(np.ones((1, 1)))],
            Cursor(3, {"data[0].x": np.ones(4)}),
            r"start with axes \(3,\), got shape \(4,\)",
        ),
        (
            [heatmap(np.ones((1, 1)))],
            Cursor(3, {}, {"data[0].x": np.ones((2, 3))}),
            r"axes \(1, 3\), got shape \(2, 3\)",
        ),
        (
            [heatmap(np.ones((3, 5))), heatmap(np.ones((2, 5)))],
            Cursor(3, rows_of={"data[w].marker.size": "data[w].z"}),
            r"data\[w\].z must have 3 rows at each step, got shape \(2, 5\) at step 1",
        ),
        ([heatmap(np.ones((1, 1), dtype=complex))], None, "must hold numbers, got dtype complex128"),
    ],
)
def test_pack_steps_that_do_not_fit_raise(steps: list[Any], cursor: Cursor | None, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        pack(steps, cursor)


def test_pack_words_in_rows_are_sent_once() -> None:
    names = np.array([["one", "two"], ["three", "four"]], dtype=object)
    trace = {"type": "heatmap", "z": np.eye(2), "hovertext": names}
    packed = pack([{"data": [trace, trace | {"z": np.ones((2, 2)) * i}], "layout": {}} for i in range(3)])
    assert body_of(packed).count(b"three") == 1
    header, _ = read_body(body_of(packed))
    first, second = (each["hovertext"] for each in header["figure"]["data"])
    assert first == second
    assert header["arrays"][first["@"]] == {"text": names.tolist()}


def test_crossed_labels_are_joined_cell_by_cell() -> None:
    rows, columns = [f"row {i}, " for i in range(70)], [f"column {i}" for i in range(2048)]
    z = np.zeros((70, 2048))
    traces = [
        {"type": "heatmap", "name": str(i), "z": z, "hovertext": CrossedLabels(tuple(rows), tuple(columns))}
        for i in range(2)
    ]
    steps = [{"data": traces, "layout": {"title": {"text": str(i)}}} for i in range(3)]
    packed = pack(steps)
    whole = body_of(packed)
    assert whole.count(b"column 2047") == whole.count(b"row 69") == 1
    for trace in figure_at(packed, 2)["data"]:
        assert trace["hovertext"] == [[row + column for column in columns] for row in rows]


def test_crossed_labels_may_differ_between_steps() -> None:
    words = [CrossedLabels(("row ",), ("a", "b")), CrossedLabels(("row ",), ("c", "d"))]
    steps = [heatmap(np.ones((1, 2)), str(i)) for i in range(3)]
    for i, figure in enumerate(steps):
        figure["data"][0]["hovertext"] = words[i % 2]
    packed = pack(steps)
    found = [figure_at(packed, i)["data"][0]["hovertext"] for i in range(3)]
    assert found == [[["row a", "row b"]], [["row c", "row d"]], [["row a", "row b"]]]


@given(hnp.arrays(np.float64, (7, 5), elements=st.floats(allow_nan=True, allow_infinity=True, width=32)))
def test_pack_keeps_every_bit_of_a_number(z: np.ndarray) -> None:
    message = pack([heatmap(z)])
    drawn = np.asarray(figure_at(message, 0)["data"][0]["z"])
    assert drawn.tobytes() == z.astype(drawn.dtype).tobytes()


@given(
    st.lists(
        st.sampled_from(["f8", "f4", "i4", "u1", "b"]).flatmap(
            lambda kind: hnp.arrays(np.dtype(kind), hnp.array_shapes(max_dims=3, max_side=4, min_side=0))
        ),
        max_size=6,
    )
)
def test_pack_arrays_of_all_types_in_one_body(given: list[np.ndarray]) -> None:
    message = pack([{"data": [{"x": array} for array in given], "layout": {}}])
    for trace, array in zip(figure_at(message, 0)["data"], given, strict=True):
        with np.errstate(over="ignore"):
            wanted = array.astype(trace["x"].dtype)
        np.testing.assert_array_equal(trace["x"], wanted)


def test_pack_with_texts_returns_those_that_nothing_changes() -> None:
    notes = [{"text": text, "yanchor": "top", "x": 0.5} for text in ("steady", "moving")]
    layout = {"annotations": notes, "xaxis": {"title": {"text": "Key"}, "domain": [0, 1]}}
    figures = [heatmap(np.eye(2) + i) | {"layout": layout} for i in range(2)]
    figures[1]["layout"] = layout | {"annotations": [notes[0], notes[1] | {"text": "moved"}]}
    _message, texts = pack_with_texts(figures)
    assert texts["data"] == [{"type": "heatmap", "name": "w"}]
    assert texts["layout"]["xaxis"] == {"title": {"text": "Key"}}
    assert texts["layout"]["annotations"] == [{"yanchor": "top", "text": "steady"}, {"yanchor": "top"}]
    moved = pack_with_texts(figures[:1], moves={"layout.annotations[0].text": ["steady", "steadier"]})[1]
    assert moved["layout"]["annotations"] == [{"yanchor": "top"}, {"yanchor": "top", "text": "moving"}]


def test_pack_multiple_of_a_stack_is_small_and_exact() -> None:
    given = {name: stack.astype("f4") for name, stack in stacks().items()}
    arrays = Arrays()
    places = {name: arrays.add(stack) for name, stack in given.items()}
    header, read = read_body(arrays.body(orjson.dumps({"arrays": arrays.descriptions})))
    for name, place in places.items():
        assert read[place].tobytes() == given[name].tobytes(), name
    told = {name: "of" in header["arrays"][place] for name, place in places.items()}
    assert told == {"scores": True, "raised": False, "weights": True, "other": False}
    assert header["arrays"][places["weights"]]["of"] == places["raised"]

    def size(*names: str) -> int:
        figures = [{"data": [{"z": given[name][step]} for name in names]} for step in range(9)]
        return len(pack([{**figure, "layout": {}} for figure in figures]))

    assert size("raised", "weights") < 1.25 * size("raised")
    assert size("scores") < 0.3 * size("other")


def test_pack_bound_counts_all_bytes() -> None:
    """Words and layout count like numbers: nothing longer than the bound is ever made."""
    letters = np.random.default_rng(0).integers(97, 123, size=2 * MOST_BYTES).astype("u1").tobytes().decode()
    with pytest.raises(ValueError, match=f"may take {MOST_BYTES:,} bytes, these take"):
        pack([{"data": [], "layout": {"title": {"text": letters}}}])


def figure_with_screens(columns: dict[str, list[Any]]) -> dict[str, Any]:
    screens = [
        {"width": w, "height": 2 * w, "settings": {name: column[i] for name, column in columns.items()}}
        for i, w in enumerate((320, 640, 960))
    ]
    return {"data": [], "layout": {"meta": {"screens": screens, "kept": 1}}}


def test_pack_screens_are_sent_as_differences() -> None:
    same = {f"layout.xaxis{i}.domain": [[0, 0.5], [0, 0.25], [0, 0.125]] for i in range(2, 90)}
    steps = [
        figure_with_screens(same | {"layout.title.text": ["a", "b", "c"], "layout.height": [5, 5, 5]}),
        figure_with_screens(same | {"layout.title.text": ["a", "d", "c"]}),
        figure_with_screens(same | {"layout.title.text": ["a", "b", "c"], "layout.height": [5, 5, 5]}),
    ]
    message = pack(steps)
    for step, wanted in enumerate(steps):
        assert figure_at(message, step)["layout"] == wanted["layout"]
    header, _ = read_body(body_of(message))
    first, second = header["screens"]["tables"]
    assert header["screens"]["at"] == [0, 1, 0]
    assert first["settings"]["layout.height"] == [5]
    assert second["settings"] == {"layout.title.text": ["a", "d", "c"], "layout.height": None}


def test_path_resolves_a_trace_by_name() -> None:
    figure = {
        "data": [{"name": "a"}, {"name": "b.c"}, {"name": "twice"}, {"name": "twice"}],
        "layout": {"shapes": [{}, {"name": "line"}]},
    }
    assert paths.resolve(figure, "data[b.c].marker.size") == ("data", 1, "marker", "size")
    assert paths.resolve(figure, "layout.shapes[line].x0") == ("layout", "shapes", 1, "x0")
    assert paths.resolve(figure, "data[3].x") == ("data", 3, "x")
    for path, message in (
        ("data[c].x", r"named 'c'; the names are a, b.c, twice, twice"),
        ("data[twice].x", "exactly one item"),
        ("data[4].x", "there are 4 items"),
        ("layout.shapes[3].x", "there are 2 items"),
        ("data[].x", "a path is like"),
        ("data..x", "a path is like"),
        ("data[a", "a path is like"),
        ("", "a path is like"),
    ):
        with pytest.raises(ValueError, match=message):
            paths.resolve(figure, path)


def test_pack_leaves_cursor_arrays_out_of_the_steps() -> None:
    steps = [heatmap(np.random.default_rng(i).random((3, 4))) for i in range(4)]
    for i, step in enumerate(steps):
        step["data"][0]["x"] = np.random.default_rng(9 + i).random(4)
    header, _ = read_body(body_of(pack(steps, Cursor(3, rows_of={"data[w].x": "data[w].z"}))))
    assert [change["path"] for change in header["changes"]] == [["data", 0, "z"]]
    assert "x" not in header["figure"]["data"][0]


@pytest.mark.parametrize(
    ("numbers", "kept"),
    [
        ([1000.0, 1001.0], "<f4"),
        ([1e6, 1e6 + 1], "<f8"),
        ([-1e6, -1e6 - 1], "<f8"),
        ([-1e6, 1e6], "<f4"),
        ([1e6, 1e6], "<f4"),
        ([1e6, np.nan, 1e6 + 1], "<f8"),
        ([1.0, np.inf, -np.inf], "<f4"),
        ([1e39, 0.0], "<f8"),
        ([-1e39, 0.0], "<f8"),
    ],
)
def test_narrow_keeps_the_digits_that_differ(numbers: list[float], kept: str) -> None:
    given = np.array(numbers)
    assert narrow(given).dtype == kept
    plain = np.linspace(0, 1, len(given))
    assert [each.dtype for each in narrow_each([plain, given, plain])] == ["<f4", kept, "<f4"]
    finite = given[np.isfinite(given)]
    off = np.abs(narrow(given)[np.isfinite(given)] - finite)
    assert off.max() <= 1e-3 * np.ptp(finite)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (np.array([1.0, np.nan]), np.array([1.0, np.nan]), True),
        (np.array([1.0, 2.0]), np.array([1, 2]), True),
        (np.array([1.0, np.nan]), np.array([1.0, np.nan], dtype=np.float32), True),
        (np.array([1.0, 2.0]), np.array([1.0, 3.0]), False),
        (np.zeros((2, 1)), np.zeros((1, 2)), False),
        (np.zeros(2), [0.0, 0.0], False),
        ({"a": [np.zeros(2), "b"]}, {"a": (np.zeros(2), "b")}, True),
        ({"a": 1}, {"b": 1}, False),
        ([1, 2], [1, 2, 3], False),
        (1, True, False),
        (1, 1.0, False),
    ],
)
def test_same_compares_values_and_arrays(one: Any, other: Any, same: bool) -> None:
    assert _same(one, other) is same
    assert _same(other, one) is same
