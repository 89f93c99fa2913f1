// SPDX-License-Identifier: LGPL-2.1-or-later
// The conditions of a camera as bars, each with its value between its limits; and what another
// limit would have reported.

import { $, button, keep, make, on, part, setText } from "./dom.js";
import { ask, cameras, isBelow, isEnding, now, path } from "./state.js";
import { clock, conditionWords, count, duration } from "./words.js";

const DAY = 86400; // s
const DAYS = 7;
const WAIT = 250; // ms until the server is asked
const STEPS = 200; // of the slider
const LONG = 119.5; // s that are written in minutes
const GRACE = 5; // s that the page may be behind
const INSTEAD = "Its video is compressed, so limits have no effect: for fewer alarms, add " +
  "rules=frozen,duration=1min to this camera in the key file, or set quiet hours.";

let name = "";
let tried = null; // condition
let first = ""; // name of the condition that somebody has come for
const wereActive = new Set(); // names of conditions of the camera
let timer = null;
let turn = 0;

// "33.5 %": with at most three digits that matter, as the sentences of the server have it
export function amount({ unit }, value) {
  if (unit === "s" && value >= LONG) return duration(value);
  const size = Math.abs(value);
  const number = Number(value.toFixed(size < 10 ? 2 : size < 100 ? 1 : 0));
  return unit ? `${number}\u00a0${unit}` : String(number);
}

// A number in the unit of people as the rules have it, and back: as in scale, no less than the least.
const toRule = (c, value) => c.enter + (value - c.scale.enter) * (c.leave - c.enter) /
  (c.scale.leave - c.scale.enter || 1);
export const fromRule = (c, value) => Math.max(c.scale.least, c.scale.enter + (value - c.enter) *
  (c.scale.leave - c.scale.enter) / (c.leave - c.enter || 1));

// Those that would have an alarm if no other condition explained it.
export const areHeldBack = (conditions) => conditions.filter(({ scale, held_back_by: by }) =>
  by.length && scale.value !== null &&
  (isBelow(scale) ? scale.value <= scale.enter : scale.value >= scale.enter));

const after = (seconds) => (seconds >= 1 ? ` after ${duration(seconds)}` : "");

// "Alarm after 5 s above 90 %, ends after 5 s below 80 %"
export const limits = ({ scale, duration: time, hold, limits_apply: apply }, enter = scale.enter,
  leave = scale.leave) => (!apply ? "Limits have no effect on compressed video" :
  `Alarm${after(time)} ${isBelow(scale) ? "below" : "above"} ${amount(scale, enter)}, ends${
    after(hold)} ${isBelow(scale) ? "above" : "below"} ${amount(scale, leave)}`);

// "Too dark: past its limit of 90 % for 12 s; an alarm after 30 s", or "": @words are what it is about.
// Something else may explain the value, which then waits for longer.
export function describePending({ pending_since: since, duration: time, scale, quiet, limits_apply:
    apply }, words) {
  if (!since || quiet) return "";
  const passed = Math.max(0, now() - Date.parse(since)) / 1000;
  return `${words}${apply ? `: past its limit of ${amount(scale, scale.enter)}` : ""} for ${
    duration(passed)}; ${passed < time + GRACE ? `an alarm after ${duration(time)}` :
    "no alarm yet, as it may have another cause"}`;
}

const makeBar = () => {
  const row = make("li", "", {},
    make("p", "", {}, make("b"), " ", make("code"), part("span", "value")),
    part("div", "track", part("i", "zone"), part("i", "mid"), part("i", "mark")),
    part("p", "hint", make("span"), button("Try another limit", () => openTrial(row.condition),
      { class: "try operator" })));
  return row;
};

function updateBar(row, condition) {
  const { scale } = row.condition = condition;
  const [head, track, foot] = row.children;
  const place = (value) =>
    Math.min(1, Math.max(0, (value - scale.least) / (scale.most - scale.least)));
  row.classList.toggle("active", condition.active);
  row.dataset.kind = !condition.active ? "" : condition.quiet ? "snoozed" :
    condition.unconfirmed ? "unjudged" : condition.severity;
  setText(head.children[0], conditionWords(condition));
  setText(head.children[1], condition.condition);
  const isKnown = scale.value !== null && !condition.unknown;
  const apply = condition.limits_apply;
  setText(head.children[2], !isKnown ? "Not judged" : apply ? amount(scale, scale.value) : "");
  track.hidden = foot.children[1].hidden = !apply;
  for (const key of ["enter", "leave", "value"]) {
    track.style.setProperty(`--${key}`, place(scale[key] ?? 0));
  }
  track.classList.toggle("below", isBelow(scale));
  track.classList.toggle("unknown", !isKnown);
  const pending = describePending(condition, apply ? scale.label : scale.sentence.replace(/\.$/, ""));
  setText(foot.children[0], (pending ? `${pending}.` : !apply ? scale.sentence : `${scale.label}. ${
    condition.unknown || condition.held_back_by.length ? scale.sentence : `${limits(condition)}.`}`) +
    (apply ? "" : ` ${INSTEAD}`));
  foot.children[1].setAttribute("aria-label", `Try another limit for ${conditionWords(condition)}`);
}

// Conditions that had an alarm in the period that is shown, or while the page is open, stay above
// those that had none: whoever comes for one finds it there.
export function keepOnTop(names, chosen) {
  names.forEach((condition) => wereActive.add(condition));
  first = chosen;
}

export function showConditions(camera) {
  const rank = (c) => (c.active ? c.quiet ? 1 : 0 : c.condition === first ? 2 :
    wereActive.has(c.condition) ? 3 : 4);
  for (const c of camera.conditions) if (c.active) wereActive.add(c.condition);
  keep($("conditions"), [...camera.conditions].sort((a, b) => rank(a) - rank(b)),
    (c) => c.condition, makeBar, updateBar);
  refreshTrial(camera.conditions);
}

function drawTrial(alarms, before, kind) {
  const length = DAYS * DAY * 1000;
  const place = (time) => Math.max(0, 1 - (before * 1000 - Date.parse(time)) / length);
  $("trial-strip").append(...alarms.map((alarm) => {
    const mark = make("i", "", { class: kind });
    const start = place(alarm.begun);
    mark.style.setProperty("--start", start);
    mark.style.setProperty("--length", (alarm.ended ? place(alarm.ended) : 1) - start);
    return mark;
  }));
}

const current = () => cameras.get(name)?.conditions?.find((c) =>
  c.condition === tried.condition) ?? tried;

// Whether an alarm is active that would not have come with the limit @enter.
function isHidden(enter) {
  const { scale, active } = current();
  return active && scale.value !== null &&
    (isBelow(scale) ? scale.value > enter : scale.value < enter);
}

// What becomes of the alarm that is active, if the limit is @enter and the other one @leave: between
// the two, it goes on.
function foretell(enter, leave) {
  const { scale, active, hold, unknown } = current();
  if (!active || unknown || scale.value === null) return "";
  return isEnding({ scale: { ...scale, enter, leave } }) ? `the active alarm ends${after(hold)}.` :
    `the active alarm (${amount(scale, scale.value)}) continues, and ends${after(hold)} ${
      isBelow(scale) ? "above" : "below"} ${amount(scale, leave)}.`;
}

const numberOf = (rule, key) => Number(new RegExp(`,${key}=([^,;]*)`).exec(rule)[1]);
const readLimits = (rule) => ["enter", "leave"].map((key) => fromRule(tried, numberOf(rule, key)));

// The line for the key file, and what its numbers are on the scale of the page.
function showRule({ rule, rules }) {
  const [enter, leave] = readLimits(rule);
  setText($("trial-line"), `rules=${rules}`);
  setText($("trial-place"), `[camera ${name}]`);
  setText($("trial-words"), `${limits(tried, enter, leave)}. Now: ${
    limits(tried).replace("Alarm", "alarm")}.`);
  setText($("trial-units"), `In this line, enter=${numberOf(rule, "enter")} is ${
    amount(tried.scale, enter)}, and leave=${numberOf(rule, "leave")}, which follows it, is ${
    amount(tried.scale, leave)}.`);
  setText($("trial-now"), `Once this is in effect, ${foretell(enter, leave)}`);
  $("trial-now").hidden = !foretell(enter, leave);
}

const isSame = (value, { least, most, enter }) =>
  Math.abs(value - enter) <= (most - least) / STEPS / 2;

async function askTrial() {
  const mine = ++turn;
  const { condition, scale } = tried;
  const value = Number($("trial-limit").value);
  const before = Math.floor(now() / 1000);
  const query = `${path(name)}/what-if?condition=${condition}&from=${before - DAYS * DAY}&before=${
    before}`;
  let asked, present;
  try {
    [present, asked] = await Promise.all([ask(query), isSame(value, scale) ? null : ask(
      `${query}&enter=${Number(toRule(tried, value).toPrecision(4))}`)]);
  } catch (error) {
    if (mine === turn) setText($("trial-answer"), `This cannot be tried: ${error.message}`);
    return;
  }
  if (mine !== turn) return;
  const answer = asked ?? present;
  const since = Date.parse(answer.judged_from) / 1000;
  const history = !since ? "There is no history of this condition yet." : `${
    since > before - DAYS * DAY + 3600 ? `Since ${clock(since * 1000, now())}` :
      `In the last ${DAYS} days`}: ${count(answer.count, "alarm")}${
    asked ? ` instead of ${present.count}` : " with the limit in effect"}${
    answer.count ? `, ${duration(answer.seconds)} in all` : ""}.`;
  setText($("trial-answer"), history + (asked && isHidden(readLimits(asked.rule)[0]) ?
    " An alarm is active now that would not have come: make sure that the picture is good." : ""));
  const strip = $("trial-strip");
  strip.replaceChildren();
  drawTrial(present.alarms, before, "present");
  if (asked) drawTrial(asked.alarms, before, "asked");
  strip.classList.toggle("compared", Boolean(asked));
  strip.setAttribute("aria-label", $("trial-answer").textContent);
  $("trial-rule").hidden = !asked;
  if (asked) showRule(asked);
}

function describeDirection(value) {
  const { scale } = tried;
  const words = `“${conditionWords(tried)}”`;
  return isSame(value, scale) ? `Try another limit for ${words}` : `Make ${words} ${
    (value < scale.enter) === isBelow(scale) ? "less" : "more"} sensitive`;
}

function updateTrial() {
  const { scale } = tried;
  const value = Number($("trial-limit").value);
  setText($("trial-words"), isSame(value, scale) ? `${limits(tried)}, as now` :
    `Alarm ${isBelow(scale) ? "below" : "above"} ${amount(scale, value)}`);
  setText($("trial-title"), describeDirection(value));
  setText($("trial-duration"), `This tries the limit only. The alarm still needs ${
    tried.duration < 60 ? `${tried.duration} s` : duration(tried.duration)} to start and ${
    tried.hold < 60 ? `${tried.hold} s` : duration(tried.hold)} to end; change these with ` +
    "duration and hold in rules. The history only has values that lasted as long as in effect " +
    "then, so others cannot be tried.");
  $("trial-limit").setAttribute("aria-valuetext", amount(scale, value));
  clearTimeout(timer);
  timer = setTimeout(askTrial, WAIT);
}

// The ends of the scale are no limits: nothing could be past both.
function setRange() {
  const { least, most } = tried.scale;
  const step = (most - least) / STEPS;
  Object.assign($("trial-limit"), { min: least + step, max: most - step, step });
}

// A reload of the configuration may change the limits of the condition that is being tried.
function refreshTrial(conditions) {
  const fresh = conditions.find((c) => c.condition === tried?.condition);
  if ($("trial").hidden || !fresh || limits(fresh) === limits(tried)) return;
  const slider = $("trial-limit");
  const isUntouched = isSame(Number(slider.value), tried.scale);
  tried = fresh;
  setRange();
  if (isUntouched) slider.value = fresh.scale.enter;
  updateTrial();
}

export function openTrial(condition) {
  tried = condition;
  const { scale } = condition;
  setText($("trial-label"), `${scale.label}: move the limit to the ${
    isBelow(scale) ? "left" : "right"} for fewer alarms`);
  const slider = $("trial-limit");
  setRange();
  slider.value = scale.enter;
  $("trial-rule").hidden = true;
  $("trial-strip").replaceChildren();
  setText($("trial-answer"), "Looking at the history");
  $("trial").hidden = false;
  updateTrial();
  $("trial").scrollIntoView({ block: "nearest" });
  slider.focus({ preventScroll: true });
}

export function closeTrial(camera) {
  if (camera !== name) wereActive.clear();
  name = camera;
  turn++;
  clearTimeout(timer);
  $("trial").hidden = true;
}

on("trial-limit", updateTrial, "input");
on("trial-close", () => closeTrial(name));
