import { ownText } from "./html.ts";

/** The filter of the timeline. Without it the page shows everything. It builds no markup, and makes no request. */
export const SCRIPT = ownText`
"use strict";
const form = document.querySelector("#filter");
const rows = [...document.querySelectorAll("#timeline tr[data-deed]")];
const routine = new Set(["passed", "used", "other"]);
function apply() {
  const hook = form.elements.hook.value;
  const words = form.elements.words.value.trim().toLowerCase();
  const isNotable = form.elements.notable.checked;
  let shown = 0;
  for (const row of rows) {
    const fits = (hook === "" || row.dataset.hooks.split(" ").includes(hook))
      && !(isNotable && routine.has(row.dataset.deed))
      && (words === "" || row.textContent.toLowerCase().includes(words));
    row.hidden = !fits;
    if (fits) shown++;
  }
  const isFiltered = hook !== "" || words !== "" || isNotable;
  for (const session of document.querySelectorAll("#timeline details.session")) {
    const isEmpty = isFiltered && !session.querySelector("tr[data-deed]:not([hidden])");
    session.hidden = isEmpty;
    if (isFiltered && !isEmpty) session.open = true;
  }
  form.querySelector("output").textContent = isFiltered ? shown + " of " + rows.length + " rows" : "";
}
if (form && rows.length > 0) {
  form.hidden = false;
  form.addEventListener("input", apply);
  form.addEventListener("reset", () => setTimeout(apply));
  form.addEventListener("submit", (event) => event.preventDefault());
}
`;
