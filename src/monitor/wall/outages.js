// SPDX-License-Identifier: LGPL-2.1-or-later
// Cameras of one host or group that were lost together, as one line above the tiles of the overview.

import { acknowledgeAll, chooseAll, setAcknowledgeAll } from "./acknowledge.js";
import { $, button, isMeant, keep, make, part, setText } from "./dom.js";
import { now, outages, report } from "./state.js";
import { clock, duration, helpWords, icon, joinHelp, listNames } from "./words.js";

// What is active, as Alarms has it.
const listAlarms = ({ alarms }) => alarms.map((c) => ({ ...c, ended: null, end_reason: "" }));

// Acknowledges all that is to do, such as of a camera that was lost later, or undoes that.
function press(outage) {
  const [numbers, undo] = chooseAll(listAlarms(outage));
  acknowledgeAll(numbers, undo).catch(report(undo ? "Not undone" : "Not acknowledged"));
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
  const helped = helpWords(joinHelp(outage.alarms), now());
  link.href = `#?outage=${id}`;
  setText(link, `${words} for ${duration((now() - since) / 1000)}.`);
  setText(rest, ` Since ${clock(since, now())}: ${listNames(members.map(({ name }) => name))}.${
    helped && ` ${helped}.`}`);
  row.classList.toggle("acknowledged", outage.alarms.every((alarm) => alarm.acknowledged));
  setAcknowledgeAll(act, listAlarms(outage), id, words);
}

export const showOutages = (shown) =>
  keep($("outages"), outages(shown), ({ id }) => id, makeRow, updateRow);
