// SPDX-License-Identifier: LGPL-2.1-or-later
// The alarms of a camera in an hour up to a month: in lanes by condition, and as a list; and the
// values of a condition.

import { setAcknowledge } from "./acknowledge.js";
import { amount, fromRule, keepOnTop, limits } from "./conditions.js";
import { $, draw, keep, make, on, part, setCurrent, setOptions, setText } from "./dom.js";
import { gaps } from "./notices.js";
import { alarms as activeAlarms, areUnconfirmed, ask, askAlarms, canUndo, cameras, describeActive,
  endOf, ignore, isOpen, now, path } from "./state.js";
import { SEVERITIES, clock, conditionWords, count, duration, exact, exactClock, groupBy, helpWords, icon,
  lasted, period, readable, wallClock } from "./words.js";

const MINUTE = 60000; // ms
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
// The length and the distance of ticks, in ms; the span that shows part of it closer; the same
// period in Events; and how ticks are written, where that is not the time of day.
export const SPANS = {
  hour: { words: "1 hour", length: HOUR, tick: 10 * MINUTE, closer: "hour", period: "1h" },
  hours: { words: "6 hours", length: 6 * HOUR, tick: HOUR, closer: "hour", period: "6h" },
  day: { words: "Day", length: DAY, tick: 3 * HOUR, closer: "hours", period: "24h" },
  week: { words: "Week", length: 7 * DAY, tick: DAY, closer: "day", period: "7d",
    format: { weekday: "short", day: "numeric" } },
  month: { words: "Month", length: 30 * DAY, tick: 5 * DAY, closer: "day", period: "30d",
    format: { day: "numeric", month: "short" } },
};
const MAX_ROWS = 100; // of the list
const MAX_GAPS = 5; // that are named
const MIN_MARK = 12; // px that a pointer hits
const MIN_MARK_FINGER = 28; // px
const DIGIT = 9; // px
const WIDE = 1440; // units of drawings
const CURVE_HEIGHT = 60;

let shown = {}; // { name, from, end, isNow, span, hash, at, alarm }
let alarms = [];
let turn = 0;
let curveTurn = 0;
let chosen = ""; // condition of the curve, or "": the one of the alarm

const begun = (alarm) => Date.parse(alarm.begun);
const place = (time) => Math.min(1, Math.max(0, (time - shown.from) / (shown.end - shown.from)));
const isShown = (alarm) => alarm.event === shown.alarm?.event;
const conditionOf = (name) => cameras.get(shown.name)?.conditions?.find((c) =>
  c.condition === name);

const widthOfLanes = () => $("axis").clientWidth || WIDE;

// Alarms of a lane, oldest first, in groups that are wide enough to be hit: { alarms, start, end }
function groupAlarms(lane) {
  const least = (matchMedia("(pointer: coarse)").matches ? MIN_MARK_FINGER : MIN_MARK) /
    widthOfLanes();
  const groups = [];
  for (const alarm of lane) {
    const start = Math.min(place(begun(alarm)), 1 - least);
    const end = Math.max(place(endOf(alarm)), start + least);
    const last = groups.at(-1);
    if (last && start < last.end) {
      last.alarms.push(alarm);
      last.end = Math.max(last.end, end);
    } else groups.push({ alarms: [alarm], start, end });
  }
  return groups;
}

// Where a mark leads: to its alarm, or closer to several.
function findTarget(all) {
  const newest = all.at(-1);
  const { closer } = SPANS[shown.span];
  if (all.length === 1 || shown.span === closer) {
    return shown.hash({ at: begun(newest) + 999, number: newest.event });
  }
  return shown.hash({ span: closer, number: newest.event,
    at: shown.isNow && endOf(newest) > now() - SPANS[closer].length ? 0 : begun(newest) + 999 });
}

function updateMark(mark, { alarms: all, start, end }) {
  const [first, last] = [all[0], all.at(-1)];
  const words = `${all.length > 1 ? `${all.length} alarms: ` : ""}${conditionWords(first)}, ${
    clock(first.begun, now())} to ${last.ended ? clock(last.ended, now()) : "now"}${
    all.length > 1 ? "" : `, ${lasted(first, endOf(first))}${first.quiet ? ", quiet" : ""}`}`;
  mark.className = `span ${all.every((a) => a.quiet) ? "snoozed" : first.severity}`;
  mark.style.setProperty("--start", start);
  mark.style.setProperty("--length", end - start);
  mark.href = findTarget(all);
  mark.title = words;
  mark.setAttribute("aria-label", words);
  const number = String(all.length);
  setText(mark, all.length > 1 && number.length * DIGIT < (end - start) * widthOfLanes() ? number :
    "");
  setCurrent(mark, all.some(isShown));
}

const makeLane = () => make("li", "", {}, make("span"), part("div", "lane"));

function updateLane(lane, [, all]) {
  setText(lane.firstChild, conditionWords(all[0]));
  keep(lane.lastChild, groupAlarms([...all].reverse()), (group) => group.alarms[0].event,
    () => make("a", "", { tabindex: -1 }), updateMark);
  const current = lane.querySelector("[aria-current]") ?? lane.lastChild.lastChild;
  if (!lane.querySelector("[tabindex='0']")) current.tabIndex = 0;
}

function drawLanes() {
  const lanes = groupBy(alarms, (alarm) => alarm.condition);
  const rank = ([, [alarm]]) => SEVERITIES.indexOf(alarm.severity);
  keep($("lanes"), [...lanes].sort((a, b) => rank(a) - rank(b)), ([condition]) => condition,
    makeLane, updateLane);
  $("lanes-none").hidden = alarms.length > 0;
}

// Ticks are at round times, whatever hours a change of the clock adds.
function drawAxis() {
  const { tick, format } = SPANS[shown.span];
  const ticks = [];
  const time = new Date(shown.from);
  time.setHours(0, 0, 0, 0);
  while (time < shown.end) {
    if (time > shown.from) ticks.push(new Date(time));
    if (tick < DAY) time.setTime(+time + tick);
    else time.setDate(time.getDate() + tick / DAY);
  }
  $("axis").replaceChildren(...ticks.map((t) => {
    const label = make("span", format ? t.toLocaleDateString(undefined, format) :
      wallClock(t).slice(0, 5));
    label.style.setProperty("--start", place(t));
    return label;
  }));
  $("timeline").style.setProperty("--at", place(shown.at));
  $("timeline").classList.toggle("past", Boolean(shown.at));
}

export const makeBadge = (alarm) => part("span", "badge", make("i"), make("b", conditionWords(alarm)));

// @alarm may be several in one, its members.
export function updateBadge(badge, alarm) {
  const kind = alarm.quiet ? "snoozed" : areUnconfirmed(alarm.members ?? [alarm]) ? "unjudged" :
    alarm.severity;
  if (badge.classList.contains(kind)) return;
  badge.className = `badge ${kind}`;
  badge.firstChild.replaceWith(icon(kind));
}

const makeItem = (alarm) => make("li", "", {},
  make("a", "", {}, make("time", "", { datetime: alarm.begun, title: exact(alarm.begun) })),
  makeBadge(alarm), part("span", "what"), part("span", "ack"));

// With seconds, where the time does not tell an alarm from its neighbour.
function describeTime(alarm) {
  const i = alarms.indexOf(alarm);
  const isClose = [alarms[i - 1], alarms[i + 1]].some((other) => other &&
    Math.abs(begun(other) - begun(alarm)) < MINUTE);
  return (isClose ? exactClock : clock)(alarm.begun, now());
}

function updateItem(item, alarm) {
  const [link, badge, what, act] = item.children;
  updateBadge(badge, alarm);
  link.href = shown.hash({ at: begun(alarm) + 999, number: alarm.event });
  setCurrent(link, isShown(alarm));
  setText(link.firstChild, describeTime(alarm));
  const condition = conditionOf(alarm.condition);
  const value = condition?.limits_apply && alarm.condition !== "signal-loss" ?
    `at ${amount(condition.scale, fromRule(condition, alarm.value))}` : readable(alarm.reason, now());
  // The age of what is active now is since the condition started, as above the pictures.
  const since = alarm.active_since && `active since ${clock(alarm.active_since, now())}`;
  setText(what, [alarm.ended ? lasted(alarm) : since ? `still ${since}` :
    `${lasted(alarm, endOf(alarm))}, ${describeActive(alarm)}`,
    value, alarm.end_reason && `ended: ${readable(alarm.end_reason, now())}`, alarm.ended && since,
    alarm.quiet && "quiet", helpWords(alarm, now())].filter(Boolean).join(" · "));
  const isOffered = shown.at && (isOpen(alarm) || canUndo(alarm));
  setAcknowledge(act, isOffered && alarm.event, alarm.acknowledged,
    `${shown.name}: ${conditionWords(alarm)}, ${exact(alarm.begun)}`);
}

// The periods in which nobody watched the camera: what notices say, and what else has no record.
// The record of the last minute follows.
function findGaps(minutes, first) {
  const noted = gaps().map(({ begun: since, ended: until }) => [since, until].map(Date.parse))
    .filter(([since, until]) => since < shown.end && until > shown.from);
  const times = minutes.map((m) => Date.parse(m.time));
  const last = Math.min(shown.end, now() - 2 * MINUTE);
  const isIn = ([start, end]) => ([since, until]) => start >= since - MINUTE &&
    end <= until + MINUTE;
  const found = times.map((time, i) => [time + MINUTE, times[i + 1] ?? last])
    .filter((gap) => gap[1] - gap[0] > MINUTE && !noted.some(isIn(gap)));
  const all = [...noted.filter((gap) => !found.some(isIn(gap))), ...found];
  return all.map(([start, end]) => [Math.max(start, first), end])
    .filter(([start, end]) => end > start).sort(([a], [b]) => a - b);
}

// Stripes show where the layer above them has no color. Before all, the camera was new.
function showGaps(minutes) {
  const first = Date.parse(cameras.get(shown.name)?.first_watched) || 0;
  const found = findGaps(minutes, first);
  const words = found.slice(-MAX_GAPS).map((gap) => period(...gap, now()));
  const said = [first > shown.from && `Watched since ${clock(first, now())}.`, found.length &&
    `Not watched: ${found.length > MAX_GAPS ? "… " : ""}${words.join(", ")}.`].filter(Boolean);
  $("unwatched").hidden = !said.length;
  setText($("unwatched"), said.join(" "));
  const stops = found.map(([start, end]) => [start, end].map((time) => `${place(time) * 100}%`))
    .map(([start, end]) => `var(--track) ${start}, #0000 ${start} max(${end}, ${start} + 4px), ` +
      `var(--track) max(${end}, ${start} + 4px)`);
  $("timeline").style.setProperty("--watched", `linear-gradient(90deg, ${
    [`var(--card) ${place(first) * 100}%, var(--track) 0`, ...stops, "var(--track) 100%"].join(", ")})`);
}

// What the levels were: from the darkest to the brightest percentile, and the mean.
function drawLevels(minutes) {
  const x = (m) => (place(Date.parse(m.time)) * WIDE).toFixed(1);
  const y = (value) => (32 - 32 * value).toFixed(1);
  const wide = Math.max(1, WIDE * MINUTE / (shown.end - shown.from)).toFixed(1);
  const known = minutes.filter((m) => m.measured);
  $("levels").hidden = !known.length;
  $("levels").querySelector("svg").replaceChildren(
    draw("path", { class: "band",
      d: known.map((m) => `M${x(m)} ${y(m.p1)}V${y(m.p99)}h${wide}V${y(m.p1)}z`).join("") }),
    draw("path", { class: "mean", d: known.map((m) => `M${x(m)} ${y(m.average)}h${wide}`)
      .join("") }));
}

// What lasted long enough to start or to end the condition: from the worst to the best of each step.
function drawCurve(condition, { step, values }) {
  const { scale } = condition;
  const points = values.map(({ time, worst, best }) => ({ time: Date.parse(time),
    ends: [worst ?? best, best ?? worst].map((value) => fromRule(condition, value)) }))
    .filter(({ time }) => time < shown.end);
  const all = [scale.enter, scale.leave, ...points.flatMap(({ ends }) => ends)];
  const [low, high] = [Math.min(...all), Math.max(...all)];
  const margin = (high - low || 1) / 20;
  const y = (value) => 1 - (value - low + margin) / (high - low + 2 * margin);
  const px = (value) => (y(value) * CURVE_HEIGHT).toFixed(1);
  const wide = (WIDE * step * 1000 / (shown.end - shown.from)).toFixed(1);
  const path = points.map(({ time, ends: [worst, best] }) => `M${(place(time) * WIDE).toFixed(1)} ${
    px(worst)}V${px(best)}h${wide}V${px(worst)}z`).join("");
  $("curve").querySelector("svg").replaceChildren(draw("path", { class: "values", d: path }),
    ...["enter", "leave"].map((limit) => draw("path", { class: limit,
      d: `M0 ${px(scale[limit])}H${WIDE}` })));
  for (const label of $("curve").querySelectorAll("b")) {
    setText(label, amount(scale, scale[label.dataset.limit]));
    label.style.setProperty("--y", y(scale[label.dataset.limit]));
    label.classList.toggle("under", y(scale[label.dataset.limit]) < 0.3);
  }
  const ends = points.length ? [Math.min, Math.max].map((of) =>
    amount(scale, of(...all.slice(2)))) : ["no values in this period"];
  const words = ends.length === 2 && ends[0] !== ends[1] ? `from ${ends.join(" to ")}` : ends[0];
  $("curve").querySelector("svg").setAttribute("aria-label", `${scale.label}: ${words}`);
  // An alarm has the value of its moment.
  const lasting = condition.duration >= 1 ? `, each for ${duration(condition.duration)} or longer` : "";
  setText($("curve-words"), `${scale.label}: ${words}${points.length ? lasting : ""}. ${
    shown.at ? "By the rules of now: " : ""}${limits(condition)}.`);
}

export async function loadCurve() {
  const mine = ++curveTurn;
  const conditions = (cameras.get(shown.name)?.conditions ?? []).filter((c) => c.limits_apply);
  const names = conditions.map((c) => c.condition);
  const wanted = [chosen, shown.alarm?.condition, activeAlarms(cameras.get(shown.name) ??
    { active: [] })[0]?.condition, names.find((name) => name !== "signal-loss"), names[0]]
    .find((name) => names.includes(name));
  $("curve").hidden = $("curve-words").hidden = !wanted;
  if (!wanted) return;
  setOptions("curve-what", conditions.map((c) => [c.condition, conditionWords(c)]));
  $("curve-what").value = wanted;
  const { name, from, end } = shown;
  const values = await ask(`${path(name)}/values?condition=${wanted}&from=${
    Math.floor(from / 1000)}&before=${Math.ceil(end / 1000)}`);
  if (mine === curveTurn && conditionOf(wanted)) drawCurve(conditionOf(wanted), values);
}

function drawAll() {
  drawAxis();
  drawLanes();
  keep($("camera-list"), alarms.slice(0, MAX_ROWS), (alarm) => alarm.event, makeItem, updateItem);
  const quiet = alarms.filter((alarm) => alarm.quiet).length;
  setText($("list-title"),
    `${count(alarms.length, "alarm")}${quiet ? `, ${quiet} of them quiet` : ""}`);
}

// Has alarms of the list that are active last as long as the page says elsewhere.
export const tick = () => alarms.slice(0, MAX_ROWS).forEach((alarm, i) => alarm.ended ||
  updateItem($("camera-list").children[i], alarm));

// Loads what happened, and returns the alarm to show: the one with the number of @wanted, or else
// the one that tiles show first, or the newest one that had begun at the time. undefined: something
// else is shown meanwhile
export async function loadTimeline(wanted) {
  const mine = ++turn;
  const [from, before] = [Math.floor(wanted.from / 1000), Math.ceil(wanted.end / 1000)];
  const found = await askAlarms({ camera: wanted.name, from, before });
  const minutes = SPANS[wanted.span].length <= DAY ?
    await ask(`${path(wanted.name)}/minutes?from=${from}&before=${before}`) : [];
  if (mine !== turn) return undefined;
  const at = wanted.at || now();
  const before_at = found.filter((alarm) => begun(alarm) <= at + 999);
  const first = !wanted.at && activeAlarms(cameras.get(wanted.name) ?? { active: [] })[0]?.event;
  const alarm = found.find(({ event }) => event === wanted.number) ??
    found.find(({ event }) => event === first) ??
    (wanted.at ? null : before_at.find((a) => !a.ended && !a.quiet)) ??
    before_at.find((a) => a.picture) ?? before_at[0] ?? null;
  if (shown.name !== wanted.name || shown.alarm?.event !== alarm?.event) chosen = "";
  shown = { ...wanted, alarm };
  alarms = found;
  if (wanted.isNow) keepOnTop(found.map((a) => a.condition), alarm?.condition);
  drawLevels(minutes);
  showGaps(minutes);
  drawAll();
  loadCurve().catch(ignore);
  return alarm;
}

export function endTimeline() {
  turn++;
  curveTurn++;
  alarms = [];
  for (const id of ["lanes", "axis", "camera-list"]) $(id).replaceChildren();
  $("curve").hidden = $("curve-words").hidden = true;
  setText($("list-title"), "Alarms");
}

on("curve-what", ({ target }) => {
  chosen = target.value;
  loadCurve().catch(ignore);
}, "change");

// Arrows lead along the marks of a lane, and to other lanes.
on("lanes", (event) => {
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
}, "keydown");
