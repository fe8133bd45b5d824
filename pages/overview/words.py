"""The sentences of the overview."""

from attn_ui.base.shared_settings import TEMPERATURE

INVITATION = "Each row shows what one query attends to: drag the slider, and all five maps sharpen or spread."


def what_the_slider_does(temperature: float, spread: tuple[float, float, float], n_key: int) -> str:
    """Say what the maps show at a temperature.

    Args:
        temperature: the slider's.
        spread: over how many words a query spreads its weight, on average: by nearness, by likeness, by both.
        n_key: how many words there are.

    >>> what_the_slider_does(1.0, (3.2, 1.1, 1.4), 6).startswith("At temperature 1.00")
    True
    """
    at = f"At temperature {TEMPERATURE.text(temperature)} (a kernel of bandwidth {temperature**0.5:.2f})"
    by_nearness, by_likeness, by_both = spread
    seen = (
        f"{at} the weights are as spread as equal weights on {by_nearness:.1f} of {n_key} words by nearness, "
        f"on {by_likeness:.1f} by likeness and on {by_both:.1f} by both"
    )
    if min(spread) > 0.9 * n_key:
        return f"{seen}: nearly a plain average."
    if max(spread) < 1.5:
        return f"{seen}: nearly a choice of one word."
    return f"{seen}. Until places are added, both **the** have the same row."


USES = {
    "translation": (
        "**Translation.** A date in words asks a date in digits: each word finds the digits that tell the "
        "same. The vectors are set by hand to year, month and day; a trained model learns them."
    ),
    "text": (
        "**Text.** A language model reads from left to right: no word may look at what comes after it "
        "(hatched). The vectors are random, so the weights say nothing of grammar."
    ),
    "images": (
        "**Images.** A picture cut into nine patches, each the colour of its middle: sky attends to sky, "
        "grass to grass, whatever lies between them."
    ),
    "speech": (
        "**Speech.** Eight frames of a sound, each as loud as it is at every pitch: frames of one pitch find "
        "each other across time."
    ),
}

STARTS = {
    "You teach": (
        "Begin with a lesson, or with Kernel regression: ask the class where the curve will go before you "
        "drag the bandwidth. "
        "The address of every page holds its settings: send it, and everyone sees your picture."
    ),
    "You learn": (
        "Begin with Single head and its example of two keys and one query, and check each number by hand "
        "under Arithmetic. Then break it: every mistake says which check it fails, or that nothing changes."
    ),
    "You make slides": (
        "Set a picture up, save it, and keep its address beside it: that opens it again. Under "
        "Code are the lines that print the same numbers."
    ),
}
