"""Programs that print the numbers on screen, and their formula."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import torch

from attn_core import RealModel, sinusoidal_encoding, weights_of
from attn_core.toys import SHIPPED, SYMBOLS
from attn_core.toys.model import BASE
from attn_ui.base.markdown import plain
from attn_ui.base.programs import OneProgram, Programs
from attn_words import _, paragraph
from pages.learned_heads import formulas
from pages.learned_heads.attention_flow import AttentionFlow
from pages.learned_heads.clouds import HeadClouds
from pages.learned_heads.compute import Result
from pages.learned_heads.eviction import SINKS, HeadEviction
from pages.learned_heads.long_text import LongText
from pages.learned_heads.next_token import NextResult
from pages.learned_heads.results import AnyResult
from pages.learned_heads.state import Heads
from pages.learned_heads.two_texts import TwoTexts
from programs.writing import NUMPY, PYTORCH, SHORT, Program, quoted, word_list

_PREDICTS = 'print("predicts:", *[symbols[each] for each in logits.argmax(-1)])'
_SYMBOLS = f'symbols = "{SYMBOLS}"'
_EVICTS = {"window": "oldest", "StreamingLLM": "oldest_after_sinks", "H2O": "least_used"}


def programs(result: AnyResult) -> Programs | OneProgram | None:
    """Return the programs of a result; None for a file, whose programs the tab Code shows itself."""
    return next((hand(result) for kind, hand in _HANDED.items() if isinstance(result, kind)), None)


# ---- toys ----


def _of_toy(result: Result) -> Programs:
    numbers, lines = _toy(result)
    lines += ["logits = (y - x) @ readout.T  # (n, n_symbol): what the heads wrote, read out"]
    numbers["readout"] = result.model.readout.detach().double()
    short = _runs(result, "weights, logits = run.weights.detach(), run.logits", _SYMBOLS)
    last = dict.fromkeys((PYTORCH, NUMPY, SHORT), _PREDICTS)
    return Programs(lines, numbers, ["weights"], short, partial(formulas.toy_formula, result), numbers, last)


def _toy(result: Result) -> tuple[dict[str, Any], list[str]]:
    """Return the numbers that a toy's program starts from, and the lines that run the model."""
    model, recipe, task = result.model, result.recipe, result.task
    text = "".join(SYMBOLS[each] for each in result.tokens)
    layers: list[dict[str, Any]] = [
        {"gain": norm.weight, "shift": norm.bias, **weights_of(attention)}
        for attention, norm in zip(model.attention, model.norms, strict=True)
    ]
    numbers: dict[str, Any] = {"embedding": model.embedding}
    if recipe.positions:
        numbers["positions"] = sinusoidal_encoding(len(text), task.d_model, base=BASE)
    numbers |= {name: torch.stack([layer[name] for layer in layers]) for name in layers[0]}
    lines = [_SYMBOLS, f"tokens = [symbols.index(symbol) for symbol in {quoted(text)}]"]
    for layer, head in (divmod(off, recipe.heads) for off in result.setting.off):
        rows = f"{head * result.d_head}:{(head + 1) * result.d_head}"
        lines.append(f"W_o[{layer}, {rows}] = 0  # head {layer + 1}.{head + 1} writes nothing")
    lines += [
        f"x = embedding[tokens]{' + positions' * recipe.positions}  # (n, d_model)",
        "i, j = places(len(x), len(x))",
        f"mask = {'j <= i' if task.causal else 'j >= 0'}  # True = may attend",
        f"layers = zip({', '.join(layers[0])})",
        f"y, Q, K, V, weights = toy_transformer(x, layers, {recipe.heads}, mask)",
    ]
    return {name: each.detach().double() for name, each in numbers.items()}, lines


def _runs(result: Result, *lines: str) -> list[str]:
    """Return the lines that run a toy with `attn_core`, followed by `lines`."""
    recipe, off = result.recipe, f", off={result.setting.off}" if result.setting.off else ""
    training = f"train({recipe!r})"
    if recipe in SHIPPED:
        training = f'packaged_run("{recipe.task}"{"" if recipe.positions else ", positions=False"})'
    return [
        f"model = {training}.model({result.at})  # after {result.step} steps of training",
        f'run = model(TASKS["{recipe.task}"].tokens({quoted(result.setting.letters)}){off})',
        *lines,
    ]


# ---- a text's flow, and keys evicted ----


def _of_flow(flow: AttentionFlow) -> Programs | OneProgram | None:
    source, at, prints = flow.source, flow.at, ["weights", "lengths", "rolled"]
    ends = [
        *["maps = drop_keys(maps, find_sinks(maps))"] * flow.drops_sinks,
        f"weights, rolled = maps[{at}], attention_rollout(maps)[{at}]",
    ]
    if isinstance(source, Heads):
        if source.model is None:
            return None
        lines = [
            f"stages = model.stages({quoted(source.text)})",
            "maps = torch.stack([stage.weights[0].mean(dim=0) for stage in stages])  # over heads",
            f"lengths = weighted_value_norms(stages[{at}])[0].mean(dim=0)",
        ]
        return _shortly([*lines, *ends], prints, source.model)
    numbers, lines = _toy(source)
    n_head = source.recipe.heads
    on = [[layer * n_head + head for head in heads] for layer, heads in enumerate(flow.on)]
    heads_on = f"on = {on}  # the heads of each layer that are on"
    lines += [
        heads_on,
        "maps = [mean_of_heads(weights, heads) for heads in on]",
        f"lengths = mean_of_heads(written_lengths(weights, V, W_o), on[{at}])",
        *["maps = [drop_sinks(each) for each in maps]"] * flow.drops_sinks,
        f"weights, rolled = maps[{at}], rollout(maps[:{at + 1}])",
    ]
    short = _runs(
        source,
        "weights = run.weights.detach()",
        heads_on,
        "maps = torch.stack([mean_of_heads(weights, heads) for heads in on])",
        "lengths = torch.cat([weighted_value_norms(layer) for layer in run.layers]).detach()",
        f"lengths = mean_of_heads(lengths, on[{at}])",
        *ends,
    )
    return Programs(lines, numbers, prints, short, partial(formulas.flow_formula, flow), numbers)


def _of_eviction(eviction: HeadEviction) -> Programs:
    result, policy, at = eviction.result, eviction.policy, eviction.budget - 1
    numbers, lines = _toy(result)
    lines += [
        "full, _ = attend_masked(Q @ K.mT / Q.shape[-1] ** 0.5, V, mask)",
        f"heads, weights = attend_with_cache(Q, K, V, {eviction.budget}, {_EVICTS[policy]})",
        "errors = relative_errors(heads, full)",
    ]
    sinks = f", sinks={SINKS}" if policy == "StreamingLLM" else ""
    short = _runs(
        result,
        "scores = torch.cat([layer.scaled_scores for layer in run.layers]).detach().double()",
        "value = torch.cat([layer.value for layer in run.layers]).detach().double()",
        f"eviction = evict(scores, value, {quoted(policy)}{sinks})  # with each budget from 1",
        f"weights, errors = eviction.weights[{at}], eviction.errors[{at}]",
    )
    formula = partial(formulas.eviction_formula, eviction)
    return Programs(lines, numbers, ["weights", "errors"], short, formula, numbers)


# ---- real models ----


def _of_points(result: HeadClouds) -> OneProgram:
    head, key = result.state.head, result.state.head // (result.model.n_head // result.model.n_key_head)
    lines = [
        f"stage = model.stages({quoted(result.state.heads.text)})[{result.state.layer}]",
        f"Q, K = stage.query[0, {head}].double(), stage.key[0, {key}].double()  # (n, d_head)",
        f"weights = stage.weights[0, {head}]",
        "# One centre and one spread: every score of a query grows by the same number.",
        "plane = main_directions(*align_clouds(Q, K).around)",
        "query_points, key_points = plane.queries, plane.keys",
    ]
    return _shortly(lines, ["weights", "query_points", "key_points"], result.model)


# Each measure, of `rows`, the words' weights on all tokens, or of `among`, their weights on words.
_SCORES = {
    "previous token": "previous_token_score({among})",
    "next token": "next_token_score({among})",
    "itself": "diagonal_score({among})",
    "first token": "first_token_score({among})",
    "entropy": "entropy({rows}).mean(-1)",
    "distance": "(weights * abs(i - j)).sum(-1){words}.mean(-1)",
    "special tokens": "{rows}[..., list(maps.special)].sum(-1).mean(-1)",
}


def _of_model(heads: Heads) -> OneProgram | None:
    """Return a program that finds the first head by the chosen measure of the true weights."""
    if heads.model is None:
        return None
    measure, rows, words = heads.ranked.measure, "weights", ""
    lines = [
        f"maps = model.attend({quoted(heads.text)})",
        "layers = [torch.from_numpy(each) for each in maps.maps.values()]",
        "weights = torch.stack(layers)  # (n_layer, n_head, n, n)",
    ]
    if heads.ranked.words_only or measure == "special tokens":
        lines.append("words = [at for at in range(len(maps.tokens)) if at not in maps.special]")
        rows, words = "weights[..., words, :]", "[..., words]"
    if measure == "distance":
        lines.append("i, j = places(*weights.shape[-2:])")
    score = _SCORES[measure].format(rows=rows, among=rows + words, words=words)
    lines += [
        f"scores = {score}  # (n_layer, n_head)",
        "layer, head = divmod(int(scores.argmax()), scores.shape[1])",
        'print(f"head {layer + 1}.{head + 1}: {scores.max():.4f}")',
    ]
    return _shortly(lines, [], heads.model)


def _of_long(result: LongText) -> OneProgram:
    arguments = f"{quoted(result.text)}, layer={result.layer}, head={result.head}"
    lines = [
        f"head = model.head_of({arguments})  # zero-based",
        f'print(f"head {result.layer + 1}.{result.head + 1} of {{len(head.query)}} tokens: ", end="")',
        'print(f"{head.before(1).mean():.4f} to the token before, {head.before(0).mean():.4f} to itself")',
        "print(head[0:4, 0:4])  # any part of the map, (queries, keys)",
    ]
    return _shortly(lines, [], result.model)


def _of_pair(result: TwoTexts) -> OneProgram:
    lines = [
        word_list("texts", result.texts),
        f"pair = compare_texts(model, *texts, pieces={result.pieces})",
        f"head = {result.head}  # {result.number(result.head)}, on pair.alignment.tokens",
        "first, second = pair.weights[:, head]",
        "changes = pair.changes.mean(dim=-1)  # of each head",
    ]
    return _shortly(lines, ["first", "second", "changes"], result.model)


def _of_next(result: NextResult) -> OneProgram:
    source, state = result.source, result.state
    if isinstance(source, Result):
        off = f", off={source.setting.off}" * bool(source.setting.off)
        model, lines = None, _runs(source, f"prediction = next_of_toy(model, run{off})")
    else:
        model, lines = source.model, [f"prediction = next_of_model(model.trace({quoted(source.text)}))"]
    settings = f"temperature={result.temperature!r}, top_k={state.top_k}, top_p={state.top_p!r}"
    lines += [
        f"chances, survivors = keep_likeliest(prediction.logits.detach(), {settings})",
        f"chances, n_kept = chances.topk({len(result.order)}).values, survivors.sum()",
    ]
    return _shortly(lines, ["chances", "n_kept"], model)


def _shortly(lines: list[str], prints: list[str], model: RealModel | None) -> OneProgram:
    """Return a program with `attn_core` alone, which loads `model` first unless that is None."""
    about = _("These lines run the model with `attn_core`: `pip install .` in this app's folder.")
    if model is not None:
        name = "" if model.is_packaged else quoted(model.name)
        lines = [f"model = load_model({name})", *lines]
        if name:
            folder = _("Start them where the folder {name} is, or put its path in.", name=plain(model.name))
            about = paragraph(about, folder)
    return OneProgram(Program(SHORT, "\n".join(lines), {}, prints), about)


_HANDED: Mapping[type, Callable[[Any], Programs | OneProgram | None]] = {
    Result: _of_toy,
    Heads: _of_model,
    LongText: _of_long,
    TwoTexts: _of_pair,
    NextResult: _of_next,
    AttentionFlow: _of_flow,
    HeadEviction: _of_eviction,
    HeadClouds: _of_points,
}
