// Whether what a figure stands on is dark, on pages that are not our own.

const DARK_BELOW = 384; // of red, green and blue together
const LOOKS = ["class", "style", "data-jp-theme-light", "data-vscode-theme-kind", "theme", "data-theme"];

/** @param {Element | null} from @returns {boolean} whether what stands behind an element is dark */
export function isDark(from) {
  for (let node = from; node; node = node.parentElement ?? hostOf(node)) {
    const [red = 0, green = 0, blue = 0, alpha = 1] = channels(getComputedStyle(node).backgroundColor);
    if (alpha > 0) return red + green + blue < DARK_BELOW;
  }
  // A page that says nothing is white, whatever the system wears; VS Code names its theme.
  const scheme =
    document.body.dataset.vscodeThemeKind ?? getComputedStyle(document.documentElement).colorScheme;
  if (!/dark|high-contrast$/.test(scheme)) return false;
  return !scheme.includes("light") || window.matchMedia("(prefers-color-scheme: dark)").matches;
}

/** @param {string} colour in whatever notation a browser leaves it, as `oklch(1 0 0)` */
function channels(colour) {
  if (colour.startsWith("rgb")) return (colour.match(/[\d.]+/g) ?? []).map(Number);
  const brush = document.createElement("canvas").getContext("2d");
  if (!brush) return [255, 255, 255];
  brush.fillStyle = colour;
  brush.fillRect(0, 0, 1, 1);
  return [...brush.getImageData(0, 0, 1, 1).data];
}

/** @param {Element} node @returns {Element | null} what holds the shadow tree that it stands in */
function hostOf(node) {
  const tree = node.getRootNode();
  return tree instanceof ShadowRoot ? tree.host : null;
}

/**
 * Calls whenever the page may have become light or dark.
 *
 * @param {() => void} onTheme
 * @returns {MutationObserver} to be disconnected
 */
export function watchTheme(onTheme) {
  const looks = new MutationObserver(onTheme);
  for (const node of [document.documentElement, document.body])
    looks.observe(node, { attributes: true, attributeFilter: LOOKS });
  return looks;
}

/**
 * Puts a figure into the colours of what it stands on.
 *
 * @param {HTMLElement} root
 * @param {Record<string, Record<string, string>>} themes
 */
export function dress(root, themes) {
  const theme = themes[isDark(root.parentElement) ? "dark" : "light"] ?? {};
  for (const [name, value] of Object.entries(theme)) root.style.setProperty(name, value);
}

/**
 * What is typed in a figure is its own: JupyterLab would choose the next cell by an arrow key. It looks for this
 * mark on the very element that has the focus.
 *
 * @param {FocusEvent} event
 */
export function keepKeys({ target }) {
  if (target instanceof HTMLElement) target.dataset.lmSuppressShortcuts = "";
}
