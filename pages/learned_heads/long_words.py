"""Sentences about one head on a long text; pure."""

from attn_ui.base.markdown import capital, plain
from attn_words import _, paragraph
from pages.learned_heads import whole_words
from pages.learned_heads.long_text import FIRST, ITSELF, PREVIOUS, SPECIAL, LongText, Looks
from pages.learned_heads.whole import SINK

_ALL_HEADS = 2  # to look at all heads of a layer takes about as long as to read two


def seen(now: LongText, looks: Looks, head: int) -> str:
    """Say what one head looks at."""
    sink = SPECIAL if SPECIAL in looks.shares else FIRST
    told = _(
        "**{head}**: of {places} tokens each gives the one before **{before}** of its weight and itself "
        "**{itself}**, on average.",
        head=capital(now.name(head)),
        places=f"{now.n:,}",
        before=whole_words.mean(looks.shares[PREVIOUS][head]),
        itself=whole_words.mean(looks.shares[ITSELF][head]),
    )
    drawn = whole_words.drawn(
        [plain(token) for token in now.special],
        looks.shares[sink][head],
        later=sink == FIRST,
        sink=SINK,
    )
    return paragraph(told, drawn)


def reading(now: LongText, layer: int, head: int | None) -> tuple[float, str]:
    """Return how far the reading is, and say it: of a layer, or of a head of the one that is shown."""
    after = 0.0 if head is None else _ALL_HEADS * head / now.model.n_head
    share = (layer + after) / (now.layer + _ALL_HEADS)
    if head is not None:
        told = _(
            "Layer {layer}: head {head} of its {heads} is being drawn.",
            layer=layer + 1,
            head=head + 1,
            heads=now.model.n_head,
        )
        return share, told
    told = _(
        "Layer {layer} of {layers} is being read, with all {places} tokens.",
        layer=layer + 1,
        layers=now.layer + 1,
        places=f"{now.n:,}",
    )
    meanwhile = _("Any layer before it can be chosen meanwhile.")
    return share, paragraph(told, meanwhile) if layer else told


def in_blocks(n: int) -> str:
    """Say on a saved picture that single cells are not in it."""
    return _("a text of {places} tokens, in blocks; the app zooms in to single cells", places=f"{n:,}")


def one_layer(now: LongText) -> str:
    """Say why the heads of one layer stand alone."""
    return paragraph(
        _(
            "The maps of all heads together have room for {most} tokens, and this text has {places}: here is "
            "one layer at a time, its heads as they stand in it, special tokens among the words.",
            most=f"{now.model.most_tokens:,}",
            places=f"{now.n:,}",
        ),
        _(
            "Thumbnails, measures of all heads and a text's flow are of texts of up to {most} tokens.",
            most=f"{now.model.most_tokens:,}",
        ),
    )


def needs_all(most: int) -> str:
    """Say what a text's flow needs."""
    return _(
        "A text's flow needs the maps of all heads at once, which have room for {most} tokens. Under “heads” "
        "longer texts are read, one head at a time.",
        most=f"{most:,}",
    )
