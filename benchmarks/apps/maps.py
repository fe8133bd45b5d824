"""What every contestant draws: the same attention weights, at the same temperatures."""

import numpy as np
import torch

from attn_core import scaled_dot_product_attention
from attn_figures.frame import Side
from attn_figures.matrix import Matrix
from attn_figures.panels import compose
from attn_figures.picture import Spec

N_STEP = 11  # as many steps of eight maps of 64 x 64 as one figure may carry
TEMPERATURES = np.geomspace(0.1, 10, N_STEP)
SIZES = ((16, 1), (64, 1), (16, 8), (64, 8))  # tokens, heads


def weights(n_token: int, n_head: int) -> np.ndarray:
    """Return (n_step, n_head, n_token, n_token) attention weights of seeded queries and keys."""
    generator = torch.Generator().manual_seed(7)
    query, key = torch.randn(2, n_head, n_token, 32, generator=generator, dtype=torch.float64)
    temperature = torch.tensor(TEMPERATURES).reshape(-1, 1, 1, 1)
    return scaled_dot_product_attention(query, key, key, temperature=temperature).weights.numpy()


def figures(n_token: int, n_head: int) -> list[Spec]:
    """Return one figure for each temperature, of all heads, as this product draws them."""
    labels = [str(i) for i in range(n_token)]
    return [
        compose(
            [
                Matrix(f"head {h}", w, f"head {h}", Side(labels), Side(labels, role="key"))
                for h, w in enumerate(heads)
            ]
        )
        for heads in weights(n_token, n_head)
    ]


def plain_figures(n_token: int, n_head: int) -> list[Spec]:
    """Return the simplest figures of the same maps, as one would write them without this product."""
    columns = min(4, n_head)
    layout = {
        "grid": {"rows": -(-n_head // columns), "columns": columns, "pattern": "independent"},
        "width": 900,
        "height": 420,
        "margin": {"l": 30, "r": 10, "t": 10, "b": 30},
        "template": {},
        "coloraxis": {"cmin": 0, "cmax": 1, "colorscale": "Blues"},
    }
    return [
        {
            "data": [
                {
                    "type": "heatmap",
                    "z": w,
                    "coloraxis": "coloraxis",
                    "xaxis": f"x{h + 1 if h else ''}",
                    "yaxis": f"y{h + 1 if h else ''}",
                }
                for h, w in enumerate(heads)
            ],
            "layout": layout,
        }
        for heads in weights(n_token, n_head)
    ]
