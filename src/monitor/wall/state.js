// SPDX-License-Identifier: LGPL-2.1-or-later
// What is known of the cameras and of who looks at them, and requests to the server.

import { $, change, recall, setText } from "./dom.js";
import { SEVERITIES, capital, conditionWords, count, groupBy, quote, stateWords } from "./words.js";

const PLACE = "place"; // in the storage of the tab, as login.js has it
const collator = new Intl.Collator(undefined, { numeric: true });

export const cameras = new Map(); // name -> what the server says, as configured
// configuration: for operators, { file, reload }: where the key file is, and what has it read again
export const session = { user: "", role: "operator", login: false, lost: false, leaving: false,
  configuration: null, acknowledgements: 0 };
let offset = 0; // ms that the server's clock is ahead

export const now = () => Date.now() + offset;
export const isOperator = () => session.role !== "viewer";
export const path = (name) => `api/v1/cameras/${encodeURIComponent(name)}`;
export const stamp = (time) => `${new Date(time).toISOString().slice(0, 19)}Z`;
// The address of the page of a camera, now or as it was @at that time, with the alarm of this @number.
export function cameraHash(name, at, number) {
  const query = [at && `at=${stamp(at)}`, number && `alarm=${number}`].filter(Boolean).join("&");
  return `#camera/${encodeURIComponent(name)}${query && `?${query}`}`;
}

export function setState(all) {
  offset = Date.parse(all.time) - Date.now();
  Object.assign(session, { user: all.user ?? "", role: all.role ?? "operator", login: all.login,
    configuration: all.configuration, acknowledgements: all.acknowledgements });
  cameras.clear();
  for (const camera of all.cameras) cameras.set(camera.name, camera);
}

const MAX_AGE = 15000; // ms without a picture after which the last one is old
const MAX_AGE_KEY_FRAME = 65000; // key frames are up to 60 s apart
export const maxAge = ({ decode }) => (decode === "keyframes" ? MAX_AGE_KEY_FRAME : MAX_AGE);

// 0 is the worst, and without a severity it is 3.
const rank = (name) => (SEVERITIES.indexOf(name) + 4) % 4;
export const worst = (a, b) => rank(a.severity) - rank(b.severity);

const byNeed = (a, b) => a.unconfirmed - b.unconfirmed ||
  Boolean(a.acknowledged) - Boolean(b.acknowledged) || worst(a, b) ||
  Date.parse(b.since) - Date.parse(a.since);

// Its alarms, the worst and newest first. Quiet ones, which are snoozed or in their quiet hours, are
// not among them, and neither are those from before a loss of video or a restart that no frame has
// shown since.
export const alarms = (camera) =>
  camera.active.filter((c) => !c.quiet && !c.unconfirmed).sort(byNeed);

export const unconfirmedOnes = (camera) => camera.active.filter((c) => c.unconfirmed && !c.quiet);
export const quietOnes = (camera) => camera.active.filter((c) => c.quiet);
// Snoozes of conditions that are not active: nobody would hear of them if they were.
export const silentOnes = (camera) => camera.snoozed_conditions.filter(({ condition }) =>
  camera.active.every((c) => c.condition !== condition));

export const severity = (camera) =>
  camera.severity ?? alarms(camera).sort(worst)[0]?.severity ?? "";

// What it is called. Viewers have nothing to do.
export const toDoWords = () => (isOperator() ? "to do" : "not acknowledged");
// Alarms that somebody should acknowledge, also those from before a loss or a restart.
export const toDoOnes = (camera) =>
  camera.active.filter((c) => !c.quiet && !c.acknowledged).sort(byNeed);
export const isToDo = (camera) => toDoOnes(camera).length > 0;
// The same for an alarm that may have ended: nobody has acknowledged or snoozed it. These are what
// state=unacknowledged of the server selects.
export const isOpen = (alarm) => !alarm.acknowledged && !alarm.quiet &&
  !alarm.end_reason.startsWith("snoozed ") && !cameras.get(alarm.camera)?.snoozed;
// What is active of an alarm that no frame has shown since a loss of video, or since a restart.
const unconfirmedOf = ({ camera, event }) =>
  cameras.get(camera)?.active.find((c) => c.event === event && c.unconfirmed);
// Whether that holds for all of @some that are active.
export const areUnconfirmed = (some) => some.some((a) => !a.ended) &&
  some.every((a) => a.ended || unconfirmedOf(a));
export const unconfirmedWords = (c) => (c.last_seen ? "before the loss" : "not judged yet");
// Until when an alarm is known to have lasted, in ms.
export const endOf = (alarm) => Date.parse(alarm.ended ?? unconfirmedOf(alarm)?.last_seen) || now();
// What Alarms says of one that has not ended.
export function describeActive(alarm) {
  const c = unconfirmedOf(alarm);
  return c ? unconfirmedWords(c) : "still active";
}
// When the condition started, even if it was quiet since then.
export const startOf = (condition) => condition.active_since ?? condition.since;
const UNDO = 600000; // ms after its acknowledgement, in which that of an ended alarm can be undone
export const canUndo = ({ acknowledged, ended }) => Boolean(acknowledged) &&
  (!ended || now() - Date.parse(acknowledged) < UNDO);
export const isBelow = ({ enter, leave }) => enter < leave;
// Whether an active condition ends if the picture stays as it is now.
export const isEnding = ({ scale }) => scale?.value != null &&
  (isBelow(scale) ? scale.value > scale.leave : scale.value < scale.leave);
// Since when the picture is the same; undefined if it changes, or if that is not known.
export const frozenSince = ({ active }) => active.filter((c) => c.condition === "frozen" &&
  c.scale?.value != null && !isEnding(c)).map(startOf)[0];
// When the newest of these began, in ms since 1970; 0 without one.
export const newest = (camera) => Math.max(0, ...toDoOnes(camera).map((c) => Date.parse(c.since)));
export const isAcknowledged = (camera) => alarms(camera).length > 0 && !isToDo(camera);

// By a person until a time, or by the schedule of the configuration.
const quietKind = ({ by }) => (by === "schedule" ? "quiet" : "snoozed");

const quietPeriods = (camera) => [camera.snoozed, ...quietOnes(camera).map((c) => c.quiet),
  ...silentOnes(camera)].filter(Boolean);

// As words.js has the kinds. Each camera is shown as one.
export function kind(camera) {
  if (severity(camera)) return severity(camera);
  const [quiet] = quietPeriods(camera);
  if (quiet) return quietKind(quiet);
  if (camera.state !== "up") return "connecting";
  return camera.judged && !unconfirmedOnes(camera).length ? "ok" : "unjudged";
}

// Whether the count of the kind @name has it. What is snoozed or quiet counts beside other alarms.
export const isOfKind = (camera, name) => kind(camera) === name ||
  quietPeriods(camera).some((quiet) => quietKind(quiet) === name);

// What a tile says, the most urgent first: { kind, words, since or quiet, and the condition if there
// is one }.
export function marks(camera) {
  const active = alarms(camera).map((condition) => ({ kind: condition.severity,
    words: conditionWords(condition), since: startOf(condition), condition }));
  const quiet = quietOnes(camera).map((condition) => ({ kind: quietKind(condition.quiet),
    words: conditionWords(condition), quiet: condition.quiet, condition }));
  if (camera.snoozed && !quiet.length) {
    quiet.push({ kind: "snoozed", words: "Snoozed", quiet: camera.snoozed });
  }
  quiet.push(...silentOnes(camera).map((condition) => ({ kind: "snoozed", quiet: condition,
    words: `Snoozed: ${conditionWords(condition)}`, condition })));
  const before = unconfirmedOnes(camera).map((condition) => ({ kind: "unjudged",
    words: conditionWords(condition), condition }));
  if (!active.length && !quiet.length && (camera.state !== "up" ||
      (!camera.judged && !before.length))) {
    active.push({ kind: kind(camera), words: stateWords(camera),
      since: camera.state === "up" ? null : camera.since });
  }
  return [...active, ...before, ...quiet];
}

// " on 192.0.2.7 in group Gates": what all of @some have in common, or "".
export function placeOf(some) {
  const [host, group] = ["host", "group"].map((key) =>
    some.every((camera) => camera[key] === some[0][key]) && some[0]?.[key]);
  return (host ? ` on ${host}` : "") + (group ? ` in group ${group}` : "");
}

// Outages in which several of @shown were lost together, and still are.
export function outages(shown) {
  const lost = shown.flatMap((camera) => alarms(camera).filter((alarm) => alarm.outage)
    .map((alarm) => ({ camera, alarm })));
  return [...groupBy(lost, ({ alarm }) => alarm.outage)].filter(([, some]) => some.length > 1)
    .map(([id, some]) => {
      const members = some.map(({ camera }) => camera);
      return { id, members, alarms: some.map(({ alarm }) => alarm), place: placeOf(members),
        since: Math.min(...some.map(({ alarm }) => Date.parse(startOf(alarm)))),
        words: `No video from ${count(some.length, "camera")}${placeOf(members)}` };
    });
}

// Why, in one sentence, or "".
export function cause(camera) {
  if (camera.state !== "up") return capital(camera.reason ?? "");
  return alarms(camera)[0]?.scale?.sentence ?? "";
}

const TESTS = { __proto__: null, todo: isToDo, acknowledged: isAcknowledged };

// Cameras that @params of an address choose: by filter=words, group=, outage= and state=, a kind or
// one of TESTS.
export function choose(params) {
  const words = (params.get("filter") ?? "").toLowerCase().split(/\s+/);
  const [group, state, outage] = ["group", "state", "outage"].map((key) => params.get(key));
  return [...cameras.values()].filter((camera) => {
    if (group !== null && camera.group !== group) return false;
    if (outage && !camera.active.some((c) => String(c.outage) === outage)) return false;
    if (state && !(TESTS[state]?.(camera) ?? isOfKind(camera, state))) return false;
    const text = [camera.name, camera.group, camera.host, kind(camera), stateWords(camera),
      camera.reason, ...camera.active.flatMap((c) => [c.condition, c.words])]
      .join(" ").toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

// What @params choose beside a state, in words, or "".
export function describeChoice(params) {
  const [group, filter] = [params.get("group"), params.get("filter")];
  return [group === null ? "" : group || "Without a group", filter && quote(filter),
    params.has("outage") && "Lost together"]
    .filter(Boolean).join(", ");
}

export const byName = (a, b) => collator.compare(a.name, b.name);
// The most urgent first: nobody takes care of it, severity, and then the newest.
export const byUrgency = (a, b) => isToDo(b) - isToDo(a) ||
  rank(severity(a)) - rank(severity(b)) || newest(b) - newest(a) || byName(a, b);
export const groups = () => [...new Set([...cameras.values()].map((c) => c.group ?? ""))];

// Which group that @params choose does not exist, or "".
export function missingGroup(params) {
  const missing = params.getAll("group").find((group) => !groups().includes(group));
  return missing ? `There is no group ${quote(missing)}: it was removed from the key file, or renamed.` :
    missing === "" ? "Every camera has a group." : "";
}

// The session has ended. The page to log in says so, and leads back to where the user was.
function logInAgain() {
  if (session.leaving) return;
  session.leaving = true;
  sessionStorage.setItem(PLACE, JSON.stringify({ hash: location.hash }));
  location.assign("login#ended");
}

export function returnToPlace() {
  const place = JSON.parse(sessionStorage.getItem(PLACE));
  sessionStorage.removeItem(PLACE);
  if (place?.hash && !location.hash) history.replaceState(null, "", place.hash);
}

export async function ask(url, options) {
  const response = await fetch(url, options).catch(() => {
    throw new Error("there is no connection to the server");
  });
  if (response.status === 401) logInAgain();
  const answer = await response.json().catch(() => null);
  if (!response.ok || !answer) {
    throw new Error(answer?.error ?? `${response.status} ${response.statusText}`);
  }
  return answer;
}

export const NAME = "name"; // in the storage of the browser: what the user is called

// Has the server change something. It knows the name of a user who has logged in.
export function post(url, parameters = {}) {
  const query = new URLSearchParams(parameters);
  if (!session.user && recall(NAME, "")) query.set("by", recall(NAME, ""));
  const parts = query.size ? `?${query}`.replaceAll("+", "%20") : "";
  return ask(url + parts, { method: "POST" });
}

const LIMIT = 500; // alarms of a request
const MAX_REQUESTS = 4;

// The alarms that @query asks for, from several answers if there are many.
export async function askAlarms(query) {
  const found = [];
  const parameters = new URLSearchParams({ ...query, limit: LIMIT });
  for (let i = 0, cursor = ""; i < MAX_REQUESTS && cursor !== null; i++) {
    const page = await ask(`api/v1/alarms?${parameters}`.replaceAll("+", "%20"));
    found.push(...page.alarms);
    ({ cursor } = page);
    parameters.set("cursor", cursor);
  }
  return found;
}

// What somebody has asked for and did not get. It stays until it is dismissed, above all else, and
// moves nothing that is under a hand. @offer: with a way to all cameras.
export function say(text, offer = false) {
  const dialog = [...document.querySelectorAll("dialog[open]")].at(-1);
  const problem = $("problem");
  change(() => {
    (dialog ?? document.body).prepend(problem);
    setText($("problem-text"), text);
    $("problem-wall").hidden = !offer;
    problem.hidden = !text;
  });
}

export const report = (what) => (error) => say(`${what}: ${error.message}`);
// Without a connection, the page says so by itself.
export const ignore = () => {};
