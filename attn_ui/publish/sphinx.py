"""Live figures in a Sphinx project, by their links: `extensions = ["attn_ui.publish.sphinx"]`.

    ```{live-attention} single-head?mask=causal
    :caption: A word attends to itself and to what came before it.
    ```

in MyST Markdown, also between `:::`, and the same in reStructuredText. In `conf.py` `attention_app` is the
address of an app, to which each figure then leads. Figures are in the project's `language` if the app has it.
`attention`, an admonition of docutils, is such a figure too if it holds nothing but a link to a page.
"""

from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from docutils.parsers.rst.directives import admonitions
from sphinx.application import Sphinx
from sphinx.builders.html import StandaloneHTMLBuilder
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective
from sphinx.util.osutil import relative_uri
from sphinx.util.typing import ExtensionMetadata, OptionSpec
from sphinx.writers.html5 import HTML5Translator

from attn_ui.publish.figure import Published, figure_of_link, path_of
from attn_ui.publish.files import Site
from attn_ui.publish.stills import draw_stills
from attn_words import LANGUAGES, LOCALES, SOURCE, cached, speaking

FOLDER = "_figures"  # of a built site: figures, and what they share
_WRONG = "live figure of a wrong link"  # name of the metadata of a page that has one
_LOG = logging.getLogger(__name__)
_cached_figure = cached()(figure_of_link)


class LiveFigure(nodes.General, nodes.Element):
    """A figure, given by its link; the caption is its child node, for builders that do not write HTML."""


class LiveAttention(SphinxDirective):
    """The directive, which makes a live figure of a link to the app."""

    required_arguments = 1
    final_argument_whitespace = True
    option_spec: ClassVar[OptionSpec | None] = {
        "caption": directives.unchanged_required,
        "name": directives.unchanged_required,
        "quiet": directives.flag,  # without its caption, which may answer a question about it
    }

    def run(self) -> list[nodes.Node]:
        """Return the figure; a link without one is reported with its place, and fails the build."""
        return self.figure(self.arguments[0])

    def figure(self, link: str) -> list[nodes.Node]:
        """Return the figure of a link."""
        try:
            figure = _figure(link, self.config.language, "quiet" in self.options)
        except (ValueError, LookupError) as error:
            _LOG.error("%s: %s", link, error, location=self.get_location())
            self.env.metadata[self.env.docname][_WRONG] = link
            self.env.note_reread()
            return []
        live = LiveFigure("", nodes.paragraph("", figure.sentence_text or figure.alt), link=link)
        live["quiet"] = "quiet" in self.options
        self.set_source_info(live)
        if "caption" not in self.options:
            self.add_name(live)
            return [live]
        caption, messages = self.parse_inline(self.options["caption"])
        framed = nodes.figure("", live, nodes.caption("", "", *caption))
        self.set_source_info(framed)
        self.add_name(framed)
        return [framed, *messages]


class AttentionAdmonition(LiveAttention, admonitions.Attention):
    """docutils' admonition, which becomes a live figure if its only words are a link to a page."""

    required_arguments = 0
    has_content = True
    option_spec: ClassVar[OptionSpec | None] = {
        **(LiveAttention.option_spec or {}),
        **admonitions.Attention.option_spec,
    }

    def run(self) -> list[nodes.Node]:
        """Return the figure if the words are a link to a page, else the admonition."""
        words = " ".join(self.content)
        try:
            path_of(words)
        except ValueError:
            admonition: list[nodes.Node] = admonitions.Attention.run(self)
            return admonition
        return self.figure(words)


def app_language(language: str) -> str:
    """Return the app's language for Sphinx's `language`.

    >>> app_language("zh_CN"), app_language("en"), app_language("de")
    ('zh', 'en', 'en')
    """
    ours = {locale: name for name, locale in LOCALES.items()} | {name: name for name in LANGUAGES}
    return ours.get(language, ours.get(language.partition("_")[0], SOURCE))


def _figure(link: str, language: str, quiet: bool) -> Published:
    with speaking(app_language(language)):
        return _cached_figure(link, quiet=quiet)


def _site(app: Sphinx) -> Site:
    return Site(Path(app.outdir) / FOLDER, app.config.attention_app)


def _root(app: Sphinx, page: str) -> str:
    """Return the relative path from a page to the folder of figures."""
    at = app.builder.get_target_uri(page).partition("#")[0]
    return relative_uri(at, f"{FOLDER}/")


def _write(app: Sphinx) -> Any:
    def visit(self: HTML5Translator, node: LiveFigure) -> None:
        figure = _figure(node["link"], app.config.language, node["quiet"])
        for name in node["ids"]:
            self.body.append(f'<span id="{name}"></span>')
        with speaking(app_language(app.config.language)):
            self.body.append(_site(app).element(figure, _root(app, self.builder.current_docname)))
        raise nodes.SkipNode

    return visit


def _head(app: Sphinx, page: str, _template: str, context: dict[str, Any], doctree: nodes.document) -> None:
    if doctree and next(doctree.findall(LiveFigure), None):
        with speaking(app_language(app.config.language)):
            context["metatags"] += _site(app).head(_root(app, page))


def _finish(app: Sphinx, error: Exception | None) -> None:
    if any(_WRONG in metadata for metadata in app.env.metadata.values()):
        app.statuscode = 1
    folder = Path(app.outdir) / FOLDER
    if error or not isinstance(app.builder, StandaloneHTMLBuilder) or not folder.exists():
        return
    with speaking(app_language(app.config.language)):
        _site(app).write()
    draw_stills(folder)


def _pass(_self: object, _node: LiveFigure) -> None:
    """Do nothing: the builder goes on to write the child, the caption."""


def setup(app: Sphinx) -> ExtensionMetadata:
    """Add the directive to a project."""
    app.add_config_value("attention_app", "", "html", types=frozenset({str}))
    says = (_pass, _pass)
    app.add_node(LiveFigure, html=(_write(app), None), text=says, latex=says, man=says, texinfo=says)
    app.add_directive("live-attention", LiveAttention)
    app.add_directive("attention", AttentionAdmonition, override=True)
    app.connect("html-page-context", _head)
    app.connect("build-finished", _finish)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
