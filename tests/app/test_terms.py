"""Terms and letters where they stand: all that occurs is found and nothing else, and each letter has its entry."""

import re
from collections.abc import Iterator
from importlib import import_module

import pytest

from attn_core import KERNELS, SCHEMES
from attn_ui.base import latex, terms
from attn_ui.base.links import bad_settings
from attn_ui.base.page import Page
from attn_ui.base.parameters import Choice, Tabs
from attn_ui.base.term import Term
from attn_ui.screen import terms as line
from pages import PAGES
from tests.app.test_glossary import found_in_code
from tests.pages import PAGES as LISTED
from tests.pages import open_page, open_sound

SETTINGS = {folder: settings for folder, settings in LISTED.values()}
ADDRESSES = {folder: address for address, (folder, _) in LISTED.items()}
