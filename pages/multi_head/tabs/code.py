"""The tab "Code": programs that reproduce the numbers on the page, and their formula."""

from collections.abc import Sequence
from dataclasses import replace

from torch import Tensor

from attn_core import make_mask, mask_code, tokenize
from attn_core.learned_positions import PACKAGE
from attn_ui import programs
from pages.multi_head import formulas
from pages.multi_head import snippet as snippets
from pages.multi_head.numbers import Now, allowed, width_of
from pages.multi_head.settings import EXAMPLES, Setting

MOST_WRITTEN = 40  # numbers of an example that the program writes out


def show(now: Now) -> None:
    """Hand over the programs and the formula."""
    programs.offer(
        lambda: snippet(now),
        lambda: short(now),
        lambda: formula(now),
        prints="the weights of every head, and the output",
        package=PACKAGE if now.setting.positions.name == "learned" else "",
    )


def short(now: Now) -> str:
    """Return the short program for the present settings."""
    setting, n = now.setting, now.unplaced.tokens
    vectors = [_vectors("x", n.query, n.queries, setting, short=True)]
    if not now.is_self_attention:
        vectors.append(_vectors("memory", n.key, n.keys, setting, short=True))
    chosen = setting.positions
    return snippets.short(
        vectors,
        now.module,
        setting.seed,
        going_on(now),
        scheme=(chosen.name, chosen.values() | {"num_heads": now.n_head, "seed": setting.seed}),
        words=(n.queries, n.keys),
    )


def formula(now: Now) -> str:
    """Return what the first head does, and the output, as LaTeX."""
    heads, scheme = formulas.names(now, "A_{%d} V_{%d}"), now.scheme
    placed = rf"{scheme.latex()}, \quad s = {now.setting.positions.strength:g}, \qquad "
    return (placed if scheme.adds != "nothing" else "") + (
        rf"{formulas.projections(now, '1')}, \qquad A_1 = {formulas.weights(now, '1')} = "
        rf"{programs.in_latex(now.result.weights[0].tolist())}, \qquad "
        rf"O = {formulas.output(now, heads)} = {programs.in_latex(now.result.output.tolist())}"
    )


def snippet(now: Now) -> str:
    """Return a program for the present settings."""
    return snippets.snippet(asked(now))


def asked(now: Now) -> snippets.Asked:
    """Return what a program for the present settings computes."""
    setting, n = now.setting, now.unplaced.tokens
    vectors = [_vectors("x", n.query, n.queries, setting)]
    if not now.is_self_attention:
        vectors.append(_vectors("memory", n.key, n.keys, setting))
    return snippets.Asked(
        vectors,
        n_head=now.n_head,
        d_head=now.module.d_head,
        bias=setting.bias,
        seed=setting.seed,
        conditions=going_on(now),
    )


def going_on(now: Now) -> snippets.Conditions:
    """Return what the program needs to know of positions, masks and temperature."""
    setting, n = now.setting, now.tokens
    masks = []
    if allowed(setting, now.n_head) is not None:
        for kind in setting.kinds[: now.n_head]:
            masking = replace(setting.masking, kind=kind)
            width = width_of(setting, kind)
            masks.append(mask_code(masking, width, make_mask(masking, *n.shape, width).tolist()))
    added = now.scheme.adds, now.scheme.code()
    return snippets.Conditions(setting.temperature, tuple(masks), *added, projection=setting.projection)


def _vectors(
    name: str, vectors: Tensor, tokens: Sequence[str], setting: Setting, *, short: bool = False
) -> str:
    """Write the vectors of a worked example out where they are few numbers, else as they are drawn."""
    draw = snippets.shortly_drawn if short else snippets.drawn
    if setting.case in EXAMPLES:
        sample = EXAMPLES[setting.case]
        if vectors.numel() <= MOST_WRITTEN:
            return snippets.given(name, vectors.tolist())
        return draw(name, sample.query_tokens if name == "x" else sample.key_tokens, vectors.shape[1], 0)
    text = setting.text if name == "x" else setting.memory_text
    return draw(name, tokenize(text)[: len(tokens)], vectors.shape[1], setting.seed)
