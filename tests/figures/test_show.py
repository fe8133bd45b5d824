"""One line draws what one has: arrays and tensors of every shape, each layer and head under its sliders."""

import zlib
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest
import torch
from numpy.typing import NDArray

from attn_figures import show, theme
from attn_figures.frame import Side
from attn_figures.matrix import Matrix
from attn_figures.panels import compose
from tests.plotly_figure import as_plotly

WORDS = ["the", "<b>cat", "sat", "[SEP]", "[SEP]"]
LAYERS, HEADS, QUERIES, KEYS = 2, 3, 5, 7


def weights(*shape: int) -> torch.Tensor:
    generator = torch.Generator().manual_seed(3)
    return torch.randn(*shape, generator=generator, dtype=torch.float64).softmax(-1)


def window(figure: go.Figure, name: str, layer: int, head: int) -> NDArray[Any]:
    """What is in sight of a map after both sliders were moved, the later one first."""
    moved = {key: figure.layout[key].to_plotly_json() for key in figure.layout if "axis" in key}
    for slider in reversed(figure.layout.sliders):
        step = layer if slider.currentvalue.prefix == "Layer " else head
        for path, ends in slider.steps[step].args[0].items():
            moved[path.removesuffix(".range")]["range"] = ends
    (trace,) = figure.select_traces({"name": name})
    bottom, top = moved[trace.yaxis.replace("y", "yaxis")]["range"]
    left, right = moved[trace.xaxis.replace("x", "xaxis")]["range"]
    seen: NDArray[Any] = np.asarray(trace.z)[
        int(top + 0.5) : int(bottom + 0.5), int(left + 0.5) : int(right + 0.5)
    ]
    return seen


def test_show_sliders_reach_any_layer_and_head() -> None:
    given, output = weights(LAYERS, HEADS, QUERIES, KEYS), torch.randn(LAYERS, QUERIES, 4)
    figure = show(given, WORDS, keys=list("abcdefg"), output=output, layer=-1, head=1)
    for layer in range(LAYERS):
        for head in range(HEADS):
            np.testing.assert_array_equal(window(figure, "weights", layer, head), given[layer, head])
            np.testing.assert_allclose(window(figure, "output", layer, head), output[layer])
    assert [slider.active for slider in figure.layout.sliders] == [1, 1]
    assert figure.layout.yaxis.range == (9.5, 4.5)  # it opens where it was asked to
    assert figure.layout.xaxis.range == (6.5, 13.5)
    names = dict(zip(figure.layout.xaxis.tickvals, figure.layout.xaxis.ticktext, strict=True))
    assert names[KEYS + 2] == "c"


@pytest.mark.parametrize(
    "form",
    [
        lambda given: given,
        lambda given: given.numpy(),
        lambda given: given.tolist(),
        lambda given: given.float().requires_grad_(),
        lambda given: given.bfloat16(),
        lambda given: tuple(layer[None] for layer in given),  # as transformers gives them
        lambda given: [layer.numpy() for layer in given],
        lambda given: given[:, None],
    ],
)
def test_show_all_input_forms_give_one_picture(form: Any) -> None:
    given = weights(LAYERS, HEADS, QUERIES, QUERIES)
    figure = show(form(given), WORDS)
    for layer, head in ((0, 2), (1, 0)):
        np.testing.assert_allclose(window(figure, "weights", layer, head), given[layer, head], atol=4e-3)


def test_show_has_a_slider_only_for_several_maps() -> None:
    assert show(weights(4, 4)).layout.sliders == ()
    (slider,) = show(weights(HEADS, 4, 4)).layout.sliders
    assert (slider.currentvalue.prefix, len(slider.steps)) == ("Head ", HEADS)
    (slider,) = show([weights(4, 4)] * 2).layout.sliders
    assert (slider.currentvalue.prefix, len(slider.steps)) == ("Layer ", 2)


def test_show_leaves_shared_figures_unchanged() -> None:
    matrix = Matrix(
        "weights", weights(4, 4).numpy(), "weights", Side(list("abcd")), Side(list("abcd"), role="key")
    )
    before = as_plotly(compose([matrix]))
    show(weights(4, 4), list("abcd"))
    assert as_plotly(compose([matrix])) == before


def test_show_columns_are_the_chosen_keys() -> None:
    given = weights(HEADS, QUERIES, QUERIES)
    figure = show(given, WORDS, columns=["[SEP]", 0])
    np.testing.assert_array_equal(window(figure, "weights", 0, 1), given[1][:, [3, 4, 0]])
    assert "weights of 3 of 5 keys" in figure.layout.annotations[0].text


def test_show_words_are_escaped_and_whole_in_the_hover() -> None:
    long = "a token that is much too long"
    figure = show(weights(5, 5), [long, *WORDS[1:]])
    assert figure.layout.xaxis.ticktext[:2] == (long, "&lt;b&gt;cat")
    assert figure.layout.xaxis2.ticktext[0] == "a token tha…"
    assert figure.layout.xaxis2.overlaying == "x"


def test_show_many_dimensions_are_cut_and_counted() -> None:
    output = torch.randn(QUERIES, 30)
    figure = show(weights(HEADS, QUERIES, QUERIES), output=output)
    assert "24 of 30 dimensions" in figure.layout.annotations[2].text
    figure = show(weights(HEADS, QUERIES, QUERIES), output=output, dimensions=[29])
    np.testing.assert_allclose(window(figure, "output", 0, 2), output[:, [29]])


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: show([weights(4, HEADS, 5, 5)] * 2), "got a batch of 4 in .4, 3, 5, 5."),
        (lambda: show(weights(2, 4, 3, 5, 5)), "got a batch of 4"),
        (lambda: show(weights(5)), r"got shape \(5,\)"),
        (lambda: show([weights(5, 5), weights(6, 6)]), "all layers must have one shape"),
        (lambda: show([None, None]), "wanted an array as layer 0, got NoneType"),
        (lambda: show([(weights(1, 2, 5, 5),)]), "of generated text, one step's"),
        (lambda: show(torch.randn(5, 5)), "are these scores, before the softmax"),
        (lambda: show([[0.5, float("nan")]]), "1 of 2 are NaN or infinite"),
        (lambda: show([["a"]]), "wanted an array of numbers, got"),
        (lambda: show([[1.0], [0.5, 0.5]]), "wanted an array of numbers, got list"),
        (lambda: show(np.zeros((0, 5))), "holds none"),
        (lambda: show(np.broadcast_to(np.float32(0), (20, 16, 1024, 1024))), "show fewer layers"),
        (lambda: show(np.broadcast_to(np.float32(0), (2, 4097))), "may have 4,096 queries and keys"),
        (lambda: show(np.eye(257), output=np.ones((257, 2))), "leave it out"),
        (lambda: show(weights(5, 5), WORDS[:4]), "wanted 5 tokens, one a place of the queries, got 4"),
        (lambda: show(weights(5, 5), "seven"), "split it first"),
        (lambda: show(weights(5, 5), WORDS, columns=["dog"]), "there is no 'dog' among the 5 keys"),
        (lambda: show(weights(5, 5), columns=[5]), "there is no 5 among the 5 keys"),
        (lambda: show(weights(5, 5), columns=[]), "choose at least one"),
        (lambda: show(weights(5, 5), output=torch.zeros(4, 2)), r"must be \(5, d\).*got \(4, 2\)"),
        (
            lambda: show(weights(5, 5), palette="jet"),
            "one of indigo, viridis, cividis, ylgnbu, grey, got 'jet'",
        ),
        (
            lambda: show(np.eye(300), palette="jet"),
            "one of indigo, viridis, cividis, ylgnbu, grey, got 'jet'",
        ),
        (lambda: show(weights(3, 5, 5), head=3), "head must be from 0 to 2, counted from 0, got 3"),
    ],
)
def test_show_inputs_that_do_not_fit_raise(call: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        call()


def test_show_large_maps_are_a_widget_with_the_weights() -> None:
    given = weights(LAYERS, HEADS, 300, 280).float()
    widget = show(
        given, keys=[f"k{place}" for place in range(280)], columns=list(range(270)), layer=-1, head=1
    )
    page = widget.page
    assert (page["meta"]["sizes"], page["counts"], page["at"]) == (
        [(300, 270), (150, 135), (75, 68), (38, 34)],
        (2, 3),
        (1, 1),
    )
    assert (page["meta"]["rows"], page["meta"]["columns"][269]) == (None, "k269")
    opening = np.frombuffer(zlib.decompress(widget.opening), "<f4")  # from the whole on: it is no larger
    np.testing.assert_array_equal(opening[: 256 * 256].reshape(256, 256), given[1, 1, :256, :256])
    said: list[tuple[object, bytes]] = []
    widget.send = lambda content, buffers: said.append((content, buffers[0]))
    asked = ["mean", 0, 2, 1, 0, 0]
    widget._answer(None, {"number": 5, "tile": asked}, [])
    ((content, tile),) = said
    assert content == {"number": 5}
    block = given[0, 2, 10:12, 20:22].mean().item()
    assert np.frombuffer(tile, "<f4").reshape(150, 135)[5, 10] == pytest.approx(block, rel=1e-5)
    for wrong in (
        {},
        {"tile": ["mode", 0, 0, 0, 0, 0]},
        {"tile": ["max", 2, 0, 0, 0, 0]},
        {"tile": ["max", 0, 3, 0, 0, 0]},
        {"tile": ["max", -1, 0, 0, 0, 0]},
        {"tile": ["max", 0, 0, 9, 0, 0]},
    ):
        widget._answer(None, wrong, [])
    assert len(said) == 1


@pytest.mark.parametrize("palette", theme.RAMPS)
def test_show_palette_changes_maps_and_no_words(palette: str) -> None:
    light, dark = (theme.RAMPS[palette](each)[0] for each in (theme.LIGHT, theme.DARK))
    figure = show(weights(5, 5), [theme.LIGHT.weights[0], *WORDS[1:]], palette=palette)
    assert [each for _, each in figure.layout.coloraxis.colorscale] == list(light)
    assert theme.LIGHT.weights[0] in figure.layout.yaxis.ticktext
    looks = show(np.eye(300), palette=palette).page["meta"]["looks"]
    assert (looks["light"]["ramp"], looks["dark"]["ramp"]) == (list(light), list(dark))


def test_show_up_to_256_places_is_a_plain_figure() -> None:
    assert isinstance(show(np.eye(256)), go.Figure)
    assert not isinstance(show(np.eye(257)), go.Figure)
    assert not isinstance(show(np.zeros((12, 12, 256, 256), "f4")), go.Figure)  # too many for one
