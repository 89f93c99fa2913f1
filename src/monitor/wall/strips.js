// SPDX-License-Identifier: LGPL-2.1-or-later
// The last 24 hours of each camera as a strip, by the alarms that were in them.

import { draw } from "./dom.js";
import { gaps } from "./notices.js";
import { askAlarms, cameras, ignore, isOpen, now, session } from "./state.js";
import { SEVERITIES, clock, conditionWords, groupBy } from "./words.js";

const DAY = 86400; // s
const PERIOD = 300000; // ms between two looks at the day
const SOON = 1000; // ms until a change is noticed
const REST = 30000; // at most, between two looks, however much changes
const SHARE = 100; // of the time that a look takes, to rest after it
const TICKS = [6, 12, 18]; // h
const MIN_WIDTH = 0.08; // h: less cannot be seen
const MIN_GAP = 0.75; // h, for two stripes

let alarms = new Map(); // name of a camera -> its alarms
let end = 0; // of the day, in s
let loaded = -Infinity;
let cost = 0; // ms that it took
let isOld = false; // something has changed since
let acknowledgements; // then
let drawAll = ignore;

async function load() {
  const before = Math.ceil(now() / 1000);
  [loaded, isOld, acknowledgements] = [performance.now(), false, session.acknowledgements];
  alarms = groupBy(await askAlarms({ from: before - DAY, before }), (alarm) => alarm.camera);
  end = before;
  cost = performance.now() - loaded;
  drawAll();
}

setInterval(() => {
  const rest = isOld || acknowledgements !== session.acknowledgements ?
    Math.min(REST, SHARE * cost) : PERIOD;
  if (!document.hidden && document.body.dataset.view === "overview" &&
      performance.now() - loaded > rest) load().catch(ignore);
}, SOON);

// Loads the strips, and again now and then, and calls @listener to have them drawn.
export function loadStrips(listener) {
  drawAll = listener;
  if (performance.now() - loaded > SOON) load().catch(ignore);
}

export function stripsChanged() {
  isOld = true;
}

// As many as state=missed of the server selects.
export const countMissed = () =>
  [...alarms.values()].flat().filter((alarm) => alarm.ended && isOpen(alarm)).length;

export function drawStrip(parent, name) {
  const { first_watched: first } = cameras.get(name);
  const unwatched = gaps().filter(({ ended }) => !(ended < first));
  const version = `${end} ${unwatched.length}`;
  if (!end || parent.dataset.version === version) return;
  parent.dataset.version = version;
  const mine = (alarms.get(name) ?? []).filter((alarm) => !alarm.quiet);
  const svg = draw("svg", { viewBox: "0 0 24 1", preserveAspectRatio: "none", role: "img",
    "aria-label": `Last 24 hours: ${mine.length} alarms` });
  const hour = (time) => (time ? 24 - (end - Date.parse(time) / 1000) / 3600 : 24);
  const mark = (kind, { begun, ended }, words, least = MIN_WIDTH) => {
    const start = Math.max(0, hour(begun));
    const width = Math.max(least, hour(ended) - start);
    const x = Math.min(start, 24 - width);
    const title = draw("title", {}, words);
    svg.append(kind === "gap" ? draw("path", { class: kind, d: `M${x} .5h${width}` }, title) :
      draw("rect", { class: kind, x, width, y: 0, height: 1 }, title));
  };
  if (first && hour(first) > 0) {
    mark("before", { begun: "1970-01-01", ended: first }, `Watched since ${clock(first, now())}`);
  }
  for (const gap of unwatched.filter(({ ended }) => hour(ended) > 0)) {
    mark("gap", gap, gap.title, MIN_GAP);
  }
  svg.append(...TICKS.map((x) => draw("path", { class: "tick", d: `M${x} 0V1` })));
  for (const severity of [...SEVERITIES].reverse()) {
    for (const alarm of mine.filter((a) => a.severity === severity)) {
      mark(severity, alarm, `${conditionWords(alarm)}, ${clock(alarm.begun, now())} to ${
        alarm.ended ? clock(alarm.ended, now()) : "now"}`);
    }
  }
  parent.replaceChildren(svg);
}
