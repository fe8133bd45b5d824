"""How large the product is, in lines, and how large each part of it may be.

    python -m tests.house.budget

A line counts once for each 110 characters that it takes, and blank lines do not count: code that moves into
longer lines, into JSON or a template is not saved. What a part may hold stands in `BUDGET`; who needs more
says in DECISIONS.md what pays for it.
"""

import subprocess
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
WIDTH = 110
PRODUCT = (
    "app.py",
    "attn_core",
    "attn_figures",
    "attn_live",
    "attn_ui",
    "attn_words",
    "pages",
    "programs",
    "lessons",
)
CONTROLS = (".js", ".css", ".html")
COUNTED = (".py", ".json", ".toml", *CONTROLS)
FRONT_END = "JavaScript, CSS, HTML"
TREE_MB = "tree, MB"

# Python, and what stands for it, by package; what runs in a browser; the tests; the size of all files.
BUDGET = {
    "app.py": 23,
    "attn_core": 12_664,
    "attn_figures": 10_550,
    "attn_live": 1_301,
    "attn_ui": 13_621,
    "attn_words": 293,
    "pages": 19_763,
    "programs": 666,
    FRONT_END: 10_153,
    "tests": 43_241,
    TREE_MB: 14,
}


def lines(text: str) -> int:
    """Count a text's lines, a long one for each 110 characters that it takes and a blank one not at all.

    >>> lines("x = 1\\n\\n" + 111 * "#")
    3
    """
    return sum(-(-len(line) // WIDTH) for line in text.splitlines() if line.strip())


def tracked() -> list[Path]:
    """Return the files of the repository that git tracks and that are there."""
    listing = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True)
    return [ROOT / name for name in listing.stdout.split("\0") if name and (ROOT / name).is_file()]


def sizes() -> dict[str, int]:
    """Return the size of each part: lines, and of the tree as a whole megabytes, rounded up."""
    files = tracked()
    counts: Counter[str] = Counter()
    for path in files:
        top = path.relative_to(ROOT).parts[0]
        if path.suffix not in COUNTED or top not in {*PRODUCT, "tests"}:
            continue
        part = FRONT_END if path.suffix in CONTROLS and top != "tests" else top
        counts[part] += lines(path.read_text(encoding="utf-8"))
    counts[TREE_MB] = -(-sum(path.stat().st_size for path in files) // 10**6)
    return dict(counts)


def python_lines(parts: dict[str, int]) -> int:
    """Return the lines of the product's Python, all packages together."""
    return sum(count for part, count in parts.items() if part in PRODUCT)


if __name__ == "__main__":
    result = sizes()
    for part, count in result.items():
        print(f"{part:24}{count:8,} of {BUDGET.get(part, 0):8,}")
    print(f"{'Python of the product':24}{python_lines(result):8,} of {python_lines(BUDGET):8,}")
