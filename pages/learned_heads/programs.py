"""Programs that print the numbers on screen, and their formula."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from attn_core import RealModel, sinusoidal_encoding, weights_of
from attn_core.toys import SHIPPED, SYMBOLS
from attn_core.toys.model import BASE
from attn_ui.base.latex import in_latex
from attn_ui.base.markdown import plain
from attn_ui.base.programs import OneProgram, Programs
from attn_words import _, paragraph
from pages.learned_heads.clouds import HeadClouds
from pages.learned_heads.compute import Result
from pages.learned_heads.eviction import SINKS, HeadEviction
from pages.learned_heads.long_text import LongText
from pages.learned_heads.results import AnyResult
from pages.learned_heads.state import Heads
from pages.learned_heads.text_flow import TextFlow
from pages.learned_heads.two_texts import TwoTexts
from programs.writing import SHORT, Program, quoted

_SAYS = 'print("predicts:", *[symbols[each] for each in logits.argmax(-1)])'
_SYMBOLS = f'symbols = "{SYMBOLS}"'
_EVICTS = {"window": "oldest", "StreamingLLM": "oldest_after_sinks", "H2O": "least_used"}


def programs(result: AnyResult) -> Programs | OneProgram | None:
    """Return the programs of a result; those of a file stand in the tab itself."""
    return next((hand(result) for kind, hand in _HANDED.items() if isinstance(result, kind)), None)


# ---- toys ----


def _of_toy(result: Result) -> Programs | OneProgram:
    numbers, lines = _toy(result)
    run = f"result = model(task.tokens({quoted(result.setting.letters)}){_off(result)})"
    short = [*_makes(result), run, "weights, logits = result.weights.detach(), result.logits", _SYMBOLS]
    formula = partial(_toy_formula, result)
    return Programs(
        "\n".join(lines), numbers, ["weights"], ("\n".join(short), _SAYS), formula, numbers, _SAYS
    )


def _toy(result: Result) -> tuple[dict[str, Any], list[str]]:
    """Return what a toy's program starts from, and the lines that run the model."""
    model, recipe, task = result.model, result.recipe, result.task
    learned: dict[str, Any] = {"embedding": model.embedding, "readout": model.readout}
    layers = zip(model.attention, model.norms, strict=True)
    for layer, (attention, norm) in enumerate(layers):
        learned |= {f"{name} {layer}": each for name, each in weights_of(attention).items()}
        learned |= {f"gain {layer}": norm.weight, f"shift {layer}": norm.bias}
    text = "".join(SYMBOLS[each] for each in result.tokens)
    lines = [_SYMBOLS, f"tokens = [symbols.index(symbol) for symbol in {quoted(text)}]"]
    for layer, head in (divmod(off, recipe.heads) for off in result.setting.off):
        rows = f"{head * result.d_head}:{(head + 1) * result.d_head}"
        lines.append(f'w["W_o {layer}"][{rows}] = 0  # head {layer + 1}.{head + 1} writes nothing')
    if recipe.positions:
        learned["positions"] = sinusoidal_encoding(len(text), task.d_model, base=BASE)
    positions = ' + w["positions"]' * recipe.positions
    lines += [
        f'x = w["embedding"][tokens]{positions}  # (n, d_model)',
        "i, j = places(len(x), len(x))",
        f"mask = {'j <= i' if task.causal else 'j >= 0'}  # True = may attend",
        f"logits, Q, K, V, weights = toy_transformer(x, w, {recipe.layers}, {recipe.heads}, mask)",
    ]
    return {"w": {name: each.detach().double() for name, each in learned.items()}}, lines


def _makes(result: Result) -> list[str]:
    """Return the lines that have the training, with `attn_core`."""
    recipe = result.recipe
    run = f"run = train({recipe!r})"
    if recipe in SHIPPED:
        more = "" if recipe.positions else ", positions=False"
        run = f'run = packaged_run("{recipe.task}"{more})'
    return [run, f"task, model = TASKS[run.recipe.task], run.model({result.at})  # after {result.step} steps"]


def _off(result: Result) -> str:
    return f", off={result.setting.off}" if result.setting.off else ""


def _toy_formula(result: Result) -> str:
    """Return the output of the chosen head as LaTeX, with its numbers."""
    layer, head = divmod(result.selection[0], result.recipe.heads)
    stage = result.toy_run.layers[layer]
    weights, value, output = (
        in_latex(each[head].tolist()) for each in (stage.weights, stage.value, stage.heads)
    )
    scaled = rf"\frac{{1}}{{\sqrt{{{result.d_head}}}}}\, Q K^\top{' + M' if result.task.causal else ''}"
    return rf"O = \operatorname{{softmax}}\!\left({scaled}\right) V = {weights} {value} = {output}"


# ---- a text's flow, and keys evicted ----


def _of_flow(flow: TextFlow) -> Programs | OneProgram | None:
    source, prints = flow.source, ["weights", "lengths", "rolled"]
    if isinstance(source, Heads):
        if source.model is None:
            return None
        lines = [
            f"stages = {_load(source.model)}.stages({quoted(source.text)})",
            *_flow_lines(flow, "{}[0].mean(dim=0)"),
        ]
        return _shortly("\n".join(lines), prints, source.model)
    numbers, lines = _toy(source)
    n_head, at = source.recipe.heads, flow.at
    heads = f"{at * n_head}:{(at + 1) * n_head}"
    shape = f"weights.reshape({source.recipe.layers}, {n_head}, len(x), len(x))"
    lengths = f'written_lengths(weights[{heads}], V[{heads}], w["W_o {at}"])'
    on = [f"on = {[[*heads] for heads in flow.on]}  # the heads of each layer that are on"]
    if source.setting.off:
        lines += [*on, f"maps = [mean_of_heads(heads, some) for heads, some in zip({shape}, on)]"]
        lines.append(f"lengths = mean_of_heads({lengths}, on[{at}])")
    else:
        lines += [f"maps = {shape}.mean(1)  # over heads: (n_layer, n, n)", f"lengths = {lengths}.mean(0)"]
    lines += ["maps = [set_sinks_aside(each) for each in maps]"] * flow.aside
    lines += [f"rolled = rollout(maps[:{at + 1}])", f"weights = maps[{at}]"]
    mean = "mean_of_heads({}, some)" if source.setting.off else "{}.mean(dim=0)"
    run = f"stages = model(task.tokens({quoted(source.setting.letters)}){_off(source)}).layers"
    short = [*_makes(source), run, *on * bool(source.setting.off), *_flow_lines(flow, mean)]
    return Programs(
        "\n".join(lines),
        numbers,
        prints,
        ("\n".join(short), ""),
        lambda: (
            rf"R_{{{at + 1}}} = \tilde A_{{{at + 1}}} \cdots \tilde A_1 = "
            + in_latex(flow.rollout[at].tolist())
        ),
        numbers,
    )


def _flow_lines(flow: TextFlow, mean: str) -> list[str]:
    """Write the flow with attn_core; `mean` is over the heads of a stage, or over `some`, those on."""
    each = "for stage, some in zip(stages, on)" if "some" in mean else "for stage in stages"
    norms = mean.format(f"weighted_value_norms(stages[{flow.at}])").replace("some", f"on[{flow.at}]")
    return [
        f"weights = torch.stack([{mean.format('stage.weights')} {each}]).detach()",
        *["weights = drop_keys(weights, find_sinks(weights))"] * flow.aside,
        f"rolled = attention_rollout(weights)[{flow.at}]",
        f"weights, lengths = weights[{flow.at}], {norms}.detach()",
    ]


def _of_eviction(eviction: HeadEviction) -> Programs:
    result, head = eviction.result, eviction.result.selection[0]
    numbers, lines = _toy(result)
    lines += [
        "full, _ = attend_masked(Q @ K.mT / Q.shape[-1] ** 0.5, V, mask)",
        f"heads, weights = attend_with_cache(Q, K, V, {eviction.budget}, {_EVICTS[eviction.policy]})",
        "full, change = (each.reshape(len(full), -1) for each in (full, heads - full))",
        "errors = length(change) / length(full)  # of each head",
    ]
    sinks = f", sinks={SINKS}" if eviction.policy == "StreamingLLM" else ""
    shortly = f"""stages = model(task.tokens({quoted(result.setting.letters)}){_off(result)}).layers
scores = torch.cat([stage.scaled_scores for stage in stages]).detach().double()  # over all layers
value = torch.cat([stage.value for stage in stages]).detach().double()
eviction = evict(scores, value, {quoted(eviction.policy)}{sinks})  # with each budget from 1
weights, errors = eviction.weights[{eviction.budget - 1}], eviction.errors[{eviction.budget - 1}]"""
    value = float(eviction.errors[head])
    output, full = (eviction.run.heads[at, head] for at in (eviction.budget - 1, eviction.n - 1))
    return Programs(
        "\n".join(lines),
        numbers,
        ["weights", "errors"],
        ("\n".join([*_makes(result), shortly]), ""),
        lambda: (
            rf"\frac{{\lVert O_{{{eviction.budget}}} - O_{{{eviction.n}}} \rVert}}"
            rf"{{\lVert O_{{{eviction.n}}} \rVert}} = "
            rf"\frac{{{float((output - full).norm()):.4f}}}{{{float(full.norm()):.4f}}} = {value:.4f}"
        ),
        numbers,
    )


# ---- real models ----


def _of_points(result: HeadClouds) -> OneProgram:
    key = result.state.head // (result.model.n_head // result.model.n_key_head)
    lines = f"""stages = {_load(result.model)}.stages({quoted(result.state.heads.text)})[{result.state.layer}]
Q, K = stages.query[0, {result.state.head}].double(), stages.key[0, {key}].double()  # (n, d_head)
weights = stages.weights[0, {result.state.head}]
# One centre and one spread: every score of a query grows by the same number.
clouds = lay_together(Q, K)
plane = main_directions(*clouds.around)
query_points, key_points = plane.queries, plane.keys"""
    return _shortly(lines, ["weights", "query_points", "key_points"], result.model)


# Each measure of `rows`, what the words give to all tokens, and of `among`, what they give to words.
_SCORES = {
    "previous token": "previous_token_score({among})",
    "next token": "next_token_score({among})",
    "itself": "diagonal_score({among})",
    "first token": "first_token_score({among})",
    "entropy": "entropy({rows}).mean(dim=-1)",
    "distance": "(weights * distances).sum(dim=-1){restrict}.mean(dim=-1)",
    "special tokens": "{rows}[..., list(maps.special)].sum(dim=-1).mean(dim=-1)",
}


def _of_model(heads: Heads) -> OneProgram | None:
    """Return a program that finds the first head by the measure, of the true weights."""
    if heads.model is None:
        return None
    measure = heads.ranked.measure
    words = heads.ranked.words_only or measure == "special tokens"
    lines = [
        f"maps = {_load(heads.model)}.attend({quoted(heads.text)})",
        "layers = [torch.from_numpy(each) for each in maps.maps.values()]",
        "weights = torch.stack(layers)  # (n_layer, n_head, n, n)",
    ]
    rows, restrict = "weights", ""
    if words:
        lines.append("words = [at for at in range(len(maps.tokens)) if at not in maps.special]")
        rows, restrict = "weights[..., words, :]", "[..., words]"
    if measure == "distance":
        lines += ["i, j = places(*weights.shape[-2:])", "distances = (i - j).abs()"]
    score = _SCORES[measure].format(rows=rows, among=rows + restrict, restrict=restrict)
    lines += [
        f"scores = {score}  # (n_layer, n_head)",
        "layer, head = divmod(int(scores.argmax()), scores.shape[1])",
        'print(f"head {layer + 1}.{head + 1}: {scores.max():.4f}")',
    ]
    return _shortly("\n".join(lines), [], heads.model)


def _of_long(result: LongText) -> OneProgram:
    arguments = f"{quoted(result.text)}, layer={result.layer}, head={result.head}"
    lines = f"""head = {_load(result.model)}.head_of({arguments})  # both from 0
n = len(head.query)
print(f"head {result.layer + 1}.{result.head + 1} of {{n}} tokens: ", end="")
print(f"{{head.before(1).mean():.4f}} to the token before, {{head.before(0).mean():.4f}} to itself")
print(head[0:4, 0:4])  # any part of the map, (queries, keys)"""
    return _shortly(lines, [], result.model)


def _of_pair(result: TwoTexts) -> OneProgram:
    first, second = map(quoted, result.texts)
    lines = f"""pair = compare_texts({_load(result.model)}, {first}, {second}, pieces={result.pieces})
first, second = pair.weights[:, {result.head}]  # head {result.number(result.head)}, on pair.alignment.tokens
changes = pair.changes.mean(dim=-1)  # of each head"""
    return _shortly(lines, ["first", "second", "changes"], result.model)


def _shortly(lines: str, prints: list[str], model: RealModel) -> OneProgram:
    about = _("These lines run the model with `attn_core`: `pip install .` in this app's folder.")
    if not model.is_packaged:
        name = plain(model.name)
        about = paragraph(about, _("Start them where the folder {name} is, or put its path in.", name=name))
    return OneProgram(Program(SHORT, lines, {}, prints), about)


def _load(model: RealModel) -> str:
    return "load_model()" if model.is_packaged else f"load_model({quoted(model.name)})"


_HANDED: Mapping[type, Callable[[Any], Programs | OneProgram | None]] = {
    Result: _of_toy,
    Heads: _of_model,
    LongText: _of_long,
    TwoTexts: _of_pair,
    TextFlow: _of_flow,
    HeadEviction: _of_eviction,
    HeadClouds: _of_points,
}
