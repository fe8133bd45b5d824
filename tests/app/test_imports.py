"""What a visitor waits for is found by what is imported: no page brings in what it does not need."""

import subprocess
import sys

import pytest

from tests.pages import PAGES, tabs_of

# Torch imports its compiler and sympy behind functions that look harmless (0.6 to 1.2 s, 35 to 74 MB); the
# others are peers of tests and benchmarks, or what people install beside this.
HEAVY = ("torch._dynamo", "sympy", "scipy", "sklearn", "matplotlib", "statsmodels", "transformers", "IPython")
OPEN_ALL = f"""
import sys
from tests.pages import open_sound
page, *tabs = sys.argv[1:]
for tab in tabs:
    open_sound(page, tab=tab)
print([name for name in {HEAVY} if name in sys.modules])
"""


@pytest.mark.parametrize("address", [each for each in PAGES if each])
def test_no_tab_imports_what_no_page_needs(address: str) -> None:
    said = subprocess.run(
        [sys.executable, "-c", OPEN_ALL, address, *tabs_of(address).options],
        capture_output=True,
        text=True,
        check=True,
    )
    assert said.stdout.splitlines()[-1] == "[]"
