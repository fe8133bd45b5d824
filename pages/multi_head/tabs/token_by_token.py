"""The tab "Token by token": the KV cache while text is written, and the operations that it saves."""

from dataclasses import replace

import streamlit as st
import torch

from attn_core import Check, DecodingCost, KVCache, compare, decode_step, decoding_cost
from attn_figures.shared_heads import writing
from attn_ui.base.markdown import coloured
from attn_ui.base.page import Slider
from attn_ui.screen.live_figure import live_figure
from attn_ui.screen.programs_tab import show_program
from attn_ui.screen.tables import checks_table
from attn_words import _, _n
from pages.multi_head import programs
from pages.multi_head.compute import Result, array
from pages.multi_head.example import example, name_example, read_words
from pages.multi_head.settings import TOKEN


def show(_result: Result) -> None:
    """Show one token being written: its row of weights, the KV cache, the cost with and without the cache."""
    st.markdown(
        _(
            "A model writes one token after the other, and a causal row reads only what came before. "
            "**Keys and values of earlier tokens never change**, so they are kept: the KV cache."
        )
    )
    result = example(read_words())
    name_example(result)
    tokens, every_cost = result.tokens.queries, costs(result)
    weights, cache, _outputs = write(result)
    maps = array(weights[0]), array(cache.key[0]), array(cache.value[0])
    both = [each.cached_flops for each in every_cost], [each.uncached_flops for each in every_cost]
    places = range(len(tokens))
    live_figure(
        [writing(tokens, *maps, both, now=at) for at in places],
        key="writing",
        name="token by token",
        slider=Slider(_("Token"), replace(TOKEN, values=tuple(places)), names=tokens),
        captions=[read_out(result, at, cost) for at, cost in enumerate(every_cost)],
    )
    st.markdown(checks_table({_("this page"): checks(result)}))
    st.markdown(_("**In PyTorch**"))
    show_program(programs.token_by_token(result))


def read_out(result: Result, at: int, cost: DecodingCost) -> str:
    """Say the operations for one token, and the size of the cache after it."""
    return _n(
        "{token}: {cached} operations with the cache, {uncached} without. Kept: keys and values of {heads} "
        "heads, each {d_head} wide, for {count} token, 2 × {heads} × {d_head} × {count} = {kept} numbers.",
        "{token}: {cached} operations with the cache, {uncached} without. Kept: keys and values of {heads} "
        "heads, each {d_head} wide, for {count} tokens, 2 × {heads} × {d_head} × {count} = {kept} numbers.",
        at + 1,
        token=coloured("query", result.tokens.queries[at]),
        cached=f"{cost.cached_flops:,}",
        uncached=f"{cost.uncached_flops:,}",
        heads=result.n_head,
        d_head=result.module.d_head,
        kept=f"{cost.cache_numbers:,}",
    )


def costs(result: Result) -> list[DecodingCost]:
    """Return the cost of writing each token."""
    sizes = result.module.d_model, result.n_head, result.module.d_head
    return [decoding_cost(at, *sizes, bias=False) for at in range(len(result.tokens.queries))]


def write(result: Result) -> tuple[torch.Tensor, KVCache, torch.Tensor]:
    """Write token by token; return all weights (n_head, n, n), the cache at the end, and the outputs."""
    n = len(result.tokens.queries)
    weights, outputs = torch.zeros(result.n_head, n, n, dtype=torch.float64), []
    cache: KVCache | None = None
    for at, token in enumerate(result.tokens.query):
        stages, cache = decode_step(result.module, token[None], cache)
        weights[:, at, : at + 1] = stages.weights[:, 0]
        outputs.append(stages.output)
    assert cache is not None
    return weights, cache, torch.cat(outputs)


def checks(result: Result) -> list[Check]:
    """Compare the tokens written with the cache with torch's causal attention over all tokens at once."""
    _weights, cache, output = write(result)
    theirs = result.module.fast(result.tokens.query, is_causal=True)
    count = torch.tensor(float(costs(result)[-1].cache_numbers))
    return [
        compare(_("the output is that of torch"), output, theirs),
        compare(_("the numbers counted are those that are kept"), torch.tensor(float(cache.numbers)), count),
    ]
