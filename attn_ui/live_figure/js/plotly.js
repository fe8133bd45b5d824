// Plotly's own library, fetched from our own server once for all figures.

/** @type {Promise<any> | undefined} */
let plotly;

/**
 * @param {string} url where `plotly.min.js` is served, relative to the page
 * @returns {Promise<any>} the library; after a failed load the next call tries again
 */
export function loadPlotly(url) {
  plotly ??= new Promise((resolve, reject) => {
    if (window.Plotly) return resolve(window.Plotly);
    const script = document.createElement("script");
    script.src = new URL(url, document.baseURI).href;
    script.onload = () => (window.Plotly ? resolve(window.Plotly) : reject(new Error("Plotly is missing")));
    script.onerror = () => reject(new Error(`could not load ${script.src}`));
    document.head.appendChild(script);
  });
  plotly.catch(() => {
    plotly = undefined;
  });
  return plotly;
}
