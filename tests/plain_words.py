"""What goes past the catalogues: the app in disguise (`lang=en-XA`), and what is still English there.

    python -m tests.plain_words single-head              # a page: figure, sentences, controls, tabs
    python -m tests.plain_words single-head --quick      # not its tabs
    python -m tests.plain_words single-head zh           # in Chinese: what no catalogue has

Every view, option and tab is opened, one at a time from the default. Words of users and samples, code,
formulas, names of people, and what `KEPT` has are no English of ours.
"""

import argparse
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any
from urllib.parse import quote, urlencode

import numpy as np

from attn_live.captions import texts_in
from attn_live.packing import count_steps
from attn_ui.base.page import page_at
from attn_ui.base.parameters import Choice, Flag, Tabs
from attn_ui.base.terms import general
from attn_words import LANGUAGES, PSEUDO, speaking
from pages.overview.sentences import SENTENCES as OPENING
from tests.messages import figure_at
from tests.pages import PAGES, open_page


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


KEPT = _words(
    """softmax soft arg relu gelu argmax ALiBi RoPE NoPE PyTorch NumPy torch numpy JSON CSV SVG PNG PDF HTML
    QR BERT GPT CLS SEP MASK MatMul SoftMax LayerNorm NaN Adam SGD MSE RMSE Nadaraya Watson Silverman Xavier
    Kaiming Glorot Vaswani Bahdanau Luong Streamlit sin cos exp log max min True False logit logits Var corr
    vec English Concat LaTeX Linear Epanechnikov Frobenius Python RNN tanh Transformer Conformer all MiniLM
    RoBERTa DistilBERT Llama Mistral Qwen Gemma Hugging Face hub safetensors Longformer BigBird RoFormer
    FlashAttention rad bert Top top Logit
    Gehring Devlin Press Smith Lewis Raffel Xiao Cho Bengio randn init Attention All Need Train Short Test
    Long FLOP FLOPs ReLU sublayer out view float matmul einsum einops NPZ weight
    TFLOP NVIDIA SXM StreamingLLM NTK YaRN"""
)
"""Names, symbols and code that every language writes so."""
_PLAIN = re.compile(r"[A-Za-z][A-Za-z'’]{2,}")
_NOT_WORDS = re.compile(
    r"\*\*\w+\*\* `"  # a variable of a program
    r"|`[^`]*`|\$[^$]+\$|<[^<>]*>|%?\{[^{}]*\}|:material/\w+:|:(?:violet|orange|green|gray|small|red|blue)\["
    r"|\]\([^)]*\)|https?://\S+|&\w+;|[\w.]+\.(?:py|npz|csv|json|safetensors)\b|_\w+|\w+_\w+"
)
_LOOKED_AT = ("text", "hovertemplate", "hovertext", "ticktext", "x", "y", "texttemplate")
_MOST_OPTIONS = 12
_DIGITS = re.compile(r"[-−]?[\d.,]+")


_IN_PAPERS = re.compile(r"(?:Îñ þåþéŕš|论文中称为).*")  # names as papers print them
_BESIDE = re.compile(r"（[^（）]*）")  # the English beside a Chinese term
_CHINESE = re.compile(r"[\u4e00-\u9fff]")


def english_in(text: str, users: frozenset[str] = frozenset()) -> list[str]:
    """Return the plain words of a text that are neither a user's nor kept in every language.

    >>> english_in("Ţĥé query `weights` in RoPE")
    ['query']
    >>> english_in("查询（query）的 weights")
    ['weights']
    """
    rest = _IN_PAPERS.sub(" ", _NOT_WORDS.sub(" ", text))
    if _CHINESE.search(rest):
        rest = _BESIDE.sub(" ", rest)
    return [word for word in _PLAIN.findall(rest) if word not in KEPT and word.lower() not in users]


def links(address: str, *, wide: bool = True) -> Iterator[str]:
    """Yield the page as it opens, and with each option of each choice and each switch; or only its views."""
    page = page_at(address)
    yield ""
    for setting in page.settings:
        if not wide and not (isinstance(setting, Choice) and setting.views):
            continue
        if isinstance(setting, Choice) and not isinstance(setting, Tabs):
            for option in setting.options[:_MOST_OPTIONS]:
                yield urlencode({setting.name: option}, quote_via=quote)
        elif isinstance(setting, Flag):
            yield urlencode({setting.name: str(not setting.default).lower()})
    views = next((each for each in page.settings if isinstance(each, Choice) and each.views), None)
    views_name = views.name if views else ""
    for view in views.options if views and wide else ():
        for setting in page.settings:
            if isinstance(setting, Choice) and not isinstance(setting, Tabs) and setting is not views:
                for option in setting.options[1:_MOST_OPTIONS:3]:
                    yield urlencode({views_name: view, setting.name: option}, quote_via=quote)


def said_at_link(address: str, link: str, spoken: str) -> Iterator[str]:
    """Yield all that a page says at a link beside its tabs: controls, sentences, the figure's own."""
    with speaking(spoken):
        at = page_at(address).at(link)
        yield from (text for pair in at.controls.labels.values() for text in pair)
        yield from at.controls.messages
        yield from (bad.sentence() for bad in at.dropped)
        yield from at.view.notes
        yield from (each.title for each in at.view.leads)
        figure = at.view.figure
        if figure is None:
            return
        yield from (figure.alt, figure.caption, figure.invites)
        for control in (figure.slider, figure.rows):
            if control:
                yield from (control.label, *control.texts())
        if figure.captions:
            yield from texts_in(figure.captions)
        for step in sorted({0, count_steps(figure.steps) // 2, count_steps(figure.steps) - 1}):
            yield from texts_of(figure_at(figure.steps, step, 0))


def texts_of(node: Any, key: str = "") -> Iterator[str]:
    """Yield the texts that a figure shows."""
    if isinstance(node, str):
        if key in _LOOKED_AT:
            yield node
    elif isinstance(node, Mapping):
        for name, value in node.items():
            bars = name in ("x", "y") and node.get("type") == "bar"  # names of bars: their axis has others
            if name not in ("meta", "colorscale") and not bars:
                yield from texts_of(value, str(name))
    elif isinstance(node, np.ndarray):
        if node.dtype.kind in "OU":
            yield from (each for each in node.ravel().tolist() if isinstance(each, str) and key in _LOOKED_AT)
    elif isinstance(node, list | tuple):
        for value in node:
            yield from texts_of(value, key)


def said_on_screen(address: str, spoken: str, **query: str) -> Iterator[str]:
    """Yield all that the app's elements say at a link, the tab that is open included."""
    at = open_page(address, lang=spoken, **query)
    yield from (f"EXCEPTION {error.value}" for error in at.exception)
    for element in at.main:
        yield from _texts_in_proto(getattr(element, "proto", None))
    for element in at.sidebar:
        yield from _texts_in_proto(getattr(element, "proto", None))


_SHOWN = _words("label help body value options placeholder content caption alt text title default_value")


def _texts_in_proto(proto: Any) -> Iterator[str]:
    if proto is None or not hasattr(proto, "ListFields"):
        return
    for field, value in proto.ListFields():
        if isinstance(value, str):
            if field.name in _SHOWN and not value.lstrip().startswith(("<script", "<style")):
                yield value
        elif hasattr(value, "ListFields"):
            yield from _texts_in_proto(value)
        elif not isinstance(value, bytes | int | float | bool):
            for each in value if not isinstance(value, Mapping) else ():
                if isinstance(each, str):
                    if field.name in _SHOWN:
                        yield each
                elif hasattr(each, "ListFields"):
                    yield from _texts_in_proto(each)


@cache
def users_words() -> frozenset[str]:
    """Return the words of the samples: they are typed, not said."""
    import attn_core  # noqa: PLC0415  (only where a page is looked at)

    samples = [*getattr(attn_core, "SENTENCES", {}), *OPENING]
    typed = """the cat sat on mat love dogs ice you me cats tea bank river the a an it was because tired
    dog bites man lay rug quick brown fox jumps over lazy black drinks cold milk noir chat boit
    lait froid query key not wide"""
    return frozenset(typed.split()) | {word.lower() for text in samples for word in _PLAIN.findall(str(text))}


def beside(address: str) -> frozenset[str]:
    """Return the words that the glossary has in English in every language: names, and who introduced them."""
    if address != "glossary":
        return frozenset()
    texts = [text for term in general() for text in (term.name, *term.also, term.source)]
    return frozenset(word.lower() for text in texts for word in _PLAIN.findall(text))


def misses(
    address: str, spoken: str = PSEUDO, *, tabs: bool = True, wide: bool = True
) -> dict[str, tuple[str, list[str]]]:
    """Return what is read as plain English on a page: by the text, where it was seen first and its words."""
    found: dict[str, tuple[str, list[str]]] = {}

    def look(texts: Iterator[str], where: str) -> None:
        for text in texts:
            kind = _DIGITS.sub("0", text)  # thousands differ by their numbers alone
            if kind not in found and (words := english_in(text, users_words() | beside(address))):
                found[kind] = (where, words)

    for link in links(address, wide=wide):
        look(said_at_link(address, link, spoken), f"{address}?{link}")
    page = page_at(address)
    if tabs and page.tabs:
        for tab in page.tabs.options:
            look(said_on_screen(address, spoken, tab=tab), f"{address}?tab={tab}")
    elif tabs:
        look(said_on_screen(address, spoken), address)
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    """Print them."""
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("page", choices=list(PAGES), help="its address; '' is the overview")
    parser.add_argument("spoken", nargs="?", default=PSEUDO, choices=(PSEUDO, *LANGUAGES))
    parser.add_argument("--quick", action="store_true", help="not its tabs")
    asked = parser.parse_args(arguments)
    found = misses(asked.page, asked.spoken, tabs=not asked.quick)
    for text, (where, words) in found.items():
        print(f"{where}\n    {text[:200]!r}\n    {' '.join(words[:12])}")
    print(len(found), "texts")


if __name__ == "__main__":
    main()
