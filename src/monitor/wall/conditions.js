// SPDX-License-Identifier: LGPL-2.1-or-later
// The conditions of a camera as bars, each with its value between its limits; and what another
// limit would have reported.

import { $, keep, make, setText } from "./dom.js";
import { ask, now, path } from "./state.js";
import { clock, conditionWords, count, duration } from "./words.js";

const DAY = 86400; // s
const DAYS = 7;
const WAIT = 250; // ms until the server is asked
const STEPS = 200; // of the slider

let name = "";
let tried = null; // condition
let timer = null;
let turn = 0;

// "25 %", of a number in the unit of people, with as many @digits as can be seen on its bar
export const amount = (scale, value, digits = 2) => `${Number(value.toFixed(
  Math.max(0, Math.ceil(digits - Math.log10(scale.most)))))}${scale.unit && `\u00a0${scale.unit}`}`;

const isBelow = ({ enter, leave }) => enter < leave;

// A number in the unit of people as the rules have it, and back.
const toRule = (c, value) => c.enter + (value - c.scale.enter) * (c.leave - c.enter) /
  (c.scale.leave - c.scale.enter || 1);
export const fromRule = (c, value) => c.scale.enter + (value - c.enter) *
  (c.scale.leave - c.scale.enter) / (c.leave - c.enter || 1);

const limits = ({ scale, duration: seconds }) => `Alarm ${isBelow(scale) ? "below" : "above"} ${
  amount(scale, scale.enter, 3)}${seconds >= 1 ? ` for ${duration(seconds)}` : ""}, ends ${
  isBelow(scale) ? "above" : "below"} ${amount(scale, scale.leave, 3)}`;

function makeBar() {
  const row = make("li");
  const head = make("p");
  head.append(make("b"), " ", make("code"), make("span", "", { class: "value" }));
  const track = make("div", undefined, { class: "track" });
  track.append(...["zone", "mid", "mark"].map((part) => make("i", undefined, { class: part })));
  const foot = make("p", undefined, { class: "hint" });
  const button = make("button", "Try another limit", { type: "button", class: "try" });
  button.addEventListener("click", () => openTrial(row.condition));
  foot.append(make("span"), button);
  row.append(head, track, foot);
  return row;
}

function updateBar(row, condition) {
  const { scale } = row.condition = condition;
  const [head, track, foot] = row.children;
  const place = (value) =>
    Math.min(1, Math.max(0, (value - scale.least) / (scale.most - scale.least)));
  row.classList.toggle("active", condition.active);
  row.dataset.kind = !condition.active ? "" : condition.quiet ? "snoozed" : condition.severity;
  setText(head.children[0], conditionWords(condition));
  setText(head.children[1], condition.condition);
  const isKnown = scale.value !== null && !condition.unknown;
  setText(head.children[2], isKnown ? amount(scale, scale.value) : "Not judged");
  const [enter, leave] = [place(scale.enter), place(scale.leave)];
  for (const [key, value] of [["--enter", enter], ["--leave", leave],
    ["--value", place(scale.value ?? 0)]]) track.style.setProperty(key, value);
  track.classList.toggle("below", isBelow(scale));
  track.classList.toggle("unknown", !isKnown);
  setText(foot.children[0], `${scale.label}. ${condition.unknown ?
    `Not judged: ${condition.unknown}` : `${limits(condition)}.`}`);
  foot.children[1].setAttribute("aria-label", `Try another limit for ${conditionWords(condition)}`);
}

export function showConditions(camera) {
  const rank = (c) => (c.active ? c.quiet ? 1 : 0 : 2);
  keep($("conditions"), [...camera.conditions].sort((a, b) => rank(a) - rank(b)),
    (c) => c.condition, makeBar, updateBar);
}

// What another limit would have reported

function drawTrial(strip, alarms, before, kind) {
  const from = (before - DAYS * DAY) * 1000;
  for (const alarm of alarms) {
    const mark = make("i", undefined, { class: kind });
    const start = Math.max(0, (Date.parse(alarm.begun) - from) / (DAYS * DAY * 1000));
    const end = alarm.ended ? (Date.parse(alarm.ended) - from) / (DAYS * DAY * 1000) : 1;
    mark.style.setProperty("--start", start);
    mark.style.setProperty("--length", end - start);
    strip.append(mark);
  }
}

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
  setText($("trial-answer"), !since ? "There is no history of this condition yet." : `${
    since > before - DAYS * DAY + 3600 ? `Since ${clock(since * 1000, now())}` :
      `In the last ${DAYS} days`}: ${count(answer.count, "alarm")}${
    asked ? ` instead of ${present.count}` : " with the limit in effect"}${
    answer.count ? `, ${duration(answer.seconds)} in all` : ""}.`);
  const strip = $("trial-strip");
  strip.replaceChildren();
  drawTrial(strip, present.alarms, before, "present");
  if (asked) drawTrial(strip, asked.alarms, before, "asked");
  strip.classList.toggle("compared", Boolean(asked));
  strip.setAttribute("aria-label", $("trial-answer").textContent);
  $("trial-rule").hidden = !asked;
  if (!asked) return;
  setText($("trial-line"), `rules=${asked.rules ?? asked.rule}`);
  setText($("trial-place"), `[camera ${name}]`);
}

// Whether the slider is where the limit is now.
const isSame = (value, { least, most, enter }) =>
  Math.abs(value - enter) <= (most - least) / STEPS / 2;

function updateTrial() {
  const { scale } = tried;
  const value = Number($("trial-limit").value);
  setText($("trial-words"), `Alarm ${isBelow(scale) ? "below" : "above"} ${
    amount(scale, value, 3)}${isSame(value, scale) ? ", as now" :
    ` instead of ${amount(scale, scale.enter, 3)}`}`);
  $("trial-limit").setAttribute("aria-valuetext", amount(scale, value));
  clearTimeout(timer);
  timer = setTimeout(askTrial, WAIT);
}

// Opens the panel for @condition, as a camera has it.
export function openTrial(condition) {
  tried = condition;
  const { scale } = condition;
  setText($("trial-title"), `Make “${conditionWords(condition)}” less sensitive`);
  setText($("trial-label"), `${scale.label}: move the limit to the ${
    isBelow(scale) ? "left" : "right"} for fewer alarms`);
  const slider = $("trial-limit");
  Object.assign(slider, { min: scale.least, max: scale.most, value: scale.enter });
  slider.step = (scale.most - scale.least) / STEPS;
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
  name = camera;
  turn++;
  clearTimeout(timer);
  $("trial").hidden = true;
}

$("trial-limit").addEventListener("input", updateTrial);
$("trial-close").addEventListener("click", () => closeTrial(name));
