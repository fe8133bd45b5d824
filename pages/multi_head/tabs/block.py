"""The tab "Block": residual connection and layer norm around attention, over repeated layers."""

import streamlit as st
import torch

from attn_core import NORMS, repeat_block, token_similarity
from attn_figures.block import layer_curves
from attn_ui import controls
from attn_ui.live_figure import Slider, live_figure, pack
from attn_ui.shared_cache import shared
from pages.multi_head import words
from pages.multi_head.numbers import Now, array, mask, module, sequences
from pages.multi_head.settings import LAYERS, NORM, RESIDUAL, Setting

VARIANTS = [(residual, norm) for residual in (True, False) for norm in NORMS]


def name_of(residual: bool, norm: str) -> str:
    """Say in a few words what stands around attention."""
    kept = "the residual" if residual else "no residual"
    return f"{kept} and no norm" if norm == "none" else f"{kept} and the norm {norm}"


def show(now: Now) -> None:
    """Show what residual and norm do to the vectors over the layers."""
    d_out, d_model = now.result.output.shape[-1], now.module.d_model
    if not now.is_self_attention or d_out != d_model:
        why = (
            "the output here belongs to queries that attend to another sequence"
            if not now.is_self_attention
            else f"the output here is {d_out} wide and the input {d_model}; the output projection W_o would "
            "make them equal"
        )
        st.markdown(
            f":material/edit: Layers can follow one another where the output can be the next input: {why}."
        )
        return
    about = st.container()
    left, right = st.columns(2)
    with left:
        residual = controls.flag(RESIDUAL, "Residual connection")
    with right:
        norm = controls.segment(NORM, "Layer norm")
    about.markdown(words.block(residual, norm))
    chosen = VARIANTS.index((residual, norm))
    packed, lengths, alike = _over_layers(now.setting, now.n_head, chosen)
    alone = len(now.tokens.queries) == 1
    live_figure(
        packed,
        key="block",
        alt="Mean length of the vectors and mean cosine of two tokens, layer by layer",
        name="block over layers",
        slider=Slider("Layers", LAYERS),
        says=[
            words.layers(
                name_of(residual, norm), layer, lengths[0], lengths[layer], None if alone else alike[layer]
            )
            for layer in range(len(LAYERS.values))
        ],
    )
    st.caption(
        "Grey: the other five ways. Each layer has weights of its own, drawn from the seeds "
        f"{now.setting.seed} to {now.setting.seed + len(LAYERS.values) - 2}; there is no feed-forward part."
    )


def _measured(setting: Setting, n_head: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """States, mean lengths and mean cosines of every variant: (n_variants, n_layers + 1, ...)."""
    entering = [sequences(setting).query.repeat(len(VARIANTS), 1, 1)]
    given = mask(setting, n_head)
    for number in range(len(LAYERS.values) - 1):
        # One at a time: all twelve of the original Transformer take 100 MB.
        layer = [module(setting, n_head, layer=number)]
        entering.append(
            torch.stack(
                [
                    repeat_block(layer, x, given, residual=residual, norm=norm)[-1]
                    for x, (residual, norm) in zip(entering[-1], VARIANTS, strict=True)
                ]
            )
        )
    states = torch.stack(entering, dim=1)
    return states, states.norm(dim=-1).mean(dim=-1), token_similarity(states)


@shared
def _over_layers(setting: Setting, n_head: int, chosen: int) -> tuple[bytes, list[float], list[float]]:
    """Return the message that draws one variant, its mean lengths and its mean cosines."""
    states, lengths, alike = map(array, _measured(setting, n_head))
    packed = pack(
        [
            layer_curves.spec(
                lengths,
                alike,
                [name_of(*variant) for variant in VARIANTS],
                chosen=chosen,
                layer=layer,
                state=states[chosen, layer],
                tokens=sequences(setting).queries,
                limit=float(abs(states[chosen]).max()) or 1.0,
            )
            for layer in range(len(LAYERS.values))
        ]
    )
    return packed, lengths[chosen].tolist(), alike[chosen].tolist()
