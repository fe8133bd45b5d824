"""Whether the app works with what is newest: ``make newest`` installs it apart, and runs some of the tests.

Streamlit, Plotly, torch and numpy are taken as new as the package index has them, all else as the
requirements pin it. Nothing of `.venv` is touched.
"""

import re
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from install import CPU_BUILDS, PATIENCE, ROOT, UNREACHED

NEWEST = ("torch", "numpy", "streamlit", "plotly")
# What the tests below import, beside the app.
TESTED_WITH = (
    "anywidget",
    "beartype",
    "hypothesis",
    "playwright",
    "pytest",
    "rotary-embedding-torch",
    "statsmodels",
    "transformers",
)
PINNED_IN = ("requirements-tests.txt", "requirements-notebook.txt", "requirements-slides.txt")
TESTS = (
    "tests/core/test_attention.py",
    "tests/core/test_multi_head.py",
    "tests/core/test_regression.py",
    "tests/core/test_capture.py",
    "tests/figures",
    "tests/app/test_tab_labels.py",
    "tests/app/test_inside.py",
    "tests/app/test_controls.py",
    "tests/app/test_state.py",
    "tests/app/test_limits.py",
    "tests/app/test_uploads.py",
)


def loosened(lines: Iterable[str]) -> list[str]:
    """Return requirements, of which the four may be as new as they are.

    >>> loosened(["# why", "torch==2.13.0", "einops==0.8.2", ""])
    ['torch', 'einops==0.8.2']
    """
    names = [line.partition(" #")[0].strip() for line in lines if line.strip() and not line.startswith("#")]
    return [name if (name := re.split(r"[=<>;]", each)[0]) in NEWEST else each for each in names]


def install(python: str) -> None:
    """Install them; torch first and without CUDA, where its own index can be reached."""
    pip = (python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--upgrade")
    if sys.platform == "linux":
        own = [*pip, "--no-deps", *PATIENCE, "--index-url", CPU_BUILDS, "torch"]
        if subprocess.run(own, capture_output=True, check=False).returncode:
            print(UNREACHED, flush=True)
    app = loosened((ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines())
    pinned = [line for name in PINNED_IN for line in (ROOT / name).read_text(encoding="utf-8").splitlines()]
    beside = [each for each in loosened(pinned) if each.partition("==")[0] in TESTED_WITH]
    subprocess.run([*pip, *app, *beside], check=True)


def main() -> None:
    """Install, say what there is, and run the tests; end as they end."""
    python = sys.argv[1] if len(sys.argv) > 1 else sys.executable
    install(python)
    script = "from importlib.metadata import version as v; print(*(f'{n} {v(n)}' for n in %r), sep=', ')"
    subprocess.run([python, "-c", script % (NEWEST,)], check=True)
    sys.exit(subprocess.run([python, "-m", "pytest", "-q", *TESTS], cwd=ROOT, check=False).returncode)


if __name__ == "__main__":
    main()
