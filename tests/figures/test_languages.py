"""Pictures in other languages: words alone differ; numbers, names and what code looks up do not."""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from attn_figures import block_diagrams, kernel_regression, kernel_studies, multi_head, overview, position_sum
from attn_figures import position_curves as curves
from attn_figures import position_maps as maps
from attn_figures import single_head as head
from attn_figures.batch import batch
from attn_figures.block import layer_curves
from attn_figures.block_diagrams import Shapes
from attn_figures.chart import Chart
from attn_figures.claims import measured
from attn_figures.comparable import Map, parts_of
from attn_figures.compare import compare, compared_steps
from attn_figures.encoder_decoder import Layers, encoder_and_decoder
from attn_figures.frame import Side, without_tags
from attn_figures.heads_add_up import added_up, parameter_curves, shares, similarity
from attn_figures.kernel_bridge import Terms, bridge
from attn_figures.kernel_plane import PlaneEstimate, PlaneScene, plane
from attn_figures.kernel_plane_mistakes import Made, Plane, two_planes
from attn_figures.kernel_scene import Estimate, Scene, facts_of
from attn_figures.kernel_studies import Errors, Limits
from attn_figures.learned import Course, Maps, right_and_broken, scrubber
from attn_figures.marks import line
from attn_figures.matrix import Matrix
from attn_figures.multi_head import Heads
from attn_figures.one_or_many import Compared, Fitted, Spread, fitting, one_or_many
from attn_figures.over_picture import Asked, over_picture
from attn_figures.panels import compose
from attn_figures.picture import Spec
from attn_figures.positional import Trial, attention_maps, before_and_after, trial
from attn_figures.reshape import blocks
from attn_figures.ribbons import ribbons
from attn_figures.scale_study import COSTS, MEASURES, cost_picture, scale_picture
from attn_figures.shared_heads import sharing, trade, writing, writing_cost
from attn_figures.show_attention import show
from attn_figures.single_head import Lookup, Walk
from attn_figures.speech import Sound, speech_weights
from attn_figures.three_masks import Masked, three_masks
from attn_figures.whole_model import Model, steps
from attn_live.arrays import Crossed
from attn_words import PSEUDO, SOURCE, _, speaking
from tests.plain_words import english_in, texts_of

Numbers = NDArray[np.float64]
TYPED = ["ab", "ba", "aa"]  # as users' words
NAMES = {"head a", "head b"}  # that pages give, and that no one reads
KEPT = {
    "concat",
    "flops",
    "relu",
    "soft",
    "arg",
    "layernorm",
    "sublayer",
}  # as papers write them in every language
# What is read, and what its room decides on every screen.
READ = {"text", "hovertemplate", "hovertext", "ticktext", "title", "prefix", "suffix", "said"}
ROOM = {"domain", "height", "width", "xshift", "yanchor", "texttemplate", "textfont", "tickfont", "screens"}
ROOM |= {"showticklabels", "showscale", "colorbar", "tickangle"}


def random(*shape: int) -> Numbers:
    drawn: Numbers = np.random.default_rng(7).random(shape)
    return drawn


def weights(*shape: int) -> Numbers:
    drawn = random(*shape)
    found: Numbers = drawn / drawn.sum(axis=-1, keepdims=True)
    return found


def walk() -> Walk:
    x, w, scores = random(3, 4), random(4, 4), random(3, 3)
    found = Lookup(np.eye(3), random(3, 4), random(3))
    mask = np.tri(3, dtype=bool)
    return Walk(
        TYPED, TYPED, x, x, [w, w, w], x, x, x, scores, scores / 2, mask, scores, scores[:, :1],
        weights(3, 3), x, "÷ √2", is_masked=True, biases=[x[:1]] * 3, ramp_power=2.0, lookup=found,
    )  # fmt: skip


def heads() -> Heads:
    return Heads(weights(4, 3, 3), random(3, 6), TYPED, TYPED, np.tri(3, dtype=bool), off=[1])


def scene(*, dated: bool = False) -> Scene:
    grid, places = np.linspace(-1, 5, 9), np.linspace(-1, 5, 5)
    offsets = np.array([-1.0, 0.0, 1.0])
    keys = np.sort(4 * random(4))
    return Scene(keys, random(4), places, grid, np.sin(grid), offsets, (-3, 3), dated=dated)


def estimate(kernel: float = 1.0) -> Estimate:
    found = weights(5, 4)
    found[0] = 0.0
    at = np.array([np.nan, *random(4)])
    facts = facts_of(np.linspace(-1, 5, 5), found, random(5), at)
    return Estimate(found, kernel * random(5), at, random(9), np.array([0.0, 1.0, 0.0]), facts)


def plane_of_two() -> Spec:
    axis = np.linspace(-1, 1, 4)
    drawn = PlaneScene(
        random(3, 2), random(3), TYPED, axis, random(2, 2), axis[2:], (1.0,), ("x<sub>1</sub>", "y")
    )
    on_map = np.where(random(4, 4) < 0.3, np.nan, random(4, 4))
    return plane.spec(drawn, PlaneEstimate(0.5, on_map, weights(2, 3), random(2, 3), random(2)))


def mistakes_of_two() -> Spec:
    where = Plane(np.linspace(-1, 1, 4), ("x", "y"), (1, 1), 1.0)
    return two_planes.spec(where, *(Made(_(way), random(4, 4), random(4, 4)) for way in ("broken", "right")))


def errors() -> Errors:
    left = np.array([np.inf, 1.0, 0.5, 0.4])
    return Errors(10 ** random(4).cumsum(), random(4), left, np.array([2, 3, 3, 3]), (2.0, 0.5), random(2, 2))


def trained() -> tuple[Maps, Course]:
    said = weights(3, 3)
    names = ["head 1.1", "head 1.2"]
    course = [("head 1.1", "previous token", random(4)), ("head 1.2", "induction", random(4))]
    mask = np.tri(3, dtype=bool)
    drawn = Maps(weights(2, 3, 3), names, TYPED[:2], TYPED, said, TYPED, [None, 1, 2], mask)
    return drawn, Course(np.arange(4.0), random(4), random(4), course, math.log(3), said_of(names))


def said_of(names: list[str]) -> dict[str, str]:
    """Return what people read in place of names that a page has."""
    return {name: _("head {number}", number=at + 1) for at, name in enumerate(names)}


def studied() -> Spec:
    compared = Compared((1, 2), [9, 9], [10, 11], *(Spread.of(random(5, 2)) for _each in range(3)))
    spreads = {way: [Spread.of_powers(random(3, 4))] * 2 for way in ("right", "broken")}
    return one_or_many.spec(compared, spreads, chosen=1, layer=1, way="right")


def a_trial() -> Spec:
    tried = Trial(
        random(3, 3), random(3, 3), (_("right"), _("broken")), TYPED, TYPED, _("Query"), _("Key"),
        _("difference"), (1.0, 1.0),
    )  # fmt: skip
    errors = {"head a": 0.5, "head b": 0.25}
    return trial.spec(tried, errors, "head a", 0.5, said_of([*errors]))


def of_model(*, divided: bool) -> Spec:
    layers, labels = [weights(2, 3, 3)] * 2, [TYPED] * 2
    model = Model(
        layers, [0.5] * 4, _("entropy"), range(4), labels, labels, layers if divided else None,
        [np.tri(3, dtype=bool)] * 2,
    )  # fmt: skip
    return steps(model, [1])[0]


def compared_figures(draw: Callable[[], Spec], name: str) -> Spec:
    part = parts_of(draw())[name]
    other = parts_of(draw())[name]
    return compared_steps(part, [other])[0]


def sound() -> Spec:
    frames = Sound(random(4, 6), [100.0 * (at + 1) for at in range(6)], ["ab", "ab", "pause", "ba"])
    near = np.tri(4, dtype=bool)
    return speech_weights.spec(frames, weights(4, 4), weights(4, 4), near)


def shapes() -> Shapes:
    n, kept = (8, 3, 4), (2, 3, 4)
    return Shapes((3, 8), (3, 6), n, kept, kept, (8, 3, 3), n, (3, 32), (32, 8), (3, 8), "ab", True, "bias")


PICTURES: dict[str, Callable[[], Spec]] = {
    **{stage: (lambda stage=stage: getattr(head, stage).spec(walk())) for stage in (
        "all_at_once", "sources", "projecting", "dot_products", "scaling", "masking", "softmax", "mixing",
        "hard_or_soft",
    )},
    "mistake of one head": lambda: head.mistake_picture.spec(
        weights(3, 3), weights(3, 3)[::-1], (np.tri(3, dtype=bool), np.ones((3, 3), dtype=bool)),
        queries=TYPED, keys=TYPED,
    ),
    "boxes of one head": lambda: block_diagrams.single_head.spec(walk()),
    "boxes of several heads": lambda: block_diagrams.multi_head.spec(shapes()),
    "boxes of two layers": lambda: encoder_and_decoder.spec(Layers(5, 8, 4, 8, 2, 4)),
    "batch": lambda: batch.spec([TYPED, TYPED], weights(2, 3, 3), np.ones((2, 3, 3), dtype=bool)),
    "every head": lambda: multi_head.every_head.spec(heads(), slots=5),
    "heads combined": lambda: multi_head.combined.spec(heads(), chosen=[0, 1]),
    "two heads": lambda: multi_head.two_heads.spec(heads(), 0, 1),
    "layers": lambda: layer_curves.spec(
        random(2, 4) + 1, random(2, 4), ["right", "broken"], chosen=1, layer=0, state=random(3, 4),
        tokens=TYPED, limit=1.0,
    ),
    "heads added up": lambda: added_up.spec(random(3, 4), TYPED, random(3), off=[1], limit=1.0, longest=1.0),
    "shares": lambda: shares.spec(random(3, 4), TYPED, marked=1),
    "similarity of heads": lambda: similarity.spec(random(3, 3)),
    "parameters": lambda: parameter_curves.spec([("d_head = 2", [1, 2], [3, 4])], (1, 3)),
    "claim": lambda: measured.spec(
        _("Heads"), [1, 2, 4], {"entropy": {"learned": random(3, 3), "right": random(3, 3)}}, 1, bent=True,
        logarithmic={"entropy": True},
    ),
    "fit": lambda: kernel_regression.fit.spec(scene(), estimate(), 1),
    "fit of dates": lambda: kernel_regression.fit.spec(scene(dated=True), estimate()),
    "kernels": lambda: kernel_regression.compare.spec(
        scene(), {"head a": estimate(), "head b": estimate(0.5)}, said=said_of(["head a", "head b"])
    ),
    "bandwidths": lambda: kernel_studies.choose.spec(scene(), errors(), 1, random(9)),
    "limits": lambda: kernel_studies.fails.spec(
        scene(), Limits(random(9), 0.5, (0.0, 3.0)), np.where(random(9) < 0.5, np.nan, 1.0), random(9)
    ),
    "maps of kernels": lambda: kernel_studies.two_maps.spec(
        scene(), (_("broken"), estimate()), (_("right"), estimate())
    ),
    "bridge": lambda: bridge.spec(
        Terms(random(3, 3), random(3, 3), random(3, 3), TYPED, TYPED), weights(3, 3), weights(3, 3),
        h_squared=2.0, keeps_lengths=False,
    ),
    "two inputs": plane_of_two,
    "mistakes of two inputs": mistakes_of_two,
    "training": lambda: scrubber.spec(*trained(), 1),
    "mistake of training": lambda: right_and_broken.spec(trained()[0], trained()[0], 0),
    "one or many": studied,
    "fitting": lambda: fitting.spec(
        [0, 10], [Fitted(n, random(3, 2), weights(2, n, 2, 3)) for n in (1, 2, 4, 8)], 1, floor=0.1,
        queries=TYPED[:2],
    ),
    "over a picture": lambda: over_picture.spec(
        Asked(random(6, 6), (3, 3), [*"abcabcabc"], [*"abcabcabc"], _("word")), weights(9, 9)
    ),
    "story": lambda: overview.story.spec(
        weights(3, 3), weights(3, 3), weights(3, 3), [weights(3, 3)] * 2, TYPED
    ),
    "uses": lambda: overview.uses.spec([("head a", weights(3, 3), TYPED, TYPED)], said_of(["head a"])),
    "turning": lambda: curves.turning.spec(random(2, 2), [0, 3], random(2), random(9), shown=8),
    "far": lambda: curves.far.spec({"head a": random(9)}, 4, {"head a": 6}, said_of(["head a"])),
    "encoding": lambda: maps.encoding.spec(random(5, 4), [0, 2], limit=1.0, shown=4),
    "similarity": lambda: maps.similarity.spec(
        random(4, 4), (random(7), random(7), random(7)), limits=(-1, 1), quantity=_("score"), shown=4
    ),
    "bias": lambda: maps.bias.spec(random(4, 4), random(2, 7), 1, buckets=random(4, 4)),
    "sum": lambda: position_sum.vectors.spec(
        TYPED, [position_sum.Part("X", random(3, 4), "X", _("value"))], limit=1.0, longest_title=9
    ),
    "before and after": lambda: before_and_after.spec(
        TYPED, weights(3, 3), weights(3, 3)[::-1], names=("E", "X"), limit=1.0
    ),
    "schemes": lambda: attention_maps.spec(TYPED, {"head a": weights(3, 3)}, said_of(["head a"])),
    "trial": a_trial,
    "reshape": lambda: blocks.spec(3, TYPED, 2, 2),
    "ribbons": lambda: ribbons.spec(weights(3, 3), TYPED, TYPED),
    "scale": lambda: scale_picture.spec(
        (1, 4, 16), dict.fromkeys(MEASURES, random(2, 3)), random(2, 3, 4), 1
    ),
    "cost": lambda: cost_picture.spec(
        (8, 16), dict.fromkeys(COSTS, random(2, 2)), 8, "head a", said_of(["head a"])["head a"]
    ),
    "shared keys": lambda: sharing.spec(heads(), heads(), 2, head=1, limit=1.0),
    "trade": lambda: trade.spec([1, 2], [3, 4], [0.5, 0.0], 1, x_title=_("Heads")),
    "writing": lambda: writing.spec(TYPED, weights(3, 3), random(3, 2), random(3, 2), 1, limit=1.0),
    "writing's cost": lambda: writing_cost.spec([1, 2, 3], [1, 4, 9], 1),
    "several layers": lambda: show(weights(2, 2, 3, 3), TYPED, output=random(3, 4)).to_plotly_json(),
    "sound": sound,
    "masks": lambda: three_masks.spec(
        [Masked("head a", weights(3, 3), np.tri(3, dtype=bool), said_of(["head a"])["head a"])], TYPED
    ),
    "model": lambda: of_model(divided=False),
    "model among words": lambda: of_model(divided=True),
    "maps compared": lambda: compared_figures(lambda: head.mixing.spec(walk()), "weights"),
    "curves compared": lambda: compared_figures(lambda: scrubber.spec(*trained(), 1), "curves x4"),
}  # fmt: skip


def drawn(name: str, spoken: str) -> Spec:
    with speaking(spoken):
        return PICTURES[name]()


def leaves(part: Any, path: str = "", key: str = "") -> Iterator[tuple[str, Any]]:
    """Yield what is neither read nor decided by the room of words, by its path."""
    if key in READ | ROOM or path.startswith("layout.annotations") or key == "texttemplate":
        return
    if isinstance(part, Mapping):
        for name, value in part.items():
            yield from leaves(value, f"{path}.{name}".lstrip("."), str(name))
    elif isinstance(part, list | tuple) and any(isinstance(each, Mapping) for each in part):
        for number, value in enumerate(part):
            yield from leaves(value, f"{path}[{number}]", key)
    elif not isinstance(part, Crossed):
        yield path, part


@pytest.mark.parametrize("spoken", ["zh", PSEUDO])
@pytest.mark.parametrize("name", PICTURES)
def test_only_what_is_read_differs_from_the_english_picture(name: str, spoken: str) -> None:
    english, other = (dict(leaves(drawn(name, each))) for each in (SOURCE, spoken))
    meta = [path for path in other if path.endswith(".meta")]
    assert english.keys() == {path for path in other if path not in meta}
    for path, value in english.items():
        np.testing.assert_equal(other[path], value, err_msg=path)


@pytest.mark.parametrize("name", PICTURES)
def test_traces_have_their_english_names_in_every_language(name: str) -> None:
    english = drawn(name, SOURCE)
    for spoken in ("zh", PSEUDO):
        other = drawn(name, spoken)
        assert [trace["name"] for trace in other["data"]] == [trace["name"] for trace in english["data"]]
        shapes = [
            [shape.get("name") for shape in each["layout"].get("shapes", ())] for each in (english, other)
        ]
        assert shapes[0] == shapes[1]


@pytest.mark.parametrize("spoken", ["zh", PSEUDO])
@pytest.mark.parametrize("name", PICTURES)
def test_no_english_is_read_on_a_picture_in_another_language(name: str, spoken: str) -> None:
    texts = {text for text in texts_of(drawn(name, spoken)) if english_in(text, frozenset(KEPT))}
    assert not texts - NAMES


def test_a_comparison_names_curves_as_people_read_them() -> None:
    def figure(height: float) -> Spec:
        curve = line("estimate", [0, 1, 2], [height, 1, 2], "#123456", said=_("estimate"))
        return compose.spec([Chart("fit", [curve], 4, 4)])

    with speaking(PSEUDO):
        a, b = (parts_of(figure(height))["curves x"] for height in (0.0, 0.5))
        found = compare(a, b)
        (spec,) = compared_steps(a, [b])
        assert found.most is not None
        assert found.most.place == (_("estimate"), "0")
        assert f"{_('estimate')}, B − A" in spec["data"][-1]["hovertemplate"]
    assert [trace["name"] for trace in spec["data"]] == ["A: estimate", "B: estimate", "difference: estimate"]


def test_a_map_is_read_back_in_every_language_as_it_was_drawn() -> None:
    rows = [f"long word {number}" for number in range(3)]
    for spoken in (SOURCE, "zh", PSEUDO):
        with speaking(spoken):
            spec = compose.spec([Matrix("weights", weights(3, 3), _("weights"), Side(rows), Side.keys(rows))])
            (found,) = parts_of(spec).values()
            assert isinstance(found, Map)
            assert found.title == _("weights")
            assert found.matrix.hover.quantity == _("weight")
            assert found.matrix.hover.words == (_("query"), _("key"))
            assert list(found.matrix.rows.labels) == rows


@pytest.mark.parametrize("title", ["注意力权重，每一行之和为一", "attention weights"])
def test_a_caption_has_room_for_what_it_says(title: str) -> None:
    panel = Matrix(
        "weights", weights(2, 2), title, Side(["a", "b"]), Side(["a", "b"], role="key"), shows_shape=False
    )
    wide = sum(7 if letter.isascii() else 14 for letter in without_tags(title))
    assert panel.geometry().box.caption >= wide
    assert replace(panel, title="w").geometry().box.caption < wide
