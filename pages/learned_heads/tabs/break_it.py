"""The tab "Break it": the mistakes that go around, on a model that has learned, and what they cost it."""

from dataclasses import dataclass
from functools import cached_property

import streamlit as st
import torch
from torch import Tensor

from attn_core import Check, compare
from attn_core.checks import agree
from attn_core.head_mistakes import HEADS_ADD_UP
from attn_core.mistakes import MASKED_IS_ZERO
from attn_core.toys import SYMBOLS, TOY_MISTAKES, Judged, ToyMistake, ToyRun
from attn_figures.learned import Maps, right_and_broken
from attn_figures.numbers import as_share, number
from attn_ui.base.markdown import listed
from attn_ui.base.parameters import shown
from attn_ui.screen import controls
from attn_ui.screen.live_figure import live_figure
from attn_ui.screen.tables import checks_table, table
from attn_words import N_, _, _c, paragraph
from pages.learned_heads import words
from pages.learned_heads.compute import GUESSING, Now, array, judged_with, judged_without
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


def verdict(made: Made) -> str:
    """Say what a mistake costs on held-out sequences and on this one, and which checks find it."""
    now, right, broken = made.now, made.right_judged, made.judged
    cost = _(
        "Right in {right} of held-out places, with the mistake in **{broken}**; loss {loss}, with it {then} "
        "(saying every symbol alike has {guessing}).",
        right=as_share(right.accuracy, 1),
        broken=as_share(broken.accuracy, 1),
        loss=number(right.loss, 3),
        then=number(broken.loss, 3),
        guessing=f"{GUESSING:.2f}",
    )
    says = made.broken.logits.argmax(dim=-1).tolist()
    here = _(
        "On this sequence {right} of {asked} right, with the mistake {then}.",
        right=now.right,
        asked=now.asked,
        then=sum(said == answer for said, answer in zip(says, now.answers, strict=True)),
    )
    fails = [f"*{each.name}*" for each in made.checks(made.broken) if not each.passed]
    found = _("Fails: {checks}.", checks=listed(fails)) if fails else _("On this sequence no check fails.")
    return paragraph(cost, here, found)


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
