"""Search in Chinese without a list of words: a text is found by its characters and by pairs of them."""

import re

from sphinx.application import Sphinx
from sphinx.search.zh import SearchChinese
from sphinx.util.typing import ExtensionMetadata

_RUN = re.compile(r"[㐀-鿿]+|[a-zA-Z0-9_]+")


class ByPairs(SearchChinese):
    """Chinese characters, alone and in pairs, and whole words of other letters."""

    # A query of three or more Chinese characters is cut into pairs.
    js_splitter_code = """
function splitQuery(query) {
  return (query.match(/[\\u3400-\\u9fff]+|[a-zA-Z0-9_]+/g) || []).flatMap((run) =>
    /[\\u3400-\\u9fff]{3}/.test(run) ? Array.from(run).slice(1).map((c, at) => run[at] + c) : [run]
  );
}
"""

    def split(self, input: str) -> list[str]:
        """Return the terms by which a text is found.

        >>> ByPairs({}).split("注意力 head")
        ['注', '意', '力', '注意', '意力', 'head']
        """
        terms: list[str] = []
        for run in _RUN.findall(input):
            if run.isascii():
                self.latin_terms.add(run)
                terms.append(run)
            else:
                terms += [*run, *(run[at : at + 2] for at in range(len(run) - 1))]
        return terms

    def word_filter(self, stemmed_word: str) -> bool:
        """Keep single characters, which the class above leaves out."""
        return bool(stemmed_word)


def setup(app: Sphinx) -> ExtensionMetadata:
    """Search in Chinese in this way."""
    app.add_search_language(ByPairs)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
