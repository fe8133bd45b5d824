"""The stage of points: coordinates by numpy's singular values, weights by torch, for every query."""

import numpy as np
import pytest
import torch

from attn_live.unpacking import figure_at
from pages import PAGES


@pytest.mark.parametrize("link", ["", "mask=causal&t=0.5", "cross=true", "mask=padding&w=6", "dk=1&dv=1"])
def test_points_of_every_query_are_numpys_and_their_colours_torchs(link: str) -> None:
    page = PAGES["single-head"].at(f"stage=points&{link}")
    now, figure = page.seen.now, page.seen.figure
    assert figure is not None
    head = now.head
    rows = np.vstack([head.query.numpy(), head.key.numpy()])
    directions = np.linalg.svd(rows, full_matrices=False)[2][:2]
    scores = (head.query @ head.key.mT * now.scale / now.temperature).masked_fill(~now.mask, -torch.inf)
    weights = torch.softmax(scores, dim=-1).nan_to_num().numpy()
    for row in range(len(head.queries)):
        data = {each["name"]: each for each in figure_at(figure.steps, page.position[0], row)["data"]}
        np.testing.assert_allclose(data["key points"]["marker"]["color"], weights[row], atol=1e-6)
        struck = ~np.isnan(np.asarray(data["masked key points"]["x"], dtype=float))
        assert struck.tolist() == (~now.mask[row]).tolist()
        tip = abs(float(data["arrow"]["x"][1]))
        assert tip == pytest.approx(abs(float(directions[0] @ head.query[row].numpy())), abs=1e-5)
