"""Programs that print the numbers on the screen, and their formula."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from attn_core import ATTENTION_SAMPLES, mask_code
from attn_core.scores import DOT
from attn_ui.base import set_aside
from attn_ui.base.program_lines import drawn, given, word_list
from attn_ui.base.programs import Programs, in_latex
from pages.single_head import score_words
from pages.single_head.along_code import along_lines
from pages.single_head.aside_code import aside_lines
from pages.single_head.compute import Now
from pages.single_head.head import SAMPLES, typed_vectors
from pages.single_head.snippet import ROOT, Asked, short, snippet, tables
from pages.single_head.state import Inputs, tokens_of

MOST_WRITTEN = 40  # numbers of an example that the program writes out


def programs(now: Now) -> Programs:
    """Return what is handed over."""
    return Programs(
        lambda: snippet(asked(now)),
        lambda: _short(now),
        lambda: formula(now),
    )


def formula(now: Now) -> str:
    """Return weights and output of the picture as LaTeX."""
    scale = {"1/√dₖ": rf"\frac{{1}}{{\sqrt{{{now.head.d_k}}}}}", "none": ""}.get(
        now.scoring.scale, f"{now.scale:.4g}"
    )
    over = "" if now.temperature == 1.0 else rf"\frac{{1}}{{{now.temperature:.6g}}}"
    factor = r" \cdot ".join(part for part in (scale, over) if part)
    masked = "" if now.walk.mask.all() else " + M"
    weights = in_latex(now.walk.weights.tolist())
    value = in_latex(now.head.value.tolist())
    output = in_latex(now.walk.output.tolist())
    is_dot = now.scoring.score == DOT
    product = r"Q K^\top" if is_dot else "S"
    where = "" if is_dot else rf", \qquad {score_words.formula(now)}"
    return (
        rf"O = \operatorname{{softmax}}\!\left({factor}\, {product}{masked}\right) V"
        rf" = {weights} {value} = {output}{where}"
    )


def asked(now: Now) -> Asked:
    """Return what a program for the present settings computes."""
    head, inputs, scoring = now.head, now.inputs, now.scoring
    mask = set_aside.EVERY_PAIR if now.aside.what == "without" else ""
    if scoring.masking.kind != "none":
        mask = mask_code(scoring.masking, now.width, now.walk.mask.tolist())
    typed = head.x is None or head.memory is None
    made = Asked(
        tables(head.query.tolist(), head.key.tolist(), head.value.tolist()) if typed else sequences(now),
        mask=mask,
        scale={"1/√dₖ": ROOT, "none": ""}.get(scoring.scale, f"{now.scale:.10g}"),
        temperature=now.temperature,
        widths=None
        if head.projections is None or head.x is None
        else (head.x.shape[-1], head.d_k, head.value.shape[-1]),
        seed=inputs.seed,
        bias=inputs.bias,
        init=inputs.init,
        weights=inputs.weights,
        cross=not typed and head.x is not head.memory,
        given=typed,
        **along_lines(now),
        score=scoring.score,
        own_seed=inputs.seed,
        d_k=head.d_k,
    )
    return replace(made, **aside_lines(now, made))


def sequences(now: Now, write: Callable[..., str] = drawn) -> list[str]:
    """Return the lines that make X, and Y where keys and values come from another sequence.

    ``write`` writes vectors that are drawn from their words.
    """
    head, inputs = now.head, now.inputs
    names = ("X",) if head.x is head.memory else ("X", "Y")
    lines = _vectors(inputs, names, write)
    for name in names:
        if inputs.ramp:
            lines.append(
                f"{name} = {name} + 0.5 * torch.arange(len({name}))[:, None]  # position p adds p / 2"
            )
        if inputs.unit_rows:
            length = f"{name}.norm(dim=-1, keepdim=True).clamp(min=1e-12)"
            lines.append(f"{name} = {name} / {length}  # rows of length 1")
    return lines


def _vectors(inputs: Inputs, names: Sequence[str], write: Callable[..., str]) -> list[str]:
    """Write the vectors of one sentence or two, by their names: as they were typed, or as they are drawn."""
    lists, width, seed = ("words", "others"), inputs.width, inputs.seed
    texts = (inputs.text,) if inputs.second_text is None else (inputs.text, inputs.second_text)
    tokens: list[Sequence[str]] = [tokens_of(text) for text in texts]
    if not inputs.is_own:
        sample = ATTENTION_SAMPLES[SAMPLES[inputs.example]]
        tokens, width, seed = [sample.query_tokens, sample.key_tokens], sample.d_model, sample.seed
        if sample.key.numel() <= MOST_WRITTEN:
            shown = (sample.query.tolist(), sample.key.tolist())
            return [given(*each, "(n, d_model)") for each in zip(names, shown, strict=False)]
    elif inputs.vectors == "typed":
        x = typed_vectors(list(tokens[0]), inputs.x, width, seed)
        both = [x] if len(names) == 1 else [x, typed_vectors(list(tokens[1]), inputs.y, x.shape[-1], seed)]
        return [given(name, rows.tolist(), "(n, d_model)") for name, rows in zip(names, both, strict=True)]
    elif inputs.vectors == "one-hot":
        return _one_hot(tokens)
    return [
        write(*each, width=width, seed=seed, note="(n, d_model)")
        for each in zip(names, lists, tokens, strict=False)
    ]


def _one_hot(tokens: Sequence[Sequence[str]]) -> list[str]:
    """Write one-hot vectors, one place for each different word of all sentences."""
    if len(tokens) == 1:
        return [
            f"""{word_list("words", tokens[0])}
different = list(dict.fromkeys(words))
X = torch.eye(len(different))[[different.index(word) for word in words]]  # (n, d_model)"""
        ]
    return [
        f"""{word_list("words", tokens[0])}
{word_list("others", tokens[1])}
different = list(dict.fromkeys(words + others))
X = torch.eye(len(different))[[different.index(word) for word in words]]  # (n_query, d_model)
Y = torch.eye(len(different))[[different.index(word) for word in others]]  # (n_key, d_model)"""
    ]


def _short(now: Now) -> str:
    whole = asked(now)
    start = whole if whole.given else replace(whole, inputs=sequences(now, write=_drawn_shortly))
    start = replace(start, **aside_lines(now, whole, "V"), **along_lines(now, named=True))
    return short(start, queries=now.head.queries, keys=now.head.keys)


def _drawn_shortly(
    name: str, words: str, tokens: Sequence[str], *, width: int, seed: int, note: str = ""
) -> str:
    """Write vectors as attn_core draws them, see `drawn`."""
    return f"{word_list(words, tokens)}\n{name} = sentence_vectors({words}, {width}, seed={seed})  # {note}"
