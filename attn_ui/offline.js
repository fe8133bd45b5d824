// The server is away: figures move without it, so Streamlit's dialog makes room for one line that says so.
(() => {
  if (window.saysOffline) return;
  window.saysOffline = true;
  const STATE = "data-test-connection-state";
  const app = () => document.querySelector("[data-testid=stApp]");
  const line = document.createElement("p");
  line.className = "offline-line";
  line.setAttribute("role", "status");
  document.body.append(line);

  const back = new MutationObserver(() => {
    if (app()?.getAttribute(STATE) !== "CONNECTED") return;
    back.disconnect();
    line.textContent = "";
  });
  // Dialogs are children of the body, and little else comes and goes there.
  new MutationObserver(() => {
    const dialog = document.querySelector("body > [data-testid=stDialog]");
    if (!dialog || !app() || app().getAttribute(STATE) === "CONNECTED") return;
    dialog.querySelector("button[aria-label=Close]")?.click();
    back.observe(app(), { attributes: true, attributeFilter: [STATE] });
    line.textContent = "The server does not answer. Figures still move; everything else waits for it.";
  }).observe(document.body, { childList: true });
})();
