export default function ({ parentElement, data }) {
  const field = parentElement.querySelector("input");
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
    said.textContent = copied ? "Copied." : "Copy the marked text yourself: this browser does not let a page do it.";
  };
}
