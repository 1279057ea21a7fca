"use strict";
// Filters the cases and their rules and folds the table. The page is whole without it.
const all = (selector, under = document) => [...under.querySelectorAll(selector)];
const [text, basis, chosen, shown] = ["text", "basis", "cell", "shown"].map(id => document.getElementById(id));
const cases = all(".case");
const rules = new Map(all(".rule").map(one => [one, all(".case", one)]));
const alone = cases.filter(one => !one.closest(".rule"));
const of = new Map(all(".rule").map(one => [one, one.querySelector(".subjects").textContent]));
// A case of a rule is found by what its rule says of all of them.
const shared = one => all(":scope > summary, :scope > .body > blockquote", one.closest(".rule") ?? undefined)
  .map(part => part.textContent).join(" ");
const words = new Map(cases.map(one =>
  [one, `${one.id} ${one.textContent} ${one.closest(".rule") ? shared(one) : ""}`.toLowerCase()]));
let only = null;

function filter() {
  const wanted = text.value.toLowerCase().split(/\s+/).filter(Boolean);
  const verdicts = new Set(all("[name=verdict]:checked").map(box => box.value));
  let count = 0;
  for (const one of cases) {
    const { position, verdict, basis: rests } = one.dataset;
    one.hidden = !(verdicts.has(verdict)
      && (!basis.value || rests === basis.value)
      && (!only || only.has(position))
      && wanted.every(word => words.get(one).includes(word)));
    count += one.hidden ? 0 : 1;
  }
  let ruled = alone.filter(one => !one.hidden).length;
  for (const [rule, under] of rules) {
    const left = under.filter(one => !one.hidden).length;
    rule.hidden = left === 0;
    ruled += rule.hidden ? 0 : 1;
    const note = rule.querySelector(".subjects");
    note.textContent = left === under.length ? of.get(rule) : `${of.get(rule)} (${left} shown)`;
  }
  for (const group of all(".group")) {
    group.hidden = all(".case:not([hidden])", group).length === 0;
  }
  const grouped = number => number.toLocaleString("en");
  const part = (left, whole, one) =>
    `${left === whole ? "" : `${grouped(left)} of `}${grouped(whole)} ${one}${whole === 1 ? "" : "s"}`;
  shown.value = `${part(ruled, rules.size + alone.length, "rule")}, ${part(count, cases.length, "case")}`;
}

function showEveryVerdict() {
  for (const box of all("[name=verdict]")) box.checked = true;
}

function choose(cell) {
  for (const pressed of all(".cell[aria-pressed=true]")) pressed.setAttribute("aria-pressed", "false");
  cell?.setAttribute("aria-pressed", "true");
  only = cell ? new Set(cell.dataset.cases.split(" ")) : null;
  chosen.hidden = !cell;
  chosen.textContent = cell?.dataset.name ?? "";
  if (cell) showEveryVerdict();
  filter();
  if (cell) document.getElementById("filters").scrollIntoView({ block: "start" });
}

function fold(button, open) {
  button.setAttribute("aria-expanded", String(open));
  for (const row of all(".parameter", button.closest("tbody"))) row.hidden = !open;
}

async function copy(button) {
  await navigator.clipboard.writeText(button.previousElementSibling.textContent);
  button.textContent = "Copied";
  setTimeout(() => { button.textContent = "Copy"; }, 1500);
}

function open() {
  const one = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (one?.matches(".case, .rule")) {
    showEveryVerdict();
    filter();
    for (const whole of [one, one.closest(".rule")]) if (whole) whole.open = true;
    one.scrollIntoView();
  }
}

document.addEventListener("click", ({ target }) => {
  if (target.matches(".cell")) choose(target.getAttribute("aria-pressed") === "true" ? null : target);
  else if (target.matches("#cell")) choose(null);
  else if (target.matches(".fold")) fold(target, target.getAttribute("aria-expanded") !== "true");
  else if (target.matches(".copy")) copy(target);
});
const filters = document.getElementById("filters");
filters.addEventListener("input", filter);
filters.addEventListener("submit", event => event.preventDefault());
addEventListener("hashchange", open);
for (const button of all(".fold")) fold(button, false);
if (navigator.clipboard) for (const button of all(".copy")) button.hidden = false;
// A report with failures shows them first.
if (document.querySelector(".case.failed, .case.errored")) {
  for (const box of all("[name=verdict]")) box.checked = ["failed", "errored"].includes(box.value);
}
filter();
open();
