"""What a minute can prove of the layer in hand: `make quick`, or `make quick LAYER=core`.

    python -m tests.quick              # core, figures, pages, and the layers that differ from main
    python -m tests.quick core figures

Two processes run side by side and take as long: core and live, figures and pages. `make test` has the rest.
"""

import shutil
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]
STATES = 2  # of each page
LAYERS = ("core", "figures", "live", "app")
FOLDERS = {
    "attn_core": "core",
    "tests/core": "core",
    "attn_figures": "figures",
    "tests/figures": "figures",
    "attn_live": "live",
    "attn_words": "app",
    "attn_ui": "app",
    "pages": "app",
    "tests/app": "app",
}
# What trains models, reads whole ones or fits many heads: most of the time of tests/core.
LONG = (
    "test_attention_file",
    "test_capture",
    "test_capture_models",
    "test_model_folders",
    "test_model_tokens",
    "test_real_model",
    "test_toys",
    "test_toy_mistakes",
)
# What starts a process that imports torch.
STARTING = (
    "test_samples.py::TestSentenceVectors::test_the_same_in_every_process",
    "test_adam.py::test_a_fit_and_a_training_import_no_compiler",
)
UNITS = {
    "core": [
        "attn_core",
        "tests/core",
        *(f"--ignore=tests/core/{name}.py" for name in LONG),
        *(f"--deselect=tests/core/{name}" for name in STARTING),
    ],
    "figures": ["attn_figures", "tests/figures"],
    "live": ["attn_live", "tests/figures/test_live_steps.py", "tests/app/test_packing.py"],
}
ALWAYS = {"core", "figures", "app"}


def changed() -> list[str]:
    """Return the files that differ from main's, or from the last commit's where there is no main."""
    for base in ("main", "HEAD") if shutil.which("git") else ():
        found = [
            subprocess.run(["git", *asked], cwd=ROOT, capture_output=True, text=True, check=False)
            for asked in (
                ["diff", "--name-only", base],
                ["ls-files", "--others", "--exclude-standard"],
            )
        ]
        if not any(each.returncode for each in found):
            return "".join(each.stdout for each in found).splitlines()
    return []


def layers_of(files: Iterable[str]) -> set[str]:
    """Return the layers to which files belong."""
    return {layer for file in files for folder, layer in FOLDERS.items() if file.startswith(f"{folder}/")}


def commands(layers: set[str], files: Sequence[str] = ()) -> list[list[list[str]]]:
    """Return what runs side by side, each a line of commands that run one after the other."""
    pytest = [sys.executable, "-m", "pytest", "-q", "-x"]
    first = [path for layer in ("core", "live") if layer in layers for path in UNITS[layer]]
    rest = [*UNITS["figures"]] if "figures" in layers else []
    if "app" in layers:
        own = [file for file in files if file.startswith("tests/app/test_") and (ROOT / file).exists()]
        rest += dict.fromkeys(["tests/app/test_tab_labels.py", *own])
    side_by_side = [[[*pytest, *paths]] for paths in (first, rest) if paths]
    if "app" in layers:
        side_by_side[-1].append([sys.executable, "-m", "tests.walk", f"--states={STATES}"])
    return side_by_side


def main(asked: Sequence[str]) -> int:
    """Run them; return 1 where one fails."""
    if unknown := [each for each in asked if each not in LAYERS]:
        print(f"a layer is one of {', '.join(LAYERS)}; got {', '.join(unknown)}")
        return 2
    files = changed()
    running = [
        [subprocess.list2cmdline(each) for each in line]
        for line in commands(set(asked) or ALWAYS | layers_of(files), files)
    ]
    started = [subprocess.Popen(" && ".join(line), shell=True, cwd=ROOT) for line in running]
    ended = [each.wait() for each in started]
    return int(any(ended))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
