// SPDX-License-Identifier: LGPL-2.1-or-later
// What the page says: durations, times, states in one or two words, and their icons.

import { draw } from "./dom.js";

export const SEVERITIES = ["lost", "impaired", "notice"];
// Kinds of cameras, by which they are counted, from the worst to the best.
export const KINDS = { __proto__: null, lost: "lost", impaired: "impaired", notice: "notice",
  snoozed: "snoozed", quiet: "quiet hours", connecting: "connecting", unjudged: "not judged yet",
  ok: "OK" };
const MINUTE = 60;
const HOUR = 3600;
const BRIEF = 600000; // ms: a shorter period has seconds
const WEEK = 6 * 86400; // s in which the name of a weekday is clear
const MAX_QUOTED = 60; // characters of what an address has
const MAX_NAMES = 8; // of cameras in a sentence
const STATES = { connecting: "Connecting", "waiting-for-key-frame": "Waiting for a key frame",
  waiting: "Reconnecting", hanging: "Connection stuck" };
// Where the words of the server are too long for a badge.
const SHORT = { flapping: "Day/night flapping" };

// "Too dark". An address stays as it is.
export const capital = (text) => (/^\w+:\/\//.test(text) ? text :
  text.charAt(0).toUpperCase() + text.slice(1));

// A map from the @key of @items to those that have it.
export function groupBy(items, key) {
  const groups = new Map();
  for (const item of items) groups.set(key(item), [...groups.get(key(item)) ?? [], item]);
  return groups;
}

// "a, b and 3 more"
export function listNames(names) {
  const more = names.length - MAX_NAMES;
  return names.slice(0, MAX_NAMES).join(", ") + (more > 0 ? ` and ${more} more` : "");
}

// "3 cameras"
export const count = (n, word) => `${n} ${word}${n === 1 ? "" : "s"}`;

// "2 h 14 min": rounded, in one or two units where the second one still matters.
export function duration(seconds) {
  const s = Math.max(0, Math.round(seconds));
  const [minutes, hours] = [MINUTE, HOUR].map((unit) => Math.round(s / unit));
  const parts = s < 2 * MINUTE ? [[s, "s"]] : minutes < 60 ? [[minutes, "min"]] :
    minutes < 24 * 60 ? [[Math.floor(minutes / 60), "h"], [minutes % 60, "min"]] :
      [[Math.floor(hours / 24), "d"], [hours % 24, "h"]];
  return parts.filter(([n], i) => n || !i).map(([n, unit]) => `${n} ${unit}`).join(" ");
}

// Browsers take long to make a formatter, and the page writes hundreds of times each second.
function format(options) {
  const made = new Intl.DateTimeFormat(undefined, options);
  return (time) => made.format(new Date(time));
}

const two = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" };
const date = { day: "numeric", month: "short" };
const timeOnly = format(two);
const weekdayAndTime = format({ weekday: "short", ...two });
const dateAndTime = format({ ...date, ...two });
const isSameDay = (a, b) => new Date(a).toDateString() === new Date(b).toDateString();

// "07:42", "Wed 07:42" or "12 Nov, 07:42", as long as is needed at the time @now.
export const clock = (time, now) => (isSameDay(time, now) ? timeOnly :
  Math.abs(new Date(time) - now) < WEEK * 1000 ? weekdayAndTime : dateAndTime)(time);

// The same with seconds.
export const exactClock = (time, now) => clock(time, now).replace(/\d\d:\d\d$/, wallClock(time));
// "07:42 to 09:10", or with seconds if it is short.
export const period = (start, end, now) => [start, end].map((time) =>
  (new Date(end) - new Date(start) < BRIEF ? exactClock : clock)(time, now)).join(" to ");

export const weekday = format({ weekday: "short" });

// "Thursday, 26 November"
const longDay = format({ weekday: "long", day: "numeric", month: "long", year: "numeric" });
export const day = (time) => time && longDay(time);

export function inputTime(time) {
  return new Date(time - new Date(time).getTimezoneOffset() * 60000).toISOString().slice(0, 16);
}

// The whole seconds between two times, as their clocks show them.
export const between = (start, end) =>
  Math.floor(new Date(end) / 1000) - Math.floor(new Date(start) / 1000);

// "9 min", or "at most 9 min", which is rounded up
export function lasting(seconds, isAtMost) {
  const unit = seconds < 2 * MINUTE ? 1 : seconds < 24 * HOUR ? MINUTE : HOUR;
  return isAtMost ? `at most ${duration(Math.ceil(seconds / unit) * unit)}` : duration(seconds);
}

// How long an alarm was active: at most that, if nobody watched when it ended. @end: of what lasts
export const lasted = ({ begun, ended, at_most: isAtMost }, end) =>
  lasting(between(begun, ended ?? end), isAtMost);

// With the date and the seconds.
export const exact = format({ ...date, year: "numeric", ...two, second: "2-digit" });

export const wallClock = format({ ...two, second: "2-digit" });

export const conditionWords = (condition) =>
  SHORT[condition.condition] ?? capital(condition.words);

// "Snoozed until Fri 08:00 by Ann", or "Quiet hours until 06:00". @quiet: as conditions have it
export const quietWords = ({ until, by, note }, now) => [by === "schedule" ? "Quiet hours" : "Snoozed",
  until && `until ${clock(until, now)}`, by && by !== "schedule" && `by ${by}`].filter(Boolean)
  .join(" ") + (note ? `: ${note}` : "");

// "Acknowledged by Ann, 07:42: the cleaner is there", or ""
export const helpWords = ({ acknowledged, acknowledged_by: by, note }, now) => (acknowledged ?
  `Acknowledged${by && ` by ${by}`}, ${clock(acknowledged, now)}${note && `: ${note}`}` : "");

// The same of several alarms, once all are acknowledged: by these people, when the last time, and why
export const joinHelp = (some) => ({
  acknowledged: some.every((a) => a.acknowledged) && some.map((a) => a.acknowledged).sort().at(-1),
  ...Object.fromEntries([["acknowledged_by", ", "], ["note", "; "]].map(([key, sign]) =>
    [key, [...new Set(some.map((a) => a[key]).filter(Boolean))].join(sign)])) });

// In one or two words, of a camera that has no alarm.
export const stateWords = (camera) =>
  STATES[camera.state] ?? (camera.judged ? "OK" : "Not judged yet");

export const quote = (text) =>
  `“${text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)}…` : text}”`;

// @name: of a symbol of the page: a kind of cameras, or user
export function icon(name) {
  const svg = draw("svg", { class: "icon", "aria-hidden": "true" });
  svg.append(draw("use", { href: `#icon-${name}` }));
  return svg;
}

// What the server gives as a reason has times as programs read them.
export const readable = (reason, now) =>
  reason.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, (time) => clock(time, now));
