"""Sphinx's settings for the book; `docs.book.build` passes the language and the app's address."""

import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from attn_ui.publish.sphinx import app_language  # noqa: E402  (the path comes first)
from attn_words import LANGUAGES, _, speaking  # noqa: E402
from docs.book.look import colours  # noqa: E402
from docs.book.reference import PACKAGES, modules  # noqa: E402

language = os.environ.get("BOOK_LANGUAGE", "en")
with speaking(app_language(language)):
    project = html_title = _("Attention lab")
html_short_title = project

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "attn_ui.publish.sphinx",
    "docs.book.mathml",
    "docs.book.docstrings",
    "docs.book.dropdown",
    "docs.book.look",
    "docs.book.search_chinese",
]
myst_enable_extensions = ["colon_fence", "dollarmath"]
myst_heading_anchors = 4
myst_dmath_double_inline = True

nitpicky = True
# Types in signatures: only our public ones have a page.
_PUBLIC = "|".join(name for each in PACKAGES for names in modules(each.__name__).values() for name in names)
nitpick_ignore_regex = [("py:class", rf"(?!.*\.({_PUBLIC})$).*")]
default_role = "code"  # as docstrings of this repository mean single backticks
autodoc_typehints = "signature"
autodoc_member_order = "bysource"
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 80

locale_dirs = [str(ROOT / "build" / "book" / "locale")]
gettext_compact = gettext_location = False

html_theme = "furo"
html_math_renderer = "mathml"
html_sidebars = {
    "**": [
        *(f"sidebar/{name}.html" for name in ("brand", "search", "scroll-start")),
        "languages.html",
        *(f"sidebar/{name}.html" for name in ("navigation", "scroll-end")),
    ]
}
html_context = {"languages": dict(LANGUAGES), "spoken": app_language(language)}
templates_path = ["templates"]
html_static_path = ["static"]
html_css_files = ["book.css"]
html_show_copyright = False
html_copy_source = html_show_sourcelink = False
html_theme_options = {"light_css_variables": colours("light"), "dark_css_variables": colours("dark")}
pygments_style = "friendly"
attention_app = os.environ.get("BOOK_APP", "")
