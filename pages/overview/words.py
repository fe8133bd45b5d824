"""The sentences of the overview."""

from attn_ui.base.shared_settings import TEMPERATURE
from attn_words import N_, _, paragraph

INVITATION = N_(
    "Each row shows what one query attends to: drag the slider, and all five maps sharpen or spread."
)


def what_the_slider_does(temperature: float, spread: tuple[float, float, float], n_key: int) -> str:
    """Say what the maps show at a temperature.

    Args:
        temperature: the slider's.
        spread: over how many words a query spreads its weight, on average: by nearness, by likeness, by both.
        n_key: how many words there are.

    >>> what_the_slider_does(1.0, (3.2, 1.1, 1.4), 6).startswith("At temperature 1.00")
    True
    """
    by_nearness, by_likeness, by_both = (f"{each:.1f}" for each in spread)
    fields = {
        "temperature": TEMPERATURE.text(temperature),
        "bandwidth": f"{temperature**0.5:.2f}",
        "by_nearness": by_nearness,
        "by_likeness": by_likeness,
        "by_both": by_both,
        "count": n_key,
    }
    if min(spread) > 0.9 * n_key:
        return _(
            "At temperature {temperature} (a kernel of bandwidth {bandwidth}) the weights are as spread as "
            "equal weights on {by_nearness} of {count} words by nearness, on {by_likeness} by likeness and "
            "on {by_both} by both: nearly a plain average.",
            **fields,
        )
    if max(spread) < 1.5:
        return _(
            "At temperature {temperature} (a kernel of bandwidth {bandwidth}) the weights are as spread as "
            "equal weights on {by_nearness} of {count} words by nearness, on {by_likeness} by likeness and "
            "on {by_both} by both: nearly a choice of one word.",
            **fields,
        )
    seen = _(
        "At temperature {temperature} (a kernel of bandwidth {bandwidth}) the weights are as spread as equal "
        "weights on {by_nearness} of {count} words by nearness, on {by_likeness} by likeness and on "
        "{by_both} by both.",
        **fields,
    )
    return paragraph(seen, _("Until places are added, both **the** have the same row."))


USES = {
    "translation": N_(
        "**Translation.** A date in words asks a date in digits: each word finds the digits that tell the "
        "same. The vectors are set by hand to year, month and day; a trained model learns them."
    ),
    "text": N_(
        "**Text.** A language model reads from left to right: no word may look at what comes after it "
        "(hatched). The vectors are random, so the weights say nothing of grammar."
    ),
    "images": N_(
        "**Images.** A picture cut into nine patches, each the colour of its middle: sky attends to sky, "
        "grass to grass, whatever lies between them."
    ),
    "speech": N_(
        "**Speech.** Eight frames of a sound, each as loud as it is at every pitch: frames of one pitch find "
        "each other across time."
    ),
}

STARTS = (
    N_(
        "**You teach.** Begin with a lesson, or with Kernel regression: ask the class where the curve will "
        "go before you drag the bandwidth. The address of every page holds its settings: send it, and "
        "everyone sees your picture."
    ),
    N_(
        "**You learn.** Begin with Single head and its example of two keys and one query, and check each "
        "number by hand under Arithmetic. Then break it: every mistake says which check it fails, or that "
        "nothing changes."
    ),
    N_(
        "**You make slides.** Set a picture up, save it, and keep its address beside it: that opens it "
        "again. Under Code are the lines that print the same numbers."
    ),
)
