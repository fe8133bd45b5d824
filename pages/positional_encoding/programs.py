"""Programs that reproduce the weights, and their formula."""

from attn_core.learned_positions import PACKAGE
from attn_ui.base.programs import Programs, in_latex
from attn_words import _
from pages.positional_encoding import formulas
from pages.positional_encoding.compute import Now
from pages.positional_encoding.scaled import head_of
from pages.positional_encoding.scaled_snippet import scaling_programs
from pages.positional_encoding.snippet import attention_code, short_code


def programs(now: Now) -> Programs:
    """Return what is handed over."""
    state, scheme = now.state, now.scheme()
    if state.is_scaled:
        return scaling_programs(head_of(now))
    given = (state.tokens, state.words, now.width, state.seed)
    return Programs(
        lambda: attention_code(*given, scheme),
        lambda: short_code(*given, scheme=now.scheme_name, settings=now.scheme_settings()),
        lambda: formula(now),
        prints=_("the weights with positions"),
        package=PACKAGE if now.scheme_name == "learned" else "",
    )


def formula(now: Now) -> str:
    """Return the scheme and the weights with positions as LaTeX."""
    scheme = now.scheme()
    softmax, weights = formulas.weights(scheme, now.width), in_latex(now.attended.weights.tolist())
    return rf"{scheme.latex()}, \qquad s = {now.state.scheme.strength:g}, \qquad {softmax} = {weights}"
