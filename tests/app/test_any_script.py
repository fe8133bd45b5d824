"""Words of any script where a sentence is typed: on the figure, in programs, and how they were cut."""

import ast
import html
import json
import sys
from urllib.parse import urlencode

import pytest

from attn_core import how_cut, label_tokens, tokenize
from attn_core.tokens import _words_finder
from attn_ui.base.programs import Programs
from attn_ui.base.sentence import CUT
from pages import PAGES

ADDRESSES = ("single-head", "multi-head", "positional-encoding", "applications")
# A sentence, its tokens by hand, and how it was cut.
SENTENCES = {
    "猫 坐 在 垫子 上": (["猫", "坐", "在", "垫子", "上"], "spaces"),
    "猫坐下，看 TV": (["猫", "坐", "下", "，", "看", "TV"], "characters"),
    "猫 が 好き": (["猫", "が", "好", "き"], "characters"),
    "שלום 👩🏽‍🚀 🇫🇷 مرحبا שלום": (["שלום", "👩🏽‍🚀", "🇫🇷", "مرحبا", "שלום"], ""),
}


@pytest.fixture(autouse=True)
def without_jieba(monkeypatch: pytest.MonkeyPatch) -> None:
    """As most installations are."""
    monkeypatch.setitem(sys.modules, "jieba", None)
    _words_finder.cache_clear()


@pytest.mark.parametrize("sentence", SENTENCES)
@pytest.mark.parametrize("address", ADDRESSES)
def test_words_of_any_script_are_shown_saved_and_compared_as_typed(address: str, sentence: str) -> None:
    tokens, cut = SENTENCES[sentence]
    assert (tokenize(sentence), how_cut(sentence)) == (tokens, cut)
    use = {"use": "BERT and GPT"} if address == "applications" else {}
    at = PAGES[address].at(urlencode({"text": sentence, **use}))
    drawn = json.dumps(at.figure(), ensure_ascii=False, default=lambda each: each.tolist())
    assert [each for each in label_tokens(tokens) if html.escape(each) not in drawn] == []
    assert [each for each in CUT.values() if each and each in at.controls.messages] == (
        [CUT[cut]] if cut else []
    )
    if address == "applications":
        return
    assert isinstance(at.programs, Programs)
    for kind in ("PyTorch", "NumPy", "attn_core"):
        written = at.programs.text(kind)
        words = next(line for line in ast.parse(written).body if ast.unparse(line).startswith("words ="))
        assert isinstance(words, ast.Assign)
        assert ast.literal_eval(words.value) in (tokens, label_tokens(tokens)), kind
