"""The program that prints the same numbers; pure."""

from attn_core.toys import SHIPPED
from pages.learned_heads.numbers import Now


def snippet(now: Now) -> str:
    """Return a program for the present settings."""
    off = f", off={now.setting.off}" if now.setting.off else ""
    recipe = now.recipe
    if recipe in SHIPPED:
        more = "" if recipe.positions else ", positions=False"
        flag = "" if recipe.positions else " --without-positions"
        needs = "shipped"
        run = f'shipped({recipe.task!r}{more})  # by: python -m attn_core.train "{recipe.task}"{flag}'
    else:
        needs = "Recipe, train"
        run = f"train({recipe!r})"
    return f"""from attn_core.toys import SYMBOLS, TASKS, {needs}

run = {run}
task, model = TASKS[run.recipe.task], run.model({now.at})  # after {now.step} steps
tokens = task.tokens({now.setting.typed!r})
result = model(tokens{off})

weights = result.weights  # (n_head, n, n), heads over all layers
chances = result.logits.softmax(-1)  # (n, n_symbol)
answers = task.answers(tokens)  # -100 where there is none
said = chances.argmax(-1)
print(" ".join(SYMBOLS[each] for each in said.tolist()))
print(f"{{int((said == answers).sum())}} of {{int((answers >= 0).sum())}} right")
"""
