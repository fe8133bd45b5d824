"""What one head's queries and keys as points show, in sentences."""

from attn_figures.numbers import as_share
from attn_figures.points import ALONE
from attn_ui.base.markdown import coloured
from attn_ui.base.planes import names_told
from attn_words import _, paragraph
from pages.learned_heads.clouds import HeadClouds


def seen(now: HeadClouds, row: int) -> str:
    """Say what the plane keeps, where the query's weight goes, and how far nearness tells its scores."""
    query = f"“{coloured('query', now.labels[row])}”"
    kept = _(
        "Head {number}: the plane keeps {share} of the squared distances of queries and keys from their "
        "centre.",
        number=now.number,
        share=as_share(float(now.plane.explained.sum()), 1),
    )
    best = int(now.weights[row].argmax())
    nearest = int(now.distances[row].masked_fill(~now.mask[row], float("inf")).argmin())
    fields = {
        "query": query,
        "key": f"“{coloured('key', now.labels[best])}”",
        "weight": f"{float(now.weights[row, best]):.3f}",
        "other": f"“{coloured('key', now.labels[nearest])}”",
    }
    if nearest == best:
        given = _(
            "{query} gives its largest weight, {weight}, to {key}, the key nearest to it here.", **fields
        )
    else:
        given = _(
            "{query} gives its largest weight, {weight}, to {key}; the key nearest to it here is {other}, "
            "with {less}.",
            less=f"{float(now.weights[row, nearest]):.3f}",
            **fields,
        )
    agreement = now.agreement(row)
    told = ""
    if agreement is not None:
        told = _(
            "Over its keys, nearness in the plane and score have a correlation of {correlation}.",
            correlation=f"{agreement:.2f}".replace("-", "−"),
        )
    named = names_told(ALONE, now.labels)
    return paragraph(kept, given, told, named)


def laid(now: HeadClouds) -> str:
    """Say how both clouds were laid on one another, and what that changes."""
    moved = _(
        "To lie on one another, every key is moved by the same vector, {length} long, so that both clouds "
        "have one centre: that adds one number to all scores of a query, and no softmax changes.",
        length=f"{float(now.clouds.shift.norm()):.3g}",
    )
    scaled = _(
        "Queries are divided by {factor} and keys multiplied by it, so that both spread as far; their "
        "products stay as they are.",
        factor=f"{float(now.clouds.factor):.3g}",
    )
    far = _(
        "Of two keys that are equally long here, the nearer has the higher score. Keys differ in length, and "
        "a plane leaves much out: the size of a point tells the weight."
    )
    arrow = _("The arrow goes to the query from where all vectors begin; along it scores rise.")
    bent = ""
    if now.model.softcap is not None:
        bent = _("This model bends its scores below a cap, so there the weights would change a little.")
    return paragraph(moved, scaled, arrow, far, bent)
