// Paper before the app: Streamlit stands on white, or on a dark of its own, until the session has told it the theme.
// It runs in the head, so that nothing is painted before it.

const LONGEST_WAIT_MILLISECONDS = 20000; // after which whatever stands there keeps its own ground

function standOnPaper() {
  const root = document.documentElement;
  root.style.setProperty("--scrollbar", `${scrollbarWidth()}px`);
  const scheme = schemeOf();
  if (!scheme) return;
  root.dataset.scheme = scheme;
  const look = (/** @type {number} */ now) => {
    // The first message of a session starts a run, and tells the theme.
    const hasTheme = document.querySelector("[data-testid=stApp]:not([data-test-script-state=initial])");
    if (hasTheme || now > LONGEST_WAIT_MILLISECONDS) requestAnimationFrame(() => delete root.dataset.scheme);
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}

/** How wide the bar of a page that scrolls is: the margin beside it is less by as much, so that figures stand alike. */
function scrollbarWidth() {
  const probe = document.createElement("div");
  probe.style.cssText = "position: absolute; width: 50px; overflow: scroll; scrollbar-width: thin";
  document.documentElement.append(probe);
  const width = probe.offsetWidth - probe.clientWidth;
  probe.remove();
  return width;
}

/** The colours that the app is going to have; "" where nobody knows. @returns {"light" | "dark" | ""} */
function schemeOf() {
  const asked = new URLSearchParams(location.search).getAll("embed_options");
  if (asked.some((each) => each.endsWith("_theme"))) return asked.includes("dark_theme") ? "dark" : "light";
  switch (keptTheme()) {
    case null:
    case '"System"':
      return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
    case '"Dark"':
      return "dark";
    case '"Light"':
      return "light";
    default:
      return "";
  }
}

/** What the visitor has chosen in Streamlit's menu. @returns {string | null} */
function keptTheme() {
  try {
    const isIt = (/** @type {string} */ key) => key.includes("ActiveTheme-") && key.includes(`-${location.pathname}-`);
    const key = Object.keys(localStorage).find(isIt);
    return key === undefined ? null : localStorage.getItem(key);
  } catch {
    return null; // a browser that keeps nothing
  }
}
