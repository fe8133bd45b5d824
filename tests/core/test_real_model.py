"""Models of the BERT and GPT-2 family: our attention with their weights equals transformers' own."""

import json
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest
import torch
import transformers
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer, models, pre_tokenizers, processors
from torch import nn

from attn_core import load_model
from attn_core.learned_positions import packaged_folder
from attn_core.measures import previous_token_score
from attn_core.real_model import RealModel

Refuses = Callable[[str], AbstractContextManager[None]]
SMALL: dict[str, Any] = {
    "hidden_size": 32,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "intermediate_size": 48,
    "vocab_size": 50,
    "max_position_embeddings": 20,
}
CONFIGS: dict[str, Callable[[], transformers.PretrainedConfig]] = {
    "bert": lambda: transformers.BertConfig(**SMALL),
    "bert, relu, as a decoder": lambda: transformers.BertConfig(**SMALL, hidden_act="relu", is_decoder=True),
    "roberta": lambda: transformers.RobertaConfig(**SMALL, pad_token_id=1),
    "distilbert": lambda: transformers.DistilBertConfig(
        dim=32, n_layers=3, n_heads=4, hidden_dim=48, vocab_size=50
    ),
    "gpt2": lambda: gpt2(n_inner=40),
    "gpt2, other scales": lambda: gpt2(scale_attn_weights=False, scale_attn_by_inverse_layer_idx=True),
}


def gpt2(**settings: Any) -> transformers.GPT2Config:
    return transformers.GPT2Config(n_embd=32, n_layer=3, n_head=4, vocab_size=50, n_positions=20, **settings)


def drawn(config: transformers.PretrainedConfig, kind: Any = transformers.AutoModel) -> Any:
    """A model with random weights of a size that makes its maps far from uniform."""
    with torch.random.fork_rng():
        torch.manual_seed(3)
        model = kind.from_config(config, attn_implementation="eager")
        for parameter in model.parameters():
            nn.init.normal_(parameter, std=0.3)
    return model.eval()


@pytest.mark.parametrize("name", CONFIGS)
def test_every_layer_equals_transformers(name: str, tmp_path: Path) -> None:
    theirs = drawn(CONFIGS[name]())
    theirs.save_pretrained(tmp_path)
    ours = load_model(tmp_path)
    ids = torch.randint(2, 50, (2, 9), generator=torch.Generator().manual_seed(1))
    padded = torch.arange(9) < torch.tensor([[9], [6]])
    for allowed in (None, padded):
        mask = {} if allowed is None else {"attention_mask": allowed.long()}
        with torch.no_grad():
            expected = theirs(ids, output_attentions=True, **mask).attentions
        stages = ours.forward(ids, allowed)
        assert len(stages) == len(expected) == 3
        for mine, other in zip(stages, expected, strict=True):
            torch.testing.assert_close(mine.weights, other, atol=1e-5, rtol=0)
    assert stages[0].weights.std() > 0.05  # not the uniform maps that any model would share


@pytest.mark.parametrize("kind", ["AutoModelForMaskedLM", "AutoModelForCausalLM"])
def test_a_model_with_a_head_on_top_is_found_below_its_prefix(kind: str, tmp_path: Path) -> None:
    config = transformers.BertConfig(**SMALL) if kind == "AutoModelForMaskedLM" else gpt2()
    theirs = drawn(config, getattr(transformers, kind))
    theirs.save_pretrained(tmp_path)
    ids = torch.tensor([[5, 6, 7]])
    with torch.no_grad():
        expected = theirs(ids, output_attentions=True).attentions[-1]
    torch.testing.assert_close(load_model(tmp_path).forward(ids)[-1].weights, expected, atol=1e-5, rtol=0)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A small BERT with a tokenizer of eleven words."""
    drawn(transformers.BertConfig(**SMALL)).save_pretrained(tmp_path)
    words = ["[CLS]", "[SEP]", "[UNK]", "the", "cat", "sat", "##s", "on", "mat"]
    tokenizer = Tokenizer(models.WordPiece({word: i for i, word in enumerate(words)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 0), ("[SEP]", 1)]
    )
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    return tmp_path


def test_a_sentence_comes_with_its_pieces(folder: Path) -> None:
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


def test_a_long_text_is_cut_and_that_is_said(folder: Path) -> None:
    shown = load_model(folder).attend("cat " * 2000)
    assert shown.tokens is not None
    assert len(shown.tokens) == 20
    assert shown.tokens[-1] == "[SEP]"
    assert shown.notes == ("The text has 2002 tokens; the model sees the first 20.",)


def test_a_text_without_a_token_is_refused(folder: Path, refuses: Refuses) -> None:
    with refuses("at least one token; got '  '"):
        load_model(folder).attend("  ")


def test_what_the_folder_lacks_is_said(folder: Path, refuses: Refuses) -> None:
    (folder / "tokenizer.json").unlink()
    model = load_model(folder)
    with refuses("must hold tokenizer.json"):
        model.attend("the cat")
    (folder / "config.json").unlink()
    with refuses("must hold config.json"):
        load_model(folder)


def test_ids_out_of_range_are_refused(folder: Path, refuses: Refuses) -> None:
    model = load_model(folder)
    with refuses("from 0 to 49; got 3 to 50"):
        model.forward(torch.tensor([[3, 50]]))
    with refuses(r"n from 1 to 20; got \(1, 21\)"):
        model.forward(torch.zeros(1, 21, dtype=torch.long))


def change_config(folder: Path, **settings: object) -> None:
    path = folder / "config.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **settings}))


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"model_type": "llama"}, "BERT or GPT-2 family .* got 'llama'"),
        ({"model_type": ["bert"]}, r"got \['bert'\]"),
        ({"hidden_size": "32"}, "hidden_size must be a whole number"),
        ({"num_attention_heads": 5}, "must divide hidden_size; got 5 heads and width 32"),
        ({"num_attention_heads": None}, "num_attention_heads must be a whole number >= 1; got None"),
        ({"hidden_act": "swish9"}, "activation must be one of .* got 'swish9'"),
        ({"position_embedding_type": "relative_key"}, "got 'relative_key'"),
        ({"num_hidden_layers": 4}, r"encoder.layer.3.attention.self.query.weight of shape \(32, 32\); it is"),
        ({"hidden_size": 64}, r"word_embeddings.weight must have shape \(n, 64\); got \(50, 32\)"),
    ],
)
def test_settings_that_do_not_fit(
    settings: dict[str, object], said: str, folder: Path, refuses: Refuses
) -> None:
    change_config(folder, **settings)
    with refuses(said):
        load_model(folder)


def test_weights_that_are_no_safetensors(folder: Path, refuses: Refuses, tmp_path: Path) -> None:
    path = folder / "model.safetensors"
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with refuses("whole safetensors file"):
        load_model(folder)
    save_file({"other": torch.ones(2)}, path)
    with refuses("must hold embeddings.word_embeddings.weight; got other"):
        load_model(folder)
    path.unlink()
    with refuses("must hold model.safetensors"):
        load_model(folder)
    (folder / "pytorch_model.bin").write_bytes(b"cos\nsystem\n(S'exit 1'\ntR.")
    with refuses("pickled weights, which are refused"):
        load_model(folder)
    (folder / "config.json").write_text("[1]")
    with refuses("must hold an object; got list"):
        load_model(folder)
    (folder / "config.json").write_text("{")
    with refuses("must be JSON"):
        load_model(folder)


def test_weights_in_several_files_and_with_early_names(folder: Path) -> None:
    before = load_model(folder).attend("the cat").maps["layer 2"]
    tensors = load_file(folder / "model.safetensors")
    early = {
        name.replace("LayerNorm.weight", "LayerNorm.gamma").replace("LayerNorm.bias", "LayerNorm.beta"): each
        for name, each in tensors.items()
    }
    names = sorted(early)
    (folder / "model.safetensors").unlink()
    for part, some in enumerate((names[:9], names[9:])):
        save_file({f"bert.{name}": early[name] for name in some}, folder / f"model-{part}.safetensors")
    told: list[float] = []
    after = load_model(folder, progress=told.append).attend("the cat").maps["layer 2"]
    torch.testing.assert_close(torch.from_numpy(after), torch.from_numpy(before))
    assert told[-1] == 1.0


def test_a_name_that_cannot_be_fetched(monkeypatch: pytest.MonkeyPatch, refuses: Refuses) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    with refuses("'nobody/nothing-of-this-name' is no folder and could not be fetched"):
        load_model("nobody/nothing-of-this-name")
    with refuses("'/no/such/folder' is no folder and could not be fetched"):
        load_model("/no/such/folder")


def test_the_package_is_asked_for(monkeypatch: pytest.MonkeyPatch, refuses: Refuses) -> None:
    monkeypatch.setattr("attn_core.real_model.packaged_folder", lambda: None)
    with refuses("pip install -r requirements-models.txt"):
        load_model()


@pytest.fixture(scope="module")
def minilm() -> RealModel:
    if packaged_folder() is None:
        pytest.skip("the optional package of all-MiniLM-L6-v2 is not installed")
    return load_model()


SENTENCE = "The quick brown fox jumps over the lazy dog near the old mill."


def test_minilm_equals_transformers(minilm: RealModel) -> None:
    folder = str(packaged_folder())
    theirs = transformers.AutoModel.from_pretrained(folder, attn_implementation="eager").eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    texts = [SENTENCE, "Unbelievably short."]
    batch = tokenizer(texts, padding=True, return_tensors="pt")
    with torch.no_grad():
        expected = theirs(**batch, output_attentions=True).attentions
    stages = minilm.forward(batch["input_ids"], batch["attention_mask"].bool())
    for mine, other in zip(stages, expected, strict=True):
        torch.testing.assert_close(mine.weights, other, atol=1e-5, rtol=0)
    shown = minilm.attend(SENTENCE)
    assert shown.tokens == tuple(tokenizer.convert_ids_to_tokens(tokenizer(SENTENCE)["input_ids"]))
    torch.testing.assert_close(
        torch.from_numpy(shown.maps["layer 5"]), expected[5][0, :, :16, :16], atol=1e-5, rtol=0
    )


def test_the_head_that_looks_at_the_previous_word_is_found(minilm: RealModel) -> None:
    maps = minilm.attend(SENTENCE).without_special().maps
    scores = torch.stack([previous_token_score(torch.from_numpy(weights)) for weights in maps.values()])
    assert divmod(int(scores.argmax()), 12) == (0, 2)
    assert scores.max() > 0.5
