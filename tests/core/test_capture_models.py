"""Every attention of many architectures is captured, or said to be missed; none computes another bit."""

import re
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from attn_core import AttentionMaps, capture
from attn_core.capturing.watching import MIXER
from tests.core import captured_models as models
from tests.core.captured_models import tf

pytestmark = pytest.mark.filterwarnings("ignore:.*deprecated:FutureWarning")


@pytest.fixture(autouse=True)
def seed() -> Any:
    with torch.random.fork_rng():
        torch.manual_seed(5)
        yield


def captured(model: torch.nn.Module, inputs: dict[str, Any], **asked: Any) -> AttentionMaps:
    """Capture, and hold that the model computed bit for bit what it computes without, random state too."""
    outputs: list[list[torch.Tensor]] = []
    hook = model.register_forward_hook(lambda _, __, output: outputs.append(models.numbers(output)))
    with torch.no_grad():
        model(**inputs)
    before = torch.get_rng_state()
    maps = capture(model, **inputs, **asked)
    assert torch.equal(torch.get_rng_state(), before)
    hook.remove()
    without, within = outputs
    assert without
    for ours, theirs in zip(within, without, strict=True):
        torch.testing.assert_close(ours, theirs, rtol=0, atol=0, equal_nan=True)
    return maps


@pytest.mark.parametrize("name", models.MODELS)
def test_architecture_is_captured_completely(name: str) -> None:
    """Against the attentions that transformers gives, by sdpa where the model has it, and eagerly."""
    reference, inputs = models.build(name, "eager")
    with torch.no_grad():
        theirs = list(models.attentions_in(reference(**inputs, output_attentions=True)))
    assert theirs
    for attention in ("sdpa", "eager"):
        if attention == "sdpa" and not reference._supports_sdpa:
            continue
        model, _ = models.build(name, attention)
        model.load_state_dict(reference.state_dict())
        ours = captured(model, inputs, sequence=1, heads_first=False)
        assert ours.manifest is not None
        assert ours.manifest.is_complete, str(ours.manifest)
        assert len(ours.maps) == len(theirs)
        found = list(ours.maps.values())
        for weights in theirs:  # in another order where there are two towers
            best = [
                place
                for place, each in enumerate(found)
                if each.shape == weights.shape[1:] and np.abs(each - weights[1].numpy()).max() < 2e-6
            ]
            assert best, f"{tuple(weights.shape)} is not among the captured"
            del found[best[0]]


def test_linear_layers_are_missed_by_name() -> None:
    model = tf.Qwen3NextForCausalLM(models.hybrid()).eval()
    with pytest.warns(UserWarning, match="1 of 4 attentions kept"):
        maps = captured(model, {"input_ids": models.words()})
    assert list(maps.maps) == ["model.layers.3.self_attn"]
    assert maps.manifest is not None
    assert [each.module for each in maps.manifest.without_maps] == [
        f"model.layers.{layer}.linear_attn" for layer in range(3)
    ]
    assert "mixes places without weights" in str(maps.manifest)
    assert "1 of 4" in maps.notes[0]


@pytest.mark.parametrize("make", [tf.SwinModel, tf.Swinv2Model])
def test_windows_belong_to_the_sequence(make: Any) -> None:
    config = make.config_class(
        image_size=16, patch_size=2, embed_dim=16, depths=[2, 1], num_heads=[2, 4], window_size=2
    )
    model, images = make(config).eval(), models.image(2, 16)
    maps = captured(model, {"pixel_values": images}, sequence=1)
    assert len(maps.maps) == 16 + 16 + 4  # windows of 8 x 8 places, twice, and of 4 x 4
    assert maps.manifest is not None
    assert maps.manifest.entries[0].shape == (32, 2, 4, 4)
    assert re.search(r", part 16 of 16$", list(maps.maps)[15])
    alone = capture(model, pixel_values=images[1:])
    assert list(alone.maps) == list(maps.maps)
    for name, weights in maps.maps.items():
        np.testing.assert_allclose(weights, alone.maps[name], atol=1e-5)


def test_waveforms_are_a_batch_in_any_axes() -> None:
    """Of two axes, floats by the name of waveforms; its heads stand in one axis with it."""
    model = tf.SEWDModel(models.speech()).eval()
    given = torch.randn(3, 160)
    with torch.no_grad():
        theirs = model(given, output_attentions=True).attentions
    for sequence in range(3):
        by_name = captured(model, {"input_values": given}, sequence=sequence, heads_first=False).maps
        by_place = capture(model, given, sequence=sequence, heads_first=False).maps
        for name, weights in zip(by_name, theirs, strict=True):
            expected = weights.reshape(3, 4, *weights.shape[-2:])[sequence].numpy()
            np.testing.assert_array_equal(by_name[name], expected)
            np.testing.assert_array_equal(by_place[name], expected)


@pytest.mark.parametrize("attention", ["eager", "sdpa"])
def test_windows_in_one_axis_with_batch_and_heads_are_parts(attention: str) -> None:
    model = tf.SamVisionModel._from_config(models.sam(), attn_implementation=attention).eval()
    images = models.image(2, 32)
    maps = captured(model, {"pixel_values": images}, sequence=1, heads_first=False).maps
    assert [each.shape for each in maps.values()] == [(4, 16, 16)] * 4 + [(4, 64, 64)]
    alone = capture(model, pixel_values=images[1:]).maps
    for name, weights in maps.items():
        np.testing.assert_allclose(weights, alone[name], atol=1e-5)


def test_windows_behind_the_heads_are_parts() -> None:
    """Where there are as many windows as heads, nothing tells which is which: they are missed."""
    model = tf.HieraModel(models.mask_units()).eval()
    images = models.image(2, 32)
    with torch.no_grad():
        theirs = model(images, output_attentions=True).attentions[0]  # (batch, head, window, query, key)
    assert theirs.shape == (2, 2, 4, 16, 16)
    with pytest.warns(UserWarning, match=r"axes \(2, 4, 4\) before \(query, key\), which may be read in two"):
        maps = captured(model, {"pixel_values": images}, sequence=1, heads_first=False).maps
    for window, weights in enumerate(maps.values()):
        np.testing.assert_allclose(weights, theirs[1, :, window].numpy(), atol=1e-6)
    assert len(maps) == 4


def test_towers_are_all_taken() -> None:
    for make, config, inputs, count in (
        (tf.SiglipModel, models.towers(tf.SiglipConfig), models.text_and_image(), 5),  # its pooling too
        (tf.LlavaForConditionalGeneration, models.llava(), models.text_with_an_image(), 4),
    ):
        model = make(config).eval()
        maps = captured(model, inputs, sequence=1)
        assert maps.manifest is not None
        assert maps.manifest.is_complete
        assert len(maps.maps) == count
        assert 0 < len([name for name in maps.maps if "vision" in name]) < count
        alone = capture(model, **{name: each[1:] for name, each in inputs.items()})
        for name, weights in alone.maps.items():
            np.testing.assert_allclose(weights, maps.maps[name], atol=1e-5)


def test_state_space_layers_are_missed() -> None:
    model = tf.GraniteMoeHybridModel(models.hybrid_of_mamba()).eval()
    with pytest.warns(UserWarning, match="1 of 3 attentions kept; missed: layers.0.mamba"):
        maps = captured(model, {"input_ids": models.words()})
    assert list(maps.maps) == ["layers.2.self_attn"]


def test_mixers_are_known_by_class_name() -> None:
    """Every class that mixes places with no weights; no part of one, and no whole model of such."""
    sources = Path(tf.__file__).parent.glob("models/*/modeling_*.py")
    names = {
        name for path in sources for name in re.findall(r"^class (\w+)\(", path.read_text("utf-8"), re.M)
    }
    mixes = re.compile(r"Mamba\d?Layer|Mixer|DeltaNet|ShortConv|BasicFourierTransform|RecurrentBlock")
    parts = re.compile(r"PreTrained|Config|Output|Model|For[A-Z]|Norm|Layer$|MLP|Feature|PatchTSMixer")
    expected = {name for name in names if mixes.search(name) and not parts.search(name)}
    expected |= {"GraniteMoeHybridMambaLayer"}
    assert len(expected) > 20
    assert {name for name in expected if not MIXER.search(name)} == set()
    others = {name for name in names if re.search(r"PreTrainedModel|Config|RMSNorm|MLP|FeatureMixer", name)}
    assert {name for name in others if MIXER.search(name)} == set()


def test_weights_of_selected_queries_are_missed() -> None:
    """Of 40 places, Informer computes the 8 queries that tell most, and numbers them anew."""
    model = tf.InformerModel(models.informer()).eval()
    with pytest.warns(UserWarning, match="1 of 3 attentions kept; missed: encoder.layers.0.self_attn"):
        maps = capture(model, **models.series(), sequence=1)  # it draws keys at random
    assert {each.shape for each in maps.maps.values()} == {(2, 4, 40)}
    assert "for a part of its places or sequences" in str(maps.manifest)


@pytest.mark.parametrize(
    ("model", "length"),
    [
        (lambda: tf.LongformerModel(tf.LongformerConfig(**models.TEXT, attention_window=4)), 8),
        (lambda: tf.BigBirdModel(tf.BigBirdConfig(**models.TEXT, block_size=2, num_random_blocks=1)), 32),
        (lambda: tf.MambaModel(tf.MambaConfig(hidden_size=32, num_hidden_layers=2, vocab_size=40)), 7),
        (lambda: tf.FNetModel(tf.FNetConfig(hidden_size=32, num_hidden_layers=2, vocab_size=40)), 7),
        (lambda: tf.NystromformerModel(models.nystrom()), 8),
    ],
    ids=["local band", "blocks", "state space", "Fourier", "factors"],
)
def test_models_without_maps_are_refused(model: Any, length: int, refuses: Any) -> None:
    with refuses("none that can be seen: .*layers?.0.* (no plain product|in pieces|mixes places|a factor)"):
        capture(model().eval(), input_ids=models.words(1, length))


def test_sink_is_in_beyond() -> None:
    model, inputs = models.build("gpt-oss", "eager")
    maps = capture(model, **inputs)
    for name, weights in maps.maps.items():
        assert weights.sum(axis=-1).max() < 1
        np.testing.assert_allclose(weights.sum(axis=-1) + maps.beyond[name], 1, atol=1e-6)


@pytest.mark.parametrize(
    ("model", "config"),
    [
        (tf.GPT2LMHeadModel, models.MODELS["GPT-2"]),
        (
            tf.LlamaForCausalLM,
            models.MODELS["Llama"],
        ),  # one query's heads that share a key are its queries
        (tf.GptOssForCausalLM, models.MODELS["gpt-oss"]),
        (tf.Gemma2ForCausalLM, models.MODELS["Gemma 2"]),  # a window's cache holds the latest keys
        (tf.BartForConditionalGeneration, models.MODELS["BART"]),
    ],
    ids=["GPT-2", "Llama", "gpt-oss", "Gemma 2", "BART"],
)
def test_generated_steps_are_the_rows_of_the_whole_sequence(model: Any, config: Any) -> None:
    torch.manual_seed(5)
    attention = "sdpa" if model._supports_sdpa else "eager"
    writer = model._from_config(config[0](), attn_implementation=attention).eval()
    ids, mask = models.words(2, 5), torch.ones(2, 5).long()
    mask[1, :2] = 0  # padded on the left
    how: dict[str, Any] = {
        "attention_mask": mask,
        "max_new_tokens": 6,
        "eos_token_id": None,
        "pad_token_id": 0,
    }
    text = writer.generate(ids, **how, do_sample=False)[:, :-1]
    is_pair = writer.config.is_encoder_decoder
    whole_mask = torch.cat([mask, torch.ones(2, text.shape[1] - 5).long()], dim=1)
    inputs: dict[str, Any] = (
        {"input_ids": ids, "attention_mask": mask, "decoder_input_ids": text}
        if is_pair
        else {"input_ids": text, "attention_mask": whole_mask}
    )
    if not is_pair:
        inputs["position_ids"] = (whole_mask.cumsum(dim=1) - 1).clamp(min=0)
    theirs = capture(writer, **inputs, sequence=1)
    ours = capture(writer, ids, **how, do_sample=False, method="generate", sequence=1)
    assert ours.manifest is not None
    assert ours.manifest.is_complete
    assert list(ours.maps) == list(theirs.maps)
    for name, weights in theirs.maps.items():
        hidden = 2 if name.startswith(("model.layers", "transformer")) else 0
        np.testing.assert_allclose(ours.maps[name][:, hidden:], weights[:, hidden:], rtol=0, atol=1e-5)
    for name, outside in theirs.beyond.items():
        np.testing.assert_allclose(ours.beyond[name][:, 2:], outside[:, 2:], rtol=0, atol=1e-5)


def test_generation_of_a_window_is_joined_and_of_beams_refused(refuses: Any) -> None:
    torch.manual_seed(5)
    how: dict[str, Any] = {"max_new_tokens": 4, "eos_token_id": None, "pad_token_id": 0, "method": "generate"}
    windows = tf.Gemma2ForCausalLM._from_config(models.MODELS["Gemma 2"][0](), attn_implementation="eager")
    maps = capture(windows, models.words(1, 4), **how, tokens=[*"abcdefg"]).maps.values()
    assert {each.shape for each in maps} == {(4, 7, 7)}  # a prompt as long as the window too
    with refuses("num_beams must be 1"):
        capture(windows, models.words(1, 4), **how, num_beams=2)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_precision_is_told(dtype: torch.dtype) -> None:
    for attention, precision in (("eager", str(dtype)), ("sdpa", "torch.float32")):
        model, inputs = models.build("Llama", attention)
        maps = capture(model.to(dtype), **inputs)
        assert f"torch.{maps.precision}" == precision  # recomputed, or as the model rounded them


@pytest.mark.parametrize("attention", ["flex_attention", "flash_attention_2", "paged|sdpa"])
def test_attention_in_one_kernel_is_refused(attention: str, refuses: Any) -> None:
    model, inputs = models.build("Llama", "sdpa")
    model.config._attn_implementation = attention
    with refuses(
        rf"got {re.escape(attention)} in LlamaForCausalLM: call model.set_attn_implementation\('sdpa'\) first"
    ):
        capture(model, **inputs)


def test_wrapper_calls_are_captured() -> None:
    """The base model within, without a dictionary of outputs: what the wrapper asked for is what it gets."""
    model, inputs = models.build("GPT-2", "sdpa")
    kinds: list[type] = []

    class Wrapper(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.lm = model

        def forward(self, input_ids: torch.Tensor) -> torch.Tensor:
            given = self.lm.transformer(input_ids, return_dict=False)
            kinds.append(type(given))
            hidden: torch.Tensor = given[0]
            return hidden

    expected = capture(model, **inputs)
    maps = capture(Wrapper(), **inputs)
    assert kinds == [tuple]
    assert list(maps.maps) == [f"lm.{name}" for name in expected.maps]
    for ours, theirs in zip(maps.maps.values(), expected.maps.values(), strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_complete_capture_warns_of_nothing() -> None:
    model, inputs = models.build("BERT", "sdpa")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        capture(model, **inputs)
