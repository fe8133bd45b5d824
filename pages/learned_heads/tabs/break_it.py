"""The tab "Break it": the mistakes that go around, on a model that has learned, and what they cost it."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

import streamlit as st
import torch
from torch import Tensor

from attn_core import Check, compare
from attn_core.checks import agree
from attn_core.head_mistakes import HEADS_ADD_UP, origins
from attn_core.mistakes import MASKED_IS_ZERO
from attn_core.toys import SYMBOLS, TOY_MISTAKES, Judged, ToyMistake, ToyRun, heads_reversed
from attn_figures.learned import Maps, right_and_broken
from attn_figures.numbers import as_share, number
from attn_ui.base.markdown import capital, listed
from attn_ui.base.parameters import shown
from attn_ui.screen import controls
from attn_ui.screen.live_figure import live_figure
from attn_ui.screen.tables import checks_table, table
from attn_words import N_, _, _c, paragraph
from pages.learned_heads import words
from pages.learned_heads.compute import GUESSING, NAMED, Now, array, judged_with, judged_without, naming
from pages.learned_heads.settings import FLAW, TASK
from pages.learned_heads.tabs.checks import by_torch

SUMS = N_("each row of weights sums to one")  # every place sees itself at least, so none may be empty
MISTAKES = dict(zip(FLAW.options, TOY_MISTAKES, strict=True))


def show(now: Now) -> None:
    """Show a mistake beside what is right, what it costs, and which check finds it."""
    mistake = TOY_MISTAKES[MISTAKES[controls.segment(FLAW, _("Mistake"))]]
    st.markdown(paragraph(_(mistake.what), _(mistake.why)))
    if not mistake.runs(now.model):
        why = _(
            "Here this mistake does not run: in the task {task} every place sees all others, so nothing is "
            "written symbol by symbol. Take another task to see it.",
            task=shown(TASK, now.recipe.task),
        )
        st.markdown(f":material/edit: {why}")
    else:
        made = Made(now, mistake)
        live_figure(
            [right_and_broken.spec(made.maps(now.result), made.maps(made.broken), made.head)],
            key="broken",
            alt=_("A head's map and what the model says, right and broken, and the difference of the maps"),
            name=f"learned heads, {mistake.name}",
            caption=_(
                "{task}, {training}, after {steps} steps, on {letters}",
                task=shown(TASK, now.recipe.task),
                training=words.recipe_in_words(now.recipe),
                steps=f"{now.step:,}",
                letters=now.setting.typed,
            ),
        )
        st.markdown(verdict(made))
        right, broken = made.checks(now.result), made.checks(made.broken)
        st.markdown(
            checks_table(
                [check.name for check in right],
                {
                    _("right"): [(each.passed, each.verdict) for each in right],
                    _("broken"): [(each.passed, each.verdict) for each in broken],
                },
            )
        )
    held_out = len(now.recipe.held_out())
    st.markdown(
        _(
            "Every mistake without {heads} on the {count} held-out sequences, one at a time:",
            heads=listed(now.off),
            count=held_out,
        )
        if now.off
        else _("Every mistake on the {count} held-out sequences, one at a time:", count=held_out)
    )
    st.markdown(
        table([_("Mistake"), _c("share of answers", "right"), _("loss")], costs(now, mistake), numbers=2)
    )


@dataclass(frozen=True, eq=False)
class Made:
    """A mistake made with the model on the page, heads that are off left off."""

    now: Now
    mistake: ToyMistake

    @cached_property
    def broken(self) -> ToyRun:
        """Every stage on the sequence."""
        return self.mistake.run(self.now.model, self.now.tokens, self.now.setting.off)

    @cached_property
    def by_torch(self) -> tuple[Tensor, Tensor]:
        """The maps and the logits as torch's own modules have them."""
        return by_torch(self.now)

    @cached_property
    def right_judged(self) -> Judged:
        """How the model does on held-out sequences without the mistake, computed now."""
        return judged_without(self.now.recipe, self.now.at, (self.now.setting.off,))[0]

    @cached_property
    def judged(self) -> Judged:
        """How it does with the mistake."""
        return judged_with(self.now.recipe, self.now.at, self.now.setting.off)[self.mistake.name]

    @cached_property
    def head(self) -> int:
        """The chosen head; the next one whose map the mistake changes where that of the chosen stays."""
        right, broken, chosen = self.now.result.weights, self.broken.weights, self.now.chosen[0]
        after = [*range(chosen, self.now.n_head), *range(chosen)]
        return next((head for head in after if not agree(right[head], broken[head])), chosen)

    def maps(self, run: ToyRun) -> Maps:
        """Hand one of the two to the figures; cells are hatched where that one masks them."""
        now, head = self.now, self.head
        mask = run.layers[head // now.recipe.heads].mask
        title = N_("broken: {head}") if run is self.broken else N_("right: {head}")
        return Maps(
            array(run.weights),
            [now.head(each) for each in range(now.n_head)],
            [_(title, head=now.called(each)) for each in range(now.n_head)],
            now.symbols,
            array(run.logits.softmax(dim=-1)),
            list(SYMBOLS),
            now.answers,
            None if mask is None else mask[head % now.recipe.heads].numpy(),
        )

    def checks(self, run: ToyRun) -> list[Check]:
        """Return what must hold of either of the two, on the sequence."""
        n = len(self.now.tokens)
        weights, logits = self.by_torch
        sums = run.weights.sum(dim=-1)
        later = torch.ones(n, n).triu(1).bool() if self.now.task.causal else torch.zeros(n, n).bool()
        added = torch.stack([layer.contributions.sum(dim=-3) for layer in run.layers])
        written = torch.stack([layer.output for layer in run.layers])
        return [
            compare(_(SUMS), sums, torch.ones_like(sums)),
            compare(_(MASKED_IS_ZERO), run.weights[:, later], 0.0, scale=1.0),
            compare(_(HEADS_ADD_UP), added, written),
            compare(_("the maps are those of torch"), run.weights, weights),
            compare(_("what it says is what torch says"), run.logits, logits),
        ]

    @cached_property
    def unchanged(self) -> bool:
        """Whether all is the same with the mistake, here and on held-out sequences."""
        right, broken = self.right_judged, self.judged
        return (
            agree(self.now.result.weights, self.broken.weights)
            and agree(self.now.result.logits, self.broken.logits)
            and right.accuracy == broken.accuracy
            and math.isclose(right.loss, broken.loss, rel_tol=1e-5)
        )


def verdict(made: Made) -> str:
    """Say what a mistake costs, which check finds it and what it does; each number is computed here."""
    if made.unchanged:
        return paragraph(
            _("Nothing fails here: {why}.", why=_why_harmless(made)),
            _("The mistake is there all the same."),
        )
    return paragraph(_cost(made), _found(made), _said(made), _head(made), _detail(made))


def _cost(made: Made) -> str:
    """Say what held-out sequences lose."""
    now, right, broken = made.now, made.right_judged, made.judged
    off = now.off
    if len(off) == now.n_head:
        return _("With every head off nothing is read, so nothing can be lost.")
    fields = {
        "heads": listed(off),
        "right": as_share(right.accuracy, 1),
        "broken": as_share(broken.accuracy, 1),
        "loss": number(right.loss, 3),
        "then": number(broken.loss, 3),
    }
    guesses = right.loss >= GUESSING and right.accuracy < 2 / len(SYMBOLS)
    if now.step == 0 or guesses:
        return _nothing_to_lose(now, fields)
    if right.accuracy == broken.accuracy:
        if off:
            return _(
                "**It costs no answer**: without {heads} the model is right in {right} of held-out places "
                "either way (loss {loss}, then {then}).",
                **fields,
            )
        return _(
            "**It costs no answer**: the model is right in {right} of held-out places either way (loss "
            "{loss}, then {then}).",
            **fields,
        )
    fields["lead"] = _lead(fields["right"], fields["broken"], gains=broken.accuracy > right.accuracy)
    if off:
        return _(
            "**{lead}**: without {heads} the model is right in {right} of held-out places, with the mistake "
            "in **{broken}** (loss {loss}, then {then}).",
            **fields,
        )
    return _(
        "**{lead}**: the model is right in {right} of held-out places, with the mistake in **{broken}** "
        "(loss {loss}, then {then}).",
        **fields,
    )


def _nothing_to_lose(now: Now, fields: Mapping[str, str]) -> str:
    """Say that a model which only guesses has nothing to lose."""
    if now.step == 0:
        why = _("**Nothing can be lost here**: nothing is learned before the first step.")
    elif now.off:
        why = _(
            "**Nothing can be lost here**: without {heads} the model is no better than guessing.", **fields
        )
    else:
        why = _("**Nothing can be lost here**: the model is no better than guessing.")
    rest = _(
        "It is right in {right} of held-out places, with the mistake in {broken} (loss {loss}, then {then}; "
        "saying every symbol alike has {guessing}).",
        **fields,
        guessing=f"{GUESSING:.2f}",
    )
    return paragraph(why, rest)


def _lead(right: str, broken: str, *, gains: bool) -> str:
    """Say by how much the share of right answers changes."""
    # Of the shares as they are said, so that the reader's own subtraction agrees.
    points = abs(float(right.rstrip("%")) - float(broken.rstrip("%")))
    if gains and points:
        return _("It costs nothing and gains {points} percentage points", points=f"{points:.1f}")
    if gains:
        return _("It costs nothing and gains under 0.1 percentage points")
    if points:
        return _("It costs {points} percentage points", points=f"{points:.1f}")
    return _("It costs under 0.1 percentage points")


def _found(made: Made) -> str:
    """Name the checks that fail on the sequence, and say whether the sums of rows are blind to it."""
    sums, *others = made.checks(made.broken)
    fails = [f"*{each.name}*" for each in (sums, *others) if not each.passed]
    if not fails:
        return _("On this sequence no check fails: it shows the same either way.")
    return paragraph(
        _("Fails: {checks}.", checks=listed(fails)), _("Each row still sums to one.") if sums.passed else ""
    )


def _said(made: Made) -> str:
    """Say what the model then says on the sequence."""
    now = made.now
    if not now.asked:
        return ""
    asked = [place for place, answer in enumerate(now.answers) if answer is not None]
    says = made.broken.logits.argmax(dim=-1).tolist()
    right = sum(says[place] == now.answers[place] for place in asked)
    if [says[place] for place in asked] == [now.said[place] for place in asked]:
        return _("On this sequence it says the same: {right} of {asked} right.", right=right, asked=now.asked)
    fields = {"symbols": words.spoken(says, now.answers), "right": right, "asked": now.asked}
    if right == now.right:
        return _("It then says {symbols}: {right} of {asked} right, as without it.", **fields)
    return _("It then says {symbols}: {right} of {asked} right, not {before}.", before=now.right, **fields)


def _head(made: Made) -> str:
    """Say which head is shown where it is another than the chosen, and what it was, where it had a name."""
    now, head = made.now, made.head
    told = []
    if head != now.chosen[0]:
        told.append(
            _(
                "{head} is shown, since the map of {chosen} stays.",
                head=capital(now.called(head)),
                chosen=now.called(now.chosen[0]),
            )
        )
    name, value = naming(made.right_judged)[head]
    if value >= NAMED:
        broken = float(made.judged.measures[name][head])
        told.append(
            _(
                "{head}: {measure} {right}, with the mistake {broken}.",
                head=capital(now.called(head)),
                measure=_(name),
                right=f"{value:.2f}",
                broken=f"{broken:.2f}",
            )
        )
    return paragraph(*told)


def _detail(made: Made) -> str:
    """Say what one mistake alone does."""
    return DETAILS[made.mistake.name](made) if made.mistake.name in DETAILS else ""


def _which_maps(made: Made) -> str:
    """Say in which layers the maps are as they should be."""
    layers = zip(made.now.result.layers, made.broken.layers, strict=True)
    same = [str(number + 1) for number, (a, b) in enumerate(layers) if agree(a.weights, b.weights)]
    if len(same) == made.now.recipe.layers:
        return _("All maps are as they should be: looking at them does not find it.")
    if not same:
        return ""
    return _(
        "The maps of layer {layers} are as they should be; what is written from there on is not.",
        layers=listed(same),
    )


def _flatness(made: Made) -> str:
    largest = [float(run.weights.amax(dim=-1).mean()) for run in (made.now.result, made.broken)]
    ratio = math.sqrt(made.now.d_head / made.now.task.d_model)
    return _(
        "Scores are {ratio} times what they should be: the largest weight of a row is {broken} on average, "
        "not {right}.",
        ratio=f"{ratio:.3g}",
        broken=f"{largest[1]:.3f}",
        right=f"{largest[0]:.3f}",
    )


def _sameness(made: Made) -> str:
    apart = max(float((layer.weights - layer.weights[:1]).abs().max()) for layer in made.broken.layers)
    return _(
        "The largest difference between two maps of a layer is {apart}: one view, repeated.",
        apart=number(apart, 1),
    )


def _mixed(made: Made) -> str:
    now = made.now
    made_as = origins(now.recipe.heads, now.d_head)
    own = [int((part == other).sum()) for other, part in enumerate(made_as)]
    return _(
        "Of the {width} numbers that are read as a symbol's query {query} were made as its query; of the key "
        "{key}, of the value {value}.",
        width=now.task.d_model,
        query=own[0],
        key=own[1],
        value=own[2],
    )


def _own_key(made: Made) -> str:
    right = made.right_judged.measures["diagonal"]
    head = int(right.argmax())
    return _(
        "The head that looks at its own place most, {number}, gives it {right} on average, and with the "
        "mistake {broken}; the first place sees nothing at all.",
        number=made.now.number(head),
        right=f"{float(right[head]):.2f}",
        broken=f"{float(made.judged.measures['diagonal'][head]):.2f}",
    )


def _to_come(made: Made) -> str:
    share = made.broken.weights.triu(1).sum(dim=-1).mean(dim=-1)
    if not share.any():
        return ""
    head = int(share.argmax())
    fields = {"head": made.now.called(head), "share": f"{float(share[head]):.2f}"}
    if len(share) > 1:
        return _(
            "On this sequence {head} gives {share} of its weight to places still to come, more than any "
            "other.",
            **fields,
        )
    return _("On this sequence {head} gives {share} of its weight to places still to come.", **fields)


def _moved(made: Made) -> str:
    right, broken = made.now.result.layers[0].weights, made.broken.layers[0].weights
    return _(
        "Weights of the first layer move by up to {most}.",
        most=number(float((broken - right).abs().max()), 2),
    )


def _all_four(made: Made) -> str:
    now = made.now
    turned = heads_reversed(now.model)(now.tokens, off=_turned(now)).logits
    off = f"{float((turned - now.result.logits).abs().max()):.1g}"
    if agree(turned, now.result.logits):
        return _(
            "With the opposite order in all four matrices what it says is the same (off by {off}).", off=off
        )
    return _("With the opposite order in all four matrices what it says differs (off by {off}).", off=off)


def _turned(now: Now) -> tuple[int, ...]:
    """The heads that are off, where each layer has its heads in the opposite order."""
    heads = now.recipe.heads
    return tuple(head - head % heads + heads - 1 - head % heads for head in now.setting.off)


DETAILS: dict[str, Callable[[Made], str]] = {
    "merge-without-transpose": _which_maps,
    "scale-by-d-model": _flatness,
    "shared-projections": _sameness,
    "unpacked-in-another-order": _mixed,
    "cached-after-attending": _own_key,
    "mask-forgotten": _to_come,
    "counted-from-one": _moved,
    "heads-in-another-order": _all_four,
}


def _why_harmless(made: Made) -> str:
    now, needs = made.now, made.mistake.needs
    if len(now.setting.off) == now.n_head:
        return _("with every head off nothing is written")
    if needs == "heads" and now.recipe.heads == 1:
        if made.mistake.name == "scale-by-d-model":
            return _(
                "one head a layer is as wide as the model, {width}, and both roots are the same",
                width=now.task.d_model,
            )
        return _("with one head a layer there is no other to mix it with")
    if needs == "mask" and not now.task.causal:
        return _(
            "in the task {task} every place may see all others, so there is no mask to forget",
            task=shown(TASK, now.recipe.task),
        )
    if needs == "positions" and not now.recipe.positions:
        return _("the model has no positions, so it does not matter where they are counted from")
    return _("on these numbers both come out the same")


def costs(now: Now, here: ToyMistake) -> list[list[str]]:
    """Return a line a mistake: accuracy and loss on held-out sequences, first those without any."""
    off = now.setting.off
    (right,), broken = judged_without(now.recipe, now.at, (off,)), judged_with(now.recipe, now.at, off)
    found = [[_c("mistake", "none"), as_share(right.accuracy, 1), f"{right.loss:.4f}"]]
    for label, name in MISTAKES.items():
        line = [shown(FLAW, label), _("does not run"), ""]
        if name in broken:
            line[1:] = as_share(broken[name].accuracy, 1), f"{broken[name].loss:.4f}"
        found.append([f"**{cell}**" if cell and name == here.name else cell for cell in line])
    return found
