"""Catalogues from the code: `make words`.

    python -m locales.words             # takes messages from the code, adds them, says how much is translated
    python -m locales.words --check     # changes nothing; fails where that would change something

An area is a package, or a page: `locales/<language>/<area>.po`. A message has one entry, in the first area
that has it, without a context, and with a small first letter if the code has that too. A language with
another translation in a context has an entry with that `msgctxt`, which is kept.
"""

import argparse
import io
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract_from_file
from babel.messages.pofile import read_po, write_po

from attn_ui.base.navigation import PAGES
from attn_ui.base.parameters import WORDLESS, Choice, MultiChoice, context, label
from attn_words import LANGUAGES, LOCALES, SOURCE, with_small_letter
from pages.glossary.terms import TERMS

ROOT = Path(__file__).resolve().parent.parent
HERE = Path(__file__).parent
AREAS = {
    "core": ("attn_core",),
    "figures": ("attn_figures",),
    "live": ("attn_live",),
    "ui": ("attn_ui", "lessons"),
    **{page.folder: (f"pages/{page.folder}",) for page in PAGES},
    "book": ("docs/book",),
}
KEYWORDS = {"_": (1,), "N_": (1,), "_n": (1, 2), "_c": ((1, "c"), 2), "word": (1,)}
Key = tuple[str | None, str]
"""A message's context and its English."""
SAME = {
    "ALiBi",
    "E + P",
    "FlashAttention",
    "H2O",
    "LaTeX",
    "NTK",
    "NumPy",
    "PyTorch",
    "Q, K, V",
    "RNN",
    "StreamingLLM",
    "X",
    "YaRN",
    "attn_core",
    "einops",
    "einsum",
    "logit",
    "matmul",
    "nn.Linear",
    "torch",
    "(d k h)",
    "I love dogs",
    "I love ice",
    "big / small",
    "tired / wide",
    "{first} … {last}",
    "kv {number}",
    "y = {function}",
    "“{name}”",
    "“{sign}”",
    "{part} {number}",
}
"""Names, code, English examples and fields between marks, which every language has as they are."""
COMMENTS = ("Translators:",)


def main() -> int:
    """Update all catalogues; with `--check` only return 1 if that would change one."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="change nothing, fail where it would change")
    only_check = parser.parse_args().check
    changed = []
    messages = {area: list(template(area)) for area in AREAS}
    for language, locale in LOCALES.items():
        before = _read(locale)
        catalogues = {area: _empty(locale) for area in AREAS}
        for area, message in messages_to_translate(messages, before):
            _add(catalogues[area], message, before)
        for area, catalogue in catalogues.items():
            path = HERE / locale / f"{area}.po"
            changed += [] if _write(path, to_po(catalogue), only_check) else [path]
        _tell(LANGUAGES[language], catalogues)
    if only_check and changed:
        print("To be made again by `make words`:", *(path.relative_to(ROOT) for path in changed))
        return 1
    return 0


def messages_to_translate(messages: dict[str, list[Message]], before: Catalog) -> list[tuple[str, Message]]:
    """Return the messages that are to be translated, each with its area."""
    first: dict[Key, tuple[str, Message]] = {}
    for area, message in ((area, each) for area, several in messages.items() for each in several if each.id):
        first.setdefault(_key(message), (area, message))
        if message.context not in (None, "term"):
            plain = Message(message.id, locations=message.locations, auto_comments=message.auto_comments)
            first.setdefault(_key(plain), (area, plain))

    def general(message: Message) -> Message | None:
        """Return the more general message whose translation is used if a message has none; None for none."""
        context, name = _key(message)
        key = None, name if context else with_small_letter(name)
        return None if key == (context, name) or key not in first else first[key][1]

    def translation(message: Message | None) -> object:
        if message is None:
            return ""
        match = before.get(message.id, message.context)
        return (match and match.string) or translation(general(message))

    return [
        (area, message)
        for (context, name), (area, message) in first.items()
        if (context == "term" or not (name in SAME or context == "sentence"))
        and ((other := general(message)) is None or translation(message) != translation(other))
    ]


def _key(message: Message) -> Key:
    return message.context, message.id if isinstance(message.id, str) else message.id[0]


def template(area: str) -> Catalog:
    """Return the messages of an area, in the order of its files."""
    catalog = Catalog(project="Attention Lab", fuzzy=False)
    for folder in AREAS[area]:
        for path in sorted((ROOT / folder).rglob("*.*")):
            kind = {".py": "python", ".js": "javascript"}.get(path.suffix)
            if kind is None or "node_modules" in path.parts:
                continue
            for _line, message, notes, in_context in extract_from_file(
                kind, path, keywords=KEYWORDS, comment_tags=COMMENTS, strip_comment_tags=True
            ):
                where = _in_file(str(path.relative_to(ROOT)))
                catalog.add(message, locations=where, auto_comments=notes, context=in_context)
    for setting, option in _options(area):
        where = _in_file(f"pages/{area}/settings.py")
        catalog.add(option, locations=where, context=setting)
    for group, terms in TERMS.items() if area == "glossary" else ():
        where = _in_file(f"pages/glossary/terms/{group.replace(' ', '_')}.py")
        for term in terms:
            for name in dict.fromkeys((term.name, *term.apart)):  # a translation of its name holds the others
                catalog.add(name, locations=where, context="term")
            catalog.add(term.definition, locations=where)
    return catalog


def _in_file(path: str) -> list[tuple[str, Any]]:
    """Return the place of a message, its file alone: with a line, catalogues would change with the code."""
    return [(path, None)]


def _options(area: str) -> Iterator[tuple[str, str]]:
    """Yield the options of a page that no earlier page has, each with the name of its setting."""
    keys: set[tuple[str, str]] = set()
    for page in PAGES:
        for setting in import_module(f"pages.{page.folder}.settings").SETTINGS:
            for option in setting.options if isinstance(setting, Choice | MultiChoice) else ():
                if (setting.name, option) in keys or WORDLESS.issuperset(option):
                    continue
                keys.add((setting.name, option))
                if page.folder == area:
                    yield context(setting.name), label(setting.name, option)


def _add(catalogue: Catalog, message: Message, before: Catalog) -> None:
    """Add a message to a catalogue, with its translation where there was one."""
    old = before.get(message.id, message.context)
    text = old.string if old and not old.fuzzy else ""
    if message.pluralizable and isinstance(text, str):  # it had one form for all numbers
        text = (text,)
    elif not message.pluralizable and text and not isinstance(text, str):
        text = text[0]
    catalogue.add(
        message.id,
        text,
        locations=message.locations,
        auto_comments=message.auto_comments,
        user_comments=old.user_comments if old else (),
        flags={flag for flag in message.flags if flag == "python-brace-format"},
        context=message.context,
    )


def _read(locale: str) -> Catalog:
    """Return all messages that are translated into a language."""
    catalogue = _empty(locale)
    for path in (HERE / locale / f"{area}.po" for area in AREAS):
        if path.exists():
            with path.open("rb") as file:
                for message in read_po(file, locale=locale, abort_invalid=True):
                    if message.id:
                        catalogue[message.id] = message
    return catalogue


def _empty(locale: str) -> Catalog:
    return Catalog(locale=locale, project="Attention Lab", fuzzy=False, header_comment="#")


def to_po(catalogue: Catalog) -> bytes:
    """Return the content of a catalogue's file; without dates, so that it changes only with its words."""
    file = io.BytesIO()
    write_po(file, catalogue, width=110, omit_header=True, include_lineno=False)
    head = (
        'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=utf-8\\n"\n'
        f'"Language: {catalogue.locale_identifier}\\n"\n"Plural-Forms: {catalogue.plural_forms}\\n"\n\n'
    )
    return head.encode() + file.getvalue()


def is_translated(message: Message) -> bool:
    """Whether a message is translated."""
    return all(message.string) if isinstance(message.string, tuple | list) else bool(message.string)


def _write(path: Path, new: bytes, only_check: bool) -> bool:
    """Write a file if its content changes; return whether it was the same before."""
    same = path.exists() and path.read_bytes() == new
    if not (same or only_check):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(new)
    return same


def _tell(name: str, catalogues: dict[str, Catalog]) -> None:
    print(f"{name} ({SOURCE} otherwise)")
    totals = [0, 0]
    for area, catalogue in catalogues.items():
        every = [message for message in catalogue if message.id]
        counts = sum(map(is_translated, every)), len(every)
        totals = [a + b for a, b in zip(totals, counts, strict=True)]
        print(f"  {area:22} {counts[0]:5} of {counts[1]:5}")
    print(f"  {'all':22} {totals[0]:5} of {totals[1]:5}, {100 * totals[0] / max(totals[1], 1):.0f} %")


if __name__ == "__main__":
    sys.exit(main())
