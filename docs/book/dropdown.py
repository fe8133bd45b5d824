"""`:::{dropdown} Title`: a passage that the reader can open, as in lessons; on paper it is open."""

from typing import ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx.util.typing import ExtensionMetadata, OptionSpec
from sphinx.writers.html5 import HTML5Translator


class Opened(nodes.General, nodes.Element):
    """A dropdown: its summary, and the content that this opens."""


class Summary(nodes.TextElement):
    """The title of a dropdown, seen while it is closed."""


class Dropdown(SphinxDirective):
    """The directive `dropdown`."""

    required_arguments = 1
    final_argument_whitespace = True
    has_content = True
    option_spec: ClassVar[OptionSpec | None] = {"class": directives.class_option}

    def run(self) -> list[nodes.Node]:
        """Return the title and the content."""
        title, messages = self.parse_inline(self.arguments[0])
        opened = Opened("", Summary("", "", *title), *self.parse_content_to_nodes())
        opened["classes"] += self.options.get("class", [])
        self.set_source_info(opened)
        return [opened, *messages]


def _open(self: HTML5Translator, node: Opened) -> None:
    self.body.append(self.starttag(node, "details", CLASS="dropdown"))


def _close(self: HTML5Translator, _node: Opened) -> None:
    self.body.append("</details>\n")


def _open_summary(self: HTML5Translator, node: Summary) -> None:
    self.body.append(self.starttag(node, "summary", suffix=""))


def _close_summary(self: HTML5Translator, _node: Summary) -> None:
    self.body.append("</summary>\n")


def setup(app: Sphinx) -> ExtensionMetadata:
    """Add the directive."""
    app.add_node(Opened, html=(_open, _close))
    app.add_node(Summary, html=(_open_summary, _close_summary))
    app.add_directive("dropdown", Dropdown)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
