// Plotly's own library, fetched from our own server once for all figures.

/** @type {Promise<any> | undefined} */
let plotly;

/**
 * @param {string} url where `plotly.min.js` is served, relative to the page
 * @returns {Promise<any>} the library; after a failed load the next call tries again
 */
export function loadPlotly(url) {
  plotly ??= window.Plotly ? Promise.resolve(window.Plotly) : arrived(url);
  plotly.catch(() => {
    plotly = undefined;
  });
  return plotly;
}

// The page's HTML may have asked for it already (attn_ui/host/document.py); a script that failed has left the page.
/** @param {string} url @returns {Promise<any>} */
async function arrived(url) {
  const early = document.querySelector("script[data-plotly=early]");
  if (early) await settled(early);
  if (!window.Plotly) {
    const script = document.createElement("script");
    script.src = new URL(url, document.baseURI).href;
    document.head.appendChild(script);
    if (!(await settled(script))) throw new Error(`could not load ${script.src}`);
  }
  if (!window.Plotly) throw new Error("Plotly is missing");
  return window.Plotly;
}

/** @param {Element} script @returns {Promise<boolean>} whether it was loaded */
function settled(script) {
  return new Promise((resolve) => {
    script.addEventListener("load", () => resolve(true), { once: true });
    script.addEventListener("error", () => resolve(false), { once: true });
  });
}
