"""Pictures of every kind, and a small vision transformer's weights on their patches."""

import io
import json
import struct
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import transformers
from PIL import Image
from tokenizers import Tokenizer, models

from attn_core import AttentionMaps
from attn_core.models.vision import MAX_PICTURE_BYTES, load_vision_model, read_patch_maps, read_picture

SMALL: dict[str, Any] = {
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 48,
    "image_size": 32,
    "patch_size": 8,
}
CONFIGS = {
    "vit": transformers.ViTConfig,
    "deit": transformers.DeiTConfig,
    "dinov2": transformers.Dinov2Config,
    "dinov2_with_registers": transformers.Dinov2WithRegistersConfig,
}
RED, BLUE = (255, 0, 0), (0, 0, 255)


def save_vision_model(folder: Path, kind: str = "vit") -> Path:
    """Save a small model with random weights, and its image processor, which crops a DINOv2's pictures."""
    torch.manual_seed(0)
    transformers.AutoModel.from_config(CONFIGS[kind](**SMALL)).save_pretrained(folder)
    settings: dict[str, Any] = {"image_mean": [0.4] * 3, "image_std": [0.5] * 3, "resample": 3}
    if kind.startswith("dinov2"):
        settings |= {"size": {"shortest_edge": 36}, "crop_size": {"height": 32, "width": 32}}
        settings |= {"image_processor_type": "BitImageProcessor", "do_center_crop": True}
    else:
        settings |= {"image_processor_type": "ViTImageProcessor", "size": {"height": 32, "width": 32}}
    (folder / "preprocessor_config.json").write_text(json.dumps(settings), encoding="utf-8")
    return folder


def save_writer(folder: Path) -> Path:
    """Save a small ViT whose pictures a small GPT-2 writes of, with random weights."""
    save_vision_model(folder)
    torch.manual_seed(2)
    decoder = transformers.GPT2Config(
        **{"vocab_size": 12, "n_positions": 40, "n_embd": 32, "n_layer": 3, "n_head": 4},
        **{"add_cross_attention": True, "is_decoder": True, "bos_token_id": 0, "eos_token_id": 11},
    )
    config = transformers.VisionEncoderDecoderConfig.from_encoder_decoder_configs(
        transformers.ViTConfig(**SMALL), decoder
    )
    config.decoder_start_token_id = config.pad_token_id = 0
    network: Any = transformers.VisionEncoderDecoderModel(config)
    torch.nn.init.normal_(network.decoder.transformer.wpe.weight)  # so that it writes more than one word
    network.save_pretrained(folder)
    words = ["<s>", "a", "cat", "sat", "on", "the", "mat", "dog", "red", "blue", "it", "</s>"]
    tokenizer = Tokenizer(models.WordLevel({word: at for at, word in enumerate(words)}, unk_token="<s>"))
    tokenizer.save(str(folder / "tokenizer.json"))
    return folder


def file_of(image: Image.Image, kind: str = "PNG", **options: Any) -> bytes:
    file = io.BytesIO()
    image.save(file, kind, **options)
    return file.getvalue()


def speckled(width: int = 48, height: int = 40) -> Image.Image:
    return Image.fromarray(np.random.default_rng(0).integers(0, 255, (height, width, 3), np.uint8), "RGB")


@pytest.mark.parametrize("kind", CONFIGS)
def test_vision_rows_equal_transformers(kind: str, tmp_path: Path) -> None:
    model = load_vision_model(save_vision_model(tmp_path, kind))
    picture = model.prepare(speckled())
    assert picture.inputs is not None
    processor = transformers.AutoImageProcessor.from_pretrained(tmp_path, backend="pil")
    assert torch.equal(picture.inputs, processor(speckled(), return_tensors="pt")["pixel_values"])
    eager = transformers.AutoModel.from_pretrained(tmp_path, attn_implementation="eager").eval()
    with torch.no_grad():
        maps = torch.stack(eager(pixel_values=picture.inputs, output_attentions=True).attentions)[:, 0]
    assert maps.shape == (2, 2, len(model.before) + 16, len(model.before) + 16)
    for query in range(maps.shape[2]):
        torch.testing.assert_close(model.rows(picture, query), maps[:, :, query], atol=1e-6, rtol=0)
    assert model.before[0] == "[CLS]"
    # What is shown is what enters the model.
    shown = (torch.tensor(picture.rgb) / 255 - 0.4) / 0.5
    torch.testing.assert_close(picture.inputs[0].permute(1, 2, 0), shown, atol=0.01, rtol=0)


def test_vision_word_rows_equal_transformers(tmp_path: Path) -> None:
    model = load_vision_model(save_writer(tmp_path))
    picture = model.prepare(speckled())
    maps = model.at(picture)
    eager: Any = transformers.VisionEncoderDecoderModel.from_pretrained(tmp_path, attn_implementation="eager")
    inputs = {"pixel_values": picture.inputs}
    with torch.no_grad():
        ids = eager.eval().generate(**inputs, max_new_tokens=20, do_sample=False, num_beams=1)
        outputs = eager(**inputs, decoder_input_ids=ids[:, :-1], output_attentions=True)
    names = transformers.PreTrainedTokenizerFast(tokenizer_file=str(tmp_path / "tokenizer.json"))
    words = names.convert_ids_to_tokens(ids[0, 1:].tolist())
    assert maps.queries == [f"{at} {word}" for at, word in enumerate(words, start=1)]
    assert len({*words}) > 1
    for query in range(len(words)):
        theirs = torch.stack([each[0, :, query] for each in outputs.cross_attentions])
        torch.testing.assert_close(maps.rows(picture, query), theirs, atol=1e-6, rtol=0)
    (tmp_path / "tokenizer.json").unlink()
    with pytest.raises(ValueError, match=r"tokenizer.json"):
        load_vision_model(tmp_path)


@pytest.mark.parametrize(
    ("n_key", "size", "grid"),
    [(17, (48, 40), (4, 4)), (16, (30, 90), (4, 4)), (55, (60, 40), (6, 9)), (24, (60, 40), (4, 6))],
)
def test_file_keys_are_patches_of_its_picture(n_key: int, size: Any, grid: tuple[int, int]) -> None:
    weights = np.random.default_rng(1).dirichlet(np.ones(n_key), (2, 3, n_key))
    maps = AttentionMaps({str(at): layer for at, layer in enumerate(weights)})
    ours, picture = read_patch_maps("mine.npz", maps, speckled(*size))
    assert (ours.grid, len(ours.before), ours.queries) == (grid, n_key - grid[0] * grid[1], None)
    assert picture.rgb.shape[0] % grid[0] == picture.rgb.shape[1] % grid[1] == 0
    np.testing.assert_array_equal(ours.rows(picture, 5), weights[:, :, 5])
    words = AttentionMaps({"0": weights[0, :, :2]}, tokens=("a", "cat"))
    assert read_patch_maps("mine.npz", words, speckled(*size))[0].queries == ["1 a", "2 cat"]


def test_file_keys_that_are_no_patches_are_refused() -> None:
    maps = AttentionMaps({"0": np.full((1, 23, 23), 1 / 23)})
    with pytest.raises(ValueError, match=r"48 × 40 .*got 23 keys"):
        read_patch_maps("mine.npz", maps, speckled())
    maps = AttentionMaps({"0": np.ones((1, 1, 1)), "1": np.ones((2, 1, 1))})
    with pytest.raises(ValueError, match=r"one shape; got .*\(2, 1, 1\)"):
        read_patch_maps("mine.npz", maps, speckled())


def test_vision_folder_of_another_model_is_refused(tmp_path: Path) -> None:
    folder = save_vision_model(tmp_path)
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    (folder / "config.json").write_text(json.dumps(config | {"model_type": "swin"}), encoding="utf-8")
    with pytest.raises(ValueError, match="swin"):
        load_vision_model(folder)
    (folder / "config.json").write_text(json.dumps(config | {"patch_size": 7}), encoding="utf-8")
    with pytest.raises(ValueError, match=r"patch|projection"):
        load_vision_model(folder)
    (folder / "preprocessor_config.json").unlink()
    with pytest.raises(ValueError, match="preprocessor_config"):
        load_vision_model(folder)


def quadrants(mode: str, pixels: Any) -> Image.Image:
    """A picture of 2 × 1 in any mode."""
    image = Image.new(mode, (2, 1))
    for x, pixel in enumerate(pixels):
        image.putpixel((x, 0), pixel)
    return image


@pytest.mark.parametrize(
    ("data", "pixels"),
    [
        (file_of(Image.new("RGB", (1, 1), RED)), [RED]),
        (file_of(quadrants("L", [10, 200])), [(10,) * 3, (200,) * 3]),
        (file_of(Image.fromarray(np.array([[0, 0x8000]], dtype=np.uint16))), [(0,) * 3, (128,) * 3]),
        (file_of(quadrants("RGBA", [(255, 0, 0, 0), (0, 0, 255, 255)])), [(255,) * 3, BLUE]),
        (file_of(quadrants("LA", [(0, 255), (0, 0)])), [(0,) * 3, (255,) * 3]),
        (file_of(quadrants("1", [0, 255])), [(0,) * 3, (255,) * 3]),
        (file_of(Image.new("CMYK", (1, 1), (0, 0, 0, 255)), "JPEG"), [(0,) * 3]),
        (file_of(Image.new("L", (1, 1), 77), "JPEG"), [(77,) * 3]),
    ],
)
def test_picture_of_any_mode_is_read(data: bytes, pixels: list[tuple[int, int, int]]) -> None:
    image = read_picture(data)
    assert image.mode == "RGB"
    assert [image.getpixel((x, 0)) for x in range(image.width)] == pixels


def test_sideways_picture_stands_upright() -> None:
    exif = Image.Exif()
    exif[0x0112] = 6  # turned by a quarter
    image = read_picture(file_of(speckled(8, 4), "PNG", exif=exif))
    np.testing.assert_array_equal(np.asarray(image), np.rot90(np.asarray(speckled(8, 4)), -1))


def header(width: int, height: int) -> bytes:
    """A PNG that says how large it is, and holds next to nothing."""
    chunks = [
        (b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)),
        (b"IDAT", zlib.compress(b"")),
        (b"IEND", b""),
    ]
    parts = [
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        for name, data in chunks
    ]
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


ANIMATED = file_of(Image.new("L", (4, 4)), save_all=True, append_images=[Image.new("L", (4, 4), 9)])


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "PNG or JPEG"),
        (b"\x89PNG\r\n\x1a\n" + b"no chunk", "PNG or JPEG"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "PNG or JPEG"),
        (file_of(Image.new("L", (4, 4)), "GIF"), "PNG or JPEG"),
        (file_of(speckled())[:200], "cut short"),
        (file_of(speckled(), "JPEG")[:700], "cut short"),
        (ANIMATED, "2 frames"),
        (b"\xff" * (MAX_PICTURE_BYTES + 1), "4 MB"),
        (header(4001, 4000), "16 megapixels; got 4001"),
        (header(10_000, 10_000), "16 megapixels"),
        (header(60_000, 60_000), "16 megapixels"),
        (header(201, 10), "20 times"),
    ],
)
def test_non_pictures_are_refused_and_large_ones_not_decoded(
    data: bytes, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if data[12:16] == b"IHDR" and len(data) < 100:
        monkeypatch.setattr("PIL.ImageOps.exif_transpose", pytest.fail)
        monkeypatch.setattr("PIL.PngImagePlugin.PngImageFile.load", pytest.fail)
    with pytest.raises(ValueError, match=message):
        read_picture(data)


def test_one_pixel_and_a_long_strip_have_rows(tmp_path: Path) -> None:
    model = load_vision_model(save_vision_model(tmp_path, "dinov2"))
    for size in ((1, 1), (3, 1), (20, 1), (1, 20)):
        picture = model.prepare(read_picture(file_of(Image.new("RGB", size, RED))))
        assert (picture.rgb == RED).all()
        torch.testing.assert_close(model.rows(picture, 3).sum(dim=-1), torch.ones(2, 2))
