"""Attention to the patches of a picture: by a vision transformer, a decoder of captions, or in a file."""

import io
import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import isqrt
from pathlib import Path
from typing import Any

import numpy as np
import torch
from jaxtyping import Float, UInt8
from PIL import Image, ImageOps
from torch import Tensor

from attn_core.attention_maps import AttentionMaps
from attn_core.capturing import capture
from attn_core.encoder_decoder import CROSS
from attn_core.models.interface import Call, taking
from attn_core.models.loading import import_transformers, one_sentence, read_network, require_folder
from attn_core.models.reading import LOCAL, missing_tokenizer, read_tokenizer
from attn_words import _

MAX_PICTURE_BYTES = 4_000_000
MAX_PIXELS = 16_000_000
MAX_ASPECT = 20
"""How many times as long as wide a picture may be: its short side is enlarged to the processor's size."""
MAX_STRETCH = 1.25
"""How many times as long as wide a patch of a file may be, where the number of patches is no square."""
SIDE = 16  # pixels of such a patch as it is shown
MOST_HEADS = 64  # of a file: the most layers, and the most heads per layer
MAX_TOKENS = 20  # generated for a picture
MAX_WEIGHTS = 400_000
"""How many weights one query may have in all heads of all layers: what one figure has room for."""
WRITER = "vision-encoder-decoder"
# The tokens before the patches, by transformers' model_type; registers are numbered.
BEFORE = {
    "vit": ("[CLS]",),
    "deit": ("[CLS]", "[distillation]"),
    "dinov2": ("[CLS]",),
    "dinov2_with_registers": ("[CLS]",),
}


@dataclass(frozen=True, eq=False)
class PatchedPicture:
    """A picture (height, width, 3) as prepared for a model, and the model's input (1, 3, height, width)."""

    rgb: UInt8[np.ndarray, "height width 3"]
    inputs: Float[Tensor, "1 3 height width"] | None = None


@dataclass(frozen=True, eq=False)
class PatchMaps:
    """Weights over the patches of one picture, (n_layer, n_head, n_query, n_token).

    ``before`` are the tokens before the patches, ``queries`` the names of the queries, None where the queries
    are the tokens themselves.
    """

    name: str
    family: str
    before: tuple[str, ...]
    grid: tuple[int, int]
    queries: Sequence[str] | None
    weights: Float[Tensor, "n_layer n_head n_query n_token"]

    @property
    def n_layer(self) -> int:
        """How many layers there are."""
        return self.weights.shape[0]

    @property
    def n_head(self) -> int:
        """How many heads a layer has."""
        return self.weights.shape[1]

    def at(self, picture: PatchedPicture) -> "PatchMaps":
        """Return these maps, whatever the picture."""
        return self

    def rows(self, picture: PatchedPicture, query: int) -> Float[Tensor, "n_layer n_head n_token"]:
        """Return one query's weights in every head; queries are counted from 0."""
        return self.weights[:, :, query]


def read_patch_maps(name: str, maps: AttentionMaps, image: Image.Image) -> tuple[PatchMaps, PatchedPicture]:
    """Return a file's weights over the patches of a picture; of an encoder-decoder, its cross attention.

    There are h × w keys, or one more where [CLS] comes first. A square number of patches is a square grid, as
    of a model that squeezes pictures; else h and w make the patches most nearly square.

    Raises ValueError for maps of several shapes, more weights than a figure has room for, and keys that are
    no patches of such a picture.
    """
    kinds = maps.by_kind
    maps = kinds.get(CROSS) or next(iter(kinds.values()), maps)
    shapes = sorted({each.shape for each in maps.maps.values()})
    if len(shapes) > 1:
        raise ValueError(_("all maps over a picture must have one shape; got {shapes}", shapes=shapes))
    n_head, n_query, n_key = shapes[0]
    if len(maps.maps) * n_head * n_key > MAX_WEIGHTS or max(len(maps.maps), n_head) > MOST_HEADS:
        raise ValueError(
            _(
                "maps over a picture must have at most {heads} layers, {heads} heads in each and {most} "
                "weights a query; got {layers} × {shape}",
                heads=MOST_HEADS,
                most=f"{MAX_WEIGHTS:,}",
                layers=len(maps.maps),
                shape=shapes[0],
            )
        )
    grids = [_grid(n_key - n_before, image) for n_before in (1, 0)]
    rows, columns = min(grids, key=lambda grid: (grid[0] != grid[1], _stretch(grid, image)))
    n_before = n_key - rows * columns
    if rows != columns and _stretch((rows, columns), image) > MAX_STRETCH:
        raise ValueError(
            _(
                "a picture of {width} × {height} must be cut into h × w patches, which with or without [CLS] "
                "are the keys; got {count} keys",
                width=image.width,
                height=image.height,
                count=n_key,
            )
        )
    words = maps.names(next(iter(maps.maps)))[0] if maps.across or n_query != n_key else None
    numbered = None if words is None else [f"{at} {word}" for at, word in enumerate(words, start=1)]
    weights = torch.stack([torch.as_tensor(each) for each in maps.maps.values()])
    resized = image.resize((columns * SIDE, rows * SIDE))
    before = ("[CLS]",) * n_before
    return PatchMaps(name, "", before, (rows, columns), numbered, weights), PatchedPicture(np.array(resized))


def _grid(count: int, image: Image.Image) -> tuple[int, int]:
    """Return the square grid of ``count`` patches, or else the grid with the most nearly square patches.

    >>> _grid(196, Image.new("L", (30, 20))), _grid(6, Image.new("L", (30, 20)))
    ((14, 14), (2, 3))
    """
    if count > 0 and isqrt(count) ** 2 == count:
        return isqrt(count), isqrt(count)
    grids = [(rows, count // rows) for rows in range(1, count + 1) if count % rows == 0] or [(1, 1)]
    return min(grids, key=lambda grid: _stretch(grid, image))


def _stretch(grid: tuple[int, int], image: Image.Image) -> float:
    """Return how many times as long as wide a patch is."""
    ratio = image.height * grid[1] / (grid[0] * image.width)
    return max(ratio, 1 / ratio)


def read_picture(data: bytes) -> Image.Image:
    """Return the picture of a PNG or JPEG file, upright, in RGB, on white where it is transparent.

    Its size is read from the header, before anything is decoded.

    Raises ValueError for more than 4 MB or 16 million pixels, a picture more than 20 times as long as wide,
    an animation, and a file that is cut short, damaged or of another kind.
    """
    if len(data) > MAX_PICTURE_BYTES:
        sizes = {"limit": MAX_PICTURE_BYTES / 1e6, "size": f"{len(data) / 1e6:.1f}"}
        raise ValueError(_("a picture must take at most {limit:g} MB; got {size}", **sizes))
    try:
        image: Image.Image = Image.open(io.BytesIO(data), formats=("PNG", "JPEG"))
    except (Image.DecompressionBombError, Image.DecompressionBombWarning) as error:
        limit = MAX_PIXELS / 1e6
        raise ValueError(_("a picture must have at most {limit:g} megapixels", limit=limit)) from error
    except Exception as error:  # Pillow raises many kinds of exceptions here
        raise ValueError(_("a picture must be a PNG or JPEG file; this one cannot be read")) from error
    _require_size(*image.size)
    n_frame = getattr(image, "n_frames", 1)
    if image.format == "PNG" and n_frame > 1:  # a phone's JPEG may hold a second picture
        raise ValueError(_("a picture must stand still; got {count} frames", count=n_frame))
    try:
        image.load()
        image = ImageOps.exif_transpose(image)
    except Exception as error:  # each decoder, zlib and a damaged EXIF raise their own kinds
        raise ValueError(_("a picture must be whole; this file is cut short or damaged")) from error
    if image.mode.startswith("I"):  # 16 bits of grey, which `convert` would clip
        image = Image.fromarray((np.asarray(image).astype(np.int64) >> 8).clip(0, 255).astype(np.uint8))
    if image.has_transparency_data:
        image = image.convert("RGBA")
        image = Image.alpha_composite(Image.new("RGBA", image.size, "white"), image)
    return image.convert("RGB")


def _require_size(width: int, height: int) -> None:
    if width * height > MAX_PIXELS:
        raise ValueError(
            _(
                "a picture must have at most {limit:g} megapixels; got {width} × {height}",
                limit=MAX_PIXELS / 1e6,
                width=width,
                height=height,
            )
        )
    if max(width, height) > MAX_ASPECT * min(width, height):
        raise ValueError(
            _(
                "a picture must be at most {limit} times as long as wide; got {width} × {height}",
                limit=MAX_ASPECT,
                width=width,
                height=height,
            )
        )


class VisionModel:
    """A trained ViT, DeiT or DINOv2, run as ``model.eval()`` runs it; made by ``load_vision_model``.

    Attributes:
        before: names of the tokens before the patches, [CLS] first.
        grid: rows and columns of patches.
        n_layer, n_head: layers, and heads of each.
    """

    queries = None

    def __init__(self, name: str, network: Any, processor: Any) -> None:
        """Run a blank picture to find the layers that attend.

        Raises ValueError for pictures that do not divide into patches, and for too many patches.
        """
        self.name, self._network, self._processor = name, network, processor
        self._lock = threading.Lock()  # a picture of 16 megapixels at a time
        self.family = str(network.config.model_type)
        n_register = int(getattr(network.config, "num_register_tokens", 0))
        self.before = BEFORE[self.family] + tuple(f"[register {at + 1}]" for at in range(n_register))
        blank = self.prepare(Image.new("RGB", (64, 64)))
        side = int(network.config.patch_size)
        height, width = blank.rgb.shape[:2]
        self.grid = height // side, width // side
        rows = self.rows(blank, 0)
        self.n_layer, self.n_head, n_token = rows.shape
        if height % side or width % side or n_token != len(self.before) + self.grid[0] * self.grid[1]:
            raise ValueError(
                f"{name} must cut its pictures into whole patches of {side} pixels; it has {n_token} tokens "
                f"for a picture of {width} x {height}"
            )
        if rows.numel() > MAX_WEIGHTS:
            raise ValueError(
                f"a query must have at most {MAX_WEIGHTS:,} weights in all heads; {name} has {rows.numel():,}"
            )

    def at(self, picture: PatchedPicture) -> "VisionModel | PatchMaps":
        """Return the model itself, which computes weights over any picture."""
        return self

    def prepare(self, image: Image.Image) -> PatchedPicture:
        """Return a picture as the folder's own image processor makes it, for the model and for display."""
        with self._lock:
            visible = self._process(image, "channels_last", do_rescale=False, do_normalize=False)
            inputs = self._process(visible[0], "channels_first", do_resize=False, do_center_crop=False)
        return PatchedPicture(visible[0].permute(1, 2, 0).numpy(), inputs)

    def _process(self, image: Image.Image | Tensor, order: str, **options: bool) -> Tensor:
        processed = self._processor(image, return_tensors="pt", input_data_format=order, **options)
        pixels: Tensor = processed["pixel_values"]
        return pixels

    def rows(self, picture: PatchedPicture, query: int) -> Float[Tensor, "n_layer n_head n_token"]:
        """Return one query's weights in every head; tokens are counted from 0, [CLS] first.

        No other row of a map is computed.
        """
        layers: list[Tensor] = []

        def take(call: Call) -> Tensor:
            one = replace(call, query=call.query[:, :, query : query + 1])
            layers.append(one.attend().weights[0, :, 0])
            return call.heads()

        with self._lock, torch.no_grad(), taking(take):
            self._network(pixel_values=picture.inputs)
        return torch.stack(layers)


class PictureWriter(VisionModel):
    """A vision transformer and a decoder that describes pictures; made by ``load_vision_model``."""

    def __init__(self, name: str, network: Any, processor: Any, reader: Any) -> None:
        """Take a VisionEncoderDecoderModel, and the reader of its tokens."""
        super().__init__(name, network.encoder, processor)
        self._writer, self._reader = network, reader
        self.family = f"{self.family} + {network.config.decoder.model_type}"

    def at(self, picture: PatchedPicture) -> PatchMaps:
        """Return the weights over a picture of each token that the model generates, greedily, at most 20."""
        inputs: dict[str, Any] = {"pixel_values": picture.inputs}
        with self._lock, torch.no_grad(), one_sentence("config.json must say how the decoder writes"):
            tokens = self._writer.generate(
                **inputs, max_new_tokens=MAX_TOKENS, do_sample=False, num_beams=1, use_cache=False
            )
            # The row of a position belongs to the token that is generated after it.
            maps = capture(self._writer, **inputs, decoder_input_ids=tokens[:, :-1]).by_kind[CROSS]
        queries = [f"{at} {self._reader.name(int(each))}" for at, each in enumerate(tokens[0, 1:], start=1)]
        weights = torch.stack([torch.as_tensor(each) for each in maps.maps.values()])
        return PatchMaps(self.name, self.family, self.before, self.grid, queries, weights)


def load_vision_model(folder: str | Path) -> VisionModel:
    """Read a vision transformer from a folder: config.json, safetensors, preprocessor_config.json.

    A vision-encoder-decoder, whose encoder is one, needs its decoder's tokenizer too.

    Raises ValueError, in one sentence, as ``load_model`` does, and for a model_type not in ``BEFORE``.
    """
    path = require_folder(folder)
    if not (path / "preprocessor_config.json").is_file():
        raise ValueError(f"a vision model's folder must hold preprocessor_config.json; {path.name} does not")
    transformers = import_transformers()
    with one_sentence("config.json and preprocessor_config.json must be of a model that transformers has"):
        config = transformers.AutoConfig.from_pretrained(path, **LOCAL)
    writes = config.model_type == WRITER
    kind = config.encoder.model_type if writes else config.model_type
    if kind not in BEFORE:
        raise ValueError(
            f"a vision model must be one of {', '.join(BEFORE)}, or the encoder of a {WRITER}; got {kind}"
        )
    with one_sentence("preprocessor_config.json must be of an image processor that transformers has"):
        # Pillow's: torchvision is no part of the optional packages.
        processor = transformers.AutoImageProcessor.from_pretrained(path, backend="pil", **LOCAL)
    if not writes:
        network = read_network(transformers, transformers.AutoModel, path, config)
        return VisionModel(path.name, network, processor)
    reader = read_tokenizer(path, transformers, MAX_TOKENS)
    if reader is None:
        raise ValueError(missing_tokenizer(path.name))
    network = read_network(transformers, transformers.AutoModelForImageTextToText, path, config)
    return PictureWriter(path.name, network, processor, reader)
