"""All classes and attributes of Streamlit's elements that we rely on.

`markup.css`, `arriving.css`, `lesson_room.css` and the scripts beside them are the only files that name them;
all other code takes the names from here. A test finds each of them in the running app.
"""

from functools import cache
from pathlib import Path

from attn_live.bundle import join_scripts
from attn_ui.streamlit_inside import front_end
from attn_ui.streamlit_inside.feature import Feature

NAMES = (
    "stAlert",
    "stApp",
    "stAppHeader",
    "stAppViewContainer",
    "stBidiComponent",
    "stButton",
    "stButtonGroup",
    "stCaptionContainer",
    "stCheckbox",
    "stCode",
    "stDialog",
    "stElementContainer",
    "stExpandSidebarButton",
    "stHeading",
    "stLayoutWrapper",
    "stMain",
    "stMainBlockContainer",
    "stMarkdown",
    "stMarkdownContainer",
    "stPageLink",
    "stSidebar",
    "stSidebarCollapseButton",
    "stSidebarContent",
    "stSidebarHeader",
    "stSkeleton",
    "stSlider",
    "stTab",
    "stTabs",
    "stToolbar",
    "stTooltipIcon",
    "stTopNavLink",
    "stVerticalBlock",
    "data-collapsed",
    "data-focus-visible",
    "data-rac",
    "data-test-connection-state",
    "data-test-script-state",
)
"""Classes and values of `data-testid`, and attributes."""

APP = ".stApp"
"""The whole app, with its background."""
SIDEBAR = ".stSidebar, [data-testid=stExpandSidebarButton]"
"""The sidebar, and the button that opens it."""
TABS = ".stMainBlockContainer [data-testid=stTabs]"
PROSE = ", ".join(
    f".stMainBlockContainer [data-testid={name}]"
    for name in ("stMarkdown", "stCaptionContainer", "stHeading", "stTabs", "stPageLink")
)
"""All texts of a page beside its figure, and its tabs."""
MAIN = ".stMain"
"""All of the page but the sidebar and the navigation."""
NOTICE = f"{MAIN} [data-testid=stAlert]"
"""A sentence in a box that stands out."""
TEXT = f"{MAIN} [data-testid=stMarkdownContainer]"
"""A text in `MAIN`."""
STATE = "data-test-script-state"
"""The attribute of the app that shows whether a run is in progress."""
READY = "[data-testid=stApp][data-test-script-state=notRunning][data-test-connection-state=CONNECTED]"
"""The app once a run has ended."""

_HERE = Path(__file__).parent
_SCRIPTS = ("touch.js", "half_letters.js", "scrollers.js", "offline.js")


def _missing_names() -> str:
    lacking = front_end.missing_names(NAMES)
    return f"its front end knows no {', '.join(lacking)}" if lacking else ""


FEATURE = Feature(
    "dress of Streamlit's own elements",
    _missing_names,
    uses=f"{len(NAMES)} classes and attributes of the elements that it draws",
    gives="the look of the page, touch and keyboard where Streamlit's own fall short, a line while the "
    "server is away, what lesson links hide, and slides",
    without="elements of another name look and behave as Streamlit has them, and lesson links show them",
)


@cache
def style() -> str:
    """Return the style sheet for the elements that Streamlit draws."""
    return (_HERE / "markup.css").read_text(encoding="utf-8")


@cache
def arriving() -> str:
    """Return the style that applies only while a page opens."""
    return (_HERE / "arriving.css").read_text(encoding="utf-8")


@cache
def lesson_room() -> str:
    """Return the style that makes room for the panel of a lesson, while it is shown."""
    return (_HERE / "lesson_room.css").read_text(encoding="utf-8")


@cache
def scripts() -> str:
    """Return scripts that improve Streamlit's elements for fingers, keys and a lost server."""
    return f"(() => {{\n{join_scripts(*(_HERE / name for name in _SCRIPTS))}}})();\n"
