"""Languages: pages speak the one of the link, addresses keep their names, catalogues are whole and right."""

import ast
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any, cast

import pytest
import streamlit as st
from babel.messages.catalog import Catalog, Message
from babel.messages.pofile import read_po
from streamlit.testing.v1 import AppTest

from attn_ui.base.cover import panel_title
from attn_ui.base.link_options import LANG
from attn_ui.base.markdown import all_of, either
from attn_ui.base.navigation import PAGES
from attn_ui.base.page import page_at
from attn_ui.base.parameters import Choice, MultiChoice, label_of
from attn_ui.base.terms import terms_in
from attn_ui.lessons import check, shelf
from attn_ui.lessons.figures import shown_name
from attn_ui.lessons.lesson import LessonError
from attn_ui.lessons.quantity import parse
from attn_ui.screen import search, terms
from attn_ui.screen.language import preferred
from attn_words import (
    LANGUAGES,
    LOCALES,
    PSEUDO,
    SOURCE,
    _,
    _c,
    _n,
    cached,
    language,
    paragraph,
    speak,
    speaking,
    translations,
    with_small_letter,
)
from locales.words import AREAS, HERE, ROOT, SAME, is_translated
from tests.pages import PAGES as WALKED
from tests.pages import ROUTER, open_page, open_sound
from tests.plain_words import _texts_in_proto as texts_in
from tests.plain_words import english_in, users_words

ZH = "zh"
_HAN = re.compile(r"[㐀-鿿]")


def labels(app: AppTest) -> str:
    return " ".join(each.label for each in (*app.selectbox, *app.toggle, *app.text_input, *app.button))


# ---- one language a run ----


def test_language_is_restored_after_a_nested_block() -> None:
    assert language() == SOURCE
    with speaking(ZH):
        assert language() == ZH
        with speaking(PSEUDO):
            assert _("The sidebar with all its settings") != "The sidebar with all its settings"
        assert _("Share") == "分享"
    assert _("Share") == "Share"
    with pytest.raises(ValueError, match="a language: en, zh"):
        speak("tlh")


def test_untranslated_message_is_english() -> None:
    with speaking(ZH):
        assert _("Nobody says {this}.", this=1) == "Nobody says 1."
        assert _n("{count} nobody", "{count} nobodies", 2) == "2 nobodies"
        assert _c("nowhere", "No such message") == "No such message"
        assert _c("tab", "Heads") == "头" != _("Heads") == _("heads") == _c("nowhere", "Heads")


def test_message_context_separates_two_meanings() -> None:
    with speaking(ZH):
        assert {_c("switch", "no"), _c("of several", "none")} == {"否", "无"}


def test_cached_words_have_an_entry_for_each_language() -> None:
    @cached()
    def said() -> str:
        return _("Share")

    assert said() == "Share"
    with speaking(ZH):
        assert said() == "分享"
    assert said() == "Share"


def test_lists_and_paragraphs_follow_the_language() -> None:
    names = ["W_q", "W_k", "W_v"]
    assert (all_of(names), either(names)) == ("W_q, W_k and W_v", "W_q, W_k or W_v")
    assert paragraph("One.", "", "Two.") == "One. Two."
    with speaking(ZH):
        assert (all_of(names), either(names)) == ("W_q、W_k 和 W_v", "W_q、W_k 或 W_v")
        assert paragraph("一。", "", "二。") == "一。二。"


def test_space_beside_a_field_follows_its_value() -> None:
    assert all_of(["差（有）", "差"]) == "差（有） and 差"
    with speaking(ZH):
        assert all_of(["偏置", "位置"]) == "偏置和位置"
        assert all_of(["差（有）", "差（无）"]) == "差（有）和差（无）"
        assert all_of(["W_q", "位置"]) == "W_q 和位置"
        assert all_of(["**偏置**", "位置"]) == "**偏置**和位置"
        assert all_of(["**（有）**", "差"]) == "**（有）** 和差"  # so that bold closes


@pytest.mark.parametrize(
    ("locale", "spoken"), [("zh-CN", ZH), ("zh", ZH), ("ZH-tw", ZH), ("de-DE", SOURCE), (None, SOURCE)]
)
def test_browser_preference_selects_the_language(locale: str | None, spoken: str) -> None:
    assert preferred(locale) == spoken


# ---- on screen ----


def test_link_in_chinese_translates_and_keeps_setting_names() -> None:
    app = open_sound("single-head", lang=ZH, mask="causal")
    mask = app.selectbox(key="mask")
    assert mask.value == "causal"
    with speaking(ZH):
        assert mask.options == [label_of(_setting("single-head", "mask"), each) for each in _options("mask")]
    assert app.button(key="pin").label == "固定以比较"
    assert app.query_params["mask"] == "causal"
    mask.set_value("none").run()
    assert "mask" not in app.query_params  # it is the default
    app.selectbox(key="mask").set_value("sliding window").run()
    assert app.query_params["mask"] == "sliding window"
    assert app.query_params["lang"] == ZH
    assert not app.exception


def _setting(page: str, name: str) -> Choice:
    return cast("Choice", next(each for each in WALKED[page][1] if each.name == name))


def _options(name: str) -> tuple[str, ...]:
    return _setting("single-head", name).options


def test_language_change_changes_words_only() -> None:
    app = open_sound("single-head", mask="causal", t="0.50", bias="true", seed="7")
    english = labels(app)
    app.button(key="language-zh").click().run()
    assert app.query_params["lang"] == ZH
    assert labels(app) != english
    assert app.button(key="pin").label == "固定以比较"
    kept = {name: app.query_params[name] for name in ("mask", "t", "bias", "seed")}
    assert kept == {"mask": "causal", "t": "0.50", "bias": "true", "seed": "7"}
    assert (app.selectbox(key="mask").value, app.toggle(key="bias").value) == ("causal", True)
    app.selectbox(key="mask").set_value("sliding window").run()
    app.button(key="language-en").click().run()
    assert app.query_params["lang"] == SOURCE
    assert app.selectbox(key="mask").value == "sliding window"
    assert app.query_params["mask"] == "sliding window"
    assert labels(app) == english
    assert not app.exception


def test_language_and_shared_options_carry_to_the_next_page() -> None:
    app = open_sound("single-head", lang=ZH, mask="causal")
    open_page("multi-head", app)
    assert app.query_params["lang"] == ZH
    assert app.button(key="pin").label == "固定以比较"
    open_page("single-head", app)
    assert app.selectbox(key="mask").value == "causal"
    assert app.query_params["mask"] == "causal"
    assert not app.exception


def test_options_of_the_page_before_are_no_fault_here() -> None:
    app = open_sound("multi-head", lang=ZH, hmask="causal")
    assert app.query_params["hmask"] == "causal"
    app.switch_page("../pages/single_head/page.py").run()
    assert "hmask" not in app.query_params
    assert not app.warning
    assert not app.exception


def test_option_requested_later_overrides_the_link() -> None:
    """The layout is asked for once a scheme has one."""
    app = open_sound("positional-encoding", lang=ZH, layout="concatenated", scheme="none")
    assert not [each for each in app.selectbox if each.key == "layout"]
    app.selectbox(key="scheme").set_value("sinusoidal").run()
    assert app.selectbox(key="layout").value == "concatenated"
    assert app.query_params["layout"] == "concatenated"


def test_several_options_are_repeated_in_the_address() -> None:
    app = open_sound("multi-head", lang=ZH, heads="4", off=["2", "4"])
    assert app.button_group(key="off").value == ["2", "4"]
    app.button_group(key="off").set_value(["3"]).run()
    assert app.query_params["off"] == ["3"] or app.query_params["off"] == "3"
    app.button_group(key="off").set_value([]).run()
    assert "off" not in app.query_params
    assert not app.exception


def test_button_sets_an_option() -> None:
    """The glossary's groups are a choice that a click on a box of its map answers."""

    def script() -> None:
        import streamlit as st

        from attn_ui.base.parameters import Choice
        from attn_ui.screen import address, language, widgets
        from attn_ui.screen.streamlit_controls import CONTROLS

        language.speak_here()
        choice = Choice("mask", "none", ("none", "causal"))
        address.check("page", (choice,))
        widgets.choose(choice, "Mask")
        st.button("Causal", key="press", on_click=lambda: CONTROLS.answer(choice, "causal"))

    app = AppTest.from_function(script)
    app.query_params["lang"] = ZH
    app.run()
    app.button(key="press").click().run()
    assert app.selectbox(key="mask").value == "causal"
    assert app.query_params["mask"] == "causal"
    assert not app.exception


def test_unusable_settings_are_named_in_chinese() -> None:
    app = open_sound("single-head", lang=ZH, mask="diagonal", t="99", nonsense="1")
    said = [each.value for each in app.warning]
    assert len(said) == 3
    assert all(_HAN.search(each) for each in said)
    assert any("`mask`" in each and "`diagonal`" in each and "causal" in each for each in said)
    assert "mask" not in app.query_params
    app.button(key="language-en").click().run()
    assert not [each for each in app.warning if _HAN.search(each.value)]


def test_unknown_language_is_dropped_and_named() -> None:
    app = open_sound("single-head", lang="tlh")
    assert any("The link's `lang` was `tlh`; wanted: one of en, zh." in each.value for each in app.warning)
    assert app.button(key="pin").label == "Pin to compare"


def test_navigation_and_window_title_follow_the_language() -> None:
    with speaking(ZH):
        assert [_(page.title) for page in PAGES][:3] == ["概览", "核回归", "单头"]
        assert PAGES[2].heading == "单头 · 注意力实验室"
    assert PAGES[2].heading == "Single head · Attention lab"


# ---- covered, pinned, found, explained ----


def test_question_and_its_verdict_are_chinese() -> None:
    with speaking(ZH):
        at = page_at("single-head").at("cover=weights&predict=key")
        assert not at.dropped
        assert at.sentence.startswith("已遮住：权重。")
        assert panel_title("head 3") == "头 3"
    app = open_sound("single-head", lang=ZH, cover="weights", predict="key")
    app.button_group(key="predict-key").set_value(0).run()
    app.button(key="predict-reveal").click().run()
    verdict = " ".join(each.value for each in app.markdown)
    assert "最大的是" in verdict
    assert "You said" not in verdict
    app.button(key="language-en").click().run()
    assert "The largest is" in " ".join(each.value for each in app.markdown)


def test_pin_is_compared_in_chinese() -> None:
    with speaking(ZH):
        at = page_at("single-head").at("mask=causal&t=0.5&pin=")
        assert "变化最大" in at.sentence
        assert at.view.figure is not None
        assert "A：" in at.view.figure.caption
        assert at.view.figure.name.endswith("compared")  # a file's name
        two_inputs = page_at("kernel-regression").at("picture=Two+inputs&pin=picture%3DTwo%2Binputs")
        assert "估计图" in two_inputs.sentence


def test_search_finds_entries_by_both_names() -> None:
    with speaking(ZH):
        every = search.listing()
        assert '["单头","Single head"],"页面","single-head"' in every
        assert '["近者权重大","Near things count more"],"课"' in every
        masks = [each for each in search.all_entries() if each.place.address.endswith("mask=causal")]
        assert any(each.names[-1] == "causal" for each in masks)
    assert '["Single head"],"page","single-head"' in search.listing()


def test_search_kinds_are_all_messages() -> None:
    kinds = {each.kind.partition(", ")[0] for each in search.all_entries()}
    assert kinds <= set(search.KINDS)


def test_terms_are_found_in_chinese_sentences() -> None:
    assert [term.name for term in terms_in("The monkey's keys")] == ["Key"]
    with speaking(ZH):
        assert [term.name for term in terms_in("它的自注意力和 softmax")] == ["Self-attention", "Softmax"]
        assert '"terms"' in terms.listing()


# ---- nothing of it is plain English ----

_OWN = {"lab", "npz", "csv", "json", "w_q", "nn", "numpy", "savez", "query", "key", "value"}


def _plain(app: AppTest) -> dict[str, list[str]]:
    """What is still read as English on screen, beside code, symbols and the words of users."""
    users = users_words() | _OWN | {name.lower() for name in LANGUAGES.values()}
    texts = [text for each in (*app.main, *app.sidebar) for text in texts_in(getattr(each, "proto", None))]
    found = {text: english_in(text, users) for text in texts}
    return {text: words for text, words in found.items() if words}


def _open_popover(_label: str, **_more: Any) -> Any:
    panel = st.container()
    panel.open = True  # type: ignore[attr-defined]  # as a popover that somebody has opened
    return panel


@pytest.mark.parametrize(
    "link",
    [{"cover": "weights", "predict": kind} for kind in ("aloud", "key", "row", "number", "trend")]
    + [
        {"pin": "mask=causal"},
        {"pin": "text=a b"},
        {"pin": "stage=diagram"},
        {"t": "99", "nonsense": "1"},
        {"hand": "true", "W_q": "1,2;3,4"},
        {"text": "", "mask": "own"},
        {"tab": "Data", "hand": "true"},
        {"tab": "Code"},
    ],
    ids=str,
)
def test_shared_messages_appear_in_the_pseudo_language(
    link: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(st, "popover", _open_popover)
    app = AppTest.from_file(ROUTER, default_timeout=300)
    app = open_page("single-head", app.run(), lang=PSEUDO, **link)
    assert not app.exception
    if "predict" in link:
        assert _plain(app) == {}
        app.button(key="predict-reveal").click().run()
    assert _plain(app) == {}


# ---- options ----


@pytest.mark.parametrize("spoken", [each for each in LANGUAGES if each != SOURCE])
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.title)
def test_options_of_a_choice_are_distinct(page: Any, spoken: str) -> None:
    """Streamlit finds an option by what is shown of it."""
    with speaking(spoken):
        for setting in WALKED[page.address][1]:
            if isinstance(setting, Choice | MultiChoice):
                said = [label_of(setting, each) for each in setting.options]
                assert len({*said}) == len(said), setting.name


# ---- lessons ----


def _translation(folder: Path, change: Callable[[str], str]) -> Path:
    own = folder / "1-near.md"
    original = shelf.files(shelf.OWN)[0].read_text(encoding="utf-8")
    own.write_text(original, encoding="utf-8")
    other = folder / LOCALES[ZH] / own.name
    other.parent.mkdir()
    other.write_text(change(original), encoding="utf-8")
    return own


def test_translated_lesson_has_the_links_and_steps_of_the_original(tmp_path: Path) -> None:
    titles = re.compile(r"^## .*$", re.MULTILINE)
    count = iter(range(100))
    own = _translation(tmp_path, lambda text: titles.sub(lambda _found: f"## 第 {next(count)} 步", text))
    lesson = shelf.open_lesson(own)
    assert shelf.translation(lesson, own) is lesson
    with speaking(ZH):
        found = shelf.translation(lesson, own)
    assert found.name == lesson.name
    assert [step.name for step in found.steps] == [step.name for step in lesson.steps]
    assert [step.link for step in found.steps] == [step.link for step in lesson.steps]
    assert found.steps[1].title == "第 1 步"
    assert check.disagreements(found, lesson) == []


def test_translated_lesson_with_other_steps_is_refused_and_named(tmp_path: Path) -> None:
    own = _translation(tmp_path, lambda text: text.replace("points=6&seed=34", "points=6&seed=35"))
    lesson = shelf.open_lesson(own)
    with speaking(ZH), pytest.raises(LessonError, match=f"the {len(lesson.steps)} steps of"):
        shelf.translation(lesson, own)
    assert check.disagreements(shelf.open_lesson(own.parent / "zh_CN" / own.name), lesson)


def test_translated_lesson_with_another_answer_is_named(tmp_path: Path) -> None:
    own = _translation(tmp_path, lambda text: text.replace('answer: "2.24"', 'answer: "2.25"'))
    other = shelf.original(own.parent / "zh_CN" / own.name)
    assert other == own
    said = check.disagreements(shelf.open_lesson(own.parent / "zh_CN" / own.name), shelf.open_lesson(own))
    assert said
    assert all("wanted the questions of" in each for each in said)


def test_lesson_in_chinese_opens_by_the_same_link() -> None:
    lesson = shelf.shelf().lessons["near-things-count-more"]
    first = lesson.steps[0]
    page, _mark, query = first.link.partition("?")
    settings = dict(pair.split("=") for pair in query.split("&"))
    app = open_sound(page, **settings, lang=ZH, lesson=f"{lesson.name}.{first.name}")
    body = " ".join(each.proto.body for each in app.get("html"))
    assert "离开本课" in body
    pills = next(each for each in app.button_group if each.key and each.key.startswith("lesson-near"))
    pills.set_value("2.24").run()
    assert any("正确" in each.value for each in app.markdown)
    assert not app.exception


# ---- catalogues ----


PATHS = {f"{locale}/{area}": HERE / locale / f"{area}.po" for locale in LOCALES.values() for area in AREAS}


def catalogues() -> Iterator[tuple[str, Catalog]]:
    """Read those that there are: a new page has none yet."""
    for name, path in PATHS.items():
        if path.exists():
            with path.open("rb") as file:
                yield name, read_po(file, locale=name.partition("/")[0])


CATALOGUES = dict(catalogues())


def test_every_area_has_a_catalogue() -> None:
    assert not PATHS.keys() - CATALOGUES.keys(), "run `make words`"


def _forms(message: Message) -> Iterator[tuple[str, str]]:
    """Yield a message and each of its translations."""
    said = message.string if isinstance(message.string, tuple | list) else [message.string]
    asked = message.id if isinstance(message.id, tuple | list) else [message.id]
    for each in said:
        yield asked[-1], each


def _fields(text: str) -> set[str]:
    return set(re.findall(r"(?<![\\$])\{(\w+)\}", text))


def _messages_in_code() -> Iterator[tuple[str, str]]:
    for path in chain.from_iterable((ROOT / each).rglob("*.py") for each in chain(*AREAS.values())):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            match node:
                case ast.Call(func=ast.Name(id="_" | "N_"), args=[ast.Constant(value=str(text)), *_]):
                    yield f"{path}:{node.lineno}", text


def test_message_in_the_code_has_an_entry_in_a_catalogue() -> None:
    """Babel passes over a call within a call where a comprehension, a lambda or an f-string is between."""
    entries = {str(each.id) for catalogue in CATALOGUES.values() for each in catalogue} | SAME
    messages = dict(_messages_in_code())
    assert len(messages) > 1000
    assert not {at: text for at, text in messages.items() if not {text, with_small_letter(text)} & entries}


def test_catalogues_equal_the_messages_of_the_code() -> None:
    """As `make words` would write them; what the app reads too."""
    made = subprocess.run(
        [sys.executable, "-m", "locales.words", "--check"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert made.returncode == 0, made.stdout


@pytest.mark.parametrize("name", CATALOGUES)
def test_translation_has_the_fields_of_its_message(name: str) -> None:
    for message in CATALOGUES[name]:
        for asked, said in _forms(message) if message.id and is_translated(message) else ():
            assert _fields(said) == _fields(asked), (asked, said)


@pytest.mark.parametrize("name", CATALOGUES)
def test_translation_has_the_marks_of_its_message(name: str) -> None:
    """Bold, code, icons, colours and links, each as often."""
    marks = re.compile(r"\*\*|`[^`]*`|:material/\w+:|:(?:violet|orange|green|gray|small)\[|</?\w+>|\$[^$]+\$")
    for message in CATALOGUES[name]:
        for asked, said in _forms(message) if message.id and is_translated(message) else ():
            assert sorted(marks.findall(said)) == sorted(marks.findall(asked)), (asked, said)


def test_a_message_is_translated_once() -> None:
    keys = [
        (name.partition("/")[0], each.context, each.id) for name in CATALOGUES for each in CATALOGUES[name]
    ]
    assert not [key for key, count in Counter(key for key in keys if key[2]).items() if count > 1]


def test_compiled_catalogue_has_the_translations() -> None:
    assert translations(SOURCE).gettext("Share") == "Share"
    assert translations(ZH).gettext("Share") == "分享"


def test_link_can_name_the_language() -> None:
    assert LANG.read(ZH) == ZH
    with pytest.raises(ValueError, match="one of en, zh"):
        LANG.read("tlh")
    assert replace(LANG).default == ""


@pytest.mark.parametrize(
    "link",
    [
        "single-head?example=two+keys,+one+query&stage=weights",
        "multi-head?case=cross-attention,+four+heads",
        "multi-head?case=cross-attention,+four+heads&view=threshold",
    ],
)
def test_worked_example_names_follow_the_language(link: str) -> None:
    page, _mark, query = link.partition("?")

    def names() -> set[str]:
        axes = page_at(page).at(query).figure()["layout"].values()
        return {text for each in axes if isinstance(each, dict) for text in each.get("ticktext") or ()}

    for spoken, named in ((SOURCE, {"query", "key 1"}), (ZH, {"查询", "键 1"})):
        with speaking(spoken):
            assert named <= names()


@pytest.mark.parametrize(
    ("asked", "answer", "shown_as"),
    [
        ("largest head 3[query] at multi-head?case=cross-attention,+four+heads", "key 6", "键 6"),
        ("largest weights[query] at single-head?example=two+keys,+one+query&stage=weights", "key 2", "键 2"),
    ],
)
def test_row_answer_named_in_another_language_is_shown(asked: str, answer: str, shown_as: str) -> None:
    assert shown_name(parse(asked), answer) == answer
    with speaking(ZH):
        assert shown_name(parse(asked), answer) == shown_as
