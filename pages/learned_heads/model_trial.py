"""A trial of the host's model before anybody visits: ``python -m pages.learned_heads.model_trial``."""

import os
import sys

from attn_ui.host.doctor import memory_of
from attn_ui.host.hosting import hosting
from pages.learned_heads.model_shelf import ModelShelf


def main() -> None:
    """Read the model that the page would show and print its megabytes, or its fault with exit status 1."""
    shelf, before = ModelShelf(), memory_of(os.getpid())
    shelf.status(hosting().model)
    shelf.wait(None)
    if fault := shelf.status().fault:
        print(fault)
        sys.exit(1)
    print(memory_of(os.getpid()) - before)


if __name__ == "__main__":
    main()
