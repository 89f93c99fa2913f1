// SPDX-License-Identifier: LGPL-2.1-or-later
// Snoozes: a camera, or one of its conditions, is quiet until a time; and the line for the key file
// that does it every day.

import { $, button, change, makeSaid, on, setOptions, setText } from "./dom.js";
import { cameras, ignore, now, path, post, report } from "./state.js";
import { clock, conditionWords, inputTime } from "./words.js";

const HOUR = 3600000; // ms
const MORNING = 8; // o'clock
const SHORTEST = 4; // h until the morning

let name = "";
let changed = ignore;

// The next morning, in ms. At two at night, that is the one of the same day.
function morning() {
  const time = new Date(now() + SHORTEST * HOUR);
  if (time.getHours() >= MORNING) time.setDate(time.getDate() + 1);
  return time.setHours(MORNING, 0, 0, 0);
}

// A date, and a time of day in 24 hours, whatever the language of the browser: both inputs of @part.
// A date alone is its start, or its end if @isEnd.
export function getWhen(part, isEnd = false) {
  const [date, time] = part.querySelectorAll("input");
  const when = new Date(`${date.value}T${(time.value || "00:00").padStart(5, "0")}`);
  if (isEnd && !time.value) when.setDate(when.getDate() + 1);
  return +when;
}

export function setWhen(part, time, isEnd = false) {
  const [date, hour] = part.querySelectorAll("input");
  const isWhole = isEnd && time && inputTime(time).endsWith("T00:00");
  [date.value, hour.value] = time ? inputTime(isWhole ? time - 1 : time).split("T") : ["", ""];
  if (isWhole) hour.value = "";
}

export const wordsOf = (condition) => conditionWords(
  [...cameras.get(name)?.conditions ?? [], ...cameras.get(name)?.active ?? []]
    .find((c) => c.condition === condition) ?? { condition, words: condition });

export const announce = makeSaid("camera-said");

// Until @until in ms, or with 0 no longer. @condition: "" is the whole camera
export async function snooze(condition, until) {
  const what = condition ? wordsOf(condition) : name;
  try {
    const camera = await post(`${path(name)}/${until ? "" : "un"}snooze`, {
      ...until && { until: Math.round(until / 1000), note: $("snooze-note").value },
      ...condition && { condition } });
    change(() => {
      Object.assign(cameras.get(camera.name) ?? {}, camera);
      // The row of what is snoozed says so, and has the button that ends it.
      announce(until ? "" : `${what} is not snoozed any more.`);
      $("snooze").hidden = true;
      changed();
      // What was pressed may be gone.
      if (!document.activeElement.offsetParent) $("camera-title").focus({ preventScroll: true });
    });
  } catch (error) {
    report(until ? "Not snoozed" : "Still snoozed")(error);
  }
}

const chosen = () => $("snooze-what").value.slice(1);

// The line of the key file that has the condition quiet each day.
function showLine() {
  setText($("quiet-line"), `quiet=${chosen() || "*"}@${$("quiet-from").value || "22:00"}-${
    $("quiet-to").value || "06:00"}`);
  setText($("quiet-place"), `[camera ${name}]`);
}

function fillChoices() {
  const camera = cameras.get(name);
  const choices = (camera.conditions ?? camera.active).map((c) =>
    [`=${c.condition}`, `Only ${conditionWords(c)}`]);
  setOptions("snooze-what", [["=", "The whole camera"], ...choices]);
}

// After a reload of the configuration. Nobody is to snooze something else than what was chosen.
export function refreshSnooze() {
  const before = $("snooze-what").value;
  fillChoices();
  if ($("snooze-what").value !== before) $("snooze").hidden = true;
}

export function openSnooze(condition) {
  fillChoices();
  $("snooze-what").value = `=${condition}`;
  const times = [["Until", morning()], ["1 hour, until", now() + HOUR],
    ["8 hours, until", now() + 8 * HOUR], ["7 days, until", now() + 168 * HOUR]];
  $("snooze-times").replaceChildren(...times.map(([text, until]) => button(`${text} ${
    clock(until, now())}`, () => snooze(chosen(), until))));
  setWhen($("snooze-until"), morning());
  $("snooze-note").value = "";
  showLine();
  $("snooze").hidden = false;
  $("snooze").scrollIntoView({ block: "nearest" });
  // A second Enter must not choose a time.
  $("snooze-what").focus({ preventScroll: true });
}

export function showSnooze(camera, listener) {
  if (name !== camera) {
    $("snooze").hidden = true;
    announce("");
  }
  [name, changed] = [camera, listener];
}

// Has the button of class copy in @part copy the text of its code.
for (const copy of document.querySelectorAll("button.copy")) {
  copy.addEventListener("click", async () => {
    const code = copy.parentNode.querySelector("code");
    getSelection().selectAllChildren(code);
    // Only where the page has come by TLS, or from the same machine.
    const done = await navigator.clipboard?.writeText(code.textContent)
      .then(() => true, () => false);
    setText(copy, done ? "Copied" : "Selected");
    setTimeout(() => setText(copy, "Copy"), 2000);
  });
}
on("snooze", (event) => {
  event.preventDefault();
  const until = getWhen($("snooze-until"));
  if (until > now()) snooze(chosen(), until);
  else report("Not snoozed")(new Error("choose a time in the future"));
}, "submit");
on("snooze-close", () => {
  $("snooze").hidden = true;
});
for (const id of ["snooze-what", "quiet-from", "quiet-to"]) on(id, showLine, "change");
