"""Models of every family: our attention with their weights equals transformers' own."""

import json
from pathlib import Path
from typing import Any

import pytest
import torch
import transformers
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer
from transformers.activations import ACT2FN

from attn_core import RealModel, load_model, previous_token_score
from attn_core.learned_positions import packaged_folder
from attn_core.models import FAMILIES
from attn_core.models.config import resolve
from tests.small_models import CONFIGS, TOKENIZERS, as_transformers, drawn, gpt2, write


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
        # A row of padding may have nothing to attend to: ours is then zero, theirs uniform.
        rows = (padded if allowed is not None else torch.ones_like(padded))[:, None, :, None]
        for mine, other in zip(stages, expected, strict=True):
            torch.testing.assert_close(mine.weights * rows, other * rows, atol=1e-5, rtol=0)
    assert stages[0].weights.std() > 0.05  # not the uniform maps that any model would share
    assert ours.is_causal == bool((expected[0].triu(1) == 0).all())


def test_every_family_is_compared() -> None:
    compared = {make().model_type for make in CONFIGS.values()}
    alike = {"xlm-roberta", "camembert"}  # RoBERTa under other names
    assert compared == FAMILIES.keys() - alike
    assert all(FAMILIES[name] is FAMILIES["roberta"] for name in alike)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("bert", "AutoModelForMaskedLM"),
        ("roberta", "AutoModelForMaskedLM"),
        ("distilbert", "AutoModelForSequenceClassification"),
        *((name, "AutoModelForCausalLM") for name in ("gpt2", "llama", "qwen3", "gemma 2")),
    ],
)
def test_a_model_with_a_head_on_top_is_found_below_its_prefix(name: str, kind: str, tmp_path: Path) -> None:
    theirs = drawn(CONFIGS[name](), getattr(transformers, kind))
    theirs.save_pretrained(tmp_path)
    ids = torch.tensor([[5, 6, 7]])
    with torch.no_grad():
        expected = theirs(ids, output_attentions=True).attentions[-1]
    torch.testing.assert_close(load_model(tmp_path).forward(ids)[-1].weights, expected, atol=1e-5, rtol=0)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_precision_is_read_as_float32(dtype: torch.dtype, tmp_path: Path) -> None:
    drawn(CONFIGS["llama"]()).to(dtype).save_pretrained(tmp_path)
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


@pytest.mark.parametrize("name", ["llama", "llama, linear", "llama 3"])
def test_rotary_settings_as_they_were_written_before(name: str, tmp_path: Path) -> None:
    drawn(CONFIGS[name]()).save_pretrained(tmp_path)
    ids = torch.arange(2, 32)[None]
    before = load_model(tmp_path).forward(ids)[-1].weights
    told = dict(CONFIGS[name]().rope_parameters)
    base, kind = told.pop("rope_theta"), told.pop("rope_type")
    scaling = None if kind == "default" else {**told, "type" if kind == "linear" else "rope_type": kind}
    change_config(tmp_path, "rope_parameters", rope_theta=base, rope_scaling=scaling)
    torch.testing.assert_close(load_model(tmp_path).forward(ids)[-1].weights, before)


def test_what_an_older_config_leaves_out_is_as_transformers_has_it(tmp_path: Path) -> None:
    ids = torch.arange(2, 12)[None]
    for name, left_out in {
        "llama": ["rope_parameters", "rms_norm_eps", "hidden_act", "head_dim", "attention_bias"],
        "gemma": ["rope_parameters", "hidden_act"],
        "gemma 2, no softcap": ["layer_types", "hidden_activation"],
        "gpt2": ["activation_function", "layer_norm_epsilon", "scale_attn_weights"],
    }.items():
        folder = tmp_path / name
        drawn(CONFIGS[name]()).save_pretrained(folder)
        change_config(folder, *left_out)
        theirs = transformers.AutoModel.from_pretrained(folder, attn_implementation="eager").eval()
        with torch.no_grad():
            expected = theirs(ids, output_attentions=True).attentions[-1]
        found = load_model(folder).forward(ids)[-1].weights
        torch.testing.assert_close(found, expected, atol=1e-5, rtol=0, msg=name)


@pytest.mark.parametrize("kind", FAMILIES)
def test_what_a_config_says_nothing_of_is_as_transformers_has_it(kind: str) -> None:
    family = FAMILIES[kind]
    said = {family.width: 64, family.layers: 3, family.heads: 4}
    if family.key_heads:
        said[family.key_heads] = 2
    found = resolve({"model_type": kind, **said})
    theirs: Any = transformers.AutoConfig.for_model(kind, **said)
    width = getattr(theirs, "head_dim", None) or 64 // 4
    under_root = getattr(theirs, "query_pre_attn_scalar", width)
    types = getattr(theirs, "layer_types", None) or ["full_attention"] * 3
    assert found.d_head == width
    assert found.n_key_head == (2 if family.key_heads else 4)
    assert found.scales == pytest.approx([under_root**-0.5] * 3)
    assert found.softcap == getattr(theirs, "attn_logit_softcapping", None)
    assert found.windows == tuple(
        theirs.sliding_window if each == "sliding_attention" else None for each in types
    )
    if not family.places:  # else the table tells
        assert found.limit == theirs.max_position_embeddings
    assert found.epsilon == getattr(theirs, family.epsilon, 1e-12)  # DistilBERT's has no setting
    x = torch.linspace(-2, 2, 9)
    torch.testing.assert_close(found.activation(x), ACT2FN[getattr(theirs, family.activation)](x))
    if found.frequencies is not None:
        base = theirs.rope_parameters["rope_theta"]
        expected = base ** -(torch.arange(0, width, 2) / width)
        torch.testing.assert_close(found.frequencies.float(), expected)


@pytest.mark.parametrize("kind", ["qwen2", "qwen3"])
@pytest.mark.parametrize("more", [{}, {"use_sliding_window": True}])
def test_windows_that_a_config_says_half_of(kind: str, more: dict[str, Any]) -> None:
    said = {"hidden_size": 64, "num_hidden_layers": 30, "num_attention_heads": 4, "sliding_window": 3, **more}
    theirs: Any = transformers.AutoConfig.for_model(kind, **said)
    expected = tuple(3 if each == "sliding_attention" else None for each in theirs.layer_types)
    assert resolve({"model_type": kind, **said}).windows == expected
    assert (3 in expected) == bool(more)


def test_gemmas_first_configs_said_gelu_and_meant_its_approximation(tmp_path: Path) -> None:
    drawn(CONFIGS["gemma"]()).save_pretrained(tmp_path)
    ids = torch.arange(2, 12)[None]
    before = load_model(tmp_path).forward(ids)[-1].weights
    change_config(tmp_path, hidden_act="gelu")
    torch.testing.assert_close(load_model(tmp_path).forward(ids)[-1].weights, before)


def test_a_window_is_seen_in_the_maps(tmp_path: Path) -> None:
    drawn(CONFIGS["gemma 2"]()).save_pretrained(tmp_path)
    model = load_model(tmp_path)
    assert model.windows == (3, None, 3)
    assert model.softcap == 5.0
    near, all_before, _ = model.forward(torch.arange(2, 12)[None])
    assert bool((near.weights.tril(-3) == 0).all())
    assert bool((all_before.weights.tril(-3).diagonal(-3, -2, -1) > 0).all())
    assert float(near.scaled_scores[near.scaled_scores > -torch.inf].abs().max()) <= 5.0
    assert near.key.shape[1] == 2  # heads of keys, each for two of the four of queries


@pytest.mark.parametrize("name", TOKENIZERS)
def test_a_saved_folder_works_from_text_to_maps(name: str, tmp_path: Path) -> None:
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


def test_the_head_that_looks_at_the_previous_word_is_found(minilm: RealModel) -> None:
    maps = minilm.attend(SENTENCE).without_special().maps
    scores = torch.stack([previous_token_score(torch.from_numpy(weights)) for weights in maps.values()])
    assert divmod(int(scores.argmax()), 12) == (0, 2)
    assert scores.max() > 0.5


SETTINGS: list[tuple[str, dict[str, Any], str]] = [
    ("bert", {"model_type": "t5"}, r"model_type that is supported \(bert, .*gemma2\); got 't5'"),
    ("bert", {"model_type": "gemma3_text"}, "got 'gemma3_text'"),
    ("bert", {"model_type": ["bert"]}, r"got \['bert'\]"),
    ("bert", {"model_type": "llama"}, "must hold layers.0.self_attn.o_proj.weight; got embeddings"),
    ("bert", {"hidden_size": "32"}, "hidden_size must be a whole number"),
    ("bert", {"num_attention_heads": 5}, "must divide hidden_size; got 5 heads and width 32"),
    ("bert", {"num_attention_heads": None}, "num_attention_heads must be a whole number >= 1; got None"),
    ("bert", {"hidden_act": "swish9"}, "activation must be one of .* got 'swish9'"),
    ("bert", {"position_embedding_type": "relative_key"}, "got 'relative_key'"),
    (
        "bert",
        {"num_hidden_layers": 4},
        r"encoder.layer.3.attention.self.query.weight of shape \(32, 32\); it is",
    ),
    ("bert", {"hidden_size": 64}, r"word_embeddings.weight must have shape \(n, 64\); got \(340, 32\)"),
    ("bert", {"layer_norm_eps": "small"}, "layer_norm_eps must be a finite number; got 'small'"),
    ("bert", {"quantization_config": {"bits": 4}}, "quantization_config, which is not supported"),
    (
        "llama",
        {"num_key_value_heads": 3},
        "num_kv_heads must divide num_heads; got num_heads = 4 and num_kv_heads = 3",
    ),
    ("llama", {"num_key_value_heads": 1}, r"k_proj.weight must have shape \(8, 32\); got \(16, 32\)"),
    ("llama", {"rope_parameters": {"rope_type": "yarn", "factor": 2.0}}, "'yarn', which is not supported"),
    ("llama", {"rope_parameters": None, "rope_scaling": {"type": "dynamic"}}, "'dynamic', which is not"),
    ("llama", {"rope_parameters": {"rope_type": ["linear"]}}, r"got rope_type \['linear'\]"),
    (
        "llama",
        {"rope_parameters": {"rope_type": "linear", "factor": 0}},
        "factor must be a finite number > 0",
    ),
    ("llama", {"rope_parameters": "linear"}, "must be an object; got 'linear'"),
    ("llama", {"partial_rotary_factor": 0.5}, "partial_rotary_factor must be 1 .*; got 0.5"),
    ("llama", {"head_dim": 7}, "head_dim 7, which is odd"),
    ("llama 3", {"rope_parameters": {"rope_type": "llama3", "factor": 8.0}}, "low_freq_factor must be a fin"),
    ("llama", {"mlp_bias": True}, r"mlp.up_proj.bias of shape \(48\); it is missing"),
    ("mistral", {"sliding_window": "4"}, "sliding_window must be a whole number"),
    ("qwen3", {"layer_types": ["full_attention"]}, "layer_types must name .* for each of 3 layers"),
    ("qwen3", {"layer_types": ["linear_attention"] * 3}, r"got \['linear_attention', "),
    ("qwen3", {"layer_types": ["sliding_attention"] * 3}, "need a sliding_window"),
    ("gemma", {"use_bidirectional_attention": True}, "use_bidirectional_attention must be false"),
    ("gemma 2", {"query_pre_attn_scalar": -1}, "query_pre_attn_scalar must be a finite number > 0"),
    ("gemma 2", {"attn_logit_softcapping": "no"}, "attn_logit_softcapping must be a finite number > 0"),
]


@pytest.mark.parametrize(("name", "settings", "said"), SETTINGS)
def test_settings_that_do_not_fit_or_are_not_supported(
    name: str, settings: dict[str, object], said: str, tmp_path: Path, refuses: Any
) -> None:
    drawn(CONFIGS[name]()).save_pretrained(tmp_path)
    change_config(tmp_path, **settings)
    with refuses(said):
        load_model(tmp_path)


def test_a_table_that_is_stored_once_is_found_under_its_other_name(tmp_path: Path) -> None:
    theirs = drawn(gpt2(), transformers.AutoModelForCausalLM)
    theirs.save_pretrained(tmp_path)
    path = tmp_path / "model.safetensors"
    tensors = load_file(path)
    tensors["lm_head.weight"] = tensors.pop("transformer.wte.weight")
    save_file(tensors, path)
    ids = torch.tensor([[5, 6, 7]])
    with torch.no_grad():
        expected = theirs(ids, output_attentions=True).attentions[-1]
    torch.testing.assert_close(load_model(tmp_path).forward(ids)[-1].weights, expected, atol=1e-5, rtol=0)
