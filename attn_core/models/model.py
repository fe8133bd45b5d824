"""A trained model of transformers, with every stage of every layer's attention."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from attn_core.attention_maps import AttentionMaps
from attn_core.models.head_map import HeadMap
from attn_core.models.interface import Call, taking
from attn_core.models.reading import MAX_CHARACTERS, Encoding, Reader, missing_tokenizer
from attn_core.multi_head import MultiHead, merge_heads
from attn_words import _

MAX_TOKENS = 4096
"""How many tokens of a text are run at most, special tokens among them."""
MAPS_BYTES = 48_000_000
"""Bytes that the maps of all heads may take, as 408 tokens with 72 heads do; ``LEAST_TOKENS`` always run."""
LEAST_TOKENS = 128
VECTORS = 8
"""Vectors of each token in memory while a layer runs without maps: its input and output, queries, keys,
values, outputs of heads, and intermediate results."""
VECTORS_BYTES = 134_217_728
"""Bytes that these vectors may take: 4,096 tokens of 1,024 numbers."""
_MASKS_KEPT = 8


@dataclass(frozen=True, eq=False)
class ModelTrace:
    """The residual stream, attention and logits of a model on one text.

    Attributes:
        encoding: the text's n tokens.
        residual: the embedding and each layer's output, before the last norm, (n_layer + 1, n, d).
        layers: every stage of each layer's attention.
        norm, head: the last norm, and the layer that predicts tokens from it.
        logits: of the token after the last, (n_vocabulary,).
        adds: whether each layer adds the outputs of its heads and its feed-forward layer unchanged.
    """

    encoding: Encoding
    residual: Float[Tensor, "n_layers n d_model"]
    layers: tuple[MultiHead, ...]
    norm: nn.Module
    head: Any
    logits: Float[Tensor, " n_vocabulary"]
    adds: bool


class RealModel:
    """A trained encoder or decoder of transformers, run as ``model.eval()`` runs it.

    Made by ``load_model``. Its layers attend through ``interface``, which exposes their queries, keys, values
    and masks; every result is computed from these.

    Attributes:
        n_layer, n_head, n_key_head: layers, heads per layer, and key heads, each shared by adjacent heads.
        scales, windows: each layer's factor on its scores, and its window in tokens or None.
        softcap: the bound of the scores, or None.
        is_causal: whether a token attends only to itself and earlier tokens.
        limit: how many tokens the model has positions for.
    """

    def __init__(self, name: str, network: Any) -> None:
        """Run a few tokens to find the layers.

        Raises ValueError, with the model_type, for a model whose attention cannot be read.
        """
        self.name, self._network = name, network
        self.reader: Reader | None = None
        self.is_packaged = False
        self.writer: Any = None  # the whole model, where it predicts the next token
        self._masks: dict[int, tuple[Tensor | None, ...]] = {}
        table = network.get_input_embeddings()
        self.n_vocabulary = int(table.num_embeddings) if isinstance(table, nn.Embedding) else 0
        self.limit: int = _places(network)
        calls, self._outs = self._probe()
        self.n_layer, n_heads = len(calls), {(each.query.shape[1], each.key.shape[1]) for each in calls}
        layers = network.config.num_hidden_layers
        if self.n_layer != layers or len(n_heads) != 1:
            raise ValueError(
                "a model must attend in every layer, by as many heads, through transformers' attention "
                f"interface; {self.family} does in {self.n_layer} of {layers}"
            )
        ((self.n_head, self.n_key_head),) = n_heads
        self._width: int = max(calls[0].query.shape[-1] * self.n_head, network.config.hidden_size)
        self.scales = tuple(each.scale for each in calls)
        self.windows = tuple(each.window for each in calls)
        self.softcap = calls[0].softcap
        visible = [each.visible() for each in calls]
        self.is_causal = all(each is not None and not each.triu(1).any() for each in visible)

    def _probe(self) -> tuple[list[Call], list[Any]]:
        """Run a few tokens, and find each layer's output projection: the first map of its heads' outputs."""
        calls: list[Call] = []
        outs: list[Any] = []
        waiting: list[Tensor] = []

        def take(call: Call) -> Tensor:
            heads = call.heads()
            calls.append(call)
            outs.append(None)
            waiting[:] = [merge_heads(heads)]
            return heads

        def enters(module: nn.Module, args: Any) -> None:
            if waiting and args and args[0].shape == waiting[0].shape and torch.equal(args[0], waiting[0]):
                outs[-1] = module
                waiting.clear()

        linear = [each for each in self._network.modules() if type(each).__name__ in {"Linear", "Conv1D"}]
        hooks = [each.register_forward_pre_hook(enters) for each in linear]
        try:
            with taking(take), torch.no_grad():
                self._network(input_ids=torch.arange(min(4, self.limit, self.n_vocabulary))[None])
        except Exception as error:
            message = " ".join(str(error).split())[:240]
            raise ValueError(
                f"a model must read a text's tokens and give what its layers attend with; {self.family} does "
                f"not: {message or type(error).__name__}"
            ) from error
        finally:
            for each in hooks:
                each.remove()
        return calls, outs

    @property
    def family(self) -> str:
        """The model_type of transformers."""
        return str(self._network.config.model_type)

    def masks(self, n: int) -> tuple[Bool[Tensor, "n n"] | None, ...]:
        """Return the mask of each layer for n tokens, True = may attend; None without a mask."""
        if n not in self._masks:
            self._run(torch.zeros(1, n, dtype=torch.long), Call.heads)
        return self._masks[n]

    @property
    def most_tokens(self) -> int:
        """How many tokens of a text are run with the maps of all heads.

        The model's limit, ``MAX_TOKENS`` and the room of ``MAPS_BYTES`` bound it.
        """
        room = math.isqrt(MAPS_BYTES // (4 * self.n_layer * self.n_head))
        most: int = min(self.limit, MAX_TOKENS, max(LEAST_TOKENS, room))
        return most

    @property
    def longest(self) -> int:
        """How many tokens of a text are run for the map of a single head, ``most_tokens`` or more.

        The model's limit, ``MAX_TOKENS`` and the room of ``VECTORS_BYTES`` bound it.
        """
        room: int = VECTORS_BYTES // (VECTORS * 4 * self._width)
        return max(self.most_tokens, min(self.limit, MAX_TOKENS, room))

    @property
    def most_words(self) -> int:
        """How many tokens of a text fit beside the special ones, with the maps of all heads."""
        return self.most_tokens - self._n_special

    @property
    def longest_words(self) -> int:
        """How many tokens of a text fit beside the special ones, one head at a time."""
        return self.longest - self._n_special

    @property
    def _n_special(self) -> int:
        return 0 if self.reader is None else self.reader.n_special

    @property
    def mark(self) -> str:
        """How tokens show where words begin: "##", "·" or "" (see ``Reader``)."""
        return "" if self.reader is None else self.reader.mark

    def forward(
        self, ids: Int[Tensor, "batch n"], is_token: Bool[Tensor, "batch n"] | None = None
    ) -> tuple[MultiHead, ...]:
        """Run sequences of token ids, and return every stage of every layer's attention.

        ``is_token`` is True for tokens and False for padding, which nothing attends to.

        Raises ValueError for more tokens than the model has positions for, and ids outside its vocabulary.
        """
        layers: list[MultiHead] = []

        def take(call: Call) -> Tensor:
            layers.append(_stages(call, self._outs[len(layers)]))
            return layers[-1].heads

        self._run(ids, take, is_token)
        return tuple(layers)

    def _run(self, ids: Tensor, take: Callable[[Call], Tensor], is_token: Tensor | None = None) -> None:
        """Run the layers, and cache the masks of a text without padding."""
        if ids.ndim != 2 or not 1 <= ids.shape[1] <= self.limit:
            raise ValueError(
                f"ids must have shape (batch, n) with n from 1 to {self.limit}; got {tuple(ids.shape)}"
            )
        self._require_rows(ids)
        n, masks, masks_by_id = ids.shape[1], list[Tensor | None](), dict[int, Tensor | None]()

        def keep_mask_then_take(call: Call) -> Tensor:
            if is_token is None and n <= self.most_tokens:
                key = -1 if call.is_causal else id(call.mask)  # layers share their masks
                if key not in masks_by_id:
                    masks_by_id[key] = call.visible()
                masks.append(masks_by_id[key])
            return take(call)

        padding = {} if is_token is None else {"attention_mask": is_token.long()}
        with torch.no_grad(), taking(keep_mask_then_take):
            self._network(input_ids=ids, **padding)
        if masks:
            if len(self._masks) >= _MASKS_KEPT:
                self._masks.clear()
            self._masks[n] = tuple(masks)

    def attend(self, text: str) -> AttentionMaps:
        """Cut a text into the model's tokens and return the weights of every layer and head.

        The maps are (n_head, n_token, n_token) in float32, one per layer. A text longer than ``most_tokens``
        is cut, and the result has a note of it.

        Raises ValueError for a text without a token, where the folder held no tokenizer, and for weights so
        large that intermediate results overflow.
        """
        encoding = self.read(text, self.most_tokens)
        notes: tuple[str, ...] = ()
        if encoding.beyond or len(text) > MAX_CHARACTERS:
            more = "more than " if len(text) > MAX_CHARACTERS else ""
            length = len(encoding.ids) + encoding.beyond
            notes = (f"The text has {more}{length} tokens; the model sees the first {len(encoding.ids)}.",)
        layers: list[Tensor] = []

        def take(call: Call) -> Tensor:
            stages = call.attend()
            layers.append(stages.weights[0])
            output: Tensor = stages.output
            return output

        self._run(torch.tensor([encoding.ids]), take)
        self._require_finite(*layers)
        return AttentionMaps(
            {f"layer {index}": each.numpy() for index, each in enumerate(layers)},
            tokens=encoding.labels,
            special=encoding.special,
            notes=notes,
        )

    def trace(self, text: str) -> ModelTrace:
        """Return the trace of a text through the layers, up to the logits of the next token.

        Raises ValueError for a model without a layer that predicts tokens, and as ``attend`` does.
        """
        if self.writer is None:
            raise ValueError(
                _("the next token takes a model that predicts it; {name} does not", name=self.name)
            )
        encoding = self.read(text, self.most_tokens)
        ids, stages = torch.tensor([encoding.ids]), list[MultiHead]()
        last, outputs = list[Any](), list[Tensor]()

        def take(call: Call) -> Tensor:
            stages.append(_stages(call, self._outs[len(stages)]))
            return stages[-1].heads

        def note(module: nn.Module, args: Any, output: Any) -> None:
            if args and isinstance(output, Tensor) and output.shape == args[0].shape:
                last[:] = [module, args[0]]
            if isinstance(output, Tensor) and output.ndim == 3:
                outputs.append(output[0, -1])

        leaves = [each for each in self._network.modules() if not [*each.children()]]
        hooks = [each.register_forward_hook(note) for each in leaves]
        try:
            with torch.no_grad(), taking(take):
                result = self._network(input_ids=ids, output_hidden_states=True)
                norm, before = last
        finally:
            for each in hooks:
                each.remove()
        with torch.no_grad():
            logits = self.writer(input_ids=ids, logits_to_keep=1).logits[0, -1]
        residual = torch.cat([*result.hidden_states[:-1], before])
        self._require_finite(residual, logits)
        vectors = torch.stack([each for each in outputs if each.shape == residual.shape[-1:]])
        others = [
            residual[at + 1, -1] - residual[at, -1] - each.output[0, -1] for at, each in enumerate(stages)
        ]
        adds = all(bool(((vectors - each).abs().amax(dim=-1) < 1e-4).any()) for each in others)
        head = self.writer.get_output_embeddings()
        return ModelTrace(encoding, residual, tuple(stages), norm, head, logits, adds)

    def tokenize(self, text: str) -> list[str]:
        """Return the tokens of a text without special ones; those beyond ``longest`` are empty."""
        encoding = self._read(text, self.longest)
        labels = [label for place, label in enumerate(encoding.labels) if place not in encoding.special]
        return labels + [""] * encoding.beyond

    def token_name(self, id: int) -> str:
        """Return a readable token of the vocabulary; its id where the folder held no tokenizer."""
        return str(id) if self.reader is None else self.reader.name(id)

    def stages(self, text: str) -> tuple[MultiHead, ...]:
        """Return every stage of every layer's attention on a text, as ``forward`` does."""
        return self.forward(torch.tensor([self._read(text, self.most_tokens).ids]))

    def reach(self, ids: Sequence[int], layer: int, tell: Callable[[int], None] = lambda layer: None) -> Call:
        """Return the attention inputs of a layer (zero-based) for up to ``longest`` tokens, without any map.

        ``tell`` is called with the index of each earlier layer.

        Raises ValueError for more tokens, ids outside the vocabulary, and weights so large that numbers
        overflow.
        """
        if not 1 <= len(ids) <= self.longest:
            raise ValueError(f"a long text must have from 1 to {self.longest:,} tokens; got {len(ids):,}")
        if not 0 <= layer < self.n_layer:
            raise ValueError(f"layer must be from 0 to {self.n_layer - 1}; got {layer}")
        at = 0

        def take(call: Call) -> Tensor:
            nonlocal at
            self._require_finite(call.query, call.key)
            if at == layer:
                # Clones: queries and keys may be views of a layer's larger tensor, values included.
                query, key = call.query.clone(), call.key.clone()
                raise _ReachedError(replace(call, query=query, key=key, value=call.value[..., :0, :]))
            tell(at)
            at += 1
            return call.heads()

        try:
            self._run(torch.tensor([[*ids]]), take)
        except _ReachedError as reached:
            return reached.call
        raise AssertionError("a layer that was there is gone")

    def head_of(self, text: str, layer: int, head: int) -> HeadMap:
        """Return the map of a head (zero-based, as is its layer) on a text of up to ``longest`` tokens.

        A longer text is cut. Raises ValueError as ``attend`` does.
        """
        return next(self.reach(self.read(text, self.longest).ids, layer).maps([head]))

    def read(self, text: str, most: int) -> Encoding:
        """Cut a text into at most ``most`` tokens, special ones included.

        Raises ValueError for a text without a token, and where the folder held no tokenizer.
        """
        encoding = self._read(text, most)
        if len(encoding.special) == len(encoding.ids):
            raise ValueError(_("text must hold at least one token; got {text}", text=repr(text[:40])))
        return encoding

    def _read(self, text: str, most: int) -> Encoding:
        if self.reader is None:
            raise ValueError(missing_tokenizer(self.name))
        return self.reader.encode(text, most)

    def _require_finite(self, *numbers: Tensor) -> None:
        if not all(bool(each.isfinite().all()) for each in numbers):
            raise ValueError(f"a model's numbers must stay finite in float32; those of {self.name} do not")

    def _require_rows(self, ids: Tensor) -> None:
        if int(ids.min()) < 0 or int(ids.max()) >= self.n_vocabulary:
            raise ValueError(
                f"ids must be from 0 to {self.n_vocabulary - 1}; got {int(ids.min())} to {int(ids.max())}"
            )


class _ReachedError(Exception):
    """Stops a run at the layer that is needed."""

    def __init__(self, call: Call) -> None:
        super().__init__()
        self.call = call


def _places(network: Any) -> int:
    """Return how many tokens a model has positions for, not counting those up to a padding index."""
    limit = getattr(network.config, "max_position_embeddings", None)
    for name, each in network.named_modules():
        if name.endswith("position_embeddings") and isinstance(each, nn.Embedding):
            first = 0 if each.padding_idx is None else each.padding_idx + 1
            return int(each.num_embeddings) - first
    return limit if isinstance(limit, int) and limit > 0 else MAX_TOKENS


def _stages(call: Call, out: Any) -> MultiHead:
    stages = call.attend()
    concatenated = merge_heads(stages.output)
    weight = None if out is None else out.weight.mT if type(out).__name__ == "Conv1D" else out.weight
    return MultiHead(
        query=call.query,
        key=call.key,
        value=call.value,
        scores=stages.scores,
        scaled_scores=stages.scaled_scores,
        mask=stages.mask,
        weights=stages.weights,
        heads=stages.output,
        concatenated=concatenated,
        output=concatenated if out is None else out(concatenated),
        output_weight=weight,
        output_bias=None if out is None else out.bias,
    )
