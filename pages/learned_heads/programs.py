"""Programs that print the numbers on screen, and their formula."""

from collections.abc import Callable, Mapping
from typing import Any

from torch import nn

from attn_core import RealModel, weights_of
from attn_core.toys import SHIPPED, SYMBOLS
from attn_core.toys.model import BASE
from attn_ui.base.latex import in_latex
from attn_ui.base.markdown import plain
from attn_ui.base.programs import OneProgram, Programs
from attn_words import _, paragraph
from pages.learned_heads.clouds import HeadClouds
from pages.learned_heads.compute import Result
from pages.learned_heads.evicted import SINKS, Evicted
from pages.learned_heads.found import Found
from pages.learned_heads.long_text import LongText
from pages.learned_heads.state import Heads
from pages.learned_heads.text_flow import TextFlow
from programs.writing import SHORT, Program, quoted

_SAYS = f'symbols = "{SYMBOLS}"\nprint("says:", *[symbols[each] for each in logits.argmax(-1)])'
_EVICTS = {"window": "oldest", "StreamingLLM": "oldest_after_sinks", "H2O": "least_used"}


def programs(result: Found) -> Programs | OneProgram | None:
    """Return what is handed over; of a file there are two programs, in the tab itself."""
    return next((hand(result) for kind, hand in _HANDED.items() if isinstance(result, kind)), None)


# ---- toys ----


def _of_toy(result: Result) -> Programs | OneProgram:
    numbers, lines = _toy(result)
    shortly = f"""result = model(task.tokens({quoted(result.setting.typed)}){_off(result)})
weights, logits = result.weights.detach(), result.logits"""
    return Programs(
        "\n".join(lines),
        numbers,
        ["weights"],
        short=("\n".join([*_makes(result), shortly]), _SAYS),
        drawn=numbers,
        formula=lambda: _toy_formula(result),
        last=_SAYS,
    )


def _toy(result: Result) -> tuple[dict[str, Any], list[str]]:
    """Return what a toy's program starts from, and the lines that run the model."""
    model = result.model
    learned: dict[str, Any] = {"embedding": model.embedding.detach(), "readout": model.readout.detach()}
    layers = zip(model.attention, model.norms, strict=True)
    for layer, (attention, norm) in enumerate(layers):
        assert isinstance(norm, nn.LayerNorm)
        learned |= {f"{name} {layer}": each.detach() for name, each in weights_of(attention).items()}
        learned |= {f"gain {layer}": norm.weight.detach(), f"shift {layer}": norm.bias.detach()}
    recipe, n = result.recipe, len(result.symbols)
    doubled = {name: each.double() for name, each in learned.items()}
    numbers: dict[str, Any] = {"tokens": result.tokens, "w": doubled}
    width = result.task.d_model // recipe.heads
    lines = []
    for off in result.setting.off:
        layer, head = divmod(off, recipe.heads)
        rows = f"{head * width}:{(head + 1) * width}"
        lines.append(f'w["W_o {layer}"][{rows}] = 0  # head {layer + 1}.{head + 1} writes nothing')
    places = f" + sinusoidal({n}, {result.task.d_model}, base={BASE!r})" * recipe.positions
    return numbers, [
        *lines,
        f'x = w["embedding"][tokens]{places}  # (n, d_model)',
        "i, j = places(len(x), len(x))",
        f"mask = {'j <= i' if result.task.causal else 'j >= 0'}  # True = may attend",
        f"logits, Q, K, V, weights = toy_transformer(x, w, {recipe.layers}, {recipe.heads}, mask)",
    ]


def _makes(result: Result) -> list[str]:
    """Return the lines that have the training, with `attn_core`."""
    recipe = result.recipe
    run = f"run = train({recipe!r})"
    if recipe in SHIPPED:
        more = "" if recipe.positions else ", positions=False"
        run = f'run = shipped("{recipe.task}"{more})'
    return [run, f"task, model = TASKS[run.recipe.task], run.model({result.at})  # after {result.step} steps"]


def _off(result: Result) -> str:
    return f", off={result.setting.off}" if result.setting.off else ""


def _toy_formula(result: Result) -> str:
    """Return the output of the chosen head as LaTeX, with its numbers."""
    layer, head = divmod(result.chosen[0], result.recipe.heads)
    stage = result.toy_run.layers[layer]
    weights, value, output = (
        in_latex(each[head].tolist()) for each in (stage.weights, stage.value, stage.heads)
    )
    scaled = rf"\frac{{1}}{{\sqrt{{{result.d_head}}}}}\, Q K^\top{' + M' if result.task.causal else ''}"
    return rf"O = \operatorname{{softmax}}\!\left({scaled}\right) V = {weights} {value} = {output}"


# ---- a text's flow, and keys evicted ----


def _of_flow(flow: TextFlow) -> Programs | OneProgram | None:
    of, told = flow.of, _("the weights of the layer, the lengths of what they write, and the rollout")
    if isinstance(of, Heads):
        if of.model is None:
            return None
        shortly = f"stages = {_load(of.model)}.stages({quoted(of.text)})\n{_flow_lines(flow, every=True)}"
        return _shortly(shortly, ["weights", "lengths", "rolled"], told, of.model)
    numbers, lines = _toy(of)
    on = ", ".join(str([*some]) for some in flow.on)
    aside = "set_sinks_aside({})" if flow.aside else "{}"
    mean = aside.format("mean_of_heads(heads, on_of_layer)")
    first, last = flow.at * of.recipe.heads, (flow.at + 1) * of.recipe.heads
    lines += [
        f"on = [{on}]  # the heads of each layer that are on",
        f"maps = weights.reshape({of.recipe.layers}, {of.recipe.heads}, len(x), len(x))",
        f"layers = [{mean} for heads, on_of_layer in zip(maps, on)]",
        f"rolled = rollout(layers[:{flow.at + 1}])",
        f'written = written_lengths(maps[{flow.at}], V[{first}:{last}], w["W_o {flow.at}"])',
        f"lengths = mean_of_heads(written, on[{flow.at}])",
        f"weights = layers[{flow.at}]",
    ]
    makes = [*_makes(of), f"stages = model(task.tokens({quoted(of.setting.typed)}){_off(of)}).layers"]
    return Programs(
        "\n".join(lines),
        numbers,
        ["weights", "lengths", "rolled"],
        short=("\n".join([*makes, _flow_lines(flow, every=False)]), ""),
        drawn=numbers,
        formula=lambda: (
            rf"R_{{{flow.at + 1}}} = \tilde A_{{{flow.at + 1}}} \cdots \tilde A_1 = "
            + in_latex(flow.rollout[flow.at].tolist())
        ),
    )


def _flow_lines(flow: TextFlow, *, every: bool) -> str:
    """Write the flow with attn_core: of `every` head, or of those that are on."""
    of = "each{}[0].mean(dim=0)" if every else "each{}[heads].sum(dim=0) / max(1, len(heads))"
    pairs = "for each in stages" if every else "for each, heads in zip(stages, on)"
    on = f"on = {[list(some) for some in flow.on]}  # the heads of each layer that are on"
    lines = [] if every else [on]
    aside = ["weights = set_aside(weights, find_sinks(weights))"] * flow.aside
    norms = of.replace("each{}", "weighted_value_norms(each)")
    return "\n".join([
        *lines,
        f"weights = torch.stack([{of.format('.weights')} {pairs}]).detach()  # (n_layer, n, n)",
        f"lengths = torch.stack([{norms} {pairs}]).detach()",
        *aside,
        f"rolled = attention_rollout(weights)[{flow.at}]",
        f"weights, lengths = weights[{flow.at}], lengths[{flow.at}]",
    ])  # fmt: skip


def _of_eviction(found: Evicted) -> Programs:
    result, head = found.result, found.result.chosen[0]
    numbers, lines = _toy(result)
    lines += [
        "full, _ = attend_masked(Q @ K.mT / Q.shape[-1] ** 0.5, V, mask)",
        f"heads, weights = attend_with_cache(Q, K, V, {found.budget}, {_EVICTS[found.policy]})",
        "full, off = full.reshape(len(full), -1), (heads - full).reshape(len(full), -1)",
        "errors = length(off) / length(full)  # of each head",
    ]
    sinks = f", sinks={SINKS}" if found.policy == "StreamingLLM" else ""
    shortly = f"""stages = model(task.tokens({quoted(result.setting.typed)}){_off(result)}).layers
scores = torch.cat([each.scaled_scores for each in stages]).double()  # over all layers
value = torch.cat([each.value for each in stages]).double()
found = evict(scores.detach(), value.detach(), {quoted(found.policy)}{sinks})
weights, errors = found.weights[{found.budget - 1}], found.errors[{found.budget - 1}]"""
    value = float(found.errors[head])
    kept, full = (found.run.heads[at, head] for at in (found.budget - 1, found.n - 1))
    return Programs(
        "\n".join(lines),
        numbers,
        ["weights"],
        short=("\n".join([*_makes(result), shortly]), _ERRORS),
        drawn=numbers,
        formula=lambda: (
            rf"\frac{{\lVert O_{{{found.budget}}} - O_{{{found.n}}} \rVert}}"
            rf"{{\lVert O_{{{found.n}}} \rVert}} = "
            rf"\frac{{{float((kept - full).norm()):.4f}}}{{{float(full.norm()):.4f}}} = {value:.4f}"
        ),
        last=_ERRORS,
    )


_ERRORS = 'print("errors:", *[round(float(each), 4) for each in errors])'


# ---- real models ----


def _of_points(result: HeadClouds) -> OneProgram:
    key = result.of.head // (result.model.n_head // result.model.n_key_head)
    lines = f"""stages = {_load(result.model)}.stages({quoted(result.of.of.text)})[{result.of.layer}]
Q, K = stages.query[0, {result.of.head}].double(), stages.key[0, {key}].double()  # (n, d_head)
weights = stages.weights[0, {result.of.head}]
# One centre and one spread: every score of a query grows by the same number.
clouds = lay_together(Q, K)
plane = main_directions(*clouds.around)
query_points, key_points = plane.queries, plane.keys"""
    told = _("the head's weights, and the points of its queries and keys")
    return _shortly(lines, ["weights", "query_points", "key_points"], told, result.model)


# Each measure of `rows`, what queries give to all keys, and of `seen`, what they give to the keys shown.
_SCORES = {
    "previous token": "previous_token_score(seen)",
    "next token": "next_token_score(seen)",
    "itself": "diagonal_score(seen)",
    "first token": "first_token_score(seen)",
    "entropy": "entropy(rows).mean(dim=-1)",
    "distance": "(rows * (torch.tensor(places)[:, None] - torch.arange(rows.shape[-1])).abs())"
    ".sum(dim=-1).mean(dim=-1)",
    "special tokens": "(rows[..., list(maps.special)].sum(dim=-1)).mean(dim=-1)",
}


def _of_model(heads: Heads) -> OneProgram | None:
    """Hand over what finds the head that stands first by the measure, of the true weights."""
    if heads.model is None:
        return None
    measure = heads.whole.measure
    hides = heads.whole.words_only or measure == "special tokens"
    words = " if place not in maps.special" if hides else ""
    lines = f"""maps = {_load(heads.model)}.attend({quoted(heads.text)})
weights = torch.stack([torch.from_numpy(each) for each in maps.maps.values()])  # (n_layer, n_head, n, n)
places = [place for place in range(len(maps.tokens)){words}]
rows = weights[..., places, :]  # each as it is, divided by nothing
seen = rows[..., places]
scores = {_SCORES[measure]}  # {measure}
layer, head = divmod(int(scores.argmax()), scores.shape[1])
print(f"head {{layer + 1}}.{{head + 1}}: {{scores.max():.4f}}")"""
    return _shortly(lines, [], _("which head stands first by the measure, and its number"), heads.model)


def _of_long(result: LongText) -> OneProgram:
    of = f"{quoted(result.text)}, layer={result.layer}, head={result.head}"
    lines = f"""head = {_load(result.model)}.head_of({of})  # both from 0
n = len(head.query)
print(f"head {result.layer + 1}.{result.head + 1} of {{n}} tokens: ", end="")
print(f"{{head.before(1).mean():.4f}} to the token before, {{head.before(0).mean():.4f}} to itself")
print(head[0:4, 0:4])  # any part of the map, (queries, keys)"""
    told = _("what the head gives to the token before and to the token itself, on average")
    return _shortly(lines, [], told, result.model)


def _shortly(lines: str, prints: list[str], told: str, model: RealModel) -> OneProgram:
    says = _(
        "These lines run the model with `attn_core`: `pip install .` in this app's folder. They print "
        "{numbers}.",
        numbers=told,
    )
    if not model.is_packaged:
        name = plain(model.name)
        says = paragraph(says, _("Start them where the folder {name} is, or put its path in.", name=name))
    return OneProgram(Program(SHORT, lines, {}, prints), says)


def _load(model: RealModel) -> str:
    return "load_model()" if model.is_packaged else f"load_model({quoted(model.name)})"


_HANDED: Mapping[type, Callable[[Any], Programs | OneProgram | None]] = {
    Result: _of_toy,
    Heads: _of_model,
    LongText: _of_long,
    TextFlow: _of_flow,
    Evicted: _of_eviction,
    HeadClouds: _of_points,
}
