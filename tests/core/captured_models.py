"""Small models of many kinds with random weights, what they read, and what they say they attended to."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import torch
import transformers
from torch import Tensor

tf: Any = transformers
Inputs = dict[str, Any]
SMALL: Inputs = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 48}
TEXT: Inputs = {**SMALL, "vocab_size": 40}
SPECIAL: Inputs = {"pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2}
LLAMA: Inputs = {**TEXT, **SPECIAL, "num_key_value_heads": 2}
IMAGE: Inputs = {**SMALL, "image_size": 12, "patch_size": 4}
PAIR: Inputs = {
    "d_model": 32, "encoder_layers": 2, "decoder_layers": 2, "encoder_attention_heads": 4,
    "decoder_attention_heads": 4, "encoder_ffn_dim": 32, "decoder_ffn_dim": 32,
}  # fmt: skip
GPT2: Inputs = {**SPECIAL, "n_embd": 32, "n_layer": 2, "n_head": 4, "vocab_size": 40, "n_positions": 16}


def words(batch: int = 2, length: int = 7) -> Tensor:
    """Draw sentences of ordinary words."""
    return torch.randint(3, 38, (batch, length))


def image(batch: int = 2, side: int = 12) -> Tensor:
    """Draw images."""
    return torch.randn(batch, 3, side, side)


def text_and_image(batch: int = 2, images: int = 2) -> Inputs:
    """Draw a caption and an image each."""
    return {"input_ids": words(batch), "pixel_values": image(images)}


def llava() -> Any:
    """Configure an image tower before a Llama."""
    return tf.LlavaConfig(
        vision_config=tf.CLIPVisionConfig(**IMAGE),
        text_config=tf.LlamaConfig(**LLAMA),
        image_token_index=39,
        image_token_id=39,
    )


def text_with_an_image() -> Inputs:
    """Draw two sentences with an image of nine places in each."""
    given = words(2, 12)
    given[:, 2:11] = 39
    return {"input_ids": given, "pixel_values": image(2)}


def towers(config: Any) -> Any:
    """Configure a text tower and an image tower."""
    return config(text_config={**TEXT, **SPECIAL, "max_position_embeddings": 16}, vision_config=IMAGE)


def image_to_text() -> Any:
    """Configure a ViT that a GPT-2 reads."""
    return tf.VisionEncoderDecoderConfig.from_encoder_decoder_configs(
        tf.ViTConfig(**IMAGE), tf.GPT2Config(**GPT2, add_cross_attention=True, is_decoder=True)
    )


def hybrid() -> Any:
    """Configure three layers of linear attention and one of softmax attention, the last."""
    return tf.Qwen3NextConfig(
        **{**LLAMA, "num_hidden_layers": 4},
        head_dim=8,
        linear_num_value_heads=4,
        linear_num_key_heads=2,
        linear_key_head_dim=8,
        linear_value_head_dim=8,
        num_experts=4,
        num_experts_per_tok=2,
        moe_intermediate_size=16,
        shared_expert_intermediate_size=16,
    )


def reads(make: Callable[..., Tensor], *shape: int) -> Callable[[], Inputs]:
    """Return what a model of words reads."""
    return lambda: {"input_ids": make(*shape)}


def sees() -> Inputs:
    """Return what a model of images reads."""
    return {"pixel_values": image()}


SENTENCES = reads(words)
# By name: the configuration, the model's class, and what it reads.
MODELS: Mapping[str, tuple[Callable[[], Any], Any, Callable[[], Inputs]]] = {
    "BERT": (lambda: tf.BertConfig(**TEXT), tf.BertModel, SENTENCES),
    "RoBERTa": (lambda: tf.RobertaConfig(**TEXT, **SPECIAL), tf.RobertaModel, SENTENCES),
    "DistilBERT": (
        lambda: tf.DistilBertConfig(dim=32, n_layers=2, n_heads=4, hidden_dim=48, vocab_size=40),
        tf.DistilBertModel,
        SENTENCES,
    ),
    "ALBERT": (lambda: tf.AlbertConfig(**TEXT, **SPECIAL, embedding_size=16), tf.AlbertModel, SENTENCES),
    "ELECTRA": (lambda: tf.ElectraConfig(**TEXT), tf.ElectraModel, SENTENCES),
    "DeBERTa": (
        lambda: tf.DebertaV2Config(
            **TEXT, relative_attention=True, position_buckets=4, pos_att_type=["p2c", "c2p"]
        ),
        tf.DebertaV2Model,
        SENTENCES,
    ),
    "ModernBERT": (
        lambda: tf.ModernBertConfig(
            **{**TEXT, **SPECIAL, "num_hidden_layers": 3},
            cls_token_id=1,
            sep_token_id=2,
            local_attention=4,
        ),
        tf.ModernBertModel,
        SENTENCES,
    ),
    "ConvBERT": (lambda: tf.ConvBertConfig(**TEXT, embedding_size=16), tf.ConvBertModel, SENTENCES),
    "XLNet": (
        lambda: tf.XLNetConfig(d_model=32, n_layer=2, n_head=4, d_inner=48, vocab_size=40),
        tf.XLNetModel,
        SENTENCES,
    ),
    "GPT-2": (lambda: tf.GPT2Config(**GPT2), tf.GPT2LMHeadModel, SENTENCES),
    "GPT-NeoX": (lambda: tf.GPTNeoXConfig(**TEXT, **SPECIAL), tf.GPTNeoXModel, SENTENCES),
    "GPT-J": (lambda: tf.GPTJConfig(**GPT2, rotary_dim=4), tf.GPTJModel, SENTENCES),
    "OPT": (
        lambda: tf.OPTConfig(
            hidden_size=32,
            num_hidden_layers=2,
            num_attention_heads=4,
            ffn_dim=48,
            vocab_size=40,
            word_embed_proj_dim=32,
            max_position_embeddings=32,
        ),
        tf.OPTModel,
        SENTENCES,
    ),
    "BLOOM": (
        lambda: tf.BloomConfig(hidden_size=32, n_layer=2, n_head=4, vocab_size=40),
        tf.BloomModel,
        SENTENCES,
    ),
    "Falcon": (
        lambda: tf.FalconConfig(hidden_size=32, num_hidden_layers=2, num_attention_heads=4, vocab_size=40),
        tf.FalconModel,
        SENTENCES,
    ),
    "Llama": (lambda: tf.LlamaConfig(**LLAMA), tf.LlamaForCausalLM, SENTENCES),
    "Mistral": (lambda: tf.MistralConfig(**LLAMA, sliding_window=3), tf.MistralModel, SENTENCES),
    "Mixtral": (lambda: tf.MixtralConfig(**LLAMA, num_local_experts=2), tf.MixtralModel, SENTENCES),
    "Qwen3": (lambda: tf.Qwen3Config(**LLAMA, head_dim=8), tf.Qwen3Model, SENTENCES),
    "Gemma 2": (lambda: tf.Gemma2Config(**LLAMA, head_dim=8, sliding_window=4), tf.Gemma2Model, SENTENCES),
    "gpt-oss": (
        lambda: tf.GptOssConfig(**LLAMA, head_dim=8, num_local_experts=2, num_experts_per_tok=1),
        tf.GptOssModel,
        SENTENCES,
    ),
    "Phi-3": (lambda: tf.Phi3Config(**LLAMA), tf.Phi3Model, SENTENCES),
    "T5": (
        lambda: tf.T5Config(d_model=16, d_kv=8, d_ff=24, num_layers=2, num_heads=2, vocab_size=40),
        tf.T5Model,
        lambda: {"input_ids": words(2, 5), "decoder_input_ids": words(2, 3)},
    ),
    "BART": (
        lambda: tf.BartConfig(**PAIR, vocab_size=40, max_position_embeddings=32),
        tf.BartModel,
        lambda: {"input_ids": words(), "decoder_input_ids": words(2, 4)},
    ),
    "Whisper": (
        lambda: tf.WhisperConfig(
            **PAIR,
            **SPECIAL,
            vocab_size=60,
            max_source_positions=10,
            num_mel_bins=8,
            max_target_positions=16,
            decoder_start_token_id=1,
            suppress_tokens=None,
            begin_suppress_tokens=None,
        ),
        tf.WhisperModel,
        lambda: {"input_features": torch.randn(2, 8, 20), "decoder_input_ids": words(2, 4)},
    ),
    "wav2vec 2.0": (
        lambda: tf.Wav2Vec2Config(
            **SMALL,
            conv_dim=(16, 16),
            conv_stride=(5, 2),
            conv_kernel=(10, 3),
            num_conv_pos_embeddings=4,
            num_conv_pos_embedding_groups=2,
        ),
        tf.Wav2Vec2Model,
        lambda: {"input_values": torch.randn(2, 120)},
    ),
    "ViT": (lambda: tf.ViTConfig(**IMAGE), tf.ViTModel, sees),
    "DeiT": (lambda: tf.DeiTConfig(**IMAGE), tf.DeiTModel, sees),
    "SegFormer": (
        lambda: tf.SegformerConfig(
            num_encoder_blocks=2,
            depths=[1, 1],
            sr_ratios=[2, 1],
            hidden_sizes=[16, 32],
            num_attention_heads=[1, 2],
            patch_sizes=[3, 3],
            strides=[2, 2],
            mlp_ratios=[2, 2],
        ),
        tf.SegformerModel,
        sees,
    ),
    "CLIP": (lambda: towers(tf.CLIPConfig), tf.CLIPModel, lambda: text_and_image(2, 3)),
    "ViT and GPT-2": (
        image_to_text,
        tf.VisionEncoderDecoderModel,
        lambda: {"pixel_values": image(), "decoder_input_ids": words(2, 4)},
    ),
    "Perceiver": (
        lambda: tf.PerceiverConfig(
            num_latents=6,
            d_latents=32,
            d_model=16,
            num_self_attends_per_block=2,
            num_self_attention_heads=4,
            num_cross_attention_heads=4,
        ),
        tf.PerceiverModel,
        lambda: {"inputs": torch.randn(2, 9, 16)},
    ),
}


def speech() -> Any:
    """Configure a model of waveforms, (batch, n), whose weights hold batch and heads in one axis."""
    return tf.SEWDConfig(
        **SMALL, squeeze_factor=1, max_position_embeddings=64, position_buckets=16, conv_dim=(16, 16),
        conv_stride=(5, 2), conv_kernel=(10, 3), num_conv_pos_embeddings=4, num_conv_pos_embedding_groups=2,
    )  # fmt: skip


def mask_units() -> Any:
    """Configure a Hiera: windows behind the heads."""
    return tf.HieraConfig(
        embed_dim=16, image_size=[32, 32], patch_size=[7, 7], patch_stride=[4, 4], patch_padding=[3, 3],
        mlp_ratio=2.0, depths=[1, 1], num_heads=[2, 4], embed_dim_multiplier=2.0, num_query_pool=1,
        query_stride=[2, 2], masked_unit_size=[4, 4], masked_unit_attention=[True, False],
    )  # fmt: skip


def sam() -> Any:
    """Configure the image tower of SAM: batch, windows and heads in one axis."""
    return tf.SamVisionConfig(
        hidden_size=32, output_channels=16, num_hidden_layers=2, num_attention_heads=4, image_size=32,
        patch_size=4, window_size=4, global_attn_indexes=[1], mlp_dim=32,
    )  # fmt: skip


def hybrid_of_mamba() -> Any:
    """Configure two layers of a state space and one of attention, the last."""
    return tf.GraniteMoeHybridConfig(
        **{**LLAMA, "num_hidden_layers": 3}, layer_types=["mamba", "mamba", "attention"], mamba_n_heads=4,
        mamba_d_head=16, mamba_d_state=8, mamba_expand=2, shared_intermediate_size=32, num_local_experts=0,
    )  # fmt: skip


def nystrom() -> Any:
    """Configure an attention made of three factors."""
    return tf.NystromformerConfig(**TEXT, num_landmarks=4, segment_means_seq_len=8)


def informer() -> Any:
    """Configure attention of the most telling queries alone."""
    return tf.InformerConfig(
        d_model=32, encoder_layers=1, decoder_layers=1, encoder_attention_heads=2, decoder_attention_heads=2,
        encoder_ffn_dim=32, decoder_ffn_dim=32, prediction_length=4, context_length=40, lags_sequence=[1],
        num_time_features=1, sampling_factor=2, distil=False,
    )  # fmt: skip


def series(batch: int = 2, n: int = 41) -> Inputs:
    """Draw time series and what comes next."""
    return {
        "past_values": torch.randn(batch, n), "past_time_features": torch.randn(batch, n, 1),
        "past_observed_mask": torch.ones(batch, n), "future_values": torch.randn(batch, 4),
        "future_time_features": torch.randn(batch, 4, 1),
    }  # fmt: skip


def build(name: str, attention: str) -> tuple[Any, Inputs]:
    """Return one model with its random weights, in eval mode, and what it reads."""
    config, model, inputs = MODELS[name]
    torch.manual_seed(5)
    made = model._from_config(config(), attn_implementation=attention).eval()
    return made, inputs()


def attentions_in(output: Any) -> Iterator[Tensor]:
    """All attentions that the output of a transformers model holds, its parts' included."""
    for name, each in output.items():
        if "attention" in name:
            yield from (weights for weights in each or () if weights is not None)
        elif hasattr(each, "items"):
            yield from attentions_in(each)


def numbers(output: Any) -> list[Tensor]:
    """All tensors in an output."""
    if isinstance(output, Tensor):
        return [output]
    inner = (
        output.values() if hasattr(output, "values") else output if isinstance(output, tuple | list) else ()
    )
    return [tensor for each in inner for tensor in numbers(each)]
