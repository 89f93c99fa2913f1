// SPDX-License-Identifier: LGPL-2.1-or-later
// Snoozes: a camera, or one of its conditions, is quiet until a time; and the line for the key file
// that does it every day.

import { $, change, keep, make, setText } from "./dom.js";
import { ask, cameras, ignore, now, path, report } from "./state.js";
import { clock, conditionWords, inputTime, wallClock } from "./words.js";

const HOUR = 3600000; // ms
const MORNING = 8; // o'clock
const SHORTEST = 4; // h until the morning

let name = "";
let changed = ignore;
let undo = ignore;

// The next morning, in ms. At two at night, that is the one of the same day.
export function morning() {
  const time = new Date(now() + SHORTEST * HOUR);
  if (time.getHours() >= MORNING) time.setDate(time.getDate() + 1);
  return time.setHours(MORNING, 0, 0, 0);
}

// "Fri 08:00", always with the day
export const dayAndTime = (time) => `${new Date(time).toLocaleDateString(undefined,
  { weekday: "short" })} ${wallClock(time).slice(0, 5)}`;

const words = (condition) => (condition ?
  conditionWords(cameras.get(name)?.conditions?.find((c) => c.condition === condition) ??
    cameras.get(name)?.active.find((c) => c.condition === condition) ??
    { condition, words: condition }) : name);

// Says what was done, with a way to undo it.
export function announce(text, how) {
  undo = how ?? ignore;
  setText($("camera-said").firstElementChild, text);
  $("camera-undo").hidden = !how;
  $("camera-said").hidden = !text;
}

// Until @until in ms, or with 0 no longer. @condition: "" is the whole camera
export async function snooze(condition, until) {
  const which = condition ? `condition=${encodeURIComponent(condition)}` : "";
  try {
    const camera = await ask(`${path(name)}/${until ? `snooze?until=${Math.round(until / 1000)}&` :
      "unsnooze?"}${which}`, { method: "POST" });
    change(() => {
      Object.assign(cameras.get(camera.name) ?? {}, camera);
      announce(until ? `${words(condition)} is quiet until ${dayAndTime(until)}.` :
        `${words(condition)} is not snoozed any more.`,
      until && (() => snooze(condition, 0)));
      $("snooze").hidden = true;
      changed();
    });
  } catch (error) {
    report(until ? "Not snoozed" : "Still snoozed")(error);
  }
}

// The line of the key file that has the condition quiet each day.
function showLine() {
  const condition = $("snooze-what").value.slice(1) || "*";
  setText($("quiet-line"), `quiet=${condition}@${$("quiet-from").value || "22:00"}-${
    $("quiet-to").value || "06:00"}`);
  setText($("quiet-place"), `[camera ${name}]`);
}

// Opens the panel for @condition, "" is the whole camera.
export function openSnooze(condition) {
  const camera = cameras.get(name);
  const choices = (camera.conditions ?? camera.active).map((c) =>
    [`=${c.condition}`, `Only ${conditionWords(c)}`]);
  keep($("snooze-what"), [["=", "The whole camera"], ...choices], ([value]) => value,
    ([value, text]) => make("option", text, { value }), ignore);
  $("snooze-what").value = `=${condition}`;
  const times = [["1 hour", now() + HOUR], ["8 hours", now() + 8 * HOUR], ["", morning()],
    ["7 days", now() + 168 * HOUR]];
  $("snooze-times").replaceChildren(...times.map(([text, until]) => {
    const button = make("button", `${text ? `${text}, until` : "Until"} ${text === "7 days" ?
      clock(until, now()) : dayAndTime(until)}`, { type: "button" });
    button.addEventListener("click", () => snooze($("snooze-what").value.slice(1), until));
    return button;
  }));
  $("snooze-until").min = inputTime(now());
  $("snooze-until").value = inputTime(morning());
  showLine();
  $("snooze").hidden = false;
  $("snooze-what").focus();
}

export function showSnooze(camera, listener) {
  if (name !== camera) {
    $("snooze").hidden = true;
    announce("");
  }
  name = camera;
  changed = listener;
}

// Has the button of class copy in @part copy the text of its code.
for (const button of document.querySelectorAll("button.copy")) {
  button.addEventListener("click", async () => {
    const code = button.parentNode.querySelector("code");
    getSelection().selectAllChildren(code);
    // Only where the page has come by TLS, or from the same machine.
    const done = await navigator.clipboard?.writeText(code.textContent)
      .then(() => true, () => false);
    setText(button, done ? "Copied" : "Selected");
    setTimeout(() => setText(button, "Copy"), 2000);
  });
}
$("snooze").addEventListener("submit", (event) => {
  event.preventDefault();
  const until = Date.parse($("snooze-until").value);
  if (until > now()) snooze($("snooze-what").value.slice(1), until);
  else report("Not snoozed")(new Error("choose a time in the future"));
});
$("snooze-close").addEventListener("click", () => {
  $("snooze").hidden = true;
});
for (const id of ["snooze-what", "quiet-from", "quiet-to"]) {
  $(id).addEventListener("change", showLine);
}
$("camera-undo").addEventListener("click", () => {
  const how = undo;
  announce("");
  how();
});
