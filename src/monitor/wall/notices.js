// SPDX-License-Identifier: LGPL-2.1-or-later
// What concerned all cameras in the last 24 hours, the newest first. Each notice can be closed, in
// all tabs of this browser and for good.

import { $, button, change, isMeant, keep, make, on, recall, setLongText, setText, store } from "./dom.js";
import { isOperator, now } from "./state.js";
import { exact, lasted, period, readable } from "./words.js";

const DAY = 86400000; // ms
const MAX_CHARACTERS = 240; // of a message; lists of known names are longer
const CLOSED = "closed-notices"; // in the storage of the browser

let known = []; // as the API has them, the newest first
let closed = new Set(); // keys

const key = (notice) => `${notice.time} ${notice.text}`;
// What became of a reload concerns operators, and only the last time.
const isOfReload = ({ kind }) => kind === "configuration";
const isForUser = (notice) => !isOfReload(notice) ||
  (isOperator() && known.find(isOfReload) === notice);
export const brief = (text) => (text.length > MAX_CHARACTERS ?
  `${text.slice(0, text.lastIndexOf(" ", MAX_CHARACTERS))} … The log has the rest.` : text);
const isRecent = (notice) => now() - Date.parse(notice.time) < DAY;

const read = () => {
  closed = new Set(recall(CLOSED, closed));
};

function close(notices) {
  read();
  for (const notice of notices) closed.add(key(notice));
  // Older ones are not shown anyway.
  closed = new Set([...closed].filter((k) => now() - Date.parse(k.split(" ")[0]) < 2 * DAY));
  store(CLOSED, [...closed]);
  change(showNotices);
}

function makeRow(notice) {
  const text = make("span");
  setLongText(text, brief(readable(notice.text, now())));
  const press = (event) => {
    if (!isMeant(event)) return;
    const { nextElementSibling: next, previousElementSibling: before } = row;
    const focused = row.contains(document.activeElement);
    close([notice]);
    if (focused) (next ?? before ?? $("filter").parentNode).querySelector("button, input").focus();
  };
  const row = make("li", "", { class: notice.over ? "over" : "" },
    make("p", notice.over ? "✓ " : "⚠ ", {},
      make("time", exact(notice.time), { datetime: notice.time }), ": ", text),
    button("Close", press, { class: "aimed close", "data-event": key(notice),
      "aria-label": `Close the message: ${notice.text}` }));
  return row;
}

// The wall says that nobody watched until that message is closed, which nobody does by the way.
const closeTogether = (notices) => notices.filter(({ since }) => !since);

let said = ""; // by the banner

// Whether the banner shows it now. An earlier notice with the same words is still a notice.
const isSaid = (notice) => known.find((n) => n.text === notice.text) === notice &&
  ` ${said} `.includes(` ${notice.text} `);

// @trouble: what the banner says, which is not said twice.
export function showNotices(trouble = said) {
  said = trouble;
  const open = known.filter((notice) => isRecent(notice) && !closed.has(key(notice)) &&
    isForUser(notice) && !isSaid(notice));
  // The wall shows no messages but this one.
  const [gap, ...others] = gaps(open);
  $("wall-gap").hidden = !gap;
  setText($("wall-gap"), gap ? gap.words + (others.length ? `, and ${others.length} more` : "") : "");
  $("notices-section").hidden = !open.length;
  const n = closeTogether(open).length;
  $("close-notices").hidden = n < 2;
  setText($("close-notices"), n < open.length ? "Close all other messages" : "Close all messages");
  keep($("notices"), open, key, makeRow, () => {});
}

// The periods in which no camera was watched, as far as @notices reach back.
export const gaps = (notices = known) => notices.filter(({ since }) => since)
  .map(({ since, time, text }) => {
    const words = `⚠ Not watched from ${period(since, time, now())}`;
    return { begun: since, ended: time, reason: text, words,
      title: `${words}, ${lasted({ begun: since, ended: time, at_most: true })}` };
  });

export const addNotice = (notice) => setNotices([notice, ...known]);

export function setNotices(notices) {
  known = notices;
  change(showNotices);
}

on("close-notices", () => {
  close(closeTogether(known));
  $("filter").focus();
});
addEventListener("storage", (event) => {
  if (event.key !== CLOSED) return;
  read();
  change(showNotices);
});
read();
