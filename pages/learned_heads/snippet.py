"""The programs that print the same numbers; pure."""

from pathlib import Path

from attn_core.toys import SHIPPED, SYMBOLS, path_of
from attn_core.toys.model import BASE
from attn_ui.base.numpy_code import in_numpy
from attn_ui.base.programs import in_latex, printing
from pages.learned_heads.numbers import Now

ROOT = Path(__file__).resolve().parents[2]


def snippet(now: Now) -> str:
    """Return a program for the present settings."""
    off = f", off={now.setting.off}" if now.setting.off else ""
    recipe = now.recipe
    if recipe in SHIPPED:
        more = "" if recipe.positions else ", positions=False"
        flag = "" if recipe.positions else " --without-positions"
        needs = "shipped"
        run = f'shipped({recipe.task!r}{more})  # by: python -m attn_core.train "{recipe.task}"{flag}'
    else:
        needs = "Recipe, train"
        run = f"train({recipe!r})"
    return f"""import torch

from attn_core.toys import SYMBOLS, TASKS, {needs}

run = {run}
task, model = TASKS[run.recipe.task], run.model({now.at})  # after {now.step} steps
tokens = task.tokens({now.setting.typed!r})
result = model(tokens{off})

weights = result.weights  # (n_head, n, n), heads over all layers
chances = result.logits.softmax(-1)  # (n, n_symbol)
answers = task.answers(tokens)  # -100 where there is none
said = chances.argmax(-1)

{printing("weights")}\
print(" ".join(SYMBOLS[each] for each in said.tolist()))
print(f"{{int((said == answers).sum())}} of {{int((answers >= 0).sum())}} right")
"""


_TORCH = {
    "imports": "import torch\nfrom safetensors import safe_open\nfrom torch.nn import functional as F\n",
    "helpers": "",
    "framework": "pt",
    "array": "torch.tensor",
    "wave": "torch",
    "norm": 'F.layer_norm(x, ({d_model},), model[f"norms.{{layer}}.weight"], model[f"norms.{{layer}}.bias"])',
    "softmax": "scores.softmax(-1)",
    "ones": "torch.ones(n, n, dtype=torch.bool)",
    "inf": "-torch.inf",
    "join": "torch.cat",
    "chances": "logits.softmax(-1)",
    "printing": printing("weights"),
}
_NUMPY = {
    "imports": "import numpy as np\nfrom safetensors import safe_open\n",
    "helpers": """

def softmax(scores):
    powers = np.exp(scores - scores.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


def layer_norm(x, gain, offset):
    apart = x - x.mean(-1, keepdims=True)
    return apart / np.sqrt((apart**2).mean(-1, keepdims=True) + 1e-5) * gain + offset

""",
    "framework": "np",
    "array": "np.array",
    "wave": "np",
    "norm": 'layer_norm(x, model[f"norms.{{layer}}.weight"], model[f"norms.{{layer}}.bias"])',
    "softmax": "softmax(scores)",
    "ones": "np.ones((n, n), dtype=bool)",
    "inf": "-np.inf",
    "join": "np.concatenate",
    "chances": "softmax(logits)",
    "printing": in_numpy(printing("weights")),
}


def by_hand(now: Now, *, numpy: bool = False) -> str:
    """Return the whole model in PyTorch or in NumPy, for a training that has a file."""
    words = _NUMPY if numpy else _TORCH
    recipe, task, xp = now.recipe, now.task, words["wave"]
    places = (
        f"""
angles = {xp}.arange(n)[:, None] / {BASE} ** ({xp}.arange(0, {task.d_model}, 2) / {task.d_model})
x[:, 0::2] += {xp}.sin(angles)
x[:, 1::2] += {xp}.cos(angles)"""
        * recipe.positions
    )
    causal = f"\n    scores = {xp}.where({xp}.tril({words['ones']}), scores, {words['inf']})" * task.causal
    off = [
        f"\n    if layer == {head // recipe.heads}:\n        heads[{head % recipe.heads}] = 0  # switched off"
        for head in now.setting.off
    ]
    return f"""{words["imports"]}{words["helpers"]}
symbols = "{SYMBOLS}"
tokens = {words["array"]}({now.tokens.tolist()})  # {"".join(now.symbols)}
n = len(tokens)

# Run from the app's folder. What was kept after {now.step} steps is number {now.at}.
with safe_open("{path_of(recipe).relative_to(ROOT).as_posix()}", "{words["framework"]}") as file:
    kept = {{name: file.get_tensor(name)[{now.at}] for name in file.keys() if name.startswith("model.")}}
model = {{name.removeprefix("model."): each for name, each in kept.items()}}

x = model["embedding"][tokens]{places}
start, maps = x + 0, []
for layer in range({recipe.layers}):
    normed = {words["norm"].format(d_model=task.d_model)}
    Q, K, V = (normed @ model[f"attention.{{layer}}.W_{{each}}.weight"].T for each in "qkv")
    Q, K, V = (each.reshape(n, {recipe.heads}, -1).swapaxes(0, 1) for each in (Q, K, V))
    scores = Q @ K.swapaxes(-2, -1) / {now.d_head} ** 0.5{causal}
    weights = {words["softmax"]}  # (n_head, n, n)
    maps.append(weights)
    heads = weights @ V{"".join(off)}
    x = x + heads.swapaxes(0, 1).reshape(n, -1) @ model[f"attention.{{layer}}.W_o.weight"].T
weights = {words["join"]}(maps)

logits = (x - start) @ model["readout"].T
chances = {words["chances"]}  # (n, n_symbol)

{words["printing"]}\
print(" ".join(symbols[each] for each in chances.argmax(-1).tolist()))
"""


def formula(now: Now) -> str:
    """Return the output of the chosen head as LaTeX, with its numbers."""
    layer, head = divmod(now.chosen[0], now.recipe.heads)
    stage = now.result.layers[layer]
    weights, value, output = (
        in_latex(each[head].tolist()) for each in (stage.weights, stage.value, stage.heads)
    )
    scaled = rf"\frac{{1}}{{\sqrt{{{now.d_head}}}}}\, Q K^\top{' + M' if now.task.causal else ''}"
    return rf"O = \operatorname{{softmax}}\!\left({scaled}\right) V = {weights} {value} = {output}"
