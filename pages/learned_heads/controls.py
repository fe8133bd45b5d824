"""Read the controls of a toy, a real model or a file into the state of the page."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

from attn_core import AttentionMaps, RealModel
from attn_core.encoder_decoder import CROSS, DECODER, ENCODER, OTHER
from attn_core.models import Encoding
from attn_core.toys import SHIPPED, TASKS, Recipe
from attn_live.pyramid import Keep
from attn_ui.base.controls import Controls
from attn_ui.base.markdown import capital, plain
from attn_ui.base.parameters import label_of
from attn_ui.base.sentence import read_sentence
from attn_ui.base.shared_settings import TEXT, TEXT_2
from attn_words import N_, _, _c
from pages.learned_heads import settings, words
from pages.learned_heads.compute import has_run, steps_of
from pages.learned_heads.long_text import LongText, encode_text
from pages.learned_heads.model_shelf import maps_of, model_status
from pages.learned_heads.ranked_heads import RankedHeads
from pages.learned_heads.state import (
    CloudState,
    EvictionState,
    FlowState,
    Heads,
    NextState,
    State,
    ToySetting,
)
from pages.learned_heads.two_texts import PAIRS, TwoTexts

_NO_VIEW = N_(
    "Points and two sentences take a real model, eviction takes a toy that writes token by token (any task "
    "but reverse), the next token either, where it predicts tokens."
)
OWN_MAPS = "learned_own_maps"  # the session's key for the uploaded maps
ORDERS = "_whole_orders"  # the session's key for the large head and the heads' order by each measure
_KEEPS: Mapping[str, Keep] = {"largest": "max", "mean": "mean"}
_KINDS = {
    ENCODER: N_("the encoder"),
    DECODER: N_("the decoder"),
    CROSS: N_("the decoder to the encoder"),
    OTHER: N_("others"),
}


def read_controls(controls: Controls) -> State:
    """Read whose heads are shown, in which view, and the settings of both."""
    with controls.row():
        source = controls.segment(settings.SOURCE, _("Heads of"), label_visibility="collapsed")
        look = controls.segment(settings.LOOK, _("What is shown"), label_visibility="collapsed")
    source_state = _READERS[source](controls, look)
    if source_state is None or look == settings.HEADS or isinstance(source_state, LongText | TwoTexts):
        return source_state
    return _LOOKS[look](controls, source_state)


def _read_flow(controls: Controls, source: ToySetting | Heads) -> FlowState:
    with controls.sidebar():
        return FlowState(source, controls.flag(settings.DROPS_SINKS, _("Set attention sinks aside")))


def _read_eviction(controls: Controls, source: ToySetting | Heads) -> EvictionState | None:
    if isinstance(source, Heads) or not TASKS[source.recipe.task].causal:
        controls.caption(f":material/info: {_(_NO_VIEW)}")
        return None
    with controls.sidebar():
        return EvictionState(source, controls.choose(settings.POLICY, _("Keys are evicted by")))


def _refuse_pair(controls: Controls, source: ToySetting | Heads) -> None:
    del source
    controls.caption(f":material/info: {_(_NO_VIEW)}")


def _read_next(controls: Controls, source: ToySetting | Heads) -> NextState | None:
    if source.model is None if isinstance(source, Heads) else not TASKS[source.recipe.task].causal:
        controls.caption(f":material/info: {_(_NO_VIEW)}")
        return None
    with controls.sidebar():
        controls.heading(_("Next token"))
        return NextState(
            source, int(controls.step(settings.TOP_K, _("Top-k"))), controls.step(settings.TOP_P, _("Top-p"))
        )


def _read_points(controls: Controls, source_state: ToySetting | Heads) -> CloudState | None:
    if isinstance(source_state, ToySetting) or source_state.model is None:
        controls.caption(f":material/info: {_(_NO_VIEW)}")
        return None
    model = source_state.model
    with controls.sidebar():
        controls.heading(_c("group of settings", "Points"))
        layers = [_("layer {number}", number=number) for number in range(1, model.n_layer + 1)]
        layer = controls.pick(settings.LAYER, _("Layer"), layers)
        heads = [f"{layer + 1}.{number}" for number in range(1, model.n_head + 1)]
        head = controls.pick(settings.WITHIN, _("Head"), heads)
        tint = controls.segment(settings.TINT, _("Colour tells"))
    return CloudState(source_state, layer, head, tint == settings.BY_PLACE)


def _read_toy(controls: Controls, look: str) -> ToySetting:
    with controls.sidebar():
        request = _read_recipe(controls)
        if request not in SHIPPED:
            controls.part("pages.learned_heads.train_now", request)
        recipe = _recipe_on_screen(request)
        controls.heading(_("Sequence"))
        letters = _read_letters(controls, recipe.task)
        heads = [f"{layer + 1}.{head + 1}" for layer in range(recipe.layers) for head in range(recipe.heads)]
        if look != settings.HEADS:
            controls.step(steps_of(recipe), _("Training step"))
        with controls.more(settings.ABLATED) as more:
            off = more.several(
                settings.ABLATED,
                _("Heads switched off"),
                settings.ABLATED.options[: len(heads)],
                ["", *heads],  # options count from 1
                help=_("An ablation: layer and head."),
            )
    if recipe != request:
        fields = {"wanted": words.recipe_in_words(request), "shown": words.recipe_in_words(recipe)}
        missing = _("Not trained yet: {wanted}. The picture shows {shown}.", **fields)
        controls.caption(f":material/edit: {missing}")
    return ToySetting(recipe, letters, tuple(int(each) - 1 for each in off))


def _read_recipe(controls: Controls) -> Recipe:
    """Read the task and the model, one that is ready made or one to be trained now; return its recipe."""
    controls.heading(_("Training"))
    task = controls.choose(settings.TASK, _("Task"))
    own = controls.segment(settings.MODEL, _("Model")) == settings.OWN
    usual = Recipe.usual(task)
    if own:
        seed = controls.whole(settings.OWN_SEED, _("Seed"))
        layers, heads = (
            int(controls.segment(setting, label))
            for setting, label in (
                (settings.OWN_LAYERS, _("Layers")),
                (settings.OWN_HEADS, _("Heads a layer")),
            )
        )
        usual = replace(usual, seed=seed, layers=layers, heads=heads)
    without = replace(usual, positions=False)
    if own or without in SHIPPED:
        return usual if controls.flag(settings.PLACES, _("Positions")) else without
    return usual


def _recipe_on_screen(request: Recipe) -> Recipe:
    """Return the requested recipe, or a ready-made one of its task if that is not trained yet.

    The ready-made one has the same positions if it exists. Nothing depends on what the session showed before.
    """
    usual = Recipe.usual(request.task)
    alike = replace(usual, positions=request.positions)
    return next(each for each in (request, alike, usual) if has_run(each))


def _read_letters(controls: Controls, task: str) -> str:
    """Return the typed letters; if they cannot be read, show why and return the task's example."""
    setting, rules = settings.SEQUENCES[task], TASKS[task]
    line = controls.line(
        setting, _("Your sequence"), help=_("Letters from a to n, at most {most}.", most=rules.most)
    )
    letters = "".join(line.split()).lower()
    try:
        rules.tokens(letters)
    except ValueError as error:
        controls.describe(setting.name, _("Your sequence"), rules.example)
        why = plain(capital(str(error)))
        example = _("{why}. The picture shows “{letters}”.", why=why, letters=rules.example)
        controls.caption(f":material/edit: {example}")
        return rules.example
    return letters


def _read_real(controls: Controls, look: str) -> Heads | LongText | TwoTexts | None:
    """Read a sentence, or two, for the real model; None while the model is being read or if it fails."""
    result = model_status(controls.patience)
    if result.model is None:
        controls.part("pages.learned_heads.model_progress", result, words.how_to_come_by(result.fault))
        return None
    if result.fault:
        fallback = _("{why}. {model} is shown.", why=plain(capital(result.fault)), model=result.model.name)
        controls.caption(f":material/info: {fallback}")
    if look == settings.TWO:
        return _read_pair(controls, result.model)
    with controls.sidebar():
        controls.heading(_("Words"))
        try:
            most = result.model.longest_words if look == settings.HEADS else result.model.most_words
            text = read_sentence(controls, TEXT, _("Sentence"), tokenize=result.model.tokenize, most=most)
            encoding = encode_text(text, result.model.longest, result.model)
            is_long = len(encoding.ids) > result.model.most_tokens
            if is_long and look == settings.FLOW:
                needs = _(
                    settings.TOO_MANY_TOKENS,
                    most=f"{result.model.most_tokens:,}",
                    count=f"{len(encoding.ids):,}",
                )
                controls.caption(f":material/info: {capital(needs)}.")
            maps = None if is_long and look == settings.HEADS else maps_of(text, result.model)
        except ValueError as error:
            fault = _("{fault}.", fault=plain(capital(str(error))))
            controls.caption(f":material/error: {fault}")
            return None
    if maps is None:
        return _read_long(controls, result.model, text, encoding)
    masks = result.model.masks(len(maps.tokens or ()))
    ranked = RankedHeads(
        maps, *_read_order(controls, maps, look), [None if each is None else each.numpy() for each in masks]
    )
    return Heads(ranked, result.model, text, keep=_read_blocks(controls, ranked, look))


def _read_pair(controls: Controls, model: RealModel) -> TwoTexts:
    """Read which two sentences are compared, and whether by words or by word pieces."""
    with controls.sidebar():
        controls.heading(_("Words"))
        pair = controls.choose(settings.PAIR, _("Two sentences"))
        if pair == settings.TYPED:
            first, second = (
                read_sentence(controls, setting, label, tokenize=model.tokenize, most=model.most_words)
                for setting, label in ((TEXT, _("Sentence A")), (TEXT_2, _("Sentence B")))
            )
        else:
            first, second = PAIRS[pair]
        return TwoTexts(model, (first, second), controls.flag(settings.PIECES, _("Word pieces")))


def _read_long(controls: Controls, model: RealModel, text: str, encoding: Encoding) -> LongText:
    """Read which layer of a long text is shown."""
    with controls.sidebar():
        controls.heading(_c("group of settings", "Heads"))
        layers = replace(settings.LAYER, values=tuple(map(float, range(1, model.n_layer + 1))))
        layer = controls.step(layers, _("Layer"))
    return LongText(model, text, encoding, int(layer) - 1, _point(controls))


def _read_own(controls: Controls, look: str) -> Heads | None:
    """Read a file with heads."""
    controls.part(
        "pages.learned_heads.upload", None, _("Heads of your own are read from a file, in the app.")
    )
    maps: AttentionMaps | None = controls.recall(OWN_MAPS, None)
    if maps is None:
        return None
    if maps.by_kind:
        with controls.sidebar():
            at = controls.pick(settings.KIND, _("Attention of"), [_(_KINDS[kind]) for kind in maps.by_kind])
        maps = list(maps.by_kind.values())[at]
    ranked = RankedHeads(maps, *_read_order(controls, maps, look))
    return Heads(ranked, keep=_read_blocks(controls, ranked, look))


def _read_order(controls: Controls, maps: AttentionMaps, look: str) -> tuple[str, bool]:
    """Read which measure orders the heads, and whether special tokens are hidden."""
    if look != settings.HEADS:
        return settings.RANK_BY.default, False
    with controls.sidebar():
        controls.heading(_c("group of settings", "Heads"))
        measure = controls.choose(
            settings.RANK_BY, _("Order heads by"), on_change=partial(_keep_head, controls)
        )
        hide = bool(RankedHeads(maps, measure).special) and controls.flag(
            settings.HIDE, _("Hide special tokens")
        )
    if not maps.across:
        with controls.row(label=_("Which head looks at")):
            for which in settings.RANK_BY.options[:4]:
                controls.button(
                    label_of(settings.RANK_BY, which), partial(_find, controls, which), key=f"which-{which}"
                )
    return measure, hide


def _read_blocks(controls: Controls, ranked: RankedHeads, look: str) -> Keep:
    """Read whether a point of a long map shows its block's largest weight or the mean."""
    return _point(controls) if look == settings.HEADS and ranked.is_long else "max"


def _point(controls: Controls) -> Keep:
    with controls.sidebar():
        controls.heading(_("Long map"))
        return _KEEPS[controls.segment(settings.BLOCKS, _("A point shows, of its block, the"))]


def _find(controls: Controls, measure: str) -> None:
    controls.answer(settings.RANK_BY, measure)
    controls.move(settings.RANK, 1)


def _keep_head(controls: Controls) -> None:
    nothing: tuple[int, tuple[tuple[int, ...], ...]] = (-1, ((),) * len(settings.RANK_BY.options))
    head, orders = controls.recall(ORDERS, nothing)
    order = orders[settings.RANK_BY.options.index(controls.peek(settings.RANK_BY))]
    if head in order:
        controls.move(settings.RANK, order.index(head) + 1)


_READERS: Mapping[str, Callable[[Controls, str], ToySetting | Heads | LongText | TwoTexts | None]] = {
    settings.TOY: _read_toy,
    settings.REAL: _read_real,
    settings.FROM_FILE: _read_own,
}
_LOOKS: Mapping[str, Callable[[Controls, ToySetting | Heads], State]] = {
    settings.FLOW: _read_flow,
    settings.EVICTION: _read_eviction,
    settings.POINTS: _read_points,
    settings.TWO: _refuse_pair,
    settings.NEXT: _read_next,
}
