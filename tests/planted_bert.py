"""A small BERT in a folder, made so that its second head of the first layer looks at the token before."""

import json
from pathlib import Path

import torch
from safetensors.torch import save_file
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

PLACES, WIDTH, HEADS, LAYERS = 20, 40, 2, 2
WORDS = ("[CLS]", "[SEP]", "[UNK]", "the", "cat", "sat", "##s", "on", "mat", "a", "dog")


def write(folder: Path) -> Path:
    """Write config.json, model.safetensors and tokenizer.json."""
    config = {
        "model_type": "bert",
        "hidden_size": WIDTH,
        "num_attention_heads": HEADS,
        "num_hidden_layers": LAYERS,
        "hidden_act": "gelu",
        "intermediate_size": 2 * WIDTH,
        "max_position_embeddings": PLACES,
        "vocab_size": len(WORDS),
    }
    (folder / "config.json").write_text(json.dumps(config))
    save_file(_tensors(), folder / "model.safetensors")
    tokenizer = Tokenizer(
        models.WordPiece({word: number for number, word in enumerate(WORDS)}, unk_token="[UNK]")
    )
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 0), ("[SEP]", 1)]
    )
    tokenizer.add_special_tokens(["[CLS]", "[SEP]"])
    tokenizer.save(str(folder / "tokenizer.json"))
    return folder


def _tensors() -> dict[str, torch.Tensor]:
    generator = torch.Generator().manual_seed(8)

    def drawn(*shape: int) -> torch.Tensor:
        return 0.2 * torch.randn(*shape, generator=generator)

    tensors = {
        "embeddings.word_embeddings.weight": drawn(len(WORDS), WIDTH),
        "embeddings.position_embeddings.weight": 3 * torch.eye(PLACES, WIDTH),
        "embeddings.token_type_embeddings.weight": torch.zeros(2, WIDTH),
        **_norm("embeddings.LayerNorm"),
    }
    for layer in range(LAYERS):
        start = f"encoder.layer.{layer}"
        for name in ("attention.self.query", "attention.self.key", "attention.self.value"):
            tensors[f"{start}.{name}.weight"] = drawn(WIDTH, WIDTH)
            tensors[f"{start}.{name}.bias"] = torch.zeros(WIDTH)
        for name, shape in (
            ("attention.output.dense", (WIDTH, WIDTH)),
            ("intermediate.dense", (2 * WIDTH, WIDTH)),
            ("output.dense", (WIDTH, 2 * WIDTH)),
        ):
            tensors[f"{start}.{name}.weight"] = drawn(*shape)
            tensors[f"{start}.{name}.bias"] = torch.zeros(shape[0])
        tensors |= _norm(f"{start}.attention.output.LayerNorm") | _norm(f"{start}.output.LayerNorm")
    d_head = WIDTH // HEADS
    query = tensors["encoder.layer.0.attention.self.query.weight"]
    key = tensors["encoder.layer.0.attention.self.key.weight"]
    # A place's number goes into the second head: one less in the query, as it is in the key.
    query[d_head:] = 3 * torch.eye(d_head, WIDTH).roll(1, dims=1)
    key[d_head:] = torch.eye(d_head, WIDTH)
    return tensors


def _norm(name: str) -> dict[str, torch.Tensor]:
    return {f"{name}.weight": torch.ones(WIDTH), f"{name}.bias": torch.zeros(WIDTH)}
