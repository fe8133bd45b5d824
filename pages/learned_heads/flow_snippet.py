"""The programs that print a text's flow, and what eviction costs; pure."""

from attn_core.toys import SHIPPED
from attn_ui.base.program_lines import program
from attn_ui.base.programs import in_latex, printing
from pages.learned_heads.compute import Now
from pages.learned_heads.evicted import SINKS, Evicted
from pages.learned_heads.snippet import definitions, makes
from pages.learned_heads.state import Heads
from pages.learned_heads.text_flow import TextFlow

_STREAM = """    h = norm(x)
    q, k, v = (
        attention.split_heads(project(h)) for project in (attention.W_q, attention.W_k, attention.W_v)
    )
    scores = q @ k.transpose(-2, -1) / math.sqrt(attention.d_head)"""


def flows(flow: TextFlow) -> str:
    """Return a program with attn_core: the layer's weights, the lengths of what they write, the rollout."""
    of = flow.of
    if isinstance(of, Heads):
        assert of.model is not None
        load = "load_model()" if of.model.is_packaged else f"load_model({of.model.name!r})"
        needs, on = "from attn_core import load_model", ""
        run = f"""stages = {load}.stages({of.text!r})
weights = torch.stack([each.weights[0].double().mean(dim=0) for each in stages])  # (n_layer, n, n)
lengths = torch.stack([weighted_value_norms(each)[0].mean(dim=0) for each in stages])"""
    else:
        needs = "from attn_core.toys import TASKS, " + (
            "shipped" if of.recipe in SHIPPED else "Recipe, train"
        )
        on = f"on = {[list(some) for some in flow.on]}  # the heads of each layer that are on\n"
        run = f"""{makes(of)}
task, model = TASKS[run.recipe.task], run.model({of.at})  # after {of.step} steps
with torch.no_grad():
    stages = model(task.tokens({of.setting.typed!r}), off={of.setting.off}).layers
{on}weights = torch.stack(
    [each.weights[some].double().sum(dim=0) / max(1, len(some)) for each, some in zip(stages, on)]
)
lengths = torch.stack(
    [weighted_value_norms(each)[some].sum(dim=0) / max(1, len(some)) for each, some in zip(stages, on)]
)"""
    aside = "\nweights = set_aside(weights, find_sinks(weights))" if flow.aside else ""
    more = "find_sinks, set_aside, " if flow.aside else ""
    return f"""import torch

{needs}
from attn_core.text_flow import attention_rollout, {more}weighted_value_norms

{run}{aside}

layer = {flow.at}  # from 0
weights, lengths, rollout = weights[layer], lengths[layer], attention_rollout(weights)[layer]

{printing("weights", "lengths", "rollout")}"""


def flows_by_hand(flow: TextFlow, now: Now) -> str:
    """Return the same in PyTorch alone."""
    mask = "\n    scores = scores.masked_fill(~mask, -torch.inf)" if now.task.causal else ""
    on = [list(some) for some in flow.on]
    aside = ""
    if flow.aside:
        aside = """    others = (weights.sum(dim=0) - torch.diagonal(weights)) / max(1, len(weights) - 1)
    sink = others >= max(0.3, 2 / len(weights))
    weights = torch.where(sink, torch.zeros_like(weights), weights)
    rest = weights.sum(dim=-1, keepdim=True)
    weights = weights / torch.where(rest == 0, torch.ones_like(rest), rest)
"""
    return program(
        *definitions(now),
        f"""def one_layer(x, norm, attention, on):
    # The mean over the heads that are on: the weights, and the lengths of what they write.
{_STREAM}{mask}
    weights = torch.softmax(scores, dim=-1)  # (n_head, n, n)
    W_o = attention.W_o.weight.reshape(-1, attention.n_head, attention.d_head)  # a block a head
    W_o = W_o.transpose(0, 1).transpose(1, 2)  # (n_head, d_head, d_model)
    size = torch.sqrt(((v @ W_o) ** 2).sum(dim=-1))  # (n_head, n): how long each value is after W_o
    lengths = weights * size[:, None, :]
    weights = weights[on].sum(dim=0) / max(1, len(on))
    lengths = lengths[on].sum(dim=0) / max(1, len(on))
    return weights, lengths""",
        f"""n = len(tokens)
with torch.no_grad():
    x = {_embedded(now)}
    rollout = torch.eye(n)
    for norm, attention, on in list(zip(model.norms, model.attention, {on}))[:{flow.at + 1}]:
        weights, lengths = one_layer(x, norm, attention, on)
{"".join(f"    {line}{chr(10)}" for line in aside.splitlines())}\
        passed = weights + torch.eye(n)  # half by the weights, half on the residual connection
        passed = passed / passed.sum(dim=-1, keepdim=True)
        rollout = passed @ rollout
        written, _ = attention(norm(x){", mask" * now.task.causal})
        x = x + written""",
        printing("weights", "lengths", "rollout"),
        dtype="",
    )


def _embedded(now: Now) -> str:
    return "model.positions(model.embedding(tokens))" if now.recipe.positions else "model.embedding(tokens)"


def flow_formula(flow: TextFlow) -> str:
    """Return the rollout as LaTeX, with its numbers."""
    rolled = in_latex(flow.rollout[flow.at].tolist())
    return rf"R_{{{flow.at + 1}}} = \tilde A_{{{flow.at + 1}}} \cdots \tilde A_1 = {rolled}"


def evicts(found: Evicted) -> str:
    """Return a program with attn_core: the weights over the keys kept, and the errors."""
    now = found.now
    needs = "shipped" if now.recipe in SHIPPED else "Recipe, train"
    sinks = f", sinks={SINKS}" if found.policy == "StreamingLLM" else ""
    return f"""import torch

from attn_core.eviction import evict
from attn_core.toys import TASKS, {needs}

{makes(now)}
task, model = TASKS[run.recipe.task], run.model({now.at})  # after {now.step} steps
with torch.no_grad():
    stages = model(task.tokens({now.setting.typed!r}), off={now.setting.off}).layers
scores = torch.cat([each.scaled_scores for each in stages]).double()  # (n_head, n, n), over all layers
value = torch.cat([each.value for each in stages]).double()

found = evict(scores, value, {found.policy!r}{sinks})
weights, errors = found.weights[{found.budget - 1}], found.errors[{found.budget - 1}]  # the first has one key

{printing("weights", "errors")}"""


_EVICTS = {
    "window": "            del cache[0]  # the oldest",
    "StreamingLLM": f"            del cache[min({SINKS}, budget - 1)]  # the oldest after the sinks",
    "H2O": """            old = [key for key in cache if key <= query - (budget + 1) // 2]
            cache.remove(min(old, key=lambda key: (had[key], key)))  # the least weight so far""",
}


def evicts_by_hand(found: Evicted) -> str:
    """Return the same in PyTorch alone: token by token, the cache a list of keys."""
    now = found.now
    return program(
        *definitions(now),
        f"""def keys_kept(scores, budget):
    # (n, n): 1 where a query still has a key. The cache of one head, token by token.
    n = len(scores)
    kept, cache, had = torch.zeros(n, n), [], [0.0] * n
    for query in range(n):
        cache.append(query)
        if len(cache) > budget:
{_EVICTS[found.policy]}
        for key, weight in zip(cache, torch.softmax(scores[query, cache], dim=-1).tolist()):
            had[key] += weight
        kept[query, cache] = 1
    return kept""",
        f"""budget, maps, errors = {found.budget}, [], []
with torch.no_grad():
    x = {_embedded(now)}
    for norm, attention in zip(model.norms, model.attention):
{"".join(f"    {line}{chr(10)}" for line in _STREAM.splitlines())}\
        for head in range(attention.n_head):
            outputs = []
            for keys in (budget, len(tokens)):
                kept = keys_kept(scores[head], keys) == 1
                weights = torch.softmax(scores[head].masked_fill(~kept, -torch.inf), dim=-1)
                maps.append(weights)
                outputs.append(weights @ v[head])
            off, full = outputs[0] - outputs[1], outputs[1]
            errors.append(math.sqrt(float((off**2).sum())) / math.sqrt(float((full**2).sum())))
        written, _ = attention(norm(x), mask)
        x = x + written
weights = torch.stack(maps[::2])  # (n_head, n, n), over all layers
errors = torch.tensor(errors)""",
        printing("weights", "errors"),
        dtype="",
    )


def loss_formula(found: Evicted) -> str:
    """Return the error of the chosen head as LaTeX, with its numbers."""
    head = found.now.chosen[0]
    value = float(found.errors[head])
    kept, full = (found.run.heads[at, head] for at in (found.budget - 1, found.n - 1))
    return (
        rf"\frac{{\lVert O_{{{found.budget}}} - O_{{{found.n}}} \rVert}}{{\lVert O_{{{found.n}}} \rVert}} = "
        rf"\frac{{{float((kept - full).norm()):.4f}}}{{{float(full.norm()):.4f}}} = {value:.4f}"
    )
