"""Sentences from numbers; pure."""

from attn_core.toys import SYMBOLS, Task
from attn_ui.frame import listed
from pages.learned_heads.numbers import NAMED, Now


def seen(now: Now) -> str:
    """Say how far the model is, what its heads are, and how it does on the sequence."""
    judged = now.judged
    told = [
        f"After **{now.step:,}** steps the model is right in **{judged.accuracy:.1%}** of held-out places "
        f"(loss {judged.loss:.3f})."
    ]
    heads = [(now.head(head), *now.named(head)) for head in range(now.n_head)]
    named = [
        f"{head} is a {article(name)} head ({value:.2f})" for head, name, value in heads if value >= NAMED
    ]
    told.append(
        f"{capital(listed(named))}." if named else "No head has a name yet: all measures are below 0.5."
    )
    if now.asked:
        spoken = " ".join(
            "–" if answer is None else SYMBOLS[said]
            for said, answer in zip(now.said, now.answers, strict=True)
        )
        off = " Without the heads that are off, it" if now.setting.off else " On this sequence it"
        told.append(f"{off.strip()} says **{spoken}**: {now.right} of {now.asked} right.")
    else:
        told.append("No place of this sequence has an answer yet: no letter has come before.")
    return " ".join(told)


def article(name: str) -> str:
    """Return a measure's name as it stands before "head"."""
    return name


def capital(text: str) -> str:
    """Begin with a capital."""
    return text[:1].upper() + text[1:]


def what_is_learned(task: Task) -> str:
    """Say what the task asks and how heads are called."""
    return (
        f"The task at every place: {task.says}. Head 2.1 is the first head of the second layer; what it says "
        "is framed where it would be right."
    )
