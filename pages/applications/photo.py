"""A visitor's own picture, and the weights that the host's vision transformer puts on its patches."""

import base64
import io
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial

import numpy as np
from jaxtyping import Float
from PIL import Image
from torch import Tensor

from attn_core import read_attention
from attn_core.models.vision import (
    PatchedPicture,
    PatchMaps,
    VisionModel,
    load_vision_model,
    read_patch_maps,
    read_picture,
)
from attn_figures.patch_weights import PatchedImage, over_photo, shares_of_largest
from attn_figures.scene import Scene
from attn_live.captions import LazyMap
from attn_live.packing import Cursor
from attn_ui.base.controls import Controls
from attn_ui.base.markdown import all_of, plain
from attn_ui.base.page import Cell, Figure, Slider, Small, View
from attn_ui.base.parameters import page_tabs
from attn_ui.base.scenes import Packed, SharedScene, pack_scene
from attn_ui.host.hosting import hosting
from attn_words import N_, _, language, paragraph
from pages.applications.settings import HEAD, LAYER, TOKEN
from pages.applications.state import State

OWN_PICTURE = "applications_own_picture"  # the session's key for the uploaded picture
_ROWS = "applications_own_rows"
_LOCK = threading.Lock()
_TAB = page_tabs(maths=(), checks=(), code=(), data=("Data",))
NO_MODEL = N_(
    "A picture of your own takes a file of weights beside it, or a vision transformer (ViT, DeiT, DINOv2, or "
    "one whose decoder writes of pictures), whose folder the host names in `ATTENTION_LAB_VISION_MODEL`."
)


@dataclass(frozen=True, eq=False)
class Photo:
    """A visitor's picture as the model reads it, with the model, or file, that gives the weights over it."""

    model: VisionModel | PatchMaps
    picture: PatchedPicture

    @cached_property
    def source(self) -> str:
        """The picture as a `data:` address of a small JPEG."""
        file = io.BytesIO()
        Image.fromarray(self.picture.rgb).save(file, "JPEG", quality=90)
        return "data:image/jpeg;base64," + base64.b64encode(file.getvalue()).decode()

    def tokens(self) -> list[str]:
        """Return the names of all tokens in the page's language; those before the patches ([CLS]) first."""
        patches = (
            _("row {row}, column {column}", row=row + 1, column=column + 1)
            for row, column in np.ndindex(*self.model.grid)
        )
        return [*self.model.before, *patches]

    def queries(self) -> Sequence[str]:
        """Return the names of the queries: the decoder's words, or all tokens."""
        return self.model.queries or self.tokens()


@dataclass(frozen=True, eq=False)
class PhotoRows:
    """One query's weights on a picture; `query` is a zero-based index."""

    photo: Photo
    tokens: Sequence[str]
    queries: Sequence[str]
    query: int
    language: str

    @cached_property
    def weights(self) -> Float[Tensor, "n_layer n_head n_token"]:
        """The query's row of weights in every head."""
        return self.photo.model.rows(self.photo.picture, self.query).double()

    @cached_property
    def packed(self) -> Packed:
        """The figure for the browser."""
        return pack_scene(self.scene())

    def scene(self) -> Scene:
        """Draw the picture, and every layer and head over it."""
        model, rgb = self.photo.model, self.photo.picture.rgb
        n_before = len(model.before)
        ink, patch_names = 1 - rgb.mean(axis=-1) / 255, self.tokens[n_before:]
        image = PatchedImage(ink, model.grid, patch_names, (), _("query"), self.photo.source)
        patches = self.weights[..., n_before:].reshape(model.n_layer, model.n_head, *model.grid).numpy()
        patch = self.query - n_before if model.queries is None and self.query >= n_before else None
        layers, heads = range(model.n_layer), range(model.n_head)
        maps = {
            "data[laid over].z": shares_of_largest(patches),
            "data[laid over].customdata": patches[..., None],
        }
        return Scene(
            [over_photo(image, patches[0, 0], patch)],
            Cursor(model.n_head, {}, maps),
            {path: values[:, 0] for path, values in maps.items()},
            LazyMap(lambda layer: [self.caption(layer, head) for head in heads], layers),
        )

    def caption(self, layer: int, head: int) -> str:
        """Return the row's weight on each token before the patches, on all patches and on the heaviest."""
        model, tokens = self.photo.model, self.tokens
        row = self.weights[layer, head].numpy()
        n_before = len(model.before)
        most = n_before + int(np.argmax(row[n_before:]))
        parts = [
            _("**{weight}** on {token}", weight=f"{weight:.3f}", token=plain(token))
            for token, weight in zip(model.before, row[:n_before].tolist(), strict=True)
        ]
        share, count = f"{row[n_before:].sum():.3f}", len(row) - n_before
        parts.append(_("**{share}** on the {count} patches", share=share, count=count))
        return _(
            "**Head {number}**, query {query}: {parts}; the whole row sums to {sum}. Of the patches most on "
            "{patch}: **{weight}**.",
            number=f"{layer + 1}.{head + 1}",
            query=plain(self.queries[self.query]),
            parts=all_of(parts),
            sum=f"{row.sum():.3f}",
            patch=tokens[most],
            weight=f"{row[most]:.4f}",
        )

    def columns(self) -> Mapping[str, list[object]]:
        """Return the table of all weights of the query."""
        names = (N_("layer"), N_("head"), N_("query"), N_("key"), N_("weight"))
        rows = [
            (layer, head, self.queries[self.query], self.tokens[key], float(weight))
            for layer, heads in enumerate(self.weights.numpy(), start=1)
            for head, row in enumerate(heads, start=1)
            for key, weight in enumerate(row)
        ]
        return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


def photo_of(data: bytes, weights: tuple[str, bytes] | None = None) -> Photo:
    """Return the picture in `data`, with weights from a second file (its name and bytes) or the host's model.

    Raises ValueError if a file cannot be read, if the two do not fit, or if there are no weights.
    """
    image = read_picture(data)
    if weights is not None:
        return Photo(*read_patch_maps(weights[0], read_attention(*weights), image))
    if not hosting().vision_model:
        raise ValueError(_("a picture must have a file of weights beside it: the host has no vision model"))
    with _LOCK:
        model = _load(hosting().vision_model)
    picture = model.prepare(image)
    return Photo(model.at(picture), picture)


@cache
def _load(folder: str) -> VisionModel:
    return load_vision_model(folder)


def view(controls: Controls, photo: Photo) -> View[State | PhotoRows]:
    """Draw one query's weights over a picture, for one layer and one head at a time."""
    model, queries = photo.model, photo.queries()
    with controls.row(label=_("Query")):
        query = controls.pick(TOKEN, _("Query"), queries, label_visibility="collapsed")
        controls.button(_("The page's own drawing"), partial(controls.remember, OWN_PICTURE, None))
    previous: PhotoRows | None = controls.recall(_ROWS, None)
    rows = PhotoRows(photo, photo.tokens(), queries, query, language())
    if previous and (previous.photo, previous.query, previous.language) == (photo, query, rows.language):
        rows = previous
    controls.remember(_ROWS, rows)
    layers = replace(LAYER, values=LAYER.values[: model.n_layer])
    heads = replace(HEAD, values=HEAD.values[: model.n_head])
    figure = Figure(
        SharedScene(rows.scene, lambda: rows.packed),
        key="use-photo",
        name="where attention is used: a picture",
        slider=Slider(_("Layer"), layers),
        rows=Slider(_("Head"), heads),
        clicked=partial(_choose_query, photo),
    )
    height, width, _rgb = photo.picture.rgb.shape
    fields = {"model": plain(model.name), "family": plain(model.family), "width": width, "height": height}
    about = (
        _(
            "{model}, of the family {family}. The picture is as its own image processor makes it, {width} × "
            "{height} pixels.",
            **fields,
        )
        if model.family
        else _("{model}: a file of weights, laid over its picture.", **fields)
    )
    clicks = _("A click on a patch makes it the query; a row of weights has [CLS] first.")
    words = _("A query is a word, and its row is where the decoder looked as it wrote it.")
    note = paragraph(about, clicks if model.queries is None else words if model.family else "")
    link = _("No link has the picture: whoever opens one sees the page's own drawing.")
    return View(rows, figure, notes=[Small(note), Small(link)], below="upload", tabs=_TAB, is_linked=False)


def _choose_query(photo: Photo, controls: Controls, cell: Cell) -> None:
    if photo.model.queries is None and cell.trace in ("picture", "laid over"):
        controls.move(TOKEN, len(photo.model.before) + cell.row * photo.model.grid[1] + cell.column)
