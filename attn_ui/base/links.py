"""A link read without a session: the value of each setting, and the settings that cannot be used."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any
from urllib.parse import parse_qs, urlsplit

from attn_ui.base.markdown import either, quoted
from attn_ui.base.parameters import Choice, MultiChoice, NearestError, Parameter, Steps, parameters_by_name
from attn_words import _, _c, with_whole_letters

# What mail and networks add to a link to count who comes.
_FOLLOWERS = re.compile("utm_.*|[a-z]*clk?id|mc_[ce]id|_g[al]")
_GONE = {"device", "texts", "colours"}  # settings that no longer exist
_AFTER = ".,;:!?)]>'\"’”。，）"  # punctuation after a link that ends a sentence


@dataclass(frozen=True)
class Dropped:
    """One setting of a link that could not be used, and its replacement.

    The `replacement` is a text; "" stands for the default, None for no value at all.
    """

    name: str
    text: str
    requirement: str
    replacement: str | None = ""

    def sentence(self) -> str:
        """Return a sentence with the text and the requirement, safe to show as markdown."""
        if self.replacement is None:
            return self.complaint()
        if self.replacement:
            fields = self._fields() | {"used": self.replacement}
            return _("The link's {name} was {text}; wanted: {wanted}. {used} is used.", **fields)
        return _("The link's {name} was {text}; wanted: {wanted}. The default is used.", **self._fields())

    def complaint(self) -> str:
        """Return the sentence without a replacement, for links that are rejected as a whole."""
        return _("The link's {name} was {text}; wanted: {wanted}.", **self._fields())

    def _fields(self) -> dict[str, str]:
        return {"name": quoted(self.name), "text": quoted(self.text), "wanted": self.requirement}


def unavailable_here(steps: Steps, text: str, value: float, earlier: Iterable[Dropped]) -> Dropped:
    """Report a value of the link that this page has, but not with the link's other settings.

    Args:
        steps: the setting with the values that are available here; value: the one that is used.
        text: the value in the link; if the link's own was out of bounds and replaced, `earlier` has it.
    """
    text = {bad.name: bad.text for bad in earlier if bad.replacement}.get(steps.name, text)
    is_between = not steps.only and steps.values[0] <= float(text) <= steps.values[-1]
    here = _("one of {options}", options=", ".join(steps.texts())) if is_between else steps.requirement()
    return Dropped(steps.name, text, _("{wanted} here", wanted=here), steps.text(value))


def partly_unavailable(choice: MultiChoice, texts: Sequence[str]) -> Dropped:
    """Report that some of a link's options are not available here.

    Args:
        choice: the setting with the options that are available here; texts: the options in the link.
    """
    options = [text for text in texts if text in choice.options]
    requirement = _("{wanted} here", wanted=choice.requirement())
    return Dropped(choice.name, ", ".join(texts), requirement, ", ".join(options) or None)


def repair_query(parameters: Sequence[Parameter], query: dict[str, list[str]]) -> dict[str, list[str]]:
    """Return a query with damage by mail or chat undone, and old names replaced by today's.

    >>> from attn_ui.base.parameters import Flag, Integer
    >>> query = {"d": ["3"], "amp;bias": ["true)."], "utm_id": ["1"]}
    >>> repair_query([Integer("d", 4, 1, 16), Flag("bias", False)], query)
    {'d': ['3'], 'bias': ['true']}
    """
    settings, current = parameters_by_name(parameters), dict[str, list[str]]()
    for raw_name, texts in query.items():
        name = re.sub("^(amp;)+", "", raw_name)
        if name in settings:
            current.setdefault(name, []).extend(_without_sign(settings[name], text) for text in texts)
        elif not _FOLLOWERS.fullmatch(name):
            current.setdefault(name, []).extend(texts)
    return up_to_date(parameters, current)


def up_to_date(parameters: Sequence[Parameter], query: dict[str, list[str]]) -> dict[str, list[str]]:
    """Return a query without settings that no longer exist, and with old views replaced by today's."""
    current = {name: texts for name, texts in query.items() if name not in _GONE}
    for choice in parameters:
        if isinstance(choice, Choice):
            for option, link in choice.old_options:
                if current.get(choice.name) == [option]:
                    current |= parse_qs(link)
    return current


def _without_sign(parameter: Parameter, text: str) -> str:
    bare = text.rstrip(_AFTER)
    return bare if bare != text and not _reads(parameter, text) and _reads(parameter, bare) else text


def _reads(parameter: Parameter, text: str) -> bool:
    try:
        parameter.read(text)
    except NearestError:
        return True
    except ValueError:
        return False
    return True


def read_query(
    parameters: Sequence[Parameter], query: dict[str, list[str]]
) -> tuple[dict[str, Any], list[Dropped]]:
    """Return the values of the settings in a query, by name, and those that the page cannot use.

    Args:
        parameters: what the page can read.
        query: names with all their values, as the address has them.
    """
    settings, values, dropped = parameters_by_name(parameters), dict[str, Any](), list[Dropped]()
    for name, texts in query.items():
        setting = settings.get(name)
        if setting is None:
            alike = either([quoted(each) for each in get_close_matches(name, settings, 2, cutoff=0)])
            requirement = _("a setting of this page, such as {alike}", alike=alike)
            dropped.append(Dropped(name, texts[-1], requirement))
            continue
        if len(texts) > 1 and not isinstance(setting, MultiChoice):
            dropped.append(Dropped(name, _c("between two values", " and ").join(texts), _("one value")))
            continue
        for text in texts:
            try:
                value = setting.read(text)
            except NearestError as error:
                dropped.append(Dropped(name, text, str(error), error.nearest))
                value = setting.read(error.nearest)
            except ValueError as error:
                dropped.append(Dropped(name, text, str(error)))
                break
        else:
            values[name] = [*texts] if isinstance(setting, MultiChoice) else value
    return values, dropped


def bad_settings(parameters: Sequence[Parameter], query: dict[str, list[str]]) -> list[Dropped]:
    """List the settings in a query that the page cannot use."""
    return read_query(parameters, query)[1]


def read_link(parameters: Sequence[Parameter], link: str) -> tuple[dict[str, Any], list[Dropped]]:
    """Return the values of the settings in a link, by name, and those that could not be used.

    Args:
        parameters: what the page can read.
        link: of a page, or what follows its question mark.

    >>> from attn_ui.base.parameters import Flag, Integer
    >>> read_link([Integer("d", 4, 1, 16), Flag("bias", False)], "single-head?d=99&bias=true")[0]
    {'d': 16, 'bias': True}
    """
    link = with_whole_letters(link)
    parts = urlsplit(link)
    text = parts.query if "?" in link else link
    return read_query(parameters, repair_query(parameters, parse_qs(text, keep_blank_values=True)))
