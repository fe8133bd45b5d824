"""From text to tokens by a folder's own tokenizer, and how its tokens are shown."""

import json
import shutil
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import transformers
from tokenizers import Tokenizer, models, pre_tokenizers

from attn_core import load_model, tokens
from attn_core.models.model import MAPS_BYTES
from attn_core.models.reading import Reader, read_tokenizer
from tests import small_models
from tests.small_models import TOKENIZERS, as_transformers, write

Refuses = Callable[[str], AbstractContextManager[None]]
TEXT = "The cat sat again, 猫 cafés\nend"


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("saved"), "bert")


@pytest.fixture
def folder(saved: Path, tmp_path: Path) -> Path:
    return shutil.copytree(saved, tmp_path / "small-bert")


@pytest.mark.parametrize("name", TOKENIZERS)
def test_tokens_are_those_of_transformers(name: str, tmp_path: Path) -> None:
    theirs = as_transformers(TOKENIZERS[name]())
    theirs.save_pretrained(tmp_path)
    ours = read_tokenizer(tmp_path, transformers, 128)
    assert ours is not None
    for text in (TEXT, "the cat", "a  b", "<s> [SEP] <|end|>"):
        assert list(ours.encode(text).ids) == theirs(text)["input_ids"]


def read(made: Tokenizer, text: str) -> tuple[tuple[str, ...], tuple[int, ...], str]:
    reader = Reader(made, 128)
    found = reader.encode(text)
    return found.labels, found.special, reader.mark


def test_pieces_of_words_are_marked() -> None:
    labels, special, mark = read(small_models.word_pieces(), "the cats sat [SEP] 龍")
    assert (labels[0], labels[-1], mark) == ("[CLS]", "[SEP]", "##")
    assert "##s" in labels
    # What is typed is special where the tokenizer's list has it; a word that is not known is a word.
    assert [labels[place] for place in special] == ["[CLS]", "[SEP]", "[SEP]"]
    assert "[UNK]" in labels


def test_bytes_are_shown_as_what_they_spell() -> None:
    labels, special, mark = read(small_models.byte_level("<|begin|>"), "the cat at the café 龍")
    assert (labels[0], special, mark) == ("<|begin|>", (0,), "·")
    assert {"the", "·cat", "·the"} <= set(labels)
    assert "".join(labels[1:]).startswith("the·cat·at·the·café·")
    # 龍 is E9 BE 8D in UTF-8, and no token has it whole.
    assert "".join(labels).endswith("<0xE9><0xBE><0x8D>")
    assert not any(char in "".join(labels) for char in "ĠÃ©Ċ")
    labels, _, _ = read(small_models.byte_level(), "the\ncat")
    assert "".join(labels) == "the↵cat"


def test_sentencepiece_underscores_are_spaces() -> None:
    labels, special, mark = read(small_models.sentencepiece_like(), "the cat 龍")
    assert (labels, special, mark) == (("<s>", "·the", "·cat", "·", "<0xE9>", "<0xBE>", "<0x8D>"), (0,), "·")


def test_whole_word_tokenizer_has_no_mark() -> None:
    made = Tokenizer(models.WordLevel({"▁a": 0, "b": 1, "?": 2}, unk_token="?"))
    made.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    assert read(made, "▁a b c") == (("▁a", "b", "?"), (), "")


def test_every_byte_has_its_character() -> None:
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    assert set(tokens._bytes_of()) == set(alphabet)
    made = Tokenizer(models.BPE({char: at for at, char in enumerate(sorted(alphabet))}, []))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    for char in "aé猫🙂 ":
        spelled = [tokens._bytes_of()[token] for token in made.encode(char).tokens]
        assert bytes(spelled).decode() == char


def test_attend_returns_the_tokens(folder: Path) -> None:
    shown = load_model(folder).attend("the cats sat")
    assert shown.tokens == ("[CLS]", "the", "cat", "##s", "sat", "[SEP]")
    assert shown.special == (0, 5)
    assert list(shown.maps) == ["layer 0", "layer 1", "layer 2"]
    assert {weights.shape for weights in shown.maps.values()} == {(4, 6, 6)}
    assert shown.notes == ()
    words = shown.without_special()
    assert words.tokens == ("the", "cat", "##s", "sat")
    whole = torch.from_numpy(shown.maps["layer 1"])[:, 1:5, 1:5]
    torch.testing.assert_close(
        torch.from_numpy(words.maps["layer 1"]), whole / whole.sum(dim=-1, keepdim=True)
    )


def test_long_text_is_cut_with_a_note(folder: Path) -> None:
    model = load_model(folder)
    shown = model.attend("cat " * 2000)
    assert shown.tokens is not None
    assert (len(shown.tokens), shown.tokens[-1]) == (40, "[SEP]")
    assert shown.notes == ("The text has 2002 tokens; the model sees the first 40.",)
    assert (model.most_tokens, model.most_words, len(model.tokenize("cat " * 2000))) == (40, 38, 2000)


def test_most_tokens_is_bounded_by_maps_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    small_models.random_model(
        transformers.LlamaConfig(**{**small_models.DECODER, "max_position_embeddings": 4096})
    ).save_pretrained(tmp_path)
    small_models.sentencepiece_like().save(str(tmp_path / "tokenizer.json"))
    model = load_model(tmp_path)
    a_pair = 4 * model.n_layer * model.n_head  # bytes of a query and a key in the maps of all heads
    assert model.most_tokens**2 * a_pair <= MAPS_BYTES < (model.most_tokens + 1) ** 2 * a_pair
    monkeypatch.setattr("attn_core.models.model.MAPS_BYTES", 300**2 * a_pair)
    model = load_model(tmp_path)
    maps = model.attend("cat " * 400)
    assert maps.tokens is not None
    assert (model.limit, model.most_tokens, model.most_words, len(maps.tokens)) == (4096, 300, 299, 300)
    for kept, each in zip(maps.maps.values(), model.stages("cat " * 400), strict=True):
        np.testing.assert_array_equal(kept, each.weights[0].numpy())
    monkeypatch.setattr("attn_core.models.model.MAPS_BYTES", 1)
    assert model.most_tokens == 128  # these are always run


def test_text_without_token_is_refused(folder: Path, refuses: Refuses) -> None:
    for text in ("  ", "[SEP]"):
        with refuses("at least one token"):
            load_model(folder).attend(text)


def test_incomplete_folder_is_refused(
    folder: Path, refuses: Refuses, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as without:
        without.setitem(sys.modules, "transformers", None)
        with refuses("optional package transformers, which is not installed: pip install -r requirements-m"):
            load_model(folder)
    (folder / "tokenizer.json").write_text('{"model": {"type": "WordPiece"}}')
    with refuses("tokenizer must be readable; reading it failed"):
        load_model(folder)
    (folder / "tokenizer.json").unlink()
    with refuses("must hold tokenizer.json .* to read text; small-bert does not"):
        load_model(folder).attend("the cat")
    (folder / "tokenizer.model").touch()
    with refuses("small-bert has sentencepiece's tokenizer.model alone"):
        load_model(folder)


def test_tokenizer_of_another_model_is_refused(folder: Path, refuses: Refuses) -> None:
    made = Tokenizer(models.WordLevel({f"w{number}": number for number in range(341)}, unk_token="w0"))
    made.save(str(folder / "tokenizer.json"))
    with refuses("numbers below 340, for which the model has vectors; got 340"):
        load_model(folder)


def test_ids_out_of_range_are_refused(folder: Path, refuses: Refuses) -> None:
    model = load_model(folder)
    with refuses("from 0 to 339; got 3 to 340"):
        model.forward(torch.tensor([[3, 340]]))
    with refuses(r"n from 1 to 40; got \(1, 41\)"):
        model.forward(torch.zeros(1, 41, dtype=torch.long))


def test_older_files_of_words_are_read(tmp_path: Path) -> None:
    pieces = small_models.word_pieces()
    words = sorted(pieces.get_vocab(), key=pieces.get_vocab().__getitem__)
    (tmp_path / "vocab.txt").write_text("\n".join(words))
    small_models.CONFIGS["bert"]().save_pretrained(tmp_path)
    found = read_tokenizer(tmp_path, transformers, 128)
    assert found is not None
    assert found.encode(TEXT).ids == Reader(small_models.word_pieces(), 128).encode(TEXT).ids
    assert found.mark == "##"


@pytest.mark.parametrize(("family", "made"), [("gpt2", "gpt2"), ("roberta", "roberta")])
def test_older_files_of_bytes_are_read(family: str, made: str, tmp_path: Path) -> None:
    whole: Any = TOKENIZERS[made]()
    whole.model.save(str(tmp_path))
    small_models.CONFIGS[family]().save_pretrained(tmp_path)
    whole.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    if family == "roberta":  # its ends are words of vocab.json
        words = {**whole.get_vocab()}
        (tmp_path / "vocab.json").write_text(json.dumps(words))
    found = read_tokenizer(tmp_path, transformers, 128)
    assert found is not None
    expected = Reader(whole, 128).encode(TEXT)
    assert (found.encode(TEXT).ids, found.encode(TEXT).special) == (expected.ids, expected.special)
    assert found.encode(TEXT).labels == expected.labels
