"""Terms and letters where they stand: what occurs is found and nothing else; each letter has its entry."""

import html
import json
import re
from typing import Any

import pytest

from attn_core import KERNELS, SCHEMES
from attn_ui.base import latex, terms
from attn_ui.base.links import bad_settings
from attn_ui.screen import terms as line
from attn_words import PSEUDO, speaking, translations
from pages import PAGES
from pages.applications.settings import USE
from pages.what_courses_say.claims import CLAIMS
from tests.pages import PAGES as LISTED
from tests.pages import open_sound

SETTINGS = dict(LISTED.values())
EVERY = terms.all_terms()
# Links whose formulas differ from those of the page as it opens, by pages.
SHOWN: dict[str, list[dict[str, str]]] = {
    "": [{}],
    "kernel-regression": [{}, {"picture": "Two inputs"}, {"tab": "Code"}],
    "single-head": [
        *({"cross": "true", "ramp": "true", "unit": "true"}, {"bias": "true", "mask": "causal", "t": "0.50"}),
        *({"tab": "Arithmetic"}, {"tab": "Code", "mask": "causal"}, {"qkv": "typed"}),
    ],
    "positional-encoding": [{"scheme": scheme} for scheme in SCHEMES],
    "multi-head": [
        *({"pos": scheme} for scheme in ("none", "sinusoidal", "rotary", "ALiBi", "buckets")),
        *({"bias": "true", "hmask": "causal"}, {"tab": "Arithmetic", "pos": "ALiBi"}, {"cross": "true"}),
        {"tab": "Code", "bias": "true"},
    ],
    "learned-heads": [{}, {"tab": "Code"}],
    "applications": [{"use": use} for use in USE.options],
}


def read_page(page: str, link: dict[str, str]) -> tuple[list[str], list[str], str]:
    """All formulas and all sentences of a page, and under which name its letters are."""
    at = open_sound(page, **({"tab": "Maths"} if page else {}) | link)
    sentences = [each.value for each in (*at.markdown, *at.caption)]
    formulas = [each.value for each in at.latex]
    formulas += [each for sentence in sentences for each in latex.formulas_in(sentence)]
    (here,) = [each.proto.body for each in at.get("html") if 'class="terms-here"' in each.proto.body]
    on = re.search(r'data-on="([^"]*)"', here)
    assert on
    return formulas, sentences, html.unescape(on[1])


@pytest.mark.parametrize("page", SHOWN)
def test_letters_have_entries_and_words_are_found(page: str) -> None:
    n_letters = 0
    single = {form: term for term in terms.general() for form in terms.forms(term) if form.isalpha()}
    for link in SHOWN[page]:
        formulas, sentences, on = read_page(page, link)
        meant = terms.meanings(on)
        for formula in formulas:
            letters = latex.symbols(formula, terms.compounds())
            n_letters += len(letters)
            assert [each for each in letters if each not in meant] == [], (formula, link)
        for sentence in sentences:
            found = [*terms.terms_in(sentence)]
            every_form = {form.casefold() for term in found for form in terms.forms(term)}
            bare = re.sub(r"\]\([^)]*\)|\$[^$]*\$|[*`\\]", "", sentence)
            for word in re.split(r"[^\w'-]+", bare):
                if word in single:
                    within = any(word in re.split(r"[\s-]", form) for form in every_form)
                    assert single[word] in found or within, (word, sentence)
    assert n_letters > 10 or not page


@pytest.mark.parametrize("name", CLAIMS)
def test_claim_letters_have_entries(name: str) -> None:
    claim = CLAIMS[name]
    meant = terms.meanings(f"what_courses_say:{name}")
    for formula in (claim.formula, *latex.formulas_in(claim.in_words)):
        assert [each for each in latex.symbols(formula, terms.compounds()) if each not in meant] == [], (
            formula
        )
    own = [term for term in terms.page_terms("what_courses_say") if term.on.endswith(f":{name}")]
    assert own
    for term in own:  # in the claim's own words
        assert term.definition[1:-1] in claim.in_words


def test_kernel_and_scheme_formula_letters_have_entries() -> None:
    formulas = [each.formula for each in KERNELS.values()] + [each.formula for each in SCHEMES.values()]
    known = {**terms.meanings("kernel_regression"), **terms.meanings("positional_encoding")}
    assert {each for formula in formulas for each in latex.symbols(formula, terms.compounds())} <= set(known)


# By hand: what stands in a formula, and what does not.
LETTERS = {
    r"\tilde S_{ij} = \frac{q_i \cdot k_j}{\sqrt{d_k}}": ["S̃", "i", "j", "q", "k", "d_k"],
    r"\mathrm{head}_h = A_h V_h\,W_o^{(h)}": ["head", "h", "A", "V", "W_o"],
    r"d_{\text{model}} = h\,d_{head}": ["d_model", "h", "d_head"],
    r"O^\mathrm{hard}_i \text{ where } K(u) = \mathbb{1}[u \le 1]": ["O", "i", "hard", "K", "u", "bb 1"],
    r"\begin{gathered} \exp(\max_l \hat S_{il}) \\[4pt] e^{-2i/d} \end{gathered}": [
        *("l", "Ŝ", "i", "e", "d"),
    ],
    r"10000 + 3 \times 4 \le \infty": [],
}


@pytest.mark.parametrize("formula", LETTERS)
def test_formula_letters_are_extracted(formula: str) -> None:
    assert latex.symbols(formula, terms.compounds()) == LETTERS[formula]


@pytest.mark.parametrize("form", ["key", "head", "query", "RoPE", "causal mask", "W_q", "key-value cache"])
def test_word_is_found_but_not_inside_another(form: str) -> None:
    (term,) = [each for each in terms.general() if form in terms.forms(each)]
    for sentence in (f"One {form} is here.", f"({form})", f"**{form}**, again", f"{form}’s"):
        assert [*terms.terms_in(sentence)] == [term], sentence
    for word in (f"mon{form}", f"{form}board", f"pre-{form}", f"{form}-board", f"_{form}"):
        assert term not in terms.terms_in(f"One {word} is here."), word


def test_term_names_are_all_found_in_a_sentence() -> None:
    for term in terms.general():
        for form in terms.forms(term):
            for written in (form, form[0].upper() + form[1:] if form.isalpha() else form):
                assert [*terms.terms_in(f"See the {written}, here.")] == [term], written
    assert terms.forms(EVERY[2]) == ("query", "queries")
    assert [term.name for term in terms.terms_in("A low causal mask hides no weights of a monkey.")] == [
        "Causal mask",
        "Weight",
    ]


# By hand: what a reader of Chinese finds in a sentence, and what is part of another word.
IN_CHINESE = {
    "键和值来自查询，关键在于均值。": ["Key", "Value", "Query"],
    "每个键的值乘以**权重**，按键值得按。": ["Key", "Value", "Weight"],
    "两个头共用 KV 缓存，softmax 温度为 2。": ["Head", "KV cache", "Temperature"],
    "核给每个点一个数，核心不是核。": ["Kernel"],
    "用softmax把缩放后的得分变成权重": ["Softmax", "Scaled score", "Weight"],
    "查询 cat 给键 sat 的权重为 0.41": ["Query", "Key", "Weight"],
    "多头注意力中，归纳头从开头看到头 1.1": ["Multi-head attention", "Induction head", "Head"],
    "Softmax 与 multi-softmax，解码器解码": ["Softmax", "Decoder", "Decoding"],
    "The query of a head": [],
}


@pytest.mark.parametrize("sentence", IN_CHINESE)
def test_terms_are_found_in_a_chinese_sentence(sentence: str) -> None:
    with speaking("zh"):
        found = [term.name for term in terms.terms_in(sentence)]
    assert list(dict.fromkeys(found)) == IN_CHINESE[sentence]


def test_chinese_names_are_all_found_and_of_one_term() -> None:
    with speaking("zh"):
        every = [(form, term) for term in terms.general() for form in terms.forms(term)]
        assert len({form.casefold() for form, _ in every}) == len(every)
        for form, term in every:
            for written in (f"看{form}，", f"（{form}）", f"它的 {form} 是"):
                assert [*terms.terms_in(written)] == [term], written
        listed: dict[str, Any] = json.loads(line.listing())
    assert any(term["name"] == "查询" and term["english"] == "Query" for term in listed["terms"])
    assert '"english":' not in line.listing()
    assert '"beside":' not in line.listing()


def test_every_term_is_translated() -> None:
    known, kept = (
        translations("zh"),
        ("argmax", "num_heads", "epanechnikov", "Nadaraya–Watson", "StreamingLLM", "FlashAttention"),
    )
    for term in terms.general():
        for name in (term.name, *term.apart):
            is_word = re.search("[a-z]{6}", name) and name not in kept
            assert known.pgettext("term", name) != name or not is_word, name
        assert known.gettext(term.definition) != term.definition
    with speaking(PSEUDO):
        assert not re.search("[a-z]{3}", "".join(terms.names("Query", "attention score")))


def test_letter_has_the_meaning_of_its_page() -> None:
    meant = {
        ("h", "kernel_regression"): "Bandwidth",
        ("h", "multi_head"): "Number of heads h",
        ("K", "kernel_regression"): "Kernel",
        ("K", "single_head"): "Key",
        ("s", "positional_encoding"): "Strength of positions",
        ("w", "applications:captions"): "Patches of a word",
        ("w", "applications:images"): "Weight",
        ("F", "single_head"): "Vectors of the second sentence",
        ("F", "what_courses_say:robust to noise"): "Frobenius norm",
    }
    assert {at: terms.meanings(at[1])[at[0]].name for at in meant} == meant
    noise = terms.meanings("what_courses_say:robust to noise")
    assert noise["E"].definition.startswith("The rows of $X$ are the eight")


def test_letter_has_one_meaning_in_one_place() -> None:
    places = [(each, term.on) for term in EVERY for each in map(latex.key, term.symbols)]
    assert {each for each in places if places.count(each) > 1} == set()
    keys = [(term.key, term.on) for term in EVERY]
    assert len({*keys}) == len(keys)
    assert all(latex.key(latex.latex_of(each)) == each for each, _ in places)


def test_term_links_open_without_a_dropped_setting() -> None:
    for term in EVERY:
        link = {name: [text] for name, text in term.place.link.items()}
        assert not bad_settings(SETTINGS[term.place.folder], link), term.name


def test_browser_entries_are_plain_text() -> None:
    listed: dict[str, Any] = json.loads(line.listing())
    assert [term["key"] for term in listed["terms"]] == [term.key for term in EVERY]
    for term in listed["terms"]:
        written = [run for name in ("says", "paper", "ours") for run in term.get(name, [])]
        assert not [text for text, role in written if re.search(r"[\\{}$]", text) and role != "code"], term
        assert {role for _, role in written} <= {"", "i", "sub", "sup"}
    assert latex.inline_spans(r"QK^\top / \sqrt{d_k}") == [
        *(("QK", "i"), ("ᵀ / √", ""), ("d", "i"), ("k", "sub")),
    ]
    assert "".join(text for text, _ in latex.inline_spans(r"\frac{a + b}{c}")) == "(a + b) / c"


@pytest.mark.parametrize("page", PAGES)
def test_page_term_line_has_the_terms_of_its_sentences(page: str) -> None:
    at = open_sound(page)
    (body,) = [each.proto.body for each in at.get("html") if 'class="terms-here"' in each.proto.body]
    here = re.search(r'data-here="([^"]*)"', body)
    assert here
    found = PAGES[page].at("")
    assert html.unescape(here[1]).split("|") == [term.key for term in found.terms]
    sentences = (found.page.about, found.sentence, *found.view.notes)
    assert {term.key for each in sentences for term in terms.terms_in(each)} <= {*here[1].split("|")}
    assert found.terms
    assert len(body) < 1300
