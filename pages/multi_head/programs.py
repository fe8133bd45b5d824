"""Programs that reproduce the numbers on the page, and their formula."""

from collections.abc import Sequence
from dataclasses import replace

from torch import Tensor

from attn_core import make_mask, mask_code, tokenize
from attn_core.learned_positions import PACKAGE
from attn_ui.base import set_aside
from attn_ui.base.program_lines import drawn, given
from attn_ui.base.programs import Programs, in_latex
from pages.multi_head import formulas
from pages.multi_head import snippet as snippets
from pages.multi_head.aside_code import aside_lines
from pages.multi_head.compute import Now, allowed, by_hand, width_of
from pages.multi_head.settings import EXAMPLES
from pages.multi_head.state import Setting

MOST_WRITTEN = 40  # numbers of an example that the program writes out


def programs(now: Now) -> Programs:
    """Return what is handed over."""
    return Programs(
        lambda: snippet(now),
        lambda: short(now),
        lambda: formula(now),
        package=PACKAGE if now.setting.positions.name == "learned" else "",
    )


def short(now: Now) -> str:
    """Return the short program for the present settings."""
    setting, n = now.setting, now.unplaced.tokens
    vectors = [_short_vectors("x", n.query, n.queries, setting)]
    if not now.is_self_attention:
        vectors.append(_short_vectors("memory", n.key, n.keys, setting))
    chosen = setting.positions
    return snippets.short(
        vectors,
        now.module,
        setting.seed,
        going_on(now),
        init=setting.init,
        weights=by_hand(setting, now.n_head),
        scheme=(chosen.name, chosen.values() | {"num_heads": now.n_head, "seed": setting.seed}),
        words=(n.queries, n.keys),
        **aside_lines(now, "result.value"),
    )


def formula(now: Now) -> str:
    """Return what the first head does, and the output, as LaTeX."""
    heads, scheme = formulas.names(now, "A_{%d} V_{%d}"), now.scheme
    placed = rf"{scheme.latex()}, \quad s = {now.setting.positions.strength:g}, \qquad "
    return (placed if scheme.adds != "nothing" else "") + (
        rf"{formulas.projections(now, '1')}, \qquad A_1 = {formulas.weights(now, '1')} = "
        rf"{in_latex(now.result.weights[0].tolist())}, \qquad "
        rf"O = {formulas.output(now, heads)} = {in_latex(now.result.output.tolist())}"
    )


def snippet(now: Now) -> str:
    """Return a program for the present settings."""
    return snippets.snippet(asked(now))


def asked(now: Now, names: tuple[str, str] = ("X", "Y")) -> snippets.Asked:
    """Return what a program for the present settings computes; names: of what attends and is attended to."""
    setting, n = now.setting, now.unplaced.tokens
    x, memory = names
    vectors, widths = {x: _vectors(x, n.query, n.queries, setting)}, {x: n.query.shape[1]}
    if not now.is_self_attention:
        vectors[memory] = _vectors(memory, n.key, n.keys, setting, second=True)
        widths[memory] = n.key.shape[1]
    return snippets.Asked(
        vectors,
        widths,
        n_head=now.n_head,
        d_head=now.module.d_head,
        bias=setting.bias,
        seed=setting.seed,
        conditions=going_on(now),
        init=setting.init,
        weights=by_hand(setting, now.n_head),
        **aside_lines(now),
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
    elif now.aside.what == "without":
        masks = [set_aside.EVERY_PAIR]
    return snippets.Conditions(setting.temperature, tuple(masks), now.scheme, setting.projection)


def _vectors(
    name: str, vectors: Tensor, tokens: Sequence[str], setting: Setting, *, second: bool = False
) -> str:
    """Write the vectors of a worked example out where they are few numbers, else as they are drawn."""
    note, words = "(n, d_model)" if not second else "(n_key, d_memory)", "others" if second else "words"
    if setting.case in EXAMPLES and vectors.numel() <= MOST_WRITTEN:
        return given(name, vectors.tolist(), note)
    drawing, seed = _drawn_from(tokens, setting, second=second)
    return drawn(name, words, drawing, width=vectors.shape[1], seed=seed, note=note)


def _short_vectors(name: str, vectors: Tensor, tokens: Sequence[str], setting: Setting) -> str:
    """Write the same with attn_core."""
    if setting.case in EXAMPLES and vectors.numel() <= MOST_WRITTEN:
        return snippets.shortly_given(name, vectors.tolist())
    drawing, seed = _drawn_from(tokens, setting, second=name != "x")
    return snippets.shortly_drawn(name, drawing, vectors.shape[1], seed)


def _drawn_from(tokens: Sequence[str], setting: Setting, *, second: bool) -> tuple[Sequence[str], int]:
    """Return the words that vectors are drawn from, and the seed."""
    if setting.case in EXAMPLES:
        sample = EXAMPLES[setting.case]
        return (sample.key_tokens if second else sample.query_tokens), 0
    return tokenize(setting.memory_text if second else setting.text)[: len(tokens)], setting.seed
