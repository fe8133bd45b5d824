"""Under the label of a tab stands what the label says: words that no other tab of the page has."""

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages import PAGES, open_page, tabs_of

CHECKS = "What must hold |"
CODE = "It prints"
# Of each page with tabs, what is read under each of them and under no other.
SIGNS: dict[str, dict[str, str]] = {
    "kernel-regression": {
        "Arithmetic": "| K(u) | weight w |",
        "Maths": "**Gaussian**",
        "Break it": "Queries then compete for keys, and an estimate",
        "Checks": CHECKS,
        "Data": "Change a number, add a row",
        "Code": CODE,
    },
    "single-head": {
        "Arithmetic": "or click a cell where",
        "Maths": "what it asks for, what it is found by",
        "Scale": "Drag the width",
        "FlashAttention": "a tile at a time",
        "Linear attention": "one sum",
        "Cost": "full attention | causal mask",
        "Break it": "The softmax runs down the columns",
        "Checks": "The hull is tested along every axis",
        "Data": "(d_model × d_k)",
        "Code": CODE,
    },
    "positional-encoding": {
        "Arithmetic": "by what each part comes from",
        "Maths": "rows, pairs and positions count from 0",
        "Break it": "have the same frequency: the exponent was left out",
        "Checks": CHECKS,
        "Data": "**positions, at strength 1**",
        "Code": CODE,
    },
    "multi-head": {
        "Heads add up": "sum with one term a head",
        "Shapes": "**Every shape on this page**",
        "Arithmetic": "Summed over all keys this is what head 1 adds",
        "Maths": "Every head h has projections of its own",
        "Measures": "Means over the queries:",
        "Break it": "Heads are split with view and no transpose",
        "Block": "attention does not stand alone",
        "Shared heads": "**Heads can share them**",
        "Token by token": "A model writes one token after the other",
        "Batch": "**many sentences at once**",
        "One or many": "**What one head cannot learn.**",
        "Cost": "| mask | pairs | share | multiply-adds |",
        "Checks": "the maps are those of `torch.nn.MultiheadAttention`",
        "Data": "**What goes in**",
        "Code": CODE,
        "Spellings": "one fused W_qkv",
    },
    "learned-heads": {
        "Heads": "that no step of the training saw",
        "Arithmetic": "Click a cell of a map to choose its head",
        "Maths": "What the softmax takes are the logits",
        "Break it": "reshaped to (n, n_head * d_head) without the transpose",
        "Checks": "What must hold | on the numbers on screen",
        "Code": CODE,
    },
    "what-courses-say": {
        "Maths": "are the eight tokens",
        "Checks": CHECKS,
        "Data": "Computed with all digits",
        "Code": CODE,
    },
    "applications": {
        "Maths": "the words of the translation (the decoder)",
        "Checks": CHECKS,
        "Data": "Computed with all digits",
        "Code": CODE,
    },
}


def read_under(at: AppTest) -> str:
    """Return all words under the open tab."""
    [*_, opened] = (each for each in at.tabs if len(each.children))
    kinds = (opened.markdown, opened.latex, opened.caption, opened.code)
    return "\n".join(str(each.value) for kind in kinds for each in kind)


def test_every_tab_has_a_sign() -> None:
    pages = {
        address: {*tabs_of(address).options}
        for address, (_, settings) in PAGES.items()
        if any(each.name == "tab" for each in settings)
    }
    assert {address: {*signs} for address, signs in SIGNS.items()} == pages


@pytest.mark.parametrize("page", SIGNS)
def test_label_shows_its_own_contents(page: str) -> None:
    session = None
    for tab in SIGNS[page]:
        session = open_page(page, session, tab=tab)
        assert [each.message for each in session.exception] == []
        said = read_under(session)
        assert [name for name, sign in SIGNS[page].items() if sign in said] == [tab]
