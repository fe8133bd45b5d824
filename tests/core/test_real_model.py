"""Models of every family: our attention with their weights equals transformers' own."""

import json
from pathlib import Path
from typing import Any

import pytest
import torch
import transformers
from tokenizers import Tokenizer

from attn_core import RealModel, load_model, previous_token_score
from attn_core.learned_positions import packaged_folder
from tests.small_models import CONFIGS, ENCODER, TOKENIZERS, as_transformers, random_model, write


@pytest.mark.parametrize("name", CONFIGS)
def test_every_layer_equals_transformers(name: str, tmp_path: Path) -> None:
    theirs = random_model(CONFIGS[name]())
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
        # A row of padding may have nothing to attend to: ours is then zero, theirs uniform.
        rows = (padded if allowed is not None else torch.ones_like(padded))[:, None, :, None]
        for mine, other in zip(stages, expected, strict=True):
            torch.testing.assert_close(mine.weights * rows, other * rows, atol=1e-5, rtol=0)
    assert stages[0].weights.std() > 0.05  # not the uniform maps that any model would share
    assert ours.is_causal == bool((expected[0].triu(1) == 0).all())


ALSO: dict[str, dict[str, Any]] = {
    "albert": {"embedding_size": 16},
    "electra": {"embedding_size": 32},
    "gemma3_text": {"num_key_value_heads": 2, "head_dim": 8, "sliding_window": 3, "num_hidden_layers": 7},
    "gpt_neox": {},
    "mixtral": {"num_key_value_heads": 2, "num_local_experts": 2},
    "modernbert": {"local_attention": 4},
    "opt": {"ffn_dim": 48, "word_embed_proj_dim": 32},
    "phi3": {"num_key_value_heads": 2},
    "qwen3_moe": {"num_experts": 2, "num_experts_per_tok": 1, "moe_intermediate_size": 16, "head_dim": 8},
}
SPECIAL = {"pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2}


@pytest.mark.parametrize("kind", ALSO)
def test_families_without_special_code_are_read(kind: str, tmp_path: Path) -> None:
    theirs = random_model(transformers.AutoConfig.for_model(kind, **{**ENCODER, **SPECIAL, **ALSO[kind]}))
    theirs.save_pretrained(tmp_path)
    ours = load_model(tmp_path)
    ids = torch.randint(3, 50, (2, 9), generator=torch.Generator().manual_seed(1))
    padded = torch.arange(9) < torch.tensor([[9], [6]])
    with torch.no_grad():
        expected = theirs(ids, attention_mask=padded.long(), output_attentions=True).attentions
    rows = padded[:, None, :, None]
    for mine, other in zip(ours.forward(ids, padded), expected, strict=True):
        torch.testing.assert_close(mine.weights * rows, other * rows, atol=1e-5, rtol=0)
    whole = ours.forward(ids[:1])
    for layer in range(ours.n_layer):
        head = next(ours.reach(ids[0].tolist(), layer).maps([1]))
        torch.testing.assert_close(head[0:9, 0:9], whole[layer].weights[0, 1], atol=1e-5, rtol=0)
        mask = ours.masks(9)[layer]
        hidden = torch.zeros(9, 9, dtype=torch.bool) if mask is None else ~mask
        assert torch.equal(whole[layer].weights[0, 1] == 0, hidden)


@pytest.mark.parametrize("kind", ["bloom", "deberta-v2", "falcon", "gpt_oss", "mamba", "t5", "bart", "vit"])
def test_unreadable_family_is_refused(kind: str, tmp_path: Path, refuses: Any) -> None:
    settings: dict[str, Any] = {**ENCODER, **SPECIAL}
    if kind == "bart":
        layers = {"encoder_layers": 2, "decoder_layers": 2, "encoder_ffn_dim": 48, "decoder_ffn_dim": 48}
        settings = {**layers, "d_model": 32, "encoder_attention_heads": 4, "decoder_attention_heads": 4}
    elif kind == "gpt_oss":
        settings |= {"num_key_value_heads": 2, "head_dim": 8, "num_local_experts": 2}
    elif kind == "t5":
        settings |= {"d_model": 32, "num_heads": 4, "num_layers": 3}
    config = transformers.AutoConfig.for_model(kind, **settings)
    transformers.AutoModel.from_config(config).save_pretrained(tmp_path)
    with refuses("attention interface" if kind == "falcon" else f"{kind} "):
        load_model(tmp_path)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("bert", "AutoModelForMaskedLM"),
        ("roberta", "AutoModelForMaskedLM"),
        ("distilbert", "AutoModelForSequenceClassification"),
        *((name, "AutoModelForCausalLM") for name in ("gpt2", "llama", "qwen3", "gemma 2")),
    ],
)
def test_model_below_a_prefix_is_found(name: str, kind: str, tmp_path: Path) -> None:
    theirs = random_model(CONFIGS[name](), getattr(transformers, kind))
    theirs.save_pretrained(tmp_path)
    ids = torch.tensor([[5, 6, 7]])
    with torch.no_grad():
        expected = theirs(ids, output_attentions=True).attentions[-1]
    torch.testing.assert_close(load_model(tmp_path).forward(ids)[-1].weights, expected, atol=1e-5, rtol=0)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_precision_is_read_as_float32(dtype: torch.dtype, tmp_path: Path) -> None:
    random_model(CONFIGS["llama"]()).to(dtype).save_pretrained(tmp_path)
    theirs = transformers.AutoModel.from_pretrained(
        tmp_path, attn_implementation="eager", dtype=torch.float32
    )
    ids = torch.tensor([[5, 6, 7, 8]])
    with torch.no_grad():
        expected = theirs.eval()(ids, output_attentions=True).attentions[-1]
    found = load_model(tmp_path).forward(ids)[-1].weights
    assert found.dtype == torch.float32
    torch.testing.assert_close(found, expected, atol=1e-5, rtol=0)


def change_config(folder: Path, *dropped: str, **settings: object) -> None:
    path = folder / "config.json"
    config = {**json.loads(path.read_text()), **settings}
    path.write_text(json.dumps({name: value for name, value in config.items() if name not in dropped}))


def test_window_masks_the_maps(tmp_path: Path) -> None:
    random_model(CONFIGS["gemma 2"]()).save_pretrained(tmp_path)
    model = load_model(tmp_path)
    assert model.windows == (3, None, 3)
    assert model.softcap == 5.0
    near, all_before, _ = model.forward(torch.arange(2, 12)[None])
    assert bool((near.weights.tril(-3) == 0).all())
    assert bool((all_before.weights.tril(-3).diagonal(-3, -2, -1) > 0).all())
    assert float(near.scaled_scores[near.scaled_scores > -torch.inf].abs().max()) <= 5.0
    assert near.key.shape[1] == 2  # heads of keys, each for two of the four of queries


@pytest.mark.parametrize("name", TOKENIZERS)
def test_maps_of_a_saved_folder_equal_those_of_transformers(name: str, tmp_path: Path) -> None:
    write(tmp_path, name)
    ours = load_model(tmp_path)
    theirs = transformers.AutoModel.from_pretrained(tmp_path, attn_implementation="eager").eval()
    tokenizer = as_transformers(Tokenizer.from_file(str(tmp_path / "tokenizer.json")))
    text = "The cat sat again, 猫 cafés"
    ids = tokenizer(text, return_tensors="pt")["input_ids"]
    with torch.no_grad():
        expected = theirs(ids, output_attentions=True).attentions
    shown = ours.attend(text)
    for mine, other in zip(shown.maps.values(), expected, strict=True):
        torch.testing.assert_close(torch.from_numpy(mine), other[0], atol=1e-5, rtol=0)
    assert shown.tokens is not None
    assert len(shown.tokens) == ids.shape[1] <= ours.most_tokens


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


def test_previous_word_head_is_found(minilm: RealModel) -> None:
    maps = minilm.attend(SENTENCE).without_special().maps
    scores = torch.stack([previous_token_score(torch.from_numpy(weights)) for weights in maps.values()])
    assert divmod(int(scores.argmax()), 12) == (0, 2)
    assert scores.max() > 0.5


SETTINGS: list[tuple[str, dict[str, Any], str]] = [
    ("bert", {"model_type": "no_such"}, "config.json must be of a model that transformers has.*no_such"),
    ("bert", {"model_type": ["bert"]}, "config.json must be of a model"),
    ("bert", {"model_type": "llama"}, "the weights must hold"),
    ("bert", {"num_attention_heads": 5}, "config.json must be of a model.*5"),
    ("bert", {"hidden_act": "swish9"}, "config.json must be of a model.*swish9"),
    ("bert", {"num_hidden_layers": 4}, r"must hold encoder.layer.3.\S+; it is missing"),
    ("bert", {"num_hidden_layers": 10**9}, "from 1 to 1000 layers"),
    ("bert", {"hidden_size": 64}, r"must have shape \(.*64.*\); got"),
    ("bert", {"vocab_size": 10**9}, "at most 8 GB"),
    ("bert", {"quantization_config": {"bits": 4}}, "quantization_config, which is not supported"),
    ("bert", {"auto_map": {"AutoModel": "evil.Model"}, "model_type": "no_such"}, "config.json must be of"),
    ("llama", {"num_key_value_heads": 1}, r"k_proj.weight must have shape \(8, 32\); got \(16, 32\)"),
    ("llama", {"mlp_bias": True}, r"must hold \S+bias; it is missing"),
]


@pytest.mark.parametrize(("name", "settings", "said"), SETTINGS)
def test_bad_config_is_refused_with_its_requirement(
    name: str, settings: dict[str, object], said: str, tmp_path: Path, refuses: Any
) -> None:
    random_model(CONFIGS[name]()).save_pretrained(tmp_path)
    change_config(tmp_path, **settings)
    with refuses(said):
        load_model(tmp_path)
