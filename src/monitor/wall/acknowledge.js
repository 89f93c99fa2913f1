// SPDX-License-Identifier: LGPL-2.1-or-later
// Buttons that acknowledge an alarm. Undo has the place of Acknowledge.

import { change, isMeant, make, setText } from "./dom.js";
import { ask, cameras, isOperator, report } from "./state.js";

const CONFIRMATION = 5000; // ms in which the answer to an acknowledgement is newer than the stream

const answers = new Map(); // number of an event -> { event, time }
const listeners = [];

// Has @listener called with each event that was acknowledged here, or no longer is.
export const onAcknowledged = (listener) => listeners.push(listener);

function take(condition, event) {
  condition.acknowledged = event.acknowledged;
  condition.acknowledged_by = event.acknowledged_by ?? "";
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

// Has the server acknowledge the event with @number, or with @undo no longer.
export async function acknowledge(number, undo) {
  try {
    const event = await ask(`api/v1/events/${number}/${undo ? "unacknowledge" : "acknowledge"}`,
      { method: "POST" });
    answers.set(event.number, { event, time: performance.now() });
    if (cameras.has(event.camera)) confirm(cameras.get(event.camera));
    change(() => listeners.forEach((listener) => listener(event)));
  } catch (error) {
    report(undo ? "Not undone" : "Not acknowledged")(error);
  }
}

async function press(click) {
  const { dataset } = click.currentTarget;
  click.preventDefault();
  if (dataset.busy || !isMeant(click)) return;
  dataset.busy = "yes";
  await acknowledge(dataset.event, Boolean(dataset.acknowledged));
  delete dataset.busy;
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
    button = make("button", "", { type: "button", class: "acknowledge aimed" });
    button.addEventListener("click", press);
    parent.append(button);
  }
  button.dataset.event = number;
  button.dataset.acknowledged = acknowledged ?? "";
  setText(button, acknowledged ? "Undo" : "Acknowledge");
  button.setAttribute("aria-label", `${acknowledged ? "Undo: a" : "A"}cknowledge ${what}`);
  button.title = acknowledged ? "Show the alarm as one that nobody takes care of" :
    "Show everybody that somebody takes care of the alarm. It stays until it is over.";
}
