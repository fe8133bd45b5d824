"""Install what the app needs into the Python that runs this: ``python deploy/install.py``.

On Linux torch comes first and alone, from torch's own index of builds without CUDA: the same release on the
usual index brings 2.7 GB of it. Where that cannot be reached, one sentence says so, and the usual one serves.
Nothing but the standard library and pip is needed.
"""

import argparse
import subprocess
import sys
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CPU_BUILDS = "https://download.pytorch.org/whl/cpu"
PIP = (sys.executable, "-m", "pip", "install", "--disable-pip-version-check")
# Nobody waits long for an index that cannot be reached: twice this many seconds, at most.
PATIENCE = ("--retries", "1", "--timeout", "15")
UNREACHED = (
    "torch's own index of builds without CUDA cannot be reached: the usual one serves, "
    "where torch may bring 2.7 GB of CUDA."
)


def torch_wanted(requirements: Path = ROOT / "requirements.txt") -> str:
    """Return the one line that names torch: "torch==2.13.0".

    Raises:
        ValueError: there is no such line, or there are several.
    """
    lines = requirements.read_text(encoding="utf-8").splitlines()
    pins = [line.strip() for line in lines if line.startswith("torch==")]
    if len(pins) != 1:
        raise ValueError(f"wanted one line torch==... in {requirements.name}, got {len(pins)}")
    return pins[0]


def install_torch(requirement: str, index: str, more: Sequence[str] = ()) -> None:
    """Install torch, and nothing else, from an index of its own; a sentence where that fails."""
    try:
        if version("torch").partition("+")[0] == requirement.removeprefix("torch=="):
            return
    except PackageNotFoundError:
        pass
    command = [*PIP, "--quiet", "--no-deps", *PATIENCE, "--index-url", index, *more, requirement]
    if subprocess.run(command, capture_output=True, check=False).returncode:
        print(UNREACHED, flush=True)


def main() -> None:
    """Install torch where it needs an index of its own, then the rest."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--locked", action="store_true", help="every package as requirements-lock.txt has it")
    parser.add_argument("--torch-index", default=CPU_BUILDS, help="where torch comes from on Linux")
    parser.add_argument("--pip", nargs=argparse.REMAINDER, default=[], help="what else pip is told")
    options = parser.parse_args()
    requirement = torch_wanted()
    if sys.platform == "linux":
        install_torch(requirement, options.torch_index, options.pip)
    if options.locked:
        lock = str(ROOT / "requirements-lock.txt")
        steps = [["--require-hashes", "--no-deps", "-r", lock], [requirement]]
    else:
        steps = [["-r", str(ROOT / "requirements.txt")]]
    for step in steps:
        process = subprocess.run([*PIP, "--quiet", *step, *options.pip], check=False)
        if process.returncode:
            raise SystemExit(process.returncode)


if __name__ == "__main__":
    main()
