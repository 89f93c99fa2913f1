// SPDX-License-Identifier: LGPL-2.1-or-later
// Cameras of one host or group that were lost together, as one line above the tiles of the overview.

import { acknowledgeAll } from "./acknowledge.js";
import { $, button, isMeant, keep, make, part, setText } from "./dom.js";
import { now, outages, report } from "./state.js";
import { clock, duration, icon, listNames } from "./words.js";

const undoable = new Map(); // id of an outage -> numbers of alarms that were acknowledged here

const toDo = ({ alarms }) => alarms.filter((alarm) => !alarm.acknowledged);

// Acknowledges all that is to do, such as of a camera that was lost later, or undoes that.
async function press(outage) {
  const done = undoable.get(outage.id) ?? [];
  const numbers = toDo(outage).map((alarm) => alarm.event);
  const undo = !numbers.length;
  try {
    const changed = await acknowledgeAll(undo ? done : numbers, undo);
    if (undo) undoable.delete(outage.id);
    else undoable.set(outage.id, [...new Set([...done, ...changed])]);
  } catch (error) {
    report(undo ? "Not undone" : "Not acknowledged")(error);
  }
}

function makeRow() {
  const row = make("li", "", { "data-kind": "lost" }, part("span", "mark", icon("lost")),
    make("p", "", {}, make("a"), make("span")), part("span", "acts operator",
      button("", (click) => isMeant(click) && press(row.outage), { class: "aimed" })));
  return row;
}

function updateRow(row, outage) {
  const { id, since, words, members } = row.outage = outage;
  const [, text, acts] = row.children;
  const [link, rest] = text.children;
  const [act] = acts.children;
  const isToDo = toDo(outage).length > 0;
  link.href = `#?outage=${id}`;
  setText(link, `${words} for ${duration((now() - since) / 1000)}.`);
  setText(rest, ` Since ${clock(since, now())}: ${listNames(members.map(({ name }) => name))}.`);
  row.classList.toggle("acknowledged", !isToDo);
  act.dataset.event = id;
  act.hidden = !isToDo && !undoable.has(id);
  setText(act, isToDo ? "Acknowledge all" : "Undo");
  act.setAttribute("aria-label", `${act.textContent}: ${words}`);
}

export const showOutages = (shown) =>
  keep($("outages"), outages(shown), ({ id }) => id, makeRow, updateRow);
