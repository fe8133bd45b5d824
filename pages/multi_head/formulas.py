"""The formulas of the page, each built from the flags that build its numbers."""

from pages.multi_head.compute import Now, allowed


def projections(now: Now, head: str = "h") -> str:
    """Return how a head's query, key and value are made from the words."""
    sides = ("q", "k", "k") if not now.is_self_attention else ("", "", "")
    made = []
    for name, side in zip("QKV", sides, strict=True):
        letter = name.lower()
        bias = f" + b_{letter}^{{({head})}}" if now.setting.bias else ""
        made.append(f"{name}_{head} = X{f'_{side}' if side else ''}\\, W_{letter}^{{({head})}}{bias}")
    return r",\quad ".join(made)


def weights(now: Now, head: str = "h") -> str:
    """Return the weights of a head as the softmax of its scores."""
    turned = "" if now.module.rotation is None else r"\tilde "
    q, k = (f"{turned}{name}_{head}" for name in "QK")
    temperature = now.setting.temperature
    over = rf"\sqrt{{{now.module.d_head}}}" + (rf"\cdot {temperature:.6g}" if temperature != 1.0 else "")
    bias = f" + s B_{head}" if now.scheme.adds == "bias" else ""
    masked = f" + M_{head}" if masks(now) else ""
    return rf"\operatorname{{softmax}}\!\left(\frac{{{q} {k}^\top}}{{{over}}}{bias}{masked}\right)"


def masks(now: Now) -> bool:
    """Whether a mask stands in the formula."""
    return allowed(now.setting, now.n_head) is not None


def joined(heads: list[str]) -> str:
    """Return heads side by side, given what each is called; dots stand for those between."""
    if len(heads) == 1:
        return heads[0]
    between = r"\ldots, " if len(heads) > 2 else ""
    return f"[{heads[0]}, {between}{heads[-1]}]"


def output(now: Now, heads: list[str]) -> str:
    """Return the output as heads that are joined and projected, given what each head is called."""
    if not now.setting.projection:
        return joined(heads)
    return rf"{joined(heads)}\, W_o{output_bias(now)}"


def output_as_sum(now: Now) -> str:
    """Return the same as a sum with one term a head, where there is an output projection."""
    if now.n_head == 1:
        return rf"\mathrm{{head}}_{{1}}\, W_o^{{(1)}}{output_bias(now)}"
    return rf"\sum_{{h=1}}^{{{now.n_head}}} \mathrm{{head}}_h\, W_o^{{(h)}}{output_bias(now)}"


def output_bias(now: Now) -> str:
    """Return what the output projection adds, where it does."""
    return " + b_o" if now.setting.bias and now.setting.projection else ""


def names(now: Now, of: str = r"\mathrm{head}_{%d}") -> list[str]:
    """Return what each head is called, from 1."""
    return [of.replace("%d", str(head + 1)) for head in range(now.n_head)]
