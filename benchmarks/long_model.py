"""One head of a real model on a long text: seconds and memory, beside transformers with all its maps.

    python -m benchmarks.long_model [--tokens 512 1024 2048 4096] [--layers 4] [--width 256] [--heads 8]

The model is a Llama with random weights and places for 4,096 tokens, saved by transformers; all-MiniLM-L6-v2
is measured too, at its own 512, if its package is installed. Ours runs all layers, then computes the map of
one head of the last layer: the levels of its pyramid and one tile of cells. transformers runs with
`output_attentions=True` and eager attention, as viewers of attention do, if all maps take 4 GB or less; and
with fused attention and no map, which only reads the text. Each run is a process of its own, on one thread.
It prints seconds of the clock and of the processor, which a busy machine does not lengthen, and the peak of
the resident set above its size after the model was read (Linux).
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import torch

STATUS = Path("/proc/self/status")
OURS, THEIRS, BARE = "attn_core, one head", "transformers, all maps", "transformers, no map"
MOST_MAPS = 4_000_000_000  # bytes of all maps that transformers is asked for


def resident(peak: bool = False) -> int:
    """Return the bytes that this process has now, or had at most since `forget`."""
    match = re.search(rf"{'VmHWM' if peak else 'VmRSS'}:\s+(\d+) kB", STATUS.read_text(encoding="ascii"))
    assert match
    return 1024 * int(match[1])


def forget() -> None:
    """Reset the peak of this process's memory to its present size."""
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")


def once(name: str, folder: str, n: int) -> dict[str, float]:
    """Run one text in this process."""
    torch.set_num_threads(1)
    ids = torch.randint(5, 300, (n,), generator=torch.Generator().manual_seed(1)).tolist()
    if name == OURS:
        from attn_core import load_model  # noqa: PLC0415  (each process reads what it needs alone)
        from attn_live.pyramid import Pyramid  # noqa: PLC0415  (each process reads what it needs alone)

        model = load_model(folder or None)
        forget()
        before, start, worked = resident(), time.perf_counter(), time.process_time()
        head = next(model.reach(ids, model.n_layer - 1).maps([0]))
        pyramid = Pyramid(head, "max", head.may)
        pyramid.level(len(pyramid.sizes) - 1)
        pyramid.tile(0, 0, 0)
    else:
        import transformers  # noqa: PLC0415  (the same)

        way = "sdpa" if name == BARE else "eager"
        theirs = transformers.AutoModel.from_pretrained(folder, attn_implementation=way)
        forget()
        before, start, worked = resident(), time.perf_counter(), time.process_time()
        with torch.no_grad():
            theirs(torch.tensor([ids]), output_attentions=name == THEIRS)
    seconds, worked = time.perf_counter() - start, time.process_time() - worked
    return {"seconds": seconds, "worked": worked, "bytes": resident(peak=True) - before}


def measure(name: str, folder: str, n: int) -> dict[str, float]:
    """Run one text in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.long_model", "--once", name, folder, str(n)]
    process = subprocess.run(command, check=True, capture_output=True, text=True)
    match: dict[str, float] = json.loads(process.stdout.splitlines()[-1])
    return match


def make(folder: Path, layers: int, width: int, heads: int) -> None:
    """Save a Llama with random weights."""
    import transformers  # noqa: PLC0415  (the same)

    config = transformers.LlamaConfig(
        hidden_size=width,
        intermediate_size=2 * width,
        num_hidden_layers=layers,
        num_attention_heads=heads,
        num_key_value_heads=heads // 2,
        vocab_size=340,
        max_position_embeddings=4096,
    )
    transformers.AutoModel.from_config(config).save_pretrained(folder)


def main() -> None:
    """Print one line for each length."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--tokens", type=int, nargs="+", default=[512, 1024, 2048, 4096])
    parser.add_argument("--layers", type=int, default=4)
    parser.add_argument("--width", type=int, default=256)
    parser.add_argument("--heads", type=int, default=8)
    parser.add_argument("--once", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.once:
        name, folder, n = options.once
        print(json.dumps(once(name, folder, int(n))))
        return
    from attn_core.learned_positions import packaged_folder  # noqa: PLC0415  (the same)

    with tempfile.TemporaryDirectory() as folder:
        make(Path(folder), options.layers, options.width, options.heads)
        runs = [
            (name, folder, n)
            for n in options.tokens
            for name in (OURS, THEIRS, BARE)
            if name != THEIRS or 4 * options.layers * options.heads * n**2 <= MOST_MAPS
        ]
        if packaged := packaged_folder():
            runs += [(OURS, "", 512), (THEIRS, str(packaged), 512)]
        for name, where, n in runs:
            match = measure(name, where, n)
            whose = "Llama" if where == folder else "all-MiniLM"
            line = f"{match['seconds']:6.2f} s ({match['worked']:5.2f}) {match['bytes'] / 1e6:7.0f} MB"
            print(f"{whose:10} {n:5} tokens  {name:24}{line}", flush=True)


if __name__ == "__main__":
    main()
