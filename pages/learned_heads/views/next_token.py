"""The next token: the likeliest ones, the logit lens, and the parts of the first one's logit."""

from collections.abc import Hashable

from attn_figures.next_token import Lens, next_token
from attn_figures.numbers import as_share, number
from attn_figures.picture import Spec
from attn_figures.scene import Scene
from attn_live.captions import LazyMap
from attn_ui.base.controls import Controls
from attn_ui.base.markdown import all_of, capital, plain
from attn_ui.base.page import Figure, Slider, Small, View
from attn_ui.base.scenes import shared_scene
from attn_ui.base.shared_settings import TEMPERATURE
from attn_words import N_, _, paragraph
from pages.learned_heads import words
from pages.learned_heads.compute import Result, array, steps_of
from pages.learned_heads.next_token import NextResult, result_of
from pages.learned_heads.results import AnyResult
from pages.learned_heads.settings import LONG_TAB
from pages.learned_heads.state import Heads, NextState, ToySetting


def view(controls: Controls, state: NextState) -> View[AnyResult]:
    """Draw the next token at every temperature; show why if the model does not predict tokens."""
    source: Result | Heads
    if isinstance(state.source, ToySetting):
        steps = steps_of(state.source.recipe)
        source = Result(state.source, steps.nearest(controls.value(steps)))
    else:
        source = state.source
    try:
        result = result_of(state, source, controls.value(TEMPERATURE))
    except ValueError as error:
        controls.caption(f":material/error: {plain(capital(str(error)))}.")
        return View(None, None)
    key, notes = _about(source)
    figure = Figure(
        _draw(key, state.top_k, state.top_p, result),
        key="next",
        name="next token",
        slider=Slider(_("Temperature"), TEMPERATURE),
    )
    return View(result, figure, notes=[*map(Small, notes)], tabs=LONG_TAB)


def _about(source: Result | Heads) -> tuple[Hashable, list[str]]:
    """Return the source's cache key, and the notes on it."""
    if isinstance(source, Result):
        about = _("Logit lens: the prediction after each layer. A toy's logit is the sum of what heads add.")
        return (source.setting, source.at), [about]
    assert source.model is not None
    about = _(
        "Logit lens: the last norm and the prediction, applied after each layer. What a head adds is direct: "
        "with the last norm's divisor as it is, and without what later layers make of it."
    )
    return source.text, [about, words.about_model(source.model)]


@shared_scene
def _draw(key: Hashable, top_k: int, top_p: float, _result: NextResult) -> Scene:
    del key, top_k, top_p
    prediction, order = _result.next_token, _result.order
    names = [_result.name(token) for token in order]
    layers = [_("layer {number}", number=at) for at in range(1, len(prediction.winners) + 1)]
    lens = Lens(
        _result.tokens,
        ([_("embedding")] * bool(prediction.rest) + layers)[: len(prediction.winners)],
        [[_result.name(token) for token in line] for line in prediction.winners.tolist()],
        array(prediction.chances),
        None if prediction.heads is None else array(prediction.heads),
        names[0],
    )

    def draw(temperature: float) -> Spec:
        chances, survivors = _result.at(temperature)
        return next_token(lens, names, array(chances[order]), survivors[order].numpy())

    steps = TEMPERATURE.values
    return Scene(LazyMap(draw, steps), captions=LazyMap(lambda step: _caption(_result, step), steps))


def _caption(result: NextResult, temperature: float) -> str:
    """Return the likeliest token, how many tokens top-k and top-p keep, and the parts of its logit."""
    prediction, winner = result.next_token, result.order[0]
    chances, survivors = result.at(temperature)
    sentence = _(
        "**{token}** is likeliest, **{chance}**. Top-k {k} and top-p {p} leave {count} of {all} tokens, with "
        "**{share}** of the probability.",
        token=plain(result.name(winner)),
        chance=words.mean(float(chances[winner])),
        k=result.state.top_k,
        p=f"{result.state.top_p:.2f}",
        count=f"{int(survivors.sum()):,}",
        all=f"{len(survivors):,}",
        share=as_share(float(chances[survivors].sum()), 1),
    )
    heads, rest = prediction.heads, dict(prediction.rest)
    fields = {"head": "–", "most": "–"}
    if heads is not None:
        layer, head = divmod(int(heads.argmax()), heads.shape[1])
        fields = {"head": f"{layer + 1}.{head + 1}", "most": number(float(heads.max()), 3)}
        rest = {N_("all heads"): float(heads.sum()), **rest}
    parts = [_("{part} {number}", part=_(name), number=number(each, 3)) for name, each in rest.items()]
    fields |= {"logit": number(float(prediction.logits[winner]), 3), "parts": all_of(parts)}
    text = _("Its logit {logit}: {parts}. Most by head **{head}**: {most}.", **fields)
    return paragraph(sentence, text)
