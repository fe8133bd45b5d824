"""The glossary and the search: every term opens what shows it and is named there, everything is found."""

import dataclasses
import importlib
import inspect
import json
import re
from typing import Any
from urllib.parse import urlencode

import pytest
import torch
from streamlit.testing.v1 import AppTest
from torch.nn import functional as F

import attn_core
import pages as values
from attn_ui.base import latex, terms
from attn_ui.base.link_options import framing
from attn_ui.base.links import bad_settings
from attn_ui.base.navigation import PAGES as LISTED
from attn_ui.base.parameters import Choice, MultiChoice, Steps, Tabs, label, parameters_by_name
from attn_ui.base.search_entries import Entry, Place
from attn_ui.base.term import Term
from attn_ui.screen import search
from attn_words import speaking
from pages.glossary.parts import PARTS, example_matrices
from pages.glossary.settings import EVERY, GROUP
from pages.glossary.terms import TERMS
from pages.glossary.words import all_names, entry
from tests.messages import figure_at
from tests.pages import PAGES, open_page, open_part, open_sound, tabs_of, way_to
from tests.walk import fields, said_now

ADDRESSES = {folder: address for address, (folder, _) in PAGES.items()}
EVERY_TERM = {term.name: term for group in TERMS.values() for term in group}
TEXTS = ("title", "header", "subheader", "markdown", "caption", "latex", "warning", "info")
CONTROLS = ("selectbox", "slider", "select_slider", "number_input", "toggle", "text_input", "button_group")


def folded(text: str) -> str:
    """As it is read: without marks of subscripts and broken lines, and in small letters."""
    plain = re.sub(r"<sub>(\w+)</sub>", r"_\1", text).replace("-<br>", "").replace("\\", "")
    return re.sub(r"\s+", " ", plain).casefold()


def text_of(at: AppTest) -> str:
    """All that a page says: texts, names of controls and their help, sentences, what stands on figures."""
    texts: list[Any] = [each for kind in TEXTS for each in at.get(kind)]
    controls: list[Any] = [each for kind in CONTROLS for each in at.get(kind)]
    found = [str(each.value) for each in texts]
    for each in controls:
        found += [each.label, each.help or "", str(each.value)]
        if each.type == "selectbox" and each.index is not None:  # "causal" beside "Mask"
            found.append(f"{each.options[each.index]} {each.label}")
    found += [each.label for each in at.tabs] + said_now(at)
    for head, _, packed in fields(at):
        found += [head.get("alt", ""), str(head.get("slider"))]
        if any(packed[:4]):
            figure = figure_at(packed, 0)
            kept = ("name", "text", "hovertemplate")
            traces = [str(trace.get(name, "")) for trace in figure["data"] for name in kept]
            found += [*traces, json.dumps(figure["layout"], default=str)]
    return folded("\n".join(found))


def letters_on(at: AppTest) -> set[str]:
    """The letters of the formulas that a page shows."""
    formulas = [each.value for each in at.latex]
    formulas += [part for each in at.markdown for part in latex.formulas_in(each.value)]
    return {letter for formula in formulas for letter in latex.symbols(formula, terms.compounds())}


def stands(at: AppTest, page: str, name: str, value: str) -> bool:
    """Whether a setting has on the page the value that a link gave it."""
    setting = parameters_by_name(PAGES[page][1])[name]
    if isinstance(setting, Tabs):
        return open_part(at, tabs_of(page)) == way_to(value, tabs_of(page))
    if isinstance(setting, Steps):
        heads = [head for head, _, _ in fields(at)]
        sliders = [each for head in heads for each in (head.get("slider"), head.get("cursor")) if each]
        at_now = [each["values"][each["index"]] for each in sliders if each["name"] == name]
        # Where another slider moves the picture, the value stays in the address.
        return all(setting.read(each) == setting.read(value) for each in at_now or [at.query_params[name]])
    wanted: Any = [value] if isinstance(setting, MultiChoice) else setting.read(value)
    return bool(at.session_state[name] == wanted)


def open_view(term: Term) -> AppTest:
    """What a term's link opens; a model is read before, so that nobody waits for it."""
    page = ADDRESSES[term.place.folder]
    if term.place.link.get("source") == "a real model":
        values.PAGES[page].at(urlencode(term.place.link))
    return open_sound(page, **term.place.link)


@pytest.mark.parametrize("name", EVERY_TERM)
def test_term_link_opens_a_view_that_names_the_term(name: str) -> None:
    term = EVERY_TERM[name]
    page = ADDRESSES[term.place.folder]
    at = open_view(term)
    assert [each.value for each in at.warning if "The link's" in each.value] == []
    for setting, value in term.place.link.items():
        assert stands(at, page, setting, value), f"{setting} is not {value}"
    said = text_of(at)
    named = any(folded(each) in said for each in (term.name, *term.also))
    without_package = name == "Learned positions" and attn_core.SCHEMES["learned"].missing_package()
    assert named or {*map(latex.key, term.symbols)} & letters_on(at) or without_package


AS_THE_TERM = (
    *("ALiBi", "Pre-norm", "Post-norm", "KV cache", "Attention sink", "Causal mask", "Cross-attention"),
    *("Induction head", "Previous-token head", "Nadaraya–Watson"),
)
# What a course asks for by these names, and must find beside our plain words.
NAMED = {
    "RoPE": ("rotary",),
    "T5 relative bias": ("T5 relative bias", "buckets"),
    "MQA": ("MQA", "multi-query attention"),
    "GQA": ("GQA", "grouped-query attention"),
    "MLA": ("MLA", "multi-head latent attention"),
    **{name: (name,) for name in AS_THE_TERM},
}


@pytest.mark.parametrize("name", NAMED)
def test_term_names_of_the_field_are_on_their_views(name: str) -> None:
    said = text_of(open_view(EVERY_TERM[name]))
    assert [each for each in NAMED[name] if folded(each) not in said] == []


def test_mask_terms_exist_and_open_each_mask() -> None:
    opened = {term.place.link.get("mask") for term in EVERY_TERM.values()}
    assert not attn_core.MASK_PATTERNS.keys() - {"none", "own"} - opened


def found_in_code(name: str) -> bool:
    """Whether `attn_core` has it: a name, a field of a class, or `function(argument)`."""
    path, _, argument = name.rstrip(")").partition("(")
    here: Any = attn_core
    for part in path.split("."):
        owner = here
        if hasattr(owner, part):
            here = getattr(owner, part)
            continue
        if inspect.ismodule(owner):
            try:
                here = importlib.import_module(f"attn_core.{part}")
            except ImportError:
                return False
            continue
        own = (
            {field.name for field in dataclasses.fields(owner)} if dataclasses.is_dataclass(owner) else set()
        )
        made = set(vars(owner(4, 2))) if owner is attn_core.MultiHeadAttention else set()
        made |= set(owner(4)._modules) if owner is attn_core.SelfAttention else set()
        made |= set(owner(4, 2)._modules) if owner is attn_core.MultiHeadAttention else set()
        return part in own | made and not argument
    return not argument or argument in inspect.signature(here).parameters


@pytest.mark.sample(len(EVERY_TERM))
@pytest.mark.parametrize("name", EVERY_TERM)
def test_term_names_in_code_exist(name: str) -> None:
    code = EVERY_TERM[name].code
    assert [each for each in code.split(", ") if each and not found_in_code(each)] == []


@pytest.mark.parametrize(
    ("name", "of"),
    [
        # Brunner et al. (2020): what is left of a map without the part that the values cancel.
        ("effective attention", "the null space of the values"),
        ("dynamic NTK", "transformers' `dynamic`, which follows a text's length"),
        ("NTK-by-parts", "YaRN before it sharpens the scores"),
        ("BigBird", "random blocks, windows and global blocks"),
        ("dilated attention", "LongNet's segments"),
        ("attention bias", "any number that is added, not 0 and −∞ alone"),
        ("soft attention", "any weighing of all values, additive scores too"),
        ("dot-product attention", "the same without its scale"),
        ("absolute position embedding", "sinusoids too"),
        ("bidirectional attention", "a mask, not an encoder"),
        ("LOESS", "local lines over a share of the nearest points"),
        ("head pruning", "heads that are taken out for good"),
        ("context extension", "a method, not the use of a model past its training"),
    ],
)
def test_term_names_exclude_other_methods(name: str, of: str) -> None:
    called = [term.name for term in EVERY_TERM.values() if name in all_names(term)]
    assert not called, f"{name} is {of}"


@pytest.mark.parametrize(
    ("name", "author"),
    [
        ("hard attention", "Pérez"),
        ("value", "Miller"),
        ("L2 attention", "Kim"),
        ("online softmax", "Milakov"),
        ("memory-efficient attention", "Rabe"),
        ("pre-norm", "Wang"),
        ("oversmoothing", "Li et al., 2018"),
        ("rank collapse", "Dong"),
        ("induction head", "Elhage"),
        ("previous-token head", "Elhage"),
    ],
)
def test_term_name_has_its_source(name: str, author: str) -> None:
    [term] = [term for term in EVERY_TERM.values() if name.casefold() in map(str.casefold, all_names(term))]
    assert author in term.source


def test_term_name_missing_from_the_code_is_reported() -> None:
    assert found_in_code("causal_mask")
    assert found_in_code("Attention.weights")
    wrong = ("casual_mask", "Attention.wieghts", "scaled_dot_product_attention(maks)", "SelfAttention.W_x")
    assert not any(map(found_in_code, wrong))


def test_term_name_belongs_to_one_term() -> None:
    names = [folded(each) for term in EVERY_TERM.values() for each in dict.fromkeys((term.name, *term.also))]
    assert {each for each in names if names.count(each) > 1} == set()
    assert len(EVERY_TERM) == sum(map(len, TERMS.values()))


def test_term_numbers_are_right() -> None:
    draw = torch.Generator().manual_seed(1)
    q, k = (torch.randn(1, 6, dtype=torch.float64, generator=draw).expand(5, 6) for _ in range(2))
    scores = attn_core.rotary_embedding(q) @ attn_core.rotary_embedding(k).mT
    for found in (scores, attn_core.relative_position_buckets(5, 5)):
        torch.testing.assert_close(found[:-1, :-1], found[1:, 1:])  # one number all along a diagonal,
        assert abs(found[0, 1] - found[1, 0]) > 1e-3  # and another as far away on the other side
    for name in ("RoPE", "T5 relative bias", "Relative position"):
        assert "offset" in EVERY_TERM[name].definition
        assert "distance" not in EVERY_TERM[name].definition

    at = torch.rand(5, dtype=torch.float64, generator=draw)
    weights = attn_core.nadaraya_watson(at, at, at, kernel="gaussian", bandwidth=0.3).weights
    torch.testing.assert_close(weights, F.softmax(-(((at[:, None] - at) / 0.3) ** 2) / 2, dim=-1))
    assert "minus half the squared distances in bandwidths" in EVERY_TERM["Gaussian kernel"].definition

    # A mask breaks permutation equivariance; without one it holds.
    x, order = torch.randn(5, 4, dtype=torch.float64, generator=draw), torch.tensor([2, 0, 1, 4, 3])
    for causal in (False, True):
        whole, shuffled = (F.scaled_dot_product_attention(e, e, e, is_causal=causal) for e in (x, x[order]))
        assert torch.allclose(shuffled, whole[order]) != causal
    assert "without positions and masks" in EVERY_TERM["Permutation equivariance"].definition.lower()

    modules = [
        attn_core.MultiHeadAttention(8, heads, d_head=width) for heads, width in ((1, 8), (4, 2), (4, 8))
    ]
    one, shared_out, as_wide = (sum(each.numel() for each in module.parameters()) for module in modules)
    assert one == shared_out < as_wide
    assert "heads that share out d_model add none" in EVERY_TERM["Parameters"].definition


@pytest.mark.parametrize("group", GROUP.options)
def test_glossary_lists_its_terms_and_links(group: str) -> None:
    at = open_sound("glossary", group=group)
    said = "\n".join(each.value for each in at.markdown)
    for name, listed in TERMS.items():
        for term in listed:
            parts = f"**{term.name}**", f"]({term.place.address})", term.definition
            there = all(part in said for part in parts)
            assert there or group != name
            if group != name:  # of all groups none is open
                assert f"- **{term.name}** " not in said
    assert len(at.main.expander) == (len(TERMS) if group == EVERY else 0)


def test_glossary_picture_names_and_highlights_each_part_alone() -> None:
    at = open_sound("glossary", part="8")
    assert said_now(at)[0].startswith("Softmax (normalised exponential). Softmax turns a row of scores into")
    ((head, _, packed),) = fields(at)
    assert head["slider"]["index"] == 7
    for step, part in enumerate(PARTS):
        widths = {
            trace["name"]: trace["line"]["width"]
            for trace in figure_at(packed, step)["data"]
            if trace["name"] in PARTS
        }
        assert {name for name, width in widths.items() if width == max(widths.values())} == {part}
        assert set(widths) == set(PARTS)


def test_glossary_head_equals_torch() -> None:
    head = example_matrices()
    q, k, v = (torch.from_numpy(each).contiguous() for each in (head.query, head.key, head.value))
    theirs = F.scaled_dot_product_attention(q[None], k[None], v[None], is_causal=True)[0]
    torch.testing.assert_close(torch.from_numpy(head.output), theirs)
    assert head.x is not None
    assert head.memory is head.x  # no box of a second sentence
    assert head.projections is not None
    torch.testing.assert_close(torch.from_numpy(head.x @ head.projections[0]), q)


def test_glossary_terms_in_chinese_have_the_english_beside() -> None:
    with speaking("zh"):
        assert all_names(EVERY_TERM["Score"])[:3] == ("得分", "Score", "分数")
        assert all_names(EVERY_TERM["Softmax"]) == ("softmax", "归一化指数函数", "normalised exponential")
        assert entry(EVERY_TERM["Query"]).startswith(
            "- **查询** · Query · 查询向量 — $Q = X W^Q$, 这里写作 $Q, q$"
        )
        for term in EVERY_TERM.values():
            assert {each.casefold() for each in (term.name, *term.also)} <= {
                each.casefold() for each in all_names(term)
            }
    assert all_names(EVERY_TERM["Score"])[:2] == ("Score", "attention score")


def test_glossary_page_and_search_are_translated() -> None:
    at = open_sound("glossary", lang="zh", part="5")
    assert said_now(at)[0].startswith("得分（Score、分数、注意力得分、")
    ((head, _, _),) = fields(at)
    assert head["slider"]["texts" if "texts" in head["slider"] else "label"]
    of_group = open_sound("glossary", lang="zh", group="attention")
    assert any("**词元** · Token" in each.value for each in of_group.markdown)
    with speaking("zh"):
        listed = {names[0]: names for names, *_ in json.loads(search.listing())}
    assert listed["旋转位置编码"][:3] == ["旋转位置编码", "RoPE", "旋转嵌入"]
    assert {"rotary embedding", "rotary"} <= {*listed["旋转位置编码"]}


# ---- the search ----

ADDRESSED = {(found.names[0], found.place.address): found for found in search.all_entries()}


def test_search_finds_each_term_by_every_name() -> None:
    known = {
        (name, found.place.address)
        for found in search.all_entries()
        if found.kind == "term"
        for name in found.names
    }
    wanted = [
        (each, term.target or term.place) for term in EVERY_TERM.values() for each in (term.name, *term.also)
    ]
    assert known == {(name, place.address) for name, place in wanted}


def test_search_shows_positional_encoding_as_a_page_and_as_a_sum() -> None:
    term = EVERY_TERM["Positional encoding"]
    assert term.place.link == {"show": "E + P"}
    found = [each.place.address for each in search.all_entries() if "Positional encoding" in each.names]
    assert found == ["positional-encoding", "positional-encoding"]  # the term and the page, at one place


@pytest.mark.parametrize("page", LISTED, ids=lambda page: page.title)
def test_search_finds_pages_tabs_views_and_more(page: Any) -> None:
    assert (page.title, page.address or "./") in ADDRESSED
    mine = [found for found in search.all_entries() if found.place.folder == page.folder]
    for setting in PAGES[page.address][1]:
        if isinstance(setting, Choice) and (setting.views or setting.kind or isinstance(setting, Tabs)):
            for option in setting.options:
                wanted = None if option == setting.default else option
                assert any(
                    each.names[0] == label(setting.name, option)
                    and each.place.link.get(setting.name) == wanted
                    for each in mine
                ), option


KINDS = ("mask", "scheme", "mistake", "example", "claim", "kernel", "task", "stage", "view", "tab")


@pytest.mark.parametrize("kind", KINDS)
def test_search_has_entries_of_every_kind(kind: str) -> None:
    assert any(found.kind.partition(",")[0] == kind for found in search.all_entries())


def test_search_results_open_without_a_dropped_setting() -> None:
    bad = {
        found.place.address: wrong
        for found in search.all_entries()
        if (
            wrong := bad_settings(
                (
                    *(own := PAGES[ADDRESSES[found.place.folder]][1] if found.place.link else ()),
                    *framing(own),
                ),
                {name: [text] for name, text in found.place.link.items()},
            )
        )
    }
    assert bad == {}
    assert len(search.all_entries()) > 200


@pytest.mark.parametrize(
    "found", [each for each in search.all_entries() if each.kind == "mistake, Multi-head"]
)
def test_search_result_of_a_mistake_opens_break_it(found: Entry) -> None:
    at = open_sound("multi-head", **found.place.link)
    assert at.session_state["fault"] == found.place.link.get("fault", found.names[0])


def test_search_list_has_every_entry() -> None:
    listed = json.loads(search.listing())
    assert [names for names, *_ in listed] == [[*each.names] for each in search.all_entries()]
    assert ["RoPE", "rotary embedding", "rotary position embedding", "rotary"] in [
        names for names, *_ in listed
    ]


def test_search_place_without_a_page_has_no_address() -> None:
    with pytest.raises(StopIteration):
        _ = Place("nowhere").address


def test_search_field_is_on_every_page_and_can_be_hidden() -> None:
    for page in LISTED:
        at = open_page(page.address)
        assert [each for each in at.get("html") if 'type="search"' in each.proto.body], page.title
    at = open_page("single-head", hide="search")
    assert any(".search { display: none !important; }" in each.proto.body for each in at.get("html"))
