"""Formulas as MathML, made when the book is built: browsers draw it without a script or a font."""

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.typing import ExtensionMetadata
from sphinx.writers.html5 import HTML5Translator

_LOG = logging.getLogger(__name__)


def mathml(latex: str, *, block: bool) -> str:
    r"""Return a formula as MathML.

    >>> mathml("x", block=False)
    '<math xmlns="http://www.w3.org/1998/Math/MathML" display="inline"><mrow><mi>x</mi></mrow></math>'
    """
    return str(convert(latex, display="block" if block else "inline"))


def _formula(self: HTML5Translator, node: nodes.Element, *, block: bool) -> None:
    try:
        self.body.append(mathml(node.astext(), block=block))
    except Exception as error:  # latex2mathml has one for each mistake, and no common base
        _LOG.warning("not to be written as MathML: %s (%r)", node.astext(), error, location=node)
    raise nodes.SkipNode


def _inline(self: HTML5Translator, node: nodes.math) -> None:
    _formula(self, node, block=False)


def _block(self: HTML5Translator, node: nodes.math_block) -> None:
    self.body.append('<div class="formula" tabindex="0">')  # where it is too wide, it is scrolled by keys too
    try:
        _formula(self, node, block=True)
    finally:
        self.body.append("</div>")


def setup(app: Sphinx) -> ExtensionMetadata:
    """Add the way to write formulas, "mathml"."""
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
