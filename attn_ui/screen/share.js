import { word } from "../../attn_live/js/word.js";

const STOPS = "a[href], button, input, textarea, [tabindex]";
const panels = new WeakSet(); // those whose keys are heard

export default function ({ parentElement, data }) {
  const field = parentElement.querySelector(".share-link");
  const said = parentElement.querySelector("[role=status]");
  if (field.value !== data) said.textContent = "";
  field.value = data;
  field.onfocus = () => field.select();
  parentElement.querySelector("button").onclick = async () => {
    field.select();
    let copied = false;
    try {
      await navigator.clipboard.writeText(field.value);
      copied = true;
    } catch {
      copied = document.execCommand("copy"); // where a page is not served over https
    }
    said.textContent = copied ? word("Copied.") : word("Copy the marked text yourself: this browser does not let a page do it.");
  };
  comeAfterButton(parentElement.closest("[role=dialog]"), field);
}

// Streamlit puts the panel at the end of the document: the keyboard finds it at once after its button all the same.
function comeAfterButton(panel, field) {
  const button = document.querySelector(".st-key-page-head :is(.st-key-teach, .st-key-share) button[aria-expanded=true]");
  if (!panel || !button || panels.has(panel)) return;
  panels.add(panel);
  // While the focus is elsewhere Streamlit keeps what each stop's tabindex was beside it.
  const order = (stop) => Number(stop.dataset.tabindex ?? stop.tabIndex);
  const stops = () =>
    [...panel.querySelectorAll(STOPS)].filter((stop) => order(stop) >= 0 && !stop.disabled && stop.getClientRects().length);
  panel.addEventListener("keydown", (event) => {
    const all = stops();
    if (event.key !== "Tab" || event.target !== (event.shiftKey ? all[0] : all.at(-1))) return;
    button.focus(); // and on from there to what comes next
    if (event.shiftKey) event.preventDefault();
    event.stopPropagation();
  });
  button.onkeydown = (event) => {
    if (event.key !== "Tab" || event.shiftKey || !panel.isConnected) return;
    event.preventDefault();
    stops()[0]?.focus();
  };
  if (document.activeElement === button) stops()[0]?.focus({ preventScroll: true });
}
