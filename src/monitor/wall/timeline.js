// SPDX-License-Identifier: LGPL-2.1-or-later
// The alarms of a camera in a day, a week or a month: in lanes by condition, and as a list.

import { setAcknowledge } from "./acknowledge.js";
import { amount, fromRule } from "./conditions.js";
import { $, draw, keep, make, setText } from "./dom.js";
import { ask, cameras, now, path } from "./state.js";
import { SEVERITIES, clock, conditionWords, count, duration, exact, icon, wallClock } from
  "./words.js";

const HOUR = 3600000; // ms
const DAY = 24 * HOUR;
export const SPANS = { day: DAY, week: 7 * DAY, month: 30 * DAY };
const TICKS = { day: 3 * HOUR, week: DAY, month: 5 * DAY };
const LIMIT = 500; // alarms of a request
const MAX_REQUESTS = 4;
const MAX_ROWS = 100; // of the list

let shown = {}; // { name, from, end, span, hash, at }
let alarms = [];
let turn = 0;

const place = (time) => Math.min(1, Math.max(0, (time - shown.from) / (shown.end - shown.from)));
const ended = (alarm) => (alarm.ended ? Date.parse(alarm.ended) : now());
const lasted = (alarm) => duration((ended(alarm) - Date.parse(alarm.begun)) / 1000);

const describe = (alarm) => `${conditionWords(alarm)}, ${clock(alarm.begun, now())} to ${
  alarm.ended ? clock(alarm.ended, now()) : "now"}, ${lasted(alarm)}${
  alarm.quiet ? ", quiet" : ""}`;

function makeMark(alarm) {
  return make("a", undefined, { class: `span ${alarm.quiet ? "snoozed" : alarm.severity}`,
    tabindex: -1 });
}

function updateMark(mark, alarm) {
  const start = place(Date.parse(alarm.begun));
  mark.style.setProperty("--start", start);
  mark.style.setProperty("--length", place(ended(alarm)) - start);
  mark.href = shown.hash(alarm);
  mark.title = describe(alarm);
  mark.setAttribute("aria-label", describe(alarm));
  if (alarm.event === shown.alarm?.event) mark.setAttribute("aria-current", "true");
  else mark.removeAttribute("aria-current");
}

function makeLane() {
  const lane = make("li");
  lane.append(make("span"), make("div", undefined, { class: "lane" }));
  return lane;
}

function drawLanes() {
  const lanes = new Map();
  for (const alarm of alarms) {
    lanes.set(alarm.condition, [...lanes.get(alarm.condition) ?? [], alarm]);
  }
  const rank = ([, [alarm]]) => SEVERITIES.indexOf(alarm.severity);
  keep($("lanes"), [...lanes].sort((a, b) => rank(a) - rank(b)), ([condition]) => condition,
    makeLane, (lane, [, all]) => {
      setText(lane.firstChild, conditionWords(all[0]));
      keep(lane.lastChild, [...all].reverse(), (alarm) => alarm.event, makeMark, updateMark);
      const current = lane.querySelector("[aria-current]") ?? lane.lastChild.lastChild;
      if (!lane.querySelector("[tabindex='0']")) current.tabIndex = 0;
    });
  $("lanes-none").hidden = alarms.length > 0;
  const hours = shown.span === "day";
  const ticks = [];
  const first = new Date(shown.from);
  first.setHours(hours ? Math.ceil((first.getHours() + 0.01) / 3) * 3 : 24, 0, 0, 0);
  for (let t = first; t < shown.end; t = new Date(+t + TICKS[shown.span])) ticks.push(t);
  $("axis").replaceChildren(...ticks.map((t) => {
    const tick = make("span", hours ? wallClock(t).slice(0, 5) :
      t.toLocaleDateString(undefined, shown.span === "week" ? { weekday: "short", day: "numeric" } :
        { day: "numeric", month: "short" }));
    tick.style.setProperty("--start", place(t));
    return tick;
  }));
  $("timeline").style.setProperty("--at", place(shown.at));
  $("timeline").classList.toggle("past", Boolean(shown.at));
}

export function makeBadge(alarm) {
  const kind = alarm.quiet ? "snoozed" : alarm.severity;
  const badge = make("span", undefined, { class: `badge ${kind}` });
  badge.append(icon(kind), make("b", conditionWords(alarm)));
  return badge;
}

function makeItem(alarm) {
  const item = make("li");
  const link = make("a");
  link.append(make("time", clock(alarm.begun, now()), { datetime: alarm.begun,
    title: exact(alarm.begun) }));
  item.append(link, makeBadge(alarm), make("span", "", { class: "what" }),
    make("span", "", { class: "ack" }));
  return item;
}

function updateItem(item, alarm) {
  const [link, , what, act] = item.children;
  link.href = shown.hash(alarm);
  if (alarm.event === shown.alarm?.event) link.setAttribute("aria-current", "true");
  else link.removeAttribute("aria-current");
  const condition = cameras.get(shown.name)?.conditions?.find((c) =>
    c.condition === alarm.condition);
  const value = condition?.scale && alarm.condition !== "signal-loss" ?
    `at ${amount(condition.scale, fromRule(condition, alarm.value))}` : alarm.reason;
  setText(what, [`${lasted(alarm)}${alarm.ended ? "" : ", still active"}`,
    value, alarm.quiet && "quiet", alarm.acknowledged && `acknowledged${alarm.acknowledged_by ?
      ` by ${alarm.acknowledged_by}` : ""}`].filter(Boolean).join(" · "));
  const isOffered = shown.at && !alarm.quiet && !alarm.acknowledged;
  setAcknowledge(act, isOffered && alarm.event, alarm.acknowledged,
    `${shown.name}: ${conditionWords(alarm)}, ${exact(alarm.begun)}`);
}

// What the levels of the day were: from the darkest to the brightest percentile, and the mean.
function drawLevels(minutes) {
  const x = (m) => (place(Date.parse(m.time)) * 1440).toFixed(1);
  const y = (value) => (32 - 32 * value).toFixed(1);
  const known = minutes.filter((m) => m.measured);
  $("levels").hidden = !known.length;
  $("levels").querySelector("svg").replaceChildren(
    draw("path", { class: "band",
      d: known.map((m) => `M${x(m)} ${y(m.p1)}V${y(m.p99)}h1V${y(m.p1)}z`).join("") }),
    draw("path", { class: "mean", d: known.map((m) => `M${x(m)} ${y(m.average)}h1.5`).join("") }));
}

function drawAll() {
  drawLanes();
  keep($("camera-list"), alarms.slice(0, MAX_ROWS), (alarm) => alarm.event, makeItem, updateItem);
  const quiet = alarms.filter((alarm) => alarm.quiet).length;
  setText($("list-title"),
    `${count(alarms.length, "alarm")}${quiet ? `, ${quiet} of them quiet` : ""}`);
  $("list-all").href = `#events?${new URLSearchParams({ camera: shown.name,
    from: new Date(shown.from).toISOString(), before: new Date(shown.end).toISOString() })}`;
}

// Loads what happened, and returns the alarm to show: the one with the number of @wanted, or else
// the newest one that had begun at the time.
export async function loadTimeline(wanted) {
  const mine = ++turn;
  const [from, before] = [Math.floor(wanted.from / 1000), Math.ceil(wanted.end / 1000)];
  const query = new URLSearchParams({ from, before, limit: LIMIT });
  const found = [];
  for (let i = 0, cursor = ""; i < MAX_REQUESTS && cursor !== null; i++) {
    const page = await ask(`api/v1/alarms?camera=${encodeURIComponent(wanted.name)}&${query}`);
    found.push(...page.alarms);
    ({ cursor } = page);
    query.set("cursor", cursor);
  }
  const minutes = wanted.span === "day" ?
    await ask(`${path(wanted.name)}/minutes?from=${from}&before=${before}`) : [];
  if (mine !== turn) return undefined;
  const at = wanted.at || now();
  const begun = found.filter((alarm) => Date.parse(alarm.begun) <= at + 999);
  const alarm = found.find(({ event }) => event === wanted.number) ??
    (wanted.at ? null : begun.find((a) => !a.ended && !a.quiet)) ??
    begun.find((a) => a.picture) ?? begun[0];
  shown = { ...wanted, alarm };
  alarms = found;
  drawLevels(minutes);
  drawAll();
  return alarm ?? null;
}

export function endTimeline() {
  turn++;
  alarms = [];
  for (const id of ["lanes", "axis", "camera-list"]) $(id).replaceChildren();
  setText($("list-title"), "Alarms");
}

// Arrows lead along the marks of a lane, and to other lanes.
$("lanes").addEventListener("keydown", (event) => {
  const mark = event.target.closest("a");
  const lane = mark?.parentNode;
  const next = { ArrowRight: mark?.nextSibling, ArrowLeft: mark?.previousSibling,
    Home: lane?.firstChild, End: lane?.lastChild,
    ArrowDown: lane?.parentNode.nextSibling?.querySelector("[tabindex='0']"),
    ArrowUp: lane?.parentNode.previousSibling?.querySelector("[tabindex='0']") }[event.key];
  if (next === undefined) return;
  event.preventDefault();
  if (!next) return;
  next.parentNode.querySelectorAll("a").forEach((other) => {
    other.tabIndex = -1;
  });
  next.tabIndex = 0;
  next.focus();
});
