"use strict";
/* Looks at a page from within, as tests/browser.sh has put this into it: tells the frame around it what
 * is wrong, and how long it took to open. */
const wrong = [];
function check(holds, what) { if (!holds) wrong.push(what); }
addEventListener("error", event => wrong.push("error: " + event.message));
addEventListener("securitypolicyviolation", event => wrong.push("blocked: " + event.blockedURI));

function checkLayout() {
  const width = document.documentElement.clientWidth;
  check(document.documentElement.scrollWidth <= width, "the page is wider than " + width + " px");
  for (const img of document.images) {
    check(img.complete && img.naturalWidth > 0, "a figure is not drawn");
    check(img.alt !== "", "a figure has no alternative text");
  }
  check(document.documentElement.lang === "en" && document.title !== "", "no language or title");
  check(document.querySelectorAll("main, h1").length === 2, "not one main and one heading");
  check(document.querySelector("a.skip").hash === "#main", "no link to the content");
  const ids = Array.from(document.querySelectorAll("[id]"), node => node.id);
  check(new Set(ids).size === ids.length, "an id comes twice");
  for (const link of document.querySelectorAll("nav a"))
    check(document.querySelector(link.hash), "a link leads nowhere: " + link.hash);
}

function checkNetwork() {
  for (const node of document.querySelectorAll("[src], link, a[href], form, iframe, object"))
    check(/^(data:|#)/.test(node.getAttribute("src") || node.getAttribute("href") || ""),
      "leads out of the page: " + node.outerHTML.slice(0, 80));
  for (const entry of performance.getEntriesByType("resource"))
    check(entry.name.startsWith("data:"), "loaded: " + entry.name);
}

/* Both ways, by the keyboard's way of pressing a button. */
function checkSorting(table) {
  const heads = Array.from(table.tHead.rows[0].cells), body = table.tBodies[0], n = body.rows.length;
  check(table.caption && heads.every(th => th.scope === "col") &&
    Array.from(body.rows).every(row => row.cells[0].scope === "row"), "a table has no headers");
  heads.forEach((th, column) => {
    const numbers = () => Array.from(body.rows, row => row.cells[column].textContent.replace(/[\u00b1%,]/g, ""))
      .filter(text => text !== "").map(Number);
    const button = th.querySelector("button");
    for (const way of ["ascending", "descending"]) {
      button.click();
      check(th.getAttribute("aria-sort") === way, "aria-sort is not " + way);
      check(heads.filter(other => other.hasAttribute("aria-sort")).length === 1, "two columns are sorted");
      const values = numbers();
      if (th.className !== "n" || values.some(isNaN)) continue;
      const sign = way === "ascending" ? 1 : -1;
      check(values.every((value, i) => i === 0 || sign * (value - values[i - 1]) >= 0),
        th.textContent + " is not sorted " + way);
    }
  });
  check(body.rows.length === n, "sorting lost rows");
}

function checkFilter() {
  const input = document.querySelector("input[type=search]");
  if (!input) return;
  const rows = Array.from(input.closest("p").nextElementSibling.querySelectorAll("tbody tr"));
  const word = rows[0].cells[0].textContent;
  check(document.querySelector("label[for=" + input.id + "]"), "the filter has no label");
  input.value = word;
  input.dispatchEvent(new Event("input"));
  check(rows.every(row => row.hidden !== row.textContent.includes(word)), "the filter shows other rows");
  input.value = "no such text";
  input.dispatchEvent(new Event("input"));
  check(rows.every(row => row.hidden), "the filter shows rows that have not the text");
  input.value = "";
  input.dispatchEvent(new Event("input"));
  check(rows.every(row => !row.hidden), "the filter hides rows when it is empty");
}

function checkEnlarging() {
  const figure = document.querySelector("figure"), dialog = document.querySelector("dialog");
  if (!figure) return;
  figure.querySelector("button").click();
  check(dialog.open && dialog.querySelector("img").alt === figure.querySelector("img").alt, "no larger figure");
  dialog.querySelector("button").click();
  check(!dialog.open, "the larger figure stays");
}

addEventListener("load", () => setTimeout(() => {
  const opened = performance.getEntriesByType("navigation")[0].loadEventEnd;
  checkLayout();
  for (const details of document.querySelectorAll("details")) details.open = true;
  checkLayout();
  checkNetwork();
  document.querySelectorAll("table").forEach(checkSorting);
  checkFilter();
  checkEnlarging();
  parent.postMessage({ wrong, tables: document.querySelectorAll("table").length,
    figures: document.images.length, ms: Math.round(opened) }, "*");
}));
