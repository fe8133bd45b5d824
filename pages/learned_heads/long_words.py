"""Sentences about one head on a long text; pure."""

from attn_ui.base.markdown import plain
from attn_words import _, paragraph
from pages.learned_heads import whole_words
from pages.learned_heads.long_text import FIRST, ITSELF, PREVIOUS, SPECIAL, LongText, Looks
from pages.learned_heads.whole import SINK
from pages.learned_heads.words import capital


def seen(now: LongText, looks: Looks, head: int) -> str:
    """Say what one head looks at."""
    sink = SPECIAL if SPECIAL in looks.shares else FIRST
    told = _(
        "**{head}**: of {places} tokens each gives the one before **{before}** of its weight and itself "
        "**{itself}**, on average.",
        head=capital(now.name(head)),
        places=f"{now.n:,}",
        before=f"{looks.shares[PREVIOUS][head]:.2f}",
        itself=f"{looks.shares[ITSELF][head]:.2f}",
    )
    drawn = whole_words.drawn(
        [plain(token) for token in now.special],
        looks.shares[sink][head],
        later=sink == FIRST,
        hidden=False,
        sink=SINK,
    )
    return paragraph(told, drawn)


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
