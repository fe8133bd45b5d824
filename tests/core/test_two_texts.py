"""Two texts in one model against loops, the tokenizer's own words, and transformers."""

from pathlib import Path
from typing import Any

import pytest
import torch
import transformers

from attn_core import load_model
from attn_core.learned_positions import packaged_folder
from attn_core.two_texts import (
    align_tokens,
    compare_texts,
    join_pieces,
    join_text,
    row_changes,
    to_axis,
    word_spans,
)
from tests import small_models

TIRED = "The animal did not cross the street because it was too tired"
WIDE = "The animal did not cross the street because it was too wide"


def random_maps(*shape: int, seed: int = 0) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(*shape, generator=generator, dtype=torch.float64).softmax(-1)


@pytest.mark.parametrize(
    ("first", "second"),
    [("a b c d", "a x y d"), ("a b", "a b"), ("a b a b", "b a"), ("a", "b"), ("a a", "a b a c a")],
)
def test_alignment_keeps_the_order_of_both_lists(first: str, second: str) -> None:
    lists = first.split(), second.split()
    alignment = align_tokens(*lists)
    for tokens, places in zip(lists, (alignment.first, alignment.second), strict=True):
        assert [alignment.tokens[at] for at in places] == tokens
        assert list(places) == sorted({*places})
    assert {*alignment.first, *alignment.second} == {*range(len(alignment.tokens))}
    assert len(alignment.tokens) == len(lists[0]) + len(lists[1]) - len(alignment.shared)


def test_row_changes_sum_over_the_keys_of_both() -> None:
    alignment = align_tokens([*"abxd"], [*"aybd"])
    weights = random_maps(2, 4, 4), random_maps(2, 4, 4, seed=1)
    n = len(alignment.tokens)
    maps = [
        to_axis(each, at, n) for each, at in zip(weights, (alignment.first, alignment.second), strict=True)
    ]
    changes = row_changes(maps[0], maps[1], alignment.shared)
    for head in range(2):
        for at, query in enumerate(alignment.shared):
            total = 0.0
            for key in range(n):
                one, other = (
                    float(each[head, places.index(query), places.index(key)]) if key in places else 0.0
                    for each, places in zip(weights, (alignment.first, alignment.second), strict=True)
                )
                total += abs(one - other) / 2
            assert float(changes[head, at]) == pytest.approx(total, abs=1e-12)


def test_joined_pieces_are_key_sums_and_query_means() -> None:
    weights, spans = random_maps(3, 5, 5), [range(2), range(2, 3), range(3, 5)]
    joined = join_pieces(weights, spans)
    for head in range(3):
        for row, queries in enumerate(spans):
            for column, keys in enumerate(spans):
                total = sum(float(weights[head, i, j]) for i in queries for j in keys)
                assert float(joined[head, row, column]) == pytest.approx(total / len(queries), abs=1e-12)
    torch.testing.assert_close(joined.sum(dim=-1), torch.ones(3, 3, dtype=torch.float64))


@pytest.mark.parametrize("name", ["bert", "roberta", "gpt2", "llama", "llama 3"])
def test_joined_words_read_as_typed_with_any_tokenizer(name: str, tmp_path: Path) -> None:
    model = load_model(small_models.write(tmp_path / "small", name))
    text = "the cats sat again. café sat"
    encoding = model.read(text, 40)
    words = [
        join_text(encoding.labels[span.start : span.stop], model.mark)
        for span in word_spans(encoding.labels, model.mark, encoding.special)
        if span.start not in encoding.special
    ]
    typed = ["the", "cats", "sat", "again", ".", "café", "sat"]
    assert words == ([each.replace("é", "e") for each in typed] if name == "bert" else typed)
    assert len(encoding.ids) - len(encoding.special) > len(words)


def test_joined_bytes_without_a_character_stay_bytes() -> None:
    assert join_text(["·", "<0xE9>", "<0xBE>", "<0x8D>"], "·") == "龍"
    assert join_text(["·", "<0xE9>", "<0xBE>"], "·") == "<0xE9><0xBE>"


@pytest.mark.parametrize("name", ["gpt2", "mistral", "bert"])
def test_two_texts_maps_equal_transformers(name: str, tmp_path: Path) -> None:
    folder = small_models.write(tmp_path / "small", name)
    model = load_model(folder)
    network: Any = transformers.AutoModel.from_pretrained(folder, attn_implementation="eager")
    texts = "the cat sat on", "the dog sat on the mat"
    pair = compare_texts(model, *texts, pieces=True)
    maps = [
        network(torch.tensor([model.read(each, 40).ids]), output_attentions=True).attentions for each in texts
    ]
    n_head = model.n_head
    for head in range(model.n_layer * n_head):
        for side, places in enumerate((pair.alignment.first, pair.alignment.second)):
            theirs = maps[side][head // n_head][0, head % n_head].detach().double()
            ours, visible = pair.weights[side, head].double(), pair.visible[side, head]
            torch.testing.assert_close(ours[list(places)][:, list(places)], theirs, atol=1e-5, rtol=0)
            assert not ours[~visible].any()
            torch.testing.assert_close(visible[list(places)][:, list(places)], theirs > 0)


def test_it_moves_from_the_animal_and_the_trophy_stays() -> None:
    """Against transformers on the packaged model: layer 4, head 2."""
    folder = packaged_folder()
    assert folder is not None
    network: Any = transformers.AutoModel.from_pretrained(folder, attn_implementation="eager")
    tokenizer: Any = transformers.AutoTokenizer.from_pretrained(folder)
    trophy = "The trophy does not fit in the suitcase because it is too"
    expected = {
        (TIRED, WIDE): {"animal": (0.65, 0.30), "street": (0.06, 0.16)},
        (f"{trophy} big", f"{trophy} small"): {"trophy": (0.63, 0.67)},
    }
    for texts, keys in expected.items():
        pair = compare_texts(load_model(), *texts)
        it = pair.alignment.tokens.index("it")
        for key, numbers in keys.items():
            for side, number in enumerate(numbers):
                inputs = tokenizer(texts[side], return_tensors="pt")
                tokens = tokenizer.convert_ids_to_tokens(inputs.input_ids[0])
                attention = network(**inputs, output_attentions=True).attentions[3][0, 1].detach()
                theirs = float(attention[tokens.index("it"), tokens.index(key)])
                ours = float(pair.weights[side, 3 * 12 + 1][it, pair.alignment.tokens.index(key)])
                assert ours == pytest.approx(theirs, abs=1e-5)
                assert round(ours, 2) == number


def test_two_texts_without_a_common_token_are_refused(tmp_path: Path) -> None:
    model = load_model(small_models.write(tmp_path / "small", "gpt2"))
    with pytest.raises(ValueError, match="in common"):
        compare_texts(model, "the", "cat")
