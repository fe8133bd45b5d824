"""Small models of every family with random weights, saved by transformers, and tokenizers of three kinds."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
import transformers
from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors
from torch import nn

WORDS = 340
LETTERS = "abcdefghijklmnopqrstuvwxyz"
MERGES = (
    *(("▁", "t"), ("h", "e"), ("▁t", "he"), ("▁", "c"), ("a", "t"), ("▁c", "at"), ("t", "he"), ("c", "at")),
    *(("▁", "s"), ("▁s", "at"), ("o", "n"), ("▁", "on"), ("▁", "m"), ("▁m", "at")),
)
ENCODER: dict[str, Any] = {
    "hidden_size": 32,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "intermediate_size": 48,
    "vocab_size": WORDS,
    "max_position_embeddings": 40,
}
DECODER: dict[str, Any] = {**ENCODER, "num_key_value_heads": 2}
LLAMA3 = {
    "rope_type": "llama3",
    "rope_theta": 100.0,
    "factor": 8.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 64,
}


def gpt2(**settings: Any) -> transformers.PretrainedConfig:
    return transformers.GPT2Config(
        n_embd=32, n_layer=3, n_head=4, vocab_size=WORDS, n_positions=40, **settings
    )


CONFIGS: dict[str, Callable[[], transformers.PretrainedConfig]] = {
    "bert": lambda: transformers.BertConfig(**ENCODER),
    "bert, relu, as a decoder": lambda: transformers.BertConfig(
        **ENCODER, hidden_act="relu", is_decoder=True
    ),
    "roberta": lambda: transformers.RobertaConfig(**ENCODER, pad_token_id=1),
    "distilbert": lambda: transformers.DistilBertConfig(
        dim=32, n_layers=3, n_heads=4, hidden_dim=48, vocab_size=WORDS
    ),
    "gpt2": lambda: gpt2(n_inner=40),
    "gpt2, other scales": lambda: gpt2(scale_attn_weights=False, scale_attn_by_inverse_layer_idx=True),
    "llama": lambda: transformers.LlamaConfig(**DECODER),
    "llama, every head its own keys, biases": lambda: transformers.LlamaConfig(
        **ENCODER, attention_bias=True, mlp_bias=True
    ),
    "llama, wide heads, one of keys": lambda: transformers.LlamaConfig(
        **{**ENCODER, "num_key_value_heads": 1}, head_dim=12
    ),
    "llama, linear": lambda: transformers.LlamaConfig(
        **DECODER, rope_parameters={"rope_type": "linear", "rope_theta": 500.0, "factor": 2.5}
    ),
    "llama 3": lambda: transformers.LlamaConfig(**DECODER, rope_parameters=LLAMA3),
    "mistral": lambda: transformers.MistralConfig(**DECODER, sliding_window=4),
    "mistral, no window": lambda: transformers.MistralConfig(**DECODER, sliding_window=None),
    "qwen2": lambda: transformers.Qwen2Config(**DECODER),
    "qwen2, windows from the second layer": lambda: transformers.Qwen2Config(
        **DECODER, use_sliding_window=True, sliding_window=3, max_window_layers=1
    ),
    "qwen3": lambda: transformers.Qwen3Config(**DECODER, head_dim=12),
    "gemma": lambda: transformers.GemmaConfig(**DECODER, head_dim=12),
    "gemma 2": lambda: transformers.Gemma2Config(
        **DECODER, head_dim=12, sliding_window=3, query_pre_attn_scalar=20, attn_logit_softcapping=5.0
    ),
    "gemma 2, no softcap": lambda: transformers.Gemma2Config(
        **DECODER, head_dim=8, attn_logit_softcapping=None
    ),
}


def random_model(config: transformers.PretrainedConfig, kind: Any = transformers.AutoModel) -> Any:
    """A model with random weights of a size that makes its maps far from uniform."""
    with torch.random.fork_rng():
        torch.manual_seed(3)
        model = kind.from_config(config, attn_implementation="eager")
        for parameter in model.parameters():
            nn.init.normal_(parameter, std=0.3)
    return model.eval()


def word_pieces() -> Tokenizer:
    """As BERT's: pieces that go on with a word begin with ##."""
    words = ["the", "cat", "sat", "on", "mat", "cafe", "again", "dog", *LETTERS, *".,", "猫"]
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *words, *(f"##{letter}" for letter in LETTERS)]
    tokenizer = Tokenizer(models.WordPiece(_numbered(pieces), unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    tokenizer.add_special_tokens(pieces[:5])
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    return tokenizer


def byte_level(before: str | None = None) -> Tokenizer:
    """As GPT-2's and Qwen's: bytes, of which a space is Ġ; as Llama 3's with a token before the text."""
    merges = [(first.replace("▁", "Ġ"), second.replace("▁", "Ġ")) for first, second in MERGES]
    merges.append(("Ã", "©"))  # the two bytes of é
    pieces = [*sorted(pre_tokenizers.ByteLevel.alphabet()), *("".join(pair) for pair in merges)]
    tokenizer = Tokenizer(models.BPE(_numbered(pieces), merges))
    split = pre_tokenizers.Split(Regex(r" ?\p{L}+| ?[^\s\p{L}]+|\s+"), "isolated")
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [split, pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)]
    )
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens(["<|begin|>", "<|end|>"])
    if before:
        tokenizer.post_processor = processors.TemplateProcessing(
            single=f"{before} $A", special_tokens=[(before, tokenizer.token_to_id(before))]
        )
    return tokenizer


def _numbered(pieces: list[str]) -> dict[str, int]:
    return {piece: number for number, piece in enumerate(dict.fromkeys(pieces))}


def roberta_like() -> Tokenizer:
    """Bytes between <s> and </s>."""
    tokenizer = byte_level()
    tokenizer.add_special_tokens(["<s>", "</s>"])
    after, before = (tokenizer.token_to_id(token) or 0 for token in ("</s>", "<s>"))
    tokenizer.post_processor = processors.RobertaProcessing(
        ("</s>", after), ("<s>", before), add_prefix_space=False
    )
    return tokenizer


def sentencepiece_like() -> Tokenizer:
    """As Llama 2's, Mistral's and Gemma's: ▁ for a space, bytes for what has no token, <s> before it."""
    pieces = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256))]
    letters = ["▁", *LETTERS, *",.é", *("".join(pair) for pair in MERGES)]
    tokenizer = Tokenizer(
        models.BPE(
            _numbered(pieces + letters), list(MERGES), unk_token="<unk>", byte_fallback=True, fuse_unk=True
        )
    )
    tokenizer.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    tokenizer.decoder = decoders.Sequence(
        [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
    )
    tokenizer.add_special_tokens(["<unk>", "<s>", "</s>"])
    tokenizer.post_processor = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 1)])
    return tokenizer


TOKENIZERS: dict[str, Callable[[], Tokenizer]] = {
    "bert": word_pieces,
    "distilbert": word_pieces,
    "roberta": roberta_like,
    "gpt2": byte_level,
    "llama": sentencepiece_like,
    "llama 3": lambda: byte_level("<|begin|>"),
    "mistral": sentencepiece_like,
    "qwen2": byte_level,
    "qwen3": byte_level,
    "gemma": sentencepiece_like,
    "gemma 2": sentencepiece_like,
}


def write(folder: Path, name: str) -> Path:
    """Save a model and its tokenizer as transformers does."""
    random_model(CONFIGS[name]()).save_pretrained(folder)
    as_transformers(TOKENIZERS[name]()).save_pretrained(folder)
    return folder


def as_transformers(tokenizer: Tokenizer) -> Any:
    """A tokenizer as transformers has it."""
    kind: Any = transformers.PreTrainedTokenizerFast
    return kind(tokenizer_object=tokenizer)
