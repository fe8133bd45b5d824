"""axe-core on a page: what it finds wrong, in either scheme of colours."""

from typing import Any

from axe_playwright_python.sync_playwright import Axe

from attn_figures import theme
from tests.browser.app_page import AppPage

# A picture is one image with a name: its drawing is looked at by the tests of the colours instead.
# The field for files is Streamlit's own, and gives one element two roles.
CONTEXT = {"exclude": [[".live-plot svg"], ["[data-testid=stFileUploaderDropzone]"]]}
GROUND = "getComputedStyle(document.querySelector('.stApp')).backgroundColor"


def violations(app: AppPage, *rules: str) -> list[str]:
    """Ask axe-core for what it finds wrong, one line for each element."""
    if not app.page.evaluate("() => 'axe' in window"):
        app.page.evaluate(Axe().axe_script)
    options: dict[str, Any] = {"resultTypes": ["violations"]}
    if rules:
        options["runOnly"] = list(rules)
    found = app.page.evaluate("([context, options]) => axe.run(context, options)", [CONTEXT, options])
    return [
        f"{rule['id']}: {node['html'][:200]} ({node['failureSummary'][:200]})"
        for rule in found["violations"]
        for node in rule["nodes"]
    ]


def wear(app: AppPage, palette: theme.Palette) -> None:
    """Change the scheme of the system, and wait until the page wears it."""
    app.page.emulate_media(color_scheme="dark" if palette is theme.DARK else "light")
    red, green, blue = (int(palette.paper[i : i + 2], 16) for i in (1, 3, 5))
    ground = f"rgb({red}, {green}, {blue})"
    app.page.wait_for_function(f"() => {GROUND} === '{ground}'")


def faults_in_both_themes(app: AppPage) -> list[str]:
    """Ask axe for everything in light, which is worn, and for the colours in dark."""
    found = violations(app)
    wear(app, theme.DARK)
    return found + [f"dark: {fault}" for fault in violations(app, "color-contrast")]
