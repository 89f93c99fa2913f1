// SPDX-License-Identifier: LGPL-2.1-or-later
// Calls for attention: the title and the icon count cameras that nobody takes care of, and each new
// alarm is announced to screen readers and, if somebody wants that, by a chime and a notification.

import { $, on, recall, setText, store } from "./dom.js";
import { cameraHash, cameras, choose, describeChoice, isToDo, now, placeOf, say, session, toDoOnes }
  from "./state.js";
import { SEVERITIES, capital, conditionWords, count, groupBy, listNames, readable } from
  "./words.js";

const SAVED = "attention"; // in the storage of the browser
const COLLECTION = 1500; // ms in which alarms come together: an outage is one notification
const MAX_SINGLE = 3; // more alarms at a time are one
const PATIENCE = 10000; // ms
const ICON_PIXELS = 64;
const COLORS = { lost: ["#fff", "#b3122a"], impaired: ["#ffb000", "#000"],
  notice: ["#12355f", "#e6f1ff"] };
// Of a chime: [Hz, s after its start]. Lost cameras have one that falls.
const TONES = { lost: [[784, 0], [587, 0.18], [440, 0.36]], impaired: [[587, 0], [784, 0.18]],
  notice: [[587, 0]] };
const TONE_SECONDS = 0.3;
const LOUDNESS = 0.25;

let sound = null; // AudioContext
let iconShown = "";
let iconUrl = null;
let collected = []; // events
let watched = new URLSearchParams(); // what is shown of all cameras
let timer = null;

const isOn = (id) => $(id).checked;
// Whether the page listens though it is hidden.
export const isAttentive = () => isOn("chime") || isOn("notify");

function drawIcon(n, worst) {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = ICON_PIXELS;
  const paper = canvas.getContext("2d");
  const [back, front] = COLORS[worst];
  paper.fillStyle = back;
  paper.beginPath();
  paper.roundRect(0, 0, ICON_PIXELS, ICON_PIXELS, ICON_PIXELS / 5);
  paper.fill();
  paper.fillStyle = front;
  paper.font = `bold ${n > 9 ? 40 : 52}px sans-serif`;
  paper.textAlign = "center";
  paper.textBaseline = "middle";
  paper.fillText(n > 99 ? "99" : n, ICON_PIXELS / 2, ICON_PIXELS / 2 + 3);
  canvas.toBlob((blob) => {
    const before = iconUrl;
    $("icon").href = iconUrl = URL.createObjectURL(blob);
    // The browser may still be about to read it.
    if (before) setTimeout(() => URL.revokeObjectURL(before), PATIENCE);
  });
}

// @params: the group that the view shows, if it shows only one.
export function updateAttention(params = watched) {
  watched = params;
  const toDo = choose(params).filter(isToDo);
  const worst = SEVERITIES.find((name) => toDo.some((camera) =>
    toDoOnes(camera).some((c) => c.severity === name))) ??
    "impaired";
  const icon = toDo.length ? `${toDo.length} ${worst}` : "";
  document.title = session.lost ? "No connection" :
    (toDo.length ? `(${toDo.length}) ` : "") + (describeChoice(params) || "Cameras");
  if (icon === iconShown) return;
  iconShown = icon;
  if (toDo.length) drawIcon(toDo.length, worst);
  else $("icon").href = "icon.svg";
}

const isHeard = () => sound?.state === "running";

// Browsers let a page be heard once somebody has clicked on it or pressed a key.
async function openSound() {
  const showSilence = () => {
    $("silent").hidden = !isOn("chime") || isHeard();
  };
  if (isOn("chime") && !sound) {
    sound = new AudioContext();
    sound.addEventListener("statechange", showSilence);
  }
  showSilence();
  if (isOn("chime") && !isHeard()) await sound.resume();
}

function chime(worst) {
  if (!isHeard()) return;
  for (const [pitch, delay] of TONES[worst]) {
    const [tone, volume] = [sound.createOscillator(), sound.createGain()];
    const start = sound.currentTime + delay;
    tone.frequency.value = pitch;
    volume.gain.setValueAtTime(LOUDNESS, start);
    volume.gain.exponentialRampToValueAtTime(0.001, start + TONE_SECONDS);
    tone.connect(volume).connect(sound.destination);
    tone.start(start);
    tone.stop(start + TONE_SECONDS);
  }
}

// Events that are one thing to people: [{ title, body, hash, key }]
function group(events) {
  const parts = groupBy(events, (event) => (event.outage != null ? `outage ${event.outage}` :
    events.length > MAX_SINGLE ? event.condition : `event ${event.number}`));
  return [...parts].map(([key, some]) => {
    const [first] = some;
    const names = [...new Set(some.map((event) => event.camera))];
    const words = conditionWords(first) +
      (some.every((event) => event.active_since) ? ", still active" : "");
    const many = count(names.length, "camera") +
      placeOf(names.map((name) => cameras.get(name)).filter(Boolean));
    return some.length === 1 ? { key, title: `${first.camera}: ${words}`,
      body: capital(readable(first.reason, now())),
      hash: cameraHash(first.camera, 0, first.number) } :
      { key, body: listNames(names), ...first.outage ?
        { title: `No video from ${many}`, hash: `#?outage=${first.outage}` } :
        { title: `${many}: ${words}`, hash: "#?state=todo" } };
  });
}

function notify({ key, title, body, hash }) {
  try {
    const note = new Notification(title, { body, tag: key, icon: "icon.png" });
    note.addEventListener("click", () => {
      focus();
      location.hash = hash;
      note.close();
    });
  } catch {
    $("notify").checked = false;
    say("This browser does not let pages show notifications. Use a webhook instead.");
  }
}

function announce() {
  timer = null;
  const events = collected;
  collected = [];
  const things = group(events);
  setText($("announcement"), things.map(({ title, body }) => (body ? `${title}: ${body}` : title))
    .join(". "));
  // It has been read then, and may soon be wrong.
  setTimeout(() => !timer && setText($("announcement"), ""), PATIENCE);
  if (isOn("chime")) chime(SEVERITIES.find((s) => events.some((event) => event.severity === s)));
  if (isOn("notify")) things.forEach(notify);
}

// An event of the stream: new alarms of the cameras that are watched are announced, but not quiet
// ones.
export function tell(event) {
  const camera = choose(watched).find(({ name }) => name === event.camera);
  const condition = camera?.active.find((c) => c.event === event.number);
  if (!event.active || event.quiet || condition?.quiet || !camera) return;
  collected.push(event);
  timer ??= setTimeout(announce, COLLECTION);
}

// What nobody sees any more is announced like a lost camera.
export function tellConnection(lost) {
  updateAttention();
  if (!lost) return;
  if (isOn("chime")) chime("lost");
  if (isOn("notify")) notify({ key: "connection", title: "No connection to the monitor",
    body: "Its alarms do not arrive until it is back.", hash: location.hash });
}

const save = () => store(SAVED, { chime: isOn("chime"), notify: isOn("notify") });

export function startAttention() {
  const saved = recall(SAVED, {});
  $("chime").checked = Boolean(saved.chime);
  $("notify").checked = Boolean(saved.notify) && window.Notification?.permission === "granted";
  on("chime", () => {
    save();
    openSound().then(() => isOn("chime") && chime("impaired"));
  }, "change");
  on("notify", async () => {
    if (isOn("notify") && await window.Notification?.requestPermission() !== "granted") {
      $("notify").checked = false;
      say("The browser does not allow notifications of this page. Allow them in its settings for " +
        "this site; they need HTTPS or localhost.");
    }
    save();
  }, "change");
  for (const gesture of ["pointerup", "keyup"]) addEventListener(gesture, openSound);
  openSound();
}
