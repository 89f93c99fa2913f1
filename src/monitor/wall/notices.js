// SPDX-License-Identifier: LGPL-2.1-or-later
// What concerned all cameras in the last 24 hours, the newest first. Each notice can be closed, in
// all tabs of this browser and for good.

import { $, change, isMeant, keep, make, setLongText } from "./dom.js";

const DAY = 86400000; // ms
const CLOSED = "closed-notices"; // in the storage of the browser

let known = []; // as the API has them, the newest first
let closed = new Set(); // keys
let handlers; // { now, clock }

const key = (notice) => `${notice.time} ${notice.text}`;
const isRecent = (notice) => handlers.now() - Date.parse(notice.time) < DAY;

// A browser may not let a page store anything: then they are closed here alone.
function read() {
  try {
    closed = new Set(JSON.parse(localStorage.getItem(CLOSED)) ?? closed);
  } catch {
    // What is closed here stays closed.
  }
}

function write() {
  try {
    localStorage.setItem(CLOSED, JSON.stringify([...closed]));
  } catch {
    // As above.
  }
}

function close(notices) {
  read();
  for (const notice of notices) closed.add(key(notice));
  // Older ones are not shown anyway.
  closed = new Set([...closed].filter((k) => handlers.now() - Date.parse(k.split(" ")[0]) < 2 * DAY));
  write();
  change(showNotices);
}

function makeRow(notice) {
  const row = make("li", undefined, { class: notice.over ? "over" : "" });
  const words = make("p", notice.over ? "✓ " : "⚠ ");
  const text = make("span");
  const button = make("button", "Close", { type: "button", class: "aimed close",
    "aria-label": `Close the notice: ${notice.text}`, "data-event": key(notice) });
  setLongText(text, notice.text);
  words.append(make("time", handlers.clock(notice.time), { datetime: notice.time }), ": ", text);
  button.addEventListener("click", (event) => {
    if (!isMeant(event)) return;
    const { nextElementSibling: next, previousElementSibling: before } = row;
    const focused = row.contains(document.activeElement);
    close([notice]);
    if (focused) (next ?? before ?? $("filter").parentNode).querySelector("button, input").focus();
  });
  row.append(words, button);
  return row;
}

let said = ""; // by the banner

// Whether the banner shows it now. An earlier notice with the same words is still a notice.
const isSaid = (notice) => known.find((n) => n.text === notice.text) === notice &&
  ` ${said} `.includes(` ${notice.text} `);

// @trouble: what the banner says, which is not said twice.
export function showNotices(trouble = said) {
  said = trouble;
  const open = known.filter((notice) => isRecent(notice) && !closed.has(key(notice)) &&
    !isSaid(notice));
  $("notices-section").hidden = !open.length;
  $("close-notices").hidden = open.length < 2;
  keep($("notices"), open, key, makeRow, () => {});
}

export function addNotice(notice) {
  known.unshift(notice);
  change(showNotices);
}

export function setNotices(notices) {
  known = notices;
  change(showNotices);
}

// To be called once. @now is the time of the server, @clock writes a time.
export function startNotices(given) {
  handlers = given;
  read();
  $("close-notices").addEventListener("click", () => {
    close(known);
    $("filter").focus();
  });
  addEventListener("storage", (event) => {
    if (event.key !== CLOSED) return;
    read();
    change(showNotices);
  });
}
