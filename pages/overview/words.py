"""The automatic sentence of the overview."""

BROAD, SHARP = 3.0, 0.35


def what_the_slider_does(temperature: float) -> str:
    """Say what the maps show at a temperature.

    >>> what_the_slider_does(1.0).startswith("At temperature 1.00")
    True
    """
    at = f"At temperature {temperature:.2f} (a kernel of bandwidth {temperature**0.5:.2f})"
    if temperature >= BROAD:
        return f"{at} every query looks almost everywhere: the weights approach the plain average."
    if temperature <= SHARP:
        return f"{at} every query looks at little but its best match: the weights approach a choice."
    return f"{at} each query prefers what matches it; until positions are added, both **the** look alike."
