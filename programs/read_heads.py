from pathlib import Path

import torch

from attn_core import previous_token_score, read_attention

maps = read_attention("heads.npz", Path("heads.npz").read_bytes())
for name, weights in maps.maps.items():  # (n_head, n_query, n_key), a layer each
    print(name, previous_token_score(torch.from_numpy(weights)))
