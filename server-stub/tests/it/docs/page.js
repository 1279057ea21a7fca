"use strict";
const all = (selector, within = document) => [...within.querySelectorAll(selector)];
const filter = document.getElementById("filter");
const key = document.getElementById("key");

// The examples go to the server that the page came from.
if (location.origin.startsWith("http")) {
  for (const place of all("[data-address]")) place.textContent = location.origin;
}
key.addEventListener("input", () => {
  for (const place of all("[data-key]")) place.textContent = key.value || "YOUR_KEY";
});

// The clipboard is there only on https and on this machine.
if (navigator.clipboard) {
  for (const button of all(".copy")) {
    button.hidden = false;
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(button.parentElement.querySelector("pre").innerText);
      button.textContent = "Copied";
      setTimeout(() => { button.textContent = "Copy"; }, 1500);
    });
  }
}

// Every word has to occur somewhere in a block.
const blocks = all("[data-block]").map((node) => ({ node, text: node.textContent.toLowerCase() }));
const apply = () => {
  const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
  for (const { node, text } of blocks) node.hidden = !words.every((word) => text.includes(word));
  for (const group of all("[data-group]")) group.hidden = all("[data-block]", group).every((node) => node.hidden);
  for (const entry of all("[data-of]")) entry.hidden = document.getElementById(entry.dataset.of).hidden;
  document.getElementById("nothing").hidden = blocks.some(({ node }) => !node.hidden);
};
filter.addEventListener("input", apply);
addEventListener("keydown", (event) => {
  if (event.key === "/" && !/^(INPUT|TEXTAREA)$/.test(event.target.tagName)) {
    event.preventDefault();
    filter.focus();
  } else if (event.key === "Escape" && filter.value) {
    filter.value = "";
    apply();
  }
});

// What an address points at is shown, folded or filtered as it may be.
const show = () => {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!target) return;
  if (target.closest("[hidden]")) {
    filter.value = "";
    apply();
  }
  for (let node = target; node; node = node.parentElement) if (node.tagName === "DETAILS") node.open = true;
  target.scrollIntoView();
};
addEventListener("hashchange", show);
show();

// On a small screen the contents begin folded.
if (matchMedia("(max-width: 60rem)").matches) document.querySelector("nav details").open = false;
