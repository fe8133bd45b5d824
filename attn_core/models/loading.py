"""Loads a model with transformers, from a folder or an optional package, without network or pickles."""

import json
import os
from collections.abc import Callable
from math import prod
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open

from attn_core.learned_positions import packaged_folder
from attn_core.models import interface
from attn_core.models.model import RealModel
from attn_core.models.reading import LOCAL, read_tokenizer

PACKAGED = "all-MiniLM-L6-v2"
MAX_BYTES = 8_000_000_000
"""How many bytes the weights of a model may take in float32: two thousand million numbers."""
SINGLE, INDEX = "model.safetensors", "model.safetensors.index.json"
NEEDS = "pip install -r requirements-models.txt"
_PICKLED = ("*.bin", "*.pt", "*.pth", "*.ckpt", "*.pkl")
_MOST_LAYERS = 1000


def load_model(
    folder: str | Path | None = None, *, progress: Callable[[float], None] | None = None
) -> RealModel:
    """Read a trained model from a folder with config.json, safetensors and a tokenizer, by transformers.

    Any encoder or decoder of text that goes through transformers' attention interface can be read; others
    are refused by their model_type. Without a folder, all-MiniLM-L6-v2 is read from its optional package, if
    installed. ``progress`` is called with the share done, from 0 to 1.

    Nothing is fetched, no code of the folder's is run, and pickled weights are never opened: a pickle is a
    program.

    Raises ValueError, in one sentence, where transformers is not installed; for a folder that is no model, a
    model that cannot be shown, weights that are pickled, missing, cut short, of the wrong shape or above
    ``MAX_BYTES``, and a tokenizer that cannot be read or has more tokens than the model.
    """
    source = packaged_folder() if folder is None else folder
    if source is None:
        raise ValueError(f"the packaged model needs its optional package: {NEEDS}; it is not installed")
    path = require_folder(source)
    tell = progress or (lambda _: None)
    transformers = import_transformers()
    tell(0.1)
    network, writer = _network(transformers, path)
    tell(0.8)
    model = RealModel(PACKAGED if folder is None else path.resolve().name, network)
    model.writer = writer
    model.is_packaged = folder is None
    model.reader = read_tokenizer(path, transformers, model.longest)
    if model.reader is not None and model.reader.highest >= model.n_vocabulary:
        raise ValueError(
            f"the tokenizer's tokens must have numbers below {model.n_vocabulary}, for which the model has "
            f"vectors; got {model.reader.highest}"
        )
    tell(1.0)
    return model


def require_folder(folder: str | Path) -> Path:
    """Return a model's folder, after checking the headers of its files of weights.

    Raises ValueError where the path is no model's folder, or the folder holds no weights that can be read.
    """
    path = Path(folder).expanduser()
    if not path.is_dir():
        raise ValueError(f"a model must be a folder on this machine; got {str(folder)!r}, which is none")
    _require_settings(path)
    _require_weights(path)
    return path


def import_transformers() -> Any:
    """Return transformers, with this app's attention registered; it never uses the network."""
    os.environ["HF_HUB_OFFLINE"] = "1"
    try:
        return interface.register()
    except ModuleNotFoundError as error:
        raise ValueError(
            f"a model is read by the optional package {error.name}, which is not installed: {NEEDS}"
        ) from None


def _network(transformers: Any, path: Path) -> tuple[Any, Any]:
    """Return the layers, and the whole model where it predicts the next token, else None."""
    with one_sentence("config.json must be of a model that transformers has"):
        config = transformers.AutoConfig.from_pretrained(path, **LOCAL)
        kind, n_layer = config.model_type, getattr(config, "num_hidden_layers", None)
        if config.is_encoder_decoder:
            raise ValueError(
                f"a model must be an encoder or a decoder; {kind} is both: capture(model, ...) takes its "
                "attention, and its file is shown under “your own”"
            )
        if not isinstance(n_layer, int) or not 1 <= n_layer <= _MOST_LAYERS:
            raise ValueError(f"{kind} must have from 1 to {_MOST_LAYERS} layers of text; got {n_layer!r}")
        config.use_cache = False
        predicts = any(each.endswith(("ForCausalLM", "LMHeadModel")) for each in config.architectures or ())
        models = transformers.AutoModelForCausalLM if predicts else transformers.AutoModel
    network = read_network(transformers, models, path, config)
    return (network.base_model, network) if predicts else (network, None)


def read_network(transformers: Any, models: Any, path: Path, config: Any) -> Any:
    """Return a model of transformers with its weights in float32, each of which must be there and finite."""
    with one_sentence("config.json must be of a model that transformers has"):
        with torch.device("meta"):
            bare = models.from_config(config)
        _require_room(path, sum(each.numel() for each in bare.parameters()))
    transformers.utils.logging.disable_progress_bar()
    transformers.utils.logging.set_verbosity_error()
    with one_sentence("a model's weights must be those of its config.json"):
        network, report = models.from_pretrained(
            path,
            config=config,
            dtype=torch.float32,
            use_safetensors=True,
            attn_implementation=interface.NAME,
            ignore_mismatched_sizes=True,  # they are listed, and refused below
            output_loading_info=True,
            **LOCAL,
        )
        for name, shape, requirement in sorted(report["mismatched_keys"]):
            raise ValueError(f"{name} must have shape {tuple(requirement)}; got {tuple(shape)}")
        absent = [name for name in sorted(report["missing_keys"]) if "pooler" not in name]
        if absent:
            raise ValueError(f"the weights must hold {absent[0]}; it is missing")
        for name, each in network.named_parameters():
            if not bool(each.isfinite().all()):
                raise ValueError(f"{name} must hold finite numbers; it does not")
    return network.eval().requires_grad_(False)


class one_sentence:  # noqa: N801  (used as a function)
    """Turn any exception into a ValueError of one sentence; our own ValueErrors stay as they are."""

    def __init__(self, requirement: str) -> None:
        """Store what is required."""
        self._requirement = requirement

    def __enter__(self) -> None:
        """Do nothing."""

    def __exit__(self, kind: Any, error: BaseException | None, where: Any) -> None:
        """Raise the ValueError in place of another exception."""
        if isinstance(error, Exception):
            if isinstance(error, KeyError) and error.args == (interface.NAME,):
                raise ValueError(
                    "a model must attend through transformers' attention interface; this model_type does so "
                    "by code of its own"
                ) from error
            ours = isinstance(error, ValueError) and __name__ == _raised_in(where)
            if not ours:
                message = " ".join(str(error).split())[:240]
                raise ValueError(
                    f"{self._requirement}; it says: {type(error).__name__}: {message}"
                ) from error


def _raised_in(where: Any) -> str:
    while where.tb_next:
        where = where.tb_next
    return str(where.tb_frame.f_globals.get("__name__"))


def _require_settings(folder: Path) -> None:
    settings = _json(folder, "config.json")
    if settings.get("quantization_config") is not None:
        raise ValueError(
            "weights must be floating-point numbers; config.json names a quantization_config, which is not "
            "supported"
        )


def _json(folder: Path, name: str) -> dict[str, Any]:
    if not (folder / name).is_file():
        raise ValueError(f"a model's folder must hold {name}; {folder.name} does not")
    try:
        settings = json.loads((folder / name).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        raise ValueError(f"{name} must be JSON; reading it failed: {error}") from error
    if not isinstance(settings, dict):
        raise ValueError(f"{name} must hold an object; got {type(settings).__name__}")
    return settings


def _require_weights(folder: Path) -> None:
    """Check the headers of the files of weights before any weight is read."""
    numbers = 0
    for path in _files(folder):
        try:
            with safe_open(path, framework="pt") as file:
                slices = {name: file.get_slice(name) for name in list(file.keys())}
                numbers += sum(prod(each.get_shape()) for each in slices.values())
                kinds = {name: str(each.get_dtype()) for name, each in slices.items()}
        except (SafetensorError, OSError) as error:
            raise ValueError(
                f"{path.name} must be a whole safetensors file; reading it failed: {error}"
            ) from error
        for name, kind in kinds.items():
            if kind.startswith("F8") or kind in {"I8", "U8"}:
                raise ValueError(f"{name} must hold numbers of BF16, F16, F32, F64; got {kind}")
    _require_room(folder, numbers)


def _require_room(folder: Path, numbers: int) -> None:
    if 4 * numbers > MAX_BYTES:
        raise ValueError(
            f"a model's weights must take at most {MAX_BYTES / 1e9:g} GB ({MAX_BYTES:,} bytes) in "
            f"float32; those of {folder.name} take {4 * numbers / 1e9:.1f} GB"
        )


def _files(folder: Path) -> list[Path]:
    if (folder / SINGLE).is_file():
        return [folder / SINGLE]
    if (folder / INDEX).is_file():
        parts = _json(folder, INDEX).get("weight_map")
        if not isinstance(parts, dict) or not parts:
            raise ValueError(f"{INDEX} must hold a weight_map, from each tensor to its file; it does not")
        names = sorted({str(part) for part in parts.values()})
        missing = [name for name in names if Path(name).name != name or not (folder / name).is_file()]
        if missing:
            raise ValueError(
                f"{INDEX} names {len(names)} files of weights; {folder.name} lacks {', '.join(missing)}"
            )
        return [folder / name for name in names]
    if any(path for pattern in _PICKLED for path in folder.glob(pattern)):
        raise ValueError(
            "weights must be safetensors; got pickled weights, which are refused, because opening them "
            "can run any program (save_pretrained predicts safetensors)"
        )
    raise ValueError(f"a model's folder must hold {SINGLE}; {folder.name} does not")
