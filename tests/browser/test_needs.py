"""What a browser must have: one list, the table of the guide, and what is seen where something is missing."""

import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from attn_live.bundle import bundle
from attn_ui.export import standalone

pytestmark = pytest.mark.still

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "book" / "install.md"
# How each need is taken away: what deletes it, or a part of what a style sheet asks for.
DELETED = {
    **{"withResolvers": "Promise", "toSorted": "Array.prototype", "replaceAll": "String.prototype"},
    **dict.fromkeys(("replaceChildren", "attachShadow"), "Element.prototype"),
    **dict.fromkeys(("HTMLDialogElement", "DecompressionStream"), "window"),
    **dict.fromkeys(("ResizeObserver", "IntersectionObserver"), "window"),
}
STYLES = {":has()": ":has", "subgrid": "subgrid", "dvh": "dvh", "inset": "inset"}
OTHERS = {
    "a canvas": "HTMLCanvasElement.prototype.getContext = () => null",
    "lookbehind": """window.RegExp = new Proxy(RegExp, {
        construct(real, [pattern, ...rest]) {
            if (String(pattern).includes("(?<=")) throw new SyntaxError("no lookbehind");
            return new real(pattern, ...rest);
        },
    })""",
}
SPOILT = "const { supports } = CSS; CSS.supports = (...all) => !all.join().includes(%r) && supports(...all)"
REMOVALS = (
    {name: f"delete {owner}.{name}" for name, owner in DELETED.items()}
    | {name: SPOILT % part for name, part in STYLES.items()}
    | OTHERS
)


@pytest.fixture
def needs(tab: Page) -> list[dict[str, Any]]:
    """The list, as JSON has it."""
    tab.goto("about:blank")
    tab.add_script_tag(content=bundle("needs.js"))
    found: list[dict[str, Any]] = tab.evaluate("NEEDS")
    assert tab.evaluate("saidOfLacking(NEEDS)") == ""
    return found


def versions(needs: list[dict[str, Any]]) -> list[str]:
    """The first version of each browser that has everything."""
    return [f"{max(need['since'][browser] for need in needs):g}" for browser in range(3)]


def test_oldest_browsers_table_equals_the_feature_list(needs: list[dict[str, Any]]) -> None:
    rows = re.findall(
        r"^\| (The app|A saved file that moves) \| (.*) \| (.*) \| (.*) \|$", GUIDE.read_text(), re.M
    )
    assert [row[1:] for row in rows] == [
        tuple(versions(needs)),
        tuple(versions([need for need in needs if need.get("file")])),
    ]


@pytest.mark.essential
def test_missing_browser_feature_is_named_over_a_still_page(
    context: BrowserContext, server: str, needs: list[dict[str, Any]]
) -> None:
    assert set(REMOVALS) == {need["name"] for need in needs}
    oldest = "Chrome or Edge {}, Firefox {} or Safari {}, or newer".format(*versions(needs))
    for i, (name, removal) in enumerate(REMOVALS.items()):
        page = context.new_page()
        if i:  # that Streamlit's own scripts leave it alone is looked at once
            page.route(re.compile("/static/js/|/plotly/"), lambda route: route.abort())
        page.add_init_script(removal)
        page.goto(f"{server}/single-head?mask=causal", wait_until="load")
        said = page.locator("main p")
        expect(said).to_contain_text(f"take {oldest}: this browser lacks {name}.")
        expect(said).to_contain_text("The picture shows the page's figure as it opens.")
        picture = page.locator("main img")
        assert picture.evaluate("image => [image.complete, image.naturalWidth]") == [True, 1600], name
        assert picture.get_attribute("src") == "pictures/single-head.svg"
        assert page.locator("body > *").count() == 1
        page.close()


def test_saved_file_names_a_missing_browser_feature(
    context: BrowserContext, needs: list[dict[str, Any]]
) -> None:
    for need in needs:
        page = context.new_page()
        page.add_init_script(REMOVALS[need["name"]])
        page.goto("about:blank")
        page.set_content(standalone.page().replace("{{WORDS}}", ""))
        main = page.locator("main")
        if need.get("file"):
            expect(main).to_contain_text(f"this browser lacks {need['name']}.")
        else:
            assert "lacks" not in main.inner_text()
        page.close()
