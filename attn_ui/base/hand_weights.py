"""The sidebar's controls for weights: how they are drawn, and whether they are set by hand."""

from collections.abc import Mapping, Sequence

from attn_ui.base.controls import Controls
from attn_ui.base.hand_weight_settings import (
    CONVENTION,
    HAND,
    MOST,
    SWITCH,
    TABLES,
    HandRows,
    Rows,
    Weight,
    describe_origins,
)
from attn_ui.base.markdown import all_of
from attn_ui.base.parameters import Choice, label_of, tab_name
from attn_words import _, paragraph


def read_whether(controls: Controls) -> bool:
    """Offer the switch for weights set by hand; return whether it is on."""
    return controls.flag(HAND, _(SWITCH), help=_(CONVENTION))


def is_by_hand(controls: Controls) -> bool:
    """Tell whether weights are set by hand now."""
    return bool(controls.peek(HAND))


def choose_init(controls: Controls, setting: Choice, sentences: Mapping[str, str]) -> str:
    """Read how weights are drawn.

    Args:
        controls: those of the page.
        setting: the choice, made by `init_setting`.
        sentences: by the name of each option, a message that explains it.
    """
    lines = [
        _("- **{name}**: {what}.", name=label_of(setting, name), what=_(sentence))
        for name, sentence in sentences.items()
    ]
    help_ = [
        _("W takes d_in numbers to d_out."),
        "\n".join(lines),
        _("Biases are uniform within ±1/√d_in always."),
    ]
    return controls.choose(setting, _("Projections W drawn as"), help="\n\n".join(help_))


def read_by_hand(controls: Controls, variants: Sequence[Sequence[Weight]]) -> HandRows:
    """Return the hand-set weights that fit, and show which they are.

    A weight whose table does not fit is named on screen and drawn from the seed; its table is kept.

    Args:
        controls: those of the page.
        variants: each weight in all shapes that it may have here, the present one first.
    """
    fit, problems = fitting(controls, variants)
    weights = [each[0] for each in variants]
    controls.caption(
        _(":material/table: Type them, or open a file, in the tab *{tab}*.", tab=tab_name("Data"))
    )
    for problem in problems:
        sentence = paragraph(problem, _("The one from the seed is used meanwhile."))
        controls.caption(f":material/edit: {sentence}")
    if large := [each.name for each in weights if not each.is_typed]:
        controls.caption(
            _(
                ":material/info: {weights}: more than {most} rows or columns, too many to type.",
                weights=all_of(large),
                most=MOST,
            )
        )
    when = {weight.name: weight.when for weight, _ in fit}
    controls.caption(describe_origins([each.name for each in weights], when))
    if any(controls.text(TABLES[each.name]) for each in weights):
        controls.button(
            _("Take all from the seed again"), lambda: _reset_to_seed(controls, weights), width="stretch"
        )
    return tuple((weight.name, rows) for weight, rows in fit)


def _reset_to_seed(controls: Controls, weights: Sequence[Weight]) -> None:
    for each in weights:
        controls.write(TABLES[each.name], "", replaces=True)


def fitting(
    controls: Controls, variants: Sequence[Sequence[Weight]]
) -> tuple[list[tuple[Weight, Rows]], list[str]]:
    """Return the typed weights that fit, in their shape, and a sentence for each that does not."""
    fit, problems = [], []
    for shapes in variants:
        rows = TABLES[shapes[0].name].rows(controls.text(TABLES[shapes[0].name]))
        if not rows:
            continue
        shape = len(rows), len(rows[0])
        match = next((each for each in shapes if each.shape == shape), None)
        if match is None:
            problems.append(shapes[0].unfit(shape))
        else:
            fit.append((match, rows))
    return fit, problems
