"""The programs that print the numbers of a whole model, and make a file of one's own; pure."""

CAPTURE = """import torch
from attn_core import capture

layer = torch.nn.TransformerEncoderLayer(d_model=32, nhead=4, batch_first=True)
model, inputs = torch.nn.TransformerEncoder(layer, num_layers=2), {"src": torch.randn(1, 6, 32)}

captured = capture(model, **inputs, tokens="the cat sat on the mat".split())
captured.save("heads.npz")
"""
READ = """from pathlib import Path

import torch
from attn_core import previous_token_score, read_attention

maps = read_attention("heads.npz", Path("heads.npz").read_bytes())
for name, weights in maps.maps.items():  # (n_head, n_query, n_key), a layer each
    print(name, previous_token_score(torch.from_numpy(weights)))
"""


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


def model_snippet(text: str, measure: str, *, hide: bool, model: str | None = None) -> str:
    """Return a program that finds the head which stands first by a measure of the true weights.

    Args:
        text: what the model reads; measure: what heads are ordered by.
        hide: whether special tokens are left out.
        model: the folder of another model than the packaged one.
    """
    words = " if place not in maps.special" if hide or measure == "special tokens" else ""
    function = _SCORES[measure].partition("(")[0]  # none where it is written out
    imported = f"{function}, load_model" if function < "load" else f"load_model, {function}"
    return f"""import torch
from attn_core import {imported if function.isidentifier() else "load_model"}

maps = {_load(model)}.attend({text!r})
weights = torch.stack([torch.from_numpy(each) for each in maps.maps.values()])  # (n_layer, n_head, n, n)
places = [place for place in range(len(maps.tokens)){words}]
rows = weights[..., places, :]  # each as it is, divided by nothing
seen = rows[..., places]
scores = {_SCORES[measure]}  # {measure}
layer, head = divmod(int(scores.argmax()), scores.shape[1])
print(f"head {{layer + 1}}.{{head + 1}}: {{scores.max():.4f}}")
"""


def long_snippet(text: str, layer: int, head: int, *, model: str | None = None) -> str:
    """Return a program that computes one head on a long text, of which no map is held.

    Args:
        text: what the model reads; layer, head: counted from 0.
        model: the folder of another model than the packaged one.
    """
    return f"""from attn_core import load_model

head = {_load(model)}.head_of({text!r}, layer={layer}, head={head})  # both from 0
n = len(head.query)
print(f"head {layer + 1}.{head + 1} of {{n}} tokens: ", end="")
print(f"{{head.before(1).mean():.4f}} to the token before, {{head.before(0).mean():.4f}} to itself")
print(head[0:4, 0:4])  # any part of the map, (queries, keys)
"""


def _load(model: str | None) -> str:
    return "load_model()" if model is None else f"load_model({model!r})"
