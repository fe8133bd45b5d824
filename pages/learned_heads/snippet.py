"""The programs that print the same numbers; pure."""

from pathlib import Path

from attn_core import make_scheme
from attn_core.toys import SHIPPED, SYMBOLS, path_of
from attn_core.toys.model import BASE
from attn_ui.base.program_lines import program
from attn_ui.base.programs import in_latex, printing
from pages.learned_heads.compute import Now

ROOT = Path(__file__).resolve().parents[2]


def snippet(now: Now) -> str:
    """Return a program for the present settings."""
    off = f", off={now.setting.off}" if now.setting.off else ""
    recipe = now.recipe
    needs = "shipped" if recipe in SHIPPED else "Recipe, train"
    return f"""import torch

from attn_core.toys import SYMBOLS, TASKS, {needs}

{makes(now)}
task, model = TASKS[run.recipe.task], run.model({now.at})  # after {now.step} steps
tokens = task.tokens({now.setting.typed!r})
result = model(tokens{off})

weights = result.weights  # (n_head, n, n), heads over all layers
chances = result.logits.softmax(-1)  # (n, n_symbol)
answers = task.answers(tokens)  # -100 where there is none
said = chances.argmax(-1)

{printing("weights")}\
print("says:", *[SYMBOLS[each] for each in said.tolist()])
print(f"{{int((said == answers).sum())}} of {{int((answers >= 0).sum())}} right")
"""


def by_hand(now: Now) -> str:
    """Return the whole model as modules in PyTorch, for a training that has a file.

    It leaves and prints the `weights` (n_head, n, n) of all heads, and what the model `says` at every place;
    `chances` (n, n_symbol) are left too.
    """
    return program(
        *definitions(now),
        f"with torch.no_grad():\n    logits, weights = model(tokens{_masked(now)})\n"
        "chances = torch.softmax(logits, dim=-1)  # (n, n_symbol)\n"
        "says = [symbols[each] for each in chances.argmax(dim=-1).tolist()]",
        f'{printing("weights")}print("says:", *says)',
        dtype="",  # as it was trained
    )


def definitions(now: Now) -> list[str]:
    """Return the parts of a program that make the model, as it was trained, and what it reads."""
    return [
        "from safetensors import safe_open",
        make_scheme("sinusoidal", base=BASE).code() if now.recipe.positions else "",
        _attention(now),
        _transformer(now),
        _sequence(now),
        _trained(now),
    ]


def makes(now: Now) -> str:
    """Return the line that has the training, with `attn_core`."""
    recipe = now.recipe
    if recipe not in SHIPPED:
        return f"run = train({recipe!r})"
    more, flag = ("", "") if recipe.positions else (", positions=False", " --without-positions")
    return f'run = shipped({recipe.task!r}{more})  # by: python -m attn_core.train "{recipe.task}"{flag}'


def _masked(now: Now) -> str:
    return ", mask" * now.task.causal


def _attention(now: Now) -> str:
    """Write one layer's heads."""
    mask, on = "", ""
    heads = "weights @ v"
    if now.task.causal:
        mask = "\n        scores = scores.masked_fill(~mask, -torch.inf)  # no head sees what comes later"
    if now.setting.off:
        on = "\n        self.on = torch.ones(n_head, 1, 1)  # 0 switches a head off"
        heads = "(weights @ v) * self.on"
    return f'''class MultiHeadAttention(nn.Module):
    """Several heads side by side, each with weights of its own."""

    def __init__(self, d_model, n_head):
        super().__init__()
        self.n_head, self.d_head = n_head, d_model // n_head
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)
        self.W_o = nn.Linear(d_model, d_model, bias=False){on}

    def split_heads(self, x):
        # (n, d_model) -> (n, n_head, d_head) -> (n_head, n, d_head)
        return x.reshape(len(x), self.n_head, self.d_head).transpose(0, 1)

    def forward(self, x{_masked(now)}):
        q = self.split_heads(self.W_q(x))
        k = self.split_heads(self.W_k(x))
        v = self.split_heads(self.W_v(x))
        scores = q @ k.transpose(-2, -1) / math.sqrt(self.d_head)  # (n_head, n_query, n_key){mask}
        weights = torch.softmax(scores, dim=-1)  # each row sums to one
        heads = {heads}  # (n_head, n, d_head)
        joined = heads.transpose(0, 1).reshape(x.shape)  # (n, d_model), head beside head
        return self.W_o(joined), weights'''


def _transformer(now: Now) -> str:
    """Write the model: embedding, positions, layers and unembedding."""
    positions, embedded = "", "self.embedding(tokens)"
    if now.recipe.positions:
        positions = "\n        self.positions = PositionalEncoding(d_model)"
        embedded = f"self.positions({embedded})"
    return f'''class Transformer(nn.Module):
    """Attention alone: no feed-forward layer, and what is read out is what the heads wrote."""

    def __init__(self, n_symbol, d_model, n_layer, n_head):
        super().__init__()
        self.embedding = nn.Embedding(n_symbol, d_model){positions}
        self.norms = nn.ModuleList([nn.LayerNorm(d_model) for _ in range(n_layer)])
        self.attention = nn.ModuleList([MultiHeadAttention(d_model, n_head) for _ in range(n_layer)])
        self.unembedding = nn.Linear(d_model, n_symbol, bias=False)

    def forward(self, tokens{_masked(now)}):
        x = embedded = {embedded}  # (n, d_model)
        maps = []
        for norm, attention in zip(self.norms, self.attention):
            written, weights = attention(norm(x){_masked(now)})
            x = x + written  # each layer adds to what is there
            maps.append(weights)
        logits = self.unembedding(x - embedded)  # (n, n_symbol)
        return logits, torch.cat(maps)  # the heads of all layers, one after the other'''


def _sequence(now: Now) -> str:
    """Write what the model reads."""
    lines = [
        f'symbols = "{SYMBOLS}"',
        f'text = "{"".join(now.symbols)}"',
        "tokens = torch.tensor([symbols.index(each) for each in text])",
    ]
    if now.task.causal:
        lines += [
            "i, j = torch.arange(len(tokens))[:, None], torch.arange(len(tokens))[None, :]  # query, key",
            "mask = j <= i  # True = may attend",
        ]
    return "\n".join(lines)


def _trained(now: Now) -> str:
    """Write the lines that make the model and read what it learned."""
    recipe, task = now.recipe, now.task
    sizes = f"d_model={task.d_model}, n_layer={recipe.layers}, n_head={recipe.heads}"
    off = "".join(
        f"\nmodel.attention[{head // recipe.heads}].on[{head % recipe.heads}] = 0  # {now.head(head)} is off"
        for head in now.setting.off
    )
    return f"""model = Transformer(n_symbol=len(symbols), {sizes})
# Run from the app's folder. The file has the weights at several steps; [{now.at}] is after {now.step} steps.
with safe_open("{path_of(recipe).relative_to(ROOT).as_posix()}", framework="pt") as file:
    names = [name for name in file.keys() if name.startswith("model.")]
    learned = {{name.removeprefix("model."): file.get_tensor(name)[{now.at}] for name in names}}
learned["embedding.weight"] = learned.pop("embedding")
learned["unembedding.weight"] = learned.pop("readout")
model.load_state_dict(learned){off}"""


def formula(now: Now) -> str:
    """Return the output of the chosen head as LaTeX, with its numbers."""
    layer, head = divmod(now.chosen[0], now.recipe.heads)
    stage = now.result.layers[layer]
    weights, value, output = (
        in_latex(each[head].tolist()) for each in (stage.weights, stage.value, stage.heads)
    )
    scaled = rf"\frac{{1}}{{\sqrt{{{now.d_head}}}}}\, Q K^\top{' + M' if now.task.causal else ''}"
    return rf"O = \operatorname{{softmax}}\!\left({scaled}\right) V = {weights} {value} = {output}"
