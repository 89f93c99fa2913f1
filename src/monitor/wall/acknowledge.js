// SPDX-License-Identifier: LGPL-2.1-or-later
// Buttons that acknowledge an alarm. Undo has the place of Acknowledge.

import { $, button as makeButton, change, isMeant, on, recall, setText, store } from "./dom.js";
import { NAME, alarms, canUndo, cameras, isOpen, isOperator, post, report, say, session, toDoOnes }
  from "./state.js";

const CONFIRMATION = 5000; // ms in which the answer to an acknowledgement is newer than the stream
const MAX_NUMBERS = 500; // of events of one request

const answers = new Map(); // number of an event -> { event, time }
const wanted = new Map(); // number of an event -> true to acknowledge it, false to undo
const nameless = new Set(); // numbers of events that were acknowledged before the name was known
const listeners = [];

// Has @listener called with each event that was acknowledged here, or no longer is.
export const onAcknowledged = (listener) => listeners.push(listener);

function take(condition, event) {
  condition.acknowledged = event.acknowledged;
  condition.acknowledged_by = event.acknowledged_by ?? "";
  condition.note = event.note ?? "";
}

// What the stream says of @camera may be older than what was answered here.
export function confirm(camera) {
  for (const condition of camera.active) {
    const answer = answers.get(condition.event);
    if (!answer) continue;
    if (performance.now() - answer.time > CONFIRMATION) answers.delete(condition.event);
    else take(condition, answer.event);
  }
}

// Buttons say at once what was pressed.
function label(button) {
  const isWanted = wanted.get(Number(button.dataset.event));
  const isDone = isWanted ?? Boolean(button.dataset.acknowledged);
  setText(button, isDone ? "Undo" : "Acknowledge");
  button.setAttribute("aria-label", `${isDone ? "Undo: a" : "A"}cknowledge ${button.dataset.what}`);
  button.setAttribute("aria-busy", isWanted !== undefined);
  button.title = isDone ? "Take the acknowledgement back" :
    "Tell everybody that you are handling this alarm. It stays until its condition ends.";
}

function want(number, isWanted) {
  if (isWanted === undefined) wanted.delete(number);
  else wanted.set(number, isWanted);
  document.querySelectorAll(`button.acknowledge[data-event="${number}"]`).forEach(label);
}

// Asks for what is wanted, until nobody has changed their mind meanwhile.
async function askAll(number, note) {
  for (;;) {
    const isWanted = wanted.get(number);
    const event = await post(`api/v1/events/${number}/${isWanted ? "" : "un"}acknowledge`,
      isWanted ? { note } : {});
    if (isWanted === wanted.get(number)) return event;
  }
}

// Asks once who acknowledges, where nobody logs in. What was acknowledged before the answer, the
// events with @numbers, then gets the name.
function askName(numbers) {
  $("name-form").hidden = Boolean(session.user) || recall(NAME, null) !== null;
  if (!$("name-form").hidden) numbers.forEach((number) => nameless.add(number));
}

function setName(name) {
  store(NAME, name.trim());
  $("name-form").hidden = true;
  for (const input of document.querySelectorAll("input.by")) input.value = name.trim();
  if (name.trim()) acknowledgeAll([...nameless], false).catch(report("The name is not stored"));
  nameless.clear();
}

// Acknowledges the events with @numbers, or undoes that. Returns the numbers of those that changed.
export async function acknowledgeAll(numbers, undo, note = "") {
  const changed = [];
  for (let i = 0; i < numbers.length; i += MAX_NUMBERS) {
    const some = numbers.slice(i, i + MAX_NUMBERS);
    changed.push(...(await post(`api/v1/events/${undo ? "un" : ""}acknowledge`,
      { numbers: some, ...undo ? {} : { note } })).numbers);
  }
  if (undo) numbers.forEach((number) => nameless.delete(number));
  else askName(changed);
  return changed;
}

export async function acknowledge(number, undo, note = "") {
  const isAsking = wanted.has(number);
  want(number, !undo);
  if (isAsking) return;
  try {
    const event = await askAll(number, note);
    answers.set(event.number, { event, time: performance.now() });
    if (cameras.has(event.camera)) confirm(cameras.get(event.camera));
    wanted.delete(number);
    change(() => listeners.forEach((listener) => listener(event)));
    if (event.acknowledged) askName([number]);
    else nameless.delete(number);
  } catch (error) {
    report(wanted.get(number) ? "Not acknowledged" : "Not undone")(error);
  } finally {
    want(number);
  }
}

function press(click) {
  const button = click.currentTarget;
  click.preventDefault();
  if (isMeant(click)) {
    acknowledge(Number(button.dataset.event), button.textContent === "Undo");
  }
}

// The button in @parent that acknowledges the event @number or, if it is @acknowledged, undoes that;
// none if @number is 0, or for viewers. @what: "North gate: Too dark"
export function setAcknowledge(parent, number, acknowledged, what) {
  let button = parent.querySelector("button.acknowledge");
  if (!number || !isOperator()) {
    button?.remove();
    return;
  }
  if (!button) {
    button = makeButton("", press, { class: "acknowledge aimed" });
    parent.append(button);
  }
  Object.assign(button.dataset, { event: number, acknowledged: acknowledged ?? "", what });
  label(button);
}

// What the key does where @camera has the focus, or undefined: acknowledges its most urgent alarm, or
// undoes that.
export function acknowledgeByKey(camera) {
  const [alarm] = camera ? [...toDoOnes(camera), ...alarms(camera)] : [];
  say("");
  if (!isOperator()) say("You are a viewer: operators acknowledge alarms.");
  else if (!camera) say("No camera is selected. Press j to select one.");
  else if (!alarm) say(`${camera.name} has no active alarm to acknowledge.`);
  else acknowledge(alarm.event, wanted.get(alarm.event) ?? Boolean(alarm.acknowledged));
}

// What the button of a row of several alarms does: [numbers, undo]. It acknowledges the open alarms. In
// a row without any, it withdraws the acknowledgements that may still be withdrawn.
export function chooseAll(some) {
  const open = some.filter(isOpen);
  return [(open.length ? open : some.filter(canUndo)).map((alarm) => alarm.event), !open.length];
}

// @key: of the row. @what: "No video from 3 cameras"
export function setAcknowledgeAll(act, some, key, what) {
  const [numbers, isDone] = chooseAll(some);
  act.hidden = !isOperator() || !numbers.length;
  act.dataset.event = key;
  setText(act, isDone ? "Undo" : "Acknowledge all");
  act.setAttribute("aria-label", `${act.textContent}: ${what}`);
}

on("name-form", (event) => {
  event.preventDefault();
  setName(event.submitter.value === "no" ? "" : $("name-form").querySelector("input").value);
}, "submit");
for (const input of document.querySelectorAll("input.by")) {
  input.value = recall(NAME, "");
  input.addEventListener("change", () => input.form || setName(input.value));
}
