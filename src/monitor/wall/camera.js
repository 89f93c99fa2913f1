// SPDX-License-Identifier: LGPL-2.1-or-later
// One camera: what is wrong and what to do, pictures, what happened, and its conditions; as it is
// now, or as it was on a day that is over.

import { acknowledge, acknowledgeByKey, onAcknowledged, setAcknowledge } from "./acknowledge.js";
import { endCompare, openBig, showAlarm, showCompare, showReference, updateNow } from
  "./compare.js";
import { amount, areHeldBack, closeTrial, describePending, fromRule, limits, openTrial,
  showConditions } from "./conditions.js";
import { $, addChoices, askFirst, button, change, isMeant, keep, make, on, part, press, recall,
  setText, store } from "./dom.js";
import { alarms, ask, byName, cameraHash, cameras, choose, groups, ignore, isEnding, isOperator, kind,
  maxAge, now, outages, path, post, quietOnes, report, say, session, silentOnes, stamp, startOf,
  unconfirmedOnes } from "./state.js";
import { announce, openSnooze, refreshSnooze, showSnooze, snooze, wordsOf } from "./snooze.js";
import { SPANS, endTimeline, loadCurve, loadTimeline, tick } from "./timeline.js";
import { between, capital, clock, conditionWords, count, day, duration, exact, groupBy, helpWords,
  icon, quietWords, quote, readable, stateWords } from "./words.js";

const LIVE = 2000; // ms between two looks at all conditions
const HISTORY = 60000; // ms between two looks at the history
const SOON = 1500; // ms after a change, when its picture is stored
const ACTIONS = 20;
const SPAN = "span"; // in the storage of the browser: the one that was chosen last
const TIME = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?)?$/;
const DONE = { acknowledge: "acknowledged", unacknowledge: "took back the acknowledgement of",
  unlearn: "relearned the reference", snooze: "snoozed", unsnooze: "ended the snooze of" };

const SOON_JUDGED = ["learning", "too-early", "not-measured"]; // reasons why a condition is not
const DECODING = { load: "because of the load",
  auto: "judged by all frames, and by key frames if the processors are overloaded" };

let name = null; // of the camera that is shown
let at = 0; // ms since 1970, or 0: now
let span = "day";
let number = 0; // of the alarm to show, or 0
let rules = ""; // of its conditions, in words
let known = ""; // what was active when the history was loaded
let gone = false;
let past = null; // condition of the alarm that is shown of a past day, as it is now
let timers = [];
let soon = null;

// The time that @text names, in ms since 1970, and what is wrong with it.
function readTime(text) {
  if (text === null) return [0, ""];
  // A plus is a blank in an address.
  const plus = text.replace(/ (?=\d\d:\d\d$)/, "+");
  const time = TIME.test(plus) ? Date.parse(plus) : NaN;
  const instead = "The page shows the camera as it is now.";
  if (!(time >= SPANS.month.length)) {
    return [0, `${quote(text)} is not a time such as 2026-11-25T18:00Z, after January 1970. ${
      instead}`];
  }
  return time < now() + 1000 ? [time, ""] : [0, `${quote(text)} is in the future. ${instead}`];
}

// The address of what is shown, with what is given instead.
function hash(given) {
  const next = { at, span, number: 0, ...given };
  const query = new URLSearchParams({ ...next.at && { at: stamp(next.at) },
    ...next.number && { alarm: next.number }, span: next.span });
  return `#camera/${encodeURIComponent(name)}?${query}`.replaceAll("%3A", ":");
}

// The end of what the timeline shows: now, or the end of the day, the hour or the six hours.
function endOfPeriod() {
  const { length } = SPANS[span];
  const midnight = new Date(at).setHours(0, 0, 0, 0);
  const end = length < SPANS.day.length ?
    midnight + (Math.floor((at - midnight) / length) + 1) * length :
    new Date(at).setHours(24, 0, 0, 0);
  return at && end < now() ? end : now();
}

function describeState(camera) {
  const { video } = camera;
  const late = now() - Date.parse(camera.last_frame);
  const live = session.lost ? "not known without the server" : camera.state !== "up" ?
    stateWords(camera).toLowerCase() : late > maxAge(camera) ?
      `no frame for ${duration(late / 1000)}` : ["live", camera.decode === "keyframes" &&
        "judged by key frames", DECODING[camera.decode_reason],
      camera.substream && "judged by the sub-stream"].filter(Boolean).join(", ");
  return [camera.group, camera.source, video?.width &&
    `${video.width}×${video.height}`, live,
  camera.gpu_trouble && `decoded on the CPU: ${camera.gpu_trouble}`,
  camera.main_trouble && `no full pictures of the main stream: ${camera.main_trouble}`]
    .filter(Boolean).join(" · ");
}

// Which alarms others explain, so that they are not raised.
function describeHeldBack({ conditions = [] }) {
  const wordsOfAll = (some) => some.map(conditionWords).join(", ");
  const held = areHeldBack(conditions);
  const by = conditions.filter((c) => held.some((h) => h.held_back_by.includes(c.condition)));
  return held.length ? `No alarm because of ${wordsOfAll(by)}: ${wordsOfAll(held)}.` : "";
}

// Which conditions are not judged, and why, unless they are as soon as there is a reference.
function describeUnknown(camera) {
  const all = (camera.conditions ?? []).filter((c) => c.unknown && camera.state === "up" &&
    !SOON_JUDGED.includes(c.unknown));
  const reasons = [...groupBy(all, (c) => c.scale.sentence)].map(([sentence, some]) =>
    `${some.map(conditionWords).join(", ")} (${sentence.replace(/^Not judged: |\.$/g, "")})`);
  return reasons.length ? `Not judged: ${reasons.join("; ")}.` : "";
}

// "Lost together with 11 other cameras on 192.0.2.7.", or ""
function describeOthers(alarm) {
  const outage = outages([...cameras.values()]).find(({ alarms: lost }) => lost.includes(alarm));
  return outage ? `Lost together with ${count(outage.alarms.length - 1, "other camera")}${
    outage.place}.` : "";
}

const LOST = { key: "lost", kind: "connecting", words: "Not known",
  text: "There is no connection to the server." };

// The row of a camera with nothing wrong.
function describeQuiet(camera) {
  const { judged, conditions = [] } = camera;
  const isLearning = !judged && conditions.some((c) => c.condition !== "signal-loss" &&
    c.value !== null);
  return { key: "ok", kind: judged ? "ok" : "unjudged",
    words: isLearning ? "Learning the view" : stateWords(camera),
    text: conditions.map((c) => describePending(c, conditionWords(c))).filter(Boolean).join(". ") ||
      (judged && areHeldBack(conditions).length ? "No alarm is active." :
        judged ? "Nothing is wrong." : isLearning ?
        "Conditions that do not need it are judged, the others soon." :
        "Conditions are judged soon.") };
}

// Rows of what is wrong, or one that says that nothing is, and of what is snoozed: { key, kind,
// words, since, until or now, text, together, advice, quiet, condition }
function findRows(camera) {
  const isDown = camera.state !== "up";
  const rows = alarms(camera).map((c) => ({ key: c.condition, kind: c.severity, condition: c,
    words: conditionWords(c), since: startOf(c), advice: isEnding(c) ? "" : c.advice, text: isDown &&
      c.condition === "signal-loss" ? capital(camera.reason) : c.scale?.sentence,
    together: describeOthers(c) }));
  if (isDown && !rows.some((row) => row.key === "signal-loss")) {
    rows.unshift({ key: "state", kind: kind(camera) === "lost" ? "lost" : "connecting",
      words: stateWords(camera), since: camera.since, text: capital(camera.reason) });
  }
  rows.push(...unconfirmedOnes(camera).map((c) => ({ key: c.condition, kind: "unjudged", condition: c,
    words: conditionWords(c), since: startOf(c), until: c.last_seen,
    text: c.last_seen ? `From before the loss of video, last seen ${clock(c.last_seen, now())}` :
      "From before a time in which nobody watched. Not judged yet" })));
  rows.push(...quietOnes(camera).map((c) => ({ key: c.condition, kind: "snoozed", quiet: c.quiet,
    words: conditionWords(c), since: startOf(c), condition: c,
    // Quiet conditions have no alarm that could end.
    text: c.scale?.sentence.replace(/; the alarm ends.*/, "") })));
  if (!rows.length) rows.push(session.lost ? LOST : describeQuiet(camera));
  if (camera.snoozed) {
    rows.push({ key: "snoozed", kind: "snoozed", words: "The whole camera", quiet: camera.snoozed });
  }
  rows.push(...silentOnes(camera).map((c) => ({ key: c.condition, kind: "snoozed", quiet: c,
    words: conditionWords(c), condition: c })));
  return rows;
}

function makeRow() {
  const condition = () => row.item.condition?.condition ?? "";
  const row = make("li", "", {}, part("span", "mark"),
    make("p", "", {}, make("b"), " ", make("span")), part("span", "acts operator",
      part("span", "ack"), button("End the snooze", (click) => isMeant(click) &&
        snooze(condition(), 0), { class: "aimed" }),
      button("Snooze…", () => openSnooze(condition())), button("Relearn…", askRelearn),
      button("Acknowledge with a note…", () => askFirst({ title: `Acknowledge ${row.item.words}?`,
        text: "Alarms and the activity of the camera show the note.", note: true, yes: "Acknowledge" },
      (note) => acknowledge(row.item.condition.event, false, note)))));
  return row;
}

function updateRow(row, item) {
  const [mark, text, acts] = row.children;
  const { condition, quiet } = row.item = item;
  if (row.dataset.kind !== item.kind) mark.replaceChildren(icon(item.kind));
  row.dataset.kind = item.kind;
  const helper = !quiet && condition?.acknowledged;
  const isMoved = !quiet && item.key === "moved";
  row.classList.toggle("acknowledged", Boolean(helper));
  const lasting = item.words +
    (item.since ? ` for ${duration(between(item.since, item.until ?? now()))}` : "");
  setText(text.children[0], quiet ? `${lasting} · ${quietWords(quiet, now())}.` :
    item.since ? `${lasting}.` : lasting);
  const wasQuiet = !quiet && condition?.active_since;
  setText(text.children[1], [item.since && `${wasQuiet ? "Still active s" : "S"}ince ${
    clock(item.since, now())}${wasQuiet ? `; quiet until ${clock(condition.since, now())}` : ""}.`,
    item.text && `${item.text.replace(/\.$/, "")}.`, item.together,
    item.advice && `${item.advice}.`,
    helper && `${helpWords(condition, now())}.`].filter(Boolean).join(" "));
  const [act, end, other, learn, noted] = acts.children;
  setAcknowledge(act, !quiet && condition?.event, condition?.acknowledged,
    `${name}: ${item.words}`);
  act.hidden = !act.firstChild;
  end.dataset.event = `${item.key}${Boolean(quiet)}`;
  // The row of the camera ends a snooze of the whole camera.
  end.hidden = !quiet || quiet.by === "schedule" ||
    Boolean(condition && quiet.until === cameras.get(name).snoozed?.until);
  other.hidden = Boolean(quiet) || !condition;
  other.setAttribute("aria-label", `Snooze ${item.words}…`);
  learn.hidden = !isMoved;
  noted.hidden = quiet || !condition || helper;
}

const activeOnes = (camera) => camera.active.map((c) =>
  `${c.event}${Boolean(c.quiet)}${c.unconfirmed}`).join();

// Only what differs: a live page updates each second.
function update() {
  const camera = cameras.get(name);
  if (!camera) showGone();
  if (!camera || at) return;
  setText($("camera-state"), describeState(camera));
  const unjudged = [describeHeldBack(camera), describeUnknown(camera)].filter(Boolean).join(" ");
  setText($("camera-unknown"), unjudged);
  $("camera-unknown").hidden = !unjudged;
  $("camera-snooze").hidden = Boolean(camera.snoozed) || !isOperator();
  // Clocks in the two lists go on together.
  if (camera.conditions) showConditions(camera);
  keep($("camera-alarms"), findRows(camera), (item) => item.key, makeRow, updateRow);
  updateNow(camera);
  tick();
  if (known !== activeOnes(camera)) {
    known = activeOnes(camera);
    clearTimeout(soon);
    loadHistory(true).catch(ignore);
    soon = setTimeout(() => loadHistory().catch(ignore), SOON);
  }
}

const showParts = (which, isShown) => {
  for (const part of $("camera").querySelectorAll(which)) part.hidden = !isShown;
};

// It was removed while it is shown: what is known of it stays to be seen.
function showGone() {
  if (gone) return;
  gone = true;
  clearTimeout(soon);
  endCompare(true);
  closeTrial(name);
  showParts(".live", false);
  setText($("camera-state"), `Not watched any more. What the page shows is from before ${
    clock(now(), now())}.`);
  $("camera-alarms").replaceChildren();
  $("snooze").hidden = true;
  say(`The camera ${quote(name)} was removed from the key file, or renamed.`, true);
}

// The chart and the form to snooze follow a reload of the configuration at once.
function followRules({ conditions }) {
  const present = conditions.map((c) => c.condition + limits(c)).join();
  if (rules && rules !== present) {
    loadCurve().catch(ignore);
    refreshSnooze();
  }
  rules = present;
}

async function updateDetails() {
  if (document.hidden || session.lost || gone || name === null) return;
  const shown = name;
  const camera = await ask(path(shown));
  if (name !== shown || !cameras.has(shown)) return;
  change(() => {
    Object.assign(cameras.get(shown), camera);
    showReference(camera);
    followRules(camera);
    update();
  });
}

// Why it was one, with the limit of its own time, and what to do.
function describeAlarm(alarm) {
  const say = (value) => amount(past.scale, fromRule(past, value));
  const why = past?.limits_apply && Number.isFinite(alarm.threshold) && `${past.scale.label}: ${
    say(alarm.value)}, with the limit of that time at ${say(alarm.threshold)}.`;
  return [why, alarm.advice && `${alarm.advice}.`].filter(Boolean).join(" ");
}

// @isNew: pictures of new alarms may be still to come.
async function loadHistory(isNew = false) {
  if (gone || name === null) return;
  const end = endOfPeriod();
  const isNow = end > now() - 1000;
  const from = end - SPANS[span].length;
  const alarm = await loadTimeline({ name, from, end, isNow, span, at, number, hash });
  if (alarm === undefined) return;
  change(() => showAlarm(alarm, isNew));
  setText($("period"), `${clock(from, now())} – ${isNow ? "now" : clock(end - 1, now())}`);
  past = cameras.get(name)?.conditions?.find((c) => c.condition === alarm?.condition);
  $("past-try").hidden = !past?.limits_apply;
  if (at) {
    setText($("camera-past").firstElementChild, alarm ? `${conditionWords(alarm)}, ${
      exact(alarm.begun)} to ${alarm.ended ? exact(alarm.ended) : "now"}${
      alarm.end_reason && ` (${readable(alarm.end_reason, now())})`}${
      alarm.reason && `: ${readable(alarm.reason, now())}`}. ${describeAlarm(alarm)}` :
      `No alarm started in this period before ${clock(at, now())}.`);
  }
}

function describeAction({ user, role, action, condition, until, note }) {
  const what = condition ? wordsOf(condition) : action.endsWith("snooze") ? "the camera" : "";
  return `${user || (role === "operator" ? "An operator" : "A viewer")} ${DONE[action] ?? action} ${
    what}${until ? ` until ${clock(until, now())}` : ""}${note && `: ${note}`}`;
}

async function loadActions() {
  const shown = name;
  const actions = await ask(`api/v1/actions?camera=${encodeURIComponent(shown)}&limit=${ACTIONS}`);
  if (name !== shown) return;
  $("actions-card").hidden = !actions.length;
  keep($("actions"), actions, (action) => action.number, (action) => make("li", "", {},
    make("time", clock(action.time, now()), { datetime: action.time, title: exact(action.time) }),
    ` ${describeAction(action)}`), ignore);
}

async function relearn() {
  try {
    await post(`${path(name)}/unlearn`);
    announce("Reference discarded. The camera learns what it shows from now on; conditions that " +
      "compare with the reference end within seconds.");
    loadActions().catch(ignore);
  } catch (error) {
    report("The reference was kept")(error);
  }
}

function askRelearn() {
  const wrong = alarms(cameras.get(name)).filter((c) => c.condition !== "moved")
    .map(conditionWords);
  askFirst({
    title: `Relearn the reference of ${name}?`,
    warning: wrong.length ? `Something is wrong now: ${wrong.join(", ")}. The camera would learn ` +
      "the bad picture as normal, and not report it any more." : "",
    text: "Do this after you moved the camera on purpose. What it has learned is discarded, and " +
      "what it shows now counts as normal. This cannot be undone.",
    yes: wrong.length ? "Relearn anyway" : "Relearn",
  }, relearn);
}

// Cameras in the order of the overview by groups, for the keys.
const inOrder = () => groups().flatMap((group) =>
  choose(new URLSearchParams({ group })).sort(byName));

function showPeriod() {
  const end = endOfPeriod();
  const { length } = SPANS[span];
  const isNow = end > now() - 1000;
  $("earlier").href = hash({ at: end - length - 1000 });
  $("later").href = hash({ at: end + length < now() ? end + length - 1000 : 0 });
  for (const id of ["later", "to-now"]) $(id).hidden = isNow;
  $("to-now").href = $("past-now").href = hash({ at: 0 });
  // A period that ends now goes on there.
  $("list-all").href = `#events?${new URLSearchParams({ camera: name, ...isNow ?
    { period: SPANS[span].period } : { from: new Date(end - length).toISOString(),
      before: new Date(end).toISOString() } })}`;
  press("spans", span);
}

function openCamera() {
  rules = "";
  endTimeline();
  for (const id of ["conditions", "camera-alarms"]) $(id).replaceChildren();
  $("actions-card").hidden = true;
  closeTrial(name);
  scrollTo(0, 0);
}

addChoices("spans", Object.entries(SPANS).map(([key, { words }]) => [key, words]), (key) => {
  store(SPAN, key);
  location.replace(hash({ span: key, number }));
});
on("camera-snooze", () => openSnooze(""));
on("relearn", askRelearn);
on("past-try", () => openTrial(past));
onAcknowledged(({ camera }) => {
  if (camera !== name || $("camera").hidden) return;
  loadActions().catch(ignore);
  if (at) loadHistory().catch(ignore);
});

export const view = {
  section: "camera",
  show(params, given) {
    const another = given !== name;
    const [time, fault] = readTime(params.get("at"));
    const isMoved = !another && time !== at;
    [name, at, gone] = [given, time, false];
    span = [params.get("span"), recall(SPAN)].find((key) => Object.hasOwn(SPANS, key)) ?? "day";
    number = Number(params.get("alarm")) || 0;
    if (another) openCamera();
    if (at) closeTrial(name);
    setText($("camera-title"), name);
    $("camera").classList.toggle("past", Boolean(at));
    if (isMoved) $("pictures").scrollIntoView({ block: "nearest" });
    showCompare(name, at);
    showSnooze(name, () => {
      update();
      loadActions().catch(ignore);
    });
    showParts(".live", !at);
    showParts(".past-only", at);
    showPeriod();
    if (at) setText($("camera-state"), `As it was on ${day(at)}`);
    known = activeOnes(cameras.get(name));
    update();
    Promise.all([updateDetails().then(loadHistory), loadActions().catch(ignore)])
      .catch((error) => name === given && report("Not all of the camera can be shown")(error));
    timers.forEach(clearInterval);
    timers = [setInterval(() => updateDetails().catch(ignore), LIVE), setInterval(() => {
      if (document.hidden || at || gone) return;
      Promise.all([loadHistory(), loadActions()]).catch(ignore);
    }, HISTORY)];
    // The page has nothing else to say when its address was read.
    if (fault) setTimeout(() => say(fault));
  },
  hide() {
    timers.forEach(clearInterval);
    clearTimeout(soon);
    endCompare();
    endTimeline();
    closeTrial(name);
    name = null;
  },
  update(names) {
    if (gone && cameras.has(name)) {
      say("");
      view.show(new URLSearchParams(), name);
    } else if (!names || !names.length || names.includes(name)) update();
  },
  move(step) {
    const all = inOrder();
    const other = all[all.findIndex((camera) => camera.name === name) + step];
    if (other) location.replace(cameraHash(other.name));
  },
  escape() {
    const open = ["snooze", "trial"].find((id) => !$(id).hidden);
    if (open) $(open).hidden = true;
    return Boolean(open);
  },
  keys: {
    a: () => !at && acknowledgeByKey(cameras.get(name)),
    f: openBig,
  },
};
