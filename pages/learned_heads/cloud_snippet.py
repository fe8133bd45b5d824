"""The program that prints one head's queries and keys as points; pure."""

from attn_ui.base.programs import printing
from pages.learned_heads.clouds import HeadClouds


def as_points(now: HeadClouds) -> str:
    """Return the program."""
    model = now.model
    load = "load_model()" if model.is_packaged else f"load_model({model.name!r})"
    key = now.of.head // (model.n_head // model.n_key_head)
    return f"""import torch
from attn_core import load_model
from attn_core.clouds import lay_together
from attn_core.plane import main_directions

stages = {load}.stages({now.of.of.text!r})[{now.of.layer}]
Q, K = stages.query[0, {now.of.head}].double(), stages.key[0, {key}].double()  # (n, d_head)
weights = stages.weights[0, {now.of.head}]

# One centre and one spread: every score of a query grows by the same number.
clouds = lay_together(Q, K)
plane = main_directions(*clouds.around)
query_points, key_points = plane.queries, plane.keys
{printing("weights", "query_points", "key_points")}"""
