// The server is away: figures move without it, so Streamlit's dialog makes room for one line that says so.
// What was moved meanwhile was not sent, nor does Streamlit send it when the server is back: its own key, R, does.
// A server that is there and does not answer is waited for, and the line says that too.

import { paragraph, word } from "../../attn_live/js/word.js";

(() => {
  if (window.saysOffline) return;
  window.saysOffline = true;
  const STATE = "data-test-connection-state";
  const PATIENCE = 2000; // milliseconds until an answer is waited for
  const MOST = 4000; // milliseconds between two looks for a server that is away; Streamlit waits up to 30 s
  const app = document.querySelector("[data-testid=stApp]");
  const isConnected = () => app.getAttribute(STATE) === "CONNECTED";
  const line = document.createElement("p");
  line.className = "offline-line";
  line.setAttribute("role", "status");
  document.body.append(line);
  const later = window.setTimeout;
  window.setTimeout = (call, time, ...more) => later(call, isConnected() ? time : Math.min(time, MOST), ...more);

  new MutationObserver(() => {
    if (!isConnected()) return;
    line.textContent = "";
    const key = { key: "r", code: "KeyR", keyCode: 82, which: 82, bubbles: true };
    for (const type of ["keydown", "keyup"]) document.body.dispatchEvent(new KeyboardEvent(type, key));
  }).observe(app, { attributes: true, attributeFilter: [STATE] });
  const { send } = WebSocket.prototype;
  WebSocket.prototype.send = function (...sent) {
    const say = () => isConnected() && (line.textContent = word("Waiting for the server: what is shown is from before."));
    const waiting = later(say, PATIENCE);
    const answered = () => {
      clearTimeout(waiting);
      if (isConnected()) line.textContent = "";
    };
    this.addEventListener("message", answered, { once: true });
    send.apply(this, sent);
  };
  // Dialogs are children of the body, and little else comes and goes there.
  new MutationObserver(() => {
    const dialog = document.querySelector("body > [data-testid=stDialog]");
    if (!dialog || isConnected()) return;
    dialog.querySelector("button[aria-label=Close]")?.click();
    line.textContent = paragraph(
      word("The server does not answer."),
      word("Figures still move; tabs and settings wait until it does."),
    );
  }).observe(document.body, { childList: true });
})();
