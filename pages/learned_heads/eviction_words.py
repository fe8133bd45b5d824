"""Sentences about eviction; pure."""

from attn_ui.base.markdown import capital
from attn_ui.base.parameters import shown
from attn_words import N_, _, _n, paragraph
from pages.learned_heads.evicted import SINKS, Evicted
from pages.learned_heads.settings import POLICY

_HOW = {
    "window": N_("The window keeps the latest keys."),
    "StreamingLLM": N_("StreamingLLM keeps the first {sinks} keys and the latest (Xiao et al., 2024)."),
    "H2O": N_(
        "H2O keeps the latest half of the budget and, of the others, the keys that have had most weight so "
        "far (Zhang et al., 2023)."
    ),
}


def seen(found: Evicted) -> str:
    """Say how many keys are kept, what that costs by each policy, and which head loses most."""
    fields: dict[str, object] = {
        "n": found.n,
        "policy": shown(POLICY, found.policy),
        "error": f"{float(found.means[found.policy][found.budget - 1]):.3f}",
    }
    told = [
        _n(
            "With **{count}** key of {n} kept by {policy}, the outputs of the heads are off by **{error}** "
            "of their size, on average.",
            "With **{count}** keys of {n} kept by {policy}, the outputs of the heads are off by **{error}** "
            "of their size, on average.",
            found.budget,
            **fields,
        )
    ]
    if found.now.n_head > 1 and float(found.errors.max()) > 0:
        worst = int(found.errors.argmax())
        told.append(
            _(
                "{head} loses most: {error}.",
                head=capital(found.now.called(worst)),
                error=f"{float(found.errors[worst]):.3f}",
            )
        )
    others = {name: float(errors[found.budget - 1]) for name, errors in found.means.items()}
    del others[found.policy]
    (one, first), (other, second) = others.items()
    told.append(
        _(
            "With as many keys {one} has {first}, {other} {second}.",
            one=shown(POLICY, one),
            first=f"{first:.3f}",
            other=shown(POLICY, other),
            second=f"{second:.3f}",
        )
    )
    return paragraph(*told)


def title(found: Evicted, head: int) -> str:
    """Name a head by what it loses."""
    return _(
        "head {number}: error {error}",
        number=found.now.number(head),
        error=f"{float(found.errors[head]):.3f}",
    )


def about(found: Evicted) -> str:
    """Say how the policy chooses, and what the error is of."""
    return paragraph(
        _(_HOW[found.policy], sinks=min(SINKS, found.budget - 1)),
        _("A token's own key counts, and is never evicted; what is evicted does not come back."),
        _(
            "The error is of each head alone, on the queries, keys and values of the full run: what an error "
            "does to later layers is not in it."
        ),
        _("The toy was trained for {steps} steps.", steps=f"{found.now.step:,}"),
    )
