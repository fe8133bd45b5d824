"""The message of a live figure: everything that differs, each array once, nothing malformed."""

import json
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from attn_ui.live_figure.packing import MOST_BYTES, MOST_STEPS, Cursor, pack
from attn_ui.live_figure.unpacking import count_steps
from attn_ui.live_figure.unpacking import figure_at as read_back

DTYPES = {"f8": "<f8", "f4": "<f4", "i4": "<i4", "u1": "u1"}


def unpack(message: bytes) -> tuple[dict[str, Any], list[np.ndarray]]:
    """An independent reading of the format, straight from its description."""
    length = int.from_bytes(message[:4], "little")
    header = json.loads(message[4 : 4 + length])
    blobs = message[4 + length :]
    arrays = []
    for described in header["arrays"]:
        dtype = np.dtype(DTYPES[described["type"]])
        count = int(np.prod(described["shape"]))
        assert (4 + length + described["offset"]) % dtype.itemsize == 0
        array = np.frombuffer(blobs, dtype, count, described["offset"]).reshape(described["shape"])
        arrays.append(array)
    return header, arrays


def figure_at(message: bytes, step: int) -> dict[str, Any]:
    """Put one step together, as the browser does."""
    header, arrays = unpack(message)

    def resolve(value: Any) -> Any:
        if isinstance(value, dict):
            return arrays[value["@"]] if "@" in value else {k: resolve(v) for k, v in value.items()}
        return [resolve(v) for v in value] if isinstance(value, list) else value

    figure = resolve(header["figure"])
    for change in header["changes"]:
        *parents, last = change["path"]
        node = figure
        for part in parents:
            node = node[part]
        value = change["values"][change["at"][step]]
        if value is None:
            node.pop(last, None)
        else:
            node[last] = resolve(value)
    return dict(figure)


def heatmap(z: np.ndarray, title: str = "") -> dict[str, Any]:
    return {"data": [{"type": "heatmap", "name": "w", "z": z}], "layout": {"title": {"text": title}}}


@given(
    hnp.arrays(np.float64, (5, 3, 7), elements=st.floats(-1e6, 1e6, width=32)),
    st.lists(st.text(max_size=5), min_size=5, max_size=5),
)
def test_every_step_comes_back_as_it_was(values: np.ndarray, titles: list[str]) -> None:
    message = pack([heatmap(z, title) for z, title in zip(values, titles, strict=True)])
    assert count_steps(message) == 5
    for step in range(5):
        figure = figure_at(message, step)
        np.testing.assert_array_equal(figure["data"][0]["z"], values[step])
        assert figure["layout"].get("title", {}).get("text", "") == titles[step]


def test_a_plotly_figure_is_taken_as_it_is() -> None:
    steps = [go.Figure(go.Heatmap(z=np.full((2, 3), float(i)))) for i in range(3)]
    assert figure_at(pack(steps), 2)["data"][0]["z"].tolist() == [[2.0] * 3] * 2


def test_equal_arrays_are_sent_once() -> None:
    z = np.arange(4096.0).reshape(64, 64)
    one = len(pack([heatmap(z)]))
    many = len(pack([heatmap(z.copy(), str(i)) for i in range(50)]))
    assert many < one + 3000


def test_only_what_differs_is_listed() -> None:
    z = np.ones((2, 2))
    header, _ = unpack(pack([heatmap(z, "a"), heatmap(z, "b"), heatmap(z, "a")]))
    assert header["changes"] == [{"path": ["layout", "title", "text"], "values": ["a", "b"], "at": [0, 1, 0]}]


def test_gaps_stay_gaps() -> None:
    z = np.array([[1.0, np.nan]])
    assert np.isnan(figure_at(pack([heatmap(z), heatmap(z)]), 0)["data"][0]["z"][0, 1])


def test_points_in_time_keep_apart() -> None:
    times = 1.7e9 + np.arange(5.0)
    drawn = figure_at(pack([{"data": [{"x": times}], "layout": {}}]), 0)
    np.testing.assert_array_equal(drawn["data"][0]["x"], times)


def test_a_setting_that_some_steps_lack_is_taken_away_again() -> None:
    with_title, without = heatmap(np.ones((1, 1)), "t"), heatmap(np.ones((1, 1)), "t")
    del without["layout"]["title"]
    message = pack([with_title, without])
    assert figure_at(message, 0)["layout"] == {"title": {"text": "t"}}
    assert figure_at(message, 1)["layout"] == {}


def test_lists_of_unequal_length_change_as_a_whole() -> None:
    steps = [{"data": [], "layout": {"shapes": [{"x0": i}] * i}} for i in range(3)]
    assert figure_at(pack(steps), 2)["layout"]["shapes"] == [{"x0": 2}, {"x0": 2}]


def test_a_cursor_brings_one_row_at_a_time() -> None:
    cursor = Cursor(3, {"layout.x0": np.arange(3.0)}, {"data.0.y": np.zeros((2, 3, 5))})
    header, arrays = unpack(pack([heatmap(np.ones((1, 1)))] * 2, cursor))
    fixed, moving = header["cursor"]["changes"]
    assert (fixed["path"], fixed["by_step"]) == (["layout", "x0"], False)
    assert (moving["path"], moving["by_step"]) == (["data", 0, "y"], True)
    assert arrays[moving["values"]["@"]].shape == (2, 3, 5)


@given(hnp.arrays(np.float64, (3, 4, 2), elements=st.floats(-10, 10, width=32)), st.integers(0, 2))
def test_one_step_is_read_back_for_a_plain_chart(values: np.ndarray, step: int) -> None:
    names = np.array([["a", "b"]] * 4, dtype=object)
    steps = [heatmap(z, str(i)) for i, z in enumerate(values)]
    for i, figure in enumerate(steps):
        figure["data"][0] |= {"hovertext": names, "meta": {"at": i}} if i != 1 else {"hovertext": names}
    cursor = Cursor(
        4,
        {"layout.x0": np.arange(4.0)},
        {"data.0.opacity": np.arange(12.0).reshape(3, 4) / 12},
        {"data.0.x": "data.0.z"},
    )
    figure = read_back(pack(steps, cursor), step, row=2)
    trace = figure["data"][0]
    np.testing.assert_array_equal(trace["z"], values[step])
    np.testing.assert_array_equal(trace["x"], values[step][2])
    assert trace["opacity"] == pytest.approx((4 * step + 2) / 12)
    assert trace["hovertext"] == names.tolist()
    assert trace.get("meta", {}).get("at") == (None if step == 1 else step)
    assert (figure["layout"]["x0"], figure["layout"]["title"]["text"]) == (2.0, str(step))


def test_a_row_of_what_is_drawn_anyway_is_not_sent_twice() -> None:
    steps = [heatmap(np.random.default_rng(i).random((61, 40))) for i in range(5)]
    alone = pack(steps)
    message = pack(steps, Cursor(61, rows_of={"data.0.marker.size": "data.0.z"}))
    header, _ = unpack(message)
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
        ([heatmap(np.random.default_rng(0).random((700, 700)))], None, f"{MOST_BYTES:,} bytes"),
        (
            [heatmap(np.ones((1, 1)))],
            Cursor(3, {"data.0.x": np.ones(4)}),
            r"start with axes \(3,\), got shape \(4,\)",
        ),
        (
            [heatmap(np.ones((1, 1)))],
            Cursor(3, {}, {"data.0.x": np.ones((2, 3))}),
            r"axes \(1, 3\), got shape \(2, 3\)",
        ),
        (
            [heatmap(np.ones((3, 5))), heatmap(np.ones((2, 5)))],
            Cursor(3, rows_of={"data.0.marker.size": "data.0.z"}),
            r"data.0.z must have 3 rows at each step, got shape \(2, 5\) at step 1",
        ),
        ([heatmap(np.ones((1, 1), dtype=complex))], None, "must hold numbers, got dtype complex128"),
    ],
)
def test_what_cannot_move_is_refused(steps: list[Any], cursor: Cursor | None, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        pack(steps, cursor)


def test_words_in_rows_are_kept_once() -> None:
    names = np.array([["one", "two"], ["three", "four"]], dtype=object)
    trace = {"type": "heatmap", "z": np.eye(2), "hovertext": names}
    packed = pack([{"data": [trace, trace | {"z": np.ones((2, 2)) * i}], "layout": {}} for i in range(3)])
    assert packed.count(b"three") == 1
    header = json.loads(packed[4 : 4 + int.from_bytes(packed[:4], "little")])
    first, second = (each["hovertext"] for each in header["figure"]["data"])
    assert first == second
    assert header["arrays"][first["@"]] == {"text": names.tolist()}
