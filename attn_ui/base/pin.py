"""A pin: the settings of a second link to the same page, held in a link, to compare the two."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs, urlencode

from attn_ui.base.links import bad_settings, read_link
from attn_ui.base.parameters import Parameter, Tabs, Text
from attn_words import _

PIN = "pin"
LONGEST = 6000  # characters, so that a link with a pin in it stays a link
COMPARE = Text("compare", "", 100)  # a panel of the figure by its short name; empty for the default


@dataclass(frozen=True)
class Pin:
    """The setting that holds the query of the link to A, "t=0.5&mask=causal"; empty for the defaults."""

    settings: tuple[Parameter, ...]  # of the page
    name: str = PIN
    default: None = None

    def read(self, text: str) -> str:
        """Return the query itself where this page can use all of it."""
        bad = bad_settings(self.settings, parse_qs(text, keep_blank_values=True)) if text else ()
        if bad and "=" in text:
            problems = [_("{name}: {wanted}", name=each.name, wanted=each.requirement) for each in bad]
            faults = _("; ").join(problems)
            requirement = _("the settings of another link to this page, of them {problems}", problems=faults)
            raise ValueError(requirement)
        if len(text) > LONGEST or (text and "=" not in text):
            raise ValueError(
                _(
                    "the settings of another link to this page, in at most {count} characters",
                    count=f"{LONGEST:,}",
                )
            )
        return text

    def values(self, text: str) -> dict[str, Any]:
        """Return the value of every setting in `about`, by name."""
        values = read_link(self.settings, f"?{text}")[0]
        return {each.name: values.get(each.name, each.default) for each in self.about}

    @property
    def about(self) -> tuple[Parameter, ...]:
        """The settings that a pin holds: all but the open tab, which changes nothing in a figure."""
        return tuple(each for each in self.settings if not isinstance(each, Tabs))

    def of(self, query: Mapping[str, Iterable[str]]) -> str:
        """Return the pin of an address.

        Args:
            query: names with all their values, as the address has them.

        >>> from attn_ui.base.parameters import Flag
        >>> Pin((Flag("bias", False),)).of({"bias": ["true"], "say": ["Look"]})
        'bias=true'
        """
        names = [each.name for each in self.about if each.name in query]
        return urlencode([(name, text) for name in names for text in query[name]])
