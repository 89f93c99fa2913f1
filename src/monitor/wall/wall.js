// SPDX-License-Identifier: LGPL-2.1-or-later
// The wall: states come by stream.js, pictures by themselves while their tile is in view.

import { $, change, draw, isMeant, keep, make, setLongText, setText } from "./dom.js";
import { addNotice, setNotices, showNotices, startNotices } from "./notices.js";
import { logOut, look, start } from "./stream.js";

const OLD = 15; // s: older pictures say so loudly
// Key frames are up to 60 s apart: the monitor waits no longer for one.
const OLD_KEY_FRAME = 65;
const DAY_PERIOD = 300000; // ms between two looks at the day of a tile
const DAY = 86400000; // ms
const HOUR = 3600000;
const MAX_EVENTS = 50;
const MAX_EVENTS_AT_ONCE = 1000; // of the API
const REST = 5000; // ms without a hand on it after which a part of the page may move
const LONG_REST = 30000; // the same while the pointer stays there
const CONFIRMATION = 5000; // ms in which the answer to an acknowledgement is newer than the stream
const MAX_SHOWN_CHARACTERS = 60; // characters of what an address has
const PLACE = "place"; // in the storage of the tab, as login.js has it
const STATES = {
  connecting: "Connecting", up: "Live", "waiting-for-key-frame": "Waiting for a key frame",
  waiting: "Offline, trying again", hanging: "Offline, its connection does not end",
};
const CHANNELS = ["red", "green", "blue"];
const collator = new Intl.Collator(undefined, { numeric: true });

const cameras = new Map(); // name -> what the server says
const tiles = new Map(); // name -> element
const visible = new Set();
let order = [];
let clockOffset = 0; // ms that the server's clock is ahead
let linear = false;
let pictureTimer;
let shownCamera = null; // of the dialog
let shownTime = 0; // ms since 1970 that its day ends at, or 0: now
let gone = false; // it was removed while it was shown

const path = (name) => `api/v1/cameras/${encodeURIComponent(name)}`;
const now = () => Date.now() + clockOffset;
const clock = (time) => new Date(time).toLocaleString(undefined,
  { dateStyle: "short", timeStyle: "medium" });

function duration(seconds) {
  const units = [["day", 86400], ["hour", 3600], ["minute", 60], ["second", 1]];
  const [word, size] = units.find(([, s]) => seconds >= s) ?? units[3];
  const count = Math.max(0, Math.floor(seconds / size));
  return `${count} ${word}${count === 1 ? "" : "s"}`;
}

const ago = (time) => duration((now() - Date.parse(time)) / 1000);

let leaving = false;

// The session has ended. The page to log in says so, and leads back to where the user was.
function logInAgain() {
  if (leaving) return;
  leaving = true;
  sessionStorage.setItem(PLACE, JSON.stringify({
    hash: location.hash, filter: $("filter").value, order: $("order").value }));
  location.assign("login#ended");
}

function returnToPlace() {
  const place = JSON.parse(sessionStorage.getItem(PLACE));
  sessionStorage.removeItem(PLACE);
  if (!place) return;
  if (!location.hash && place.hash) history.replaceState(null, "", place.hash);
  $("filter").value = place.filter ?? "";
  $("order").value = place.order ?? $("order").value;
}

async function ask(url, options) {
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

const count = (n, word) => `${n} ${word}${n === 1 ? "" : "s"}`;

// Hands

// Whether nothing under the hand of the user would move away: a function that tells it of @part.
function watchHand(part) {
  let last = -Infinity;
  let over = false;
  for (const kind of ["pointermove", "pointerdown", "wheel", "touchmove", "keydown"]) {
    part.addEventListener(kind, (event) => {
      last = performance.now();
      over = event.pointerType === "mouse" || (over && kind === "keydown");
    }, { passive: true });
  }
  part.addEventListener("pointerleave", () => {
    over = false;
  });
  return () => performance.now() - last > (over ? LONG_REST : REST);
}

const isWallFree = watchHand($("wall"));
const areEventsFree = watchHand($("events-section"));

function rank(camera) {
  const bad = camera.active;
  if (bad.some((c) => !c.acknowledged)) return 0;
  if (bad.length) return 1;
  return camera.state === "up" ? 3 : 2;
}

const level = (camera) => (["bad", "warn", "warn", "good"])[rank(camera)];

// Tiles

function drawHistogram(svg, camera) {
  svg.replaceChildren();
  if (!camera.histogram || !camera.luma) return;
  const scale = linear ? (x) => x : Math.sqrt;
  const most = Math.max(1, ...Object.values(camera.histogram).flatMap((c) => c.map(scale)));
  const y = (count) => (32 - 32 * scale(count) / most).toFixed(2);
  const luma = camera.histogram.luma ?? [];
  svg.append(draw("path", { class: "luma",
    d: `M0 32${luma.map((c, i) => `L${i} ${y(c)}H${i + 1}`).join("")}V32Z` }));
  for (const channel of CHANNELS) {
    const counts = camera.histogram[channel];
    if (counts) {
      svg.append(draw("path", { class: `line ${channel}`,
        d: `M${counts.map((c, i) => `${i + 0.5} ${y(c)}`).join("L")}` }));
    }
  }
  svg.setAttribute("aria-label", "Histogram: luma as an area, red, green and blue as lines. " +
    `The mean level is ${camera.luma.average.toFixed(2)}`);
}

const WELL = { condition: "", words: "✓ OK" };
const UNJUDGED = { condition: "", words: "not judged yet" };
const UNKNOWN = { condition: "", words: "not known now" };

function fillConditions(list, camera) {
  const calm = isLost() ? UNKNOWN : camera.judged ? WELL : UNJUDGED;
  const isCalm = !camera.active.length && camera.state === "up";
  keep(list, isCalm ? [calm] : camera.active, (c) => c.condition, () => {
    const row = make("li");
    row.append(make("span"), " ");
    return row;
  }, (row, condition) => {
    row.classList.toggle("well", condition === WELL);
    row.classList.toggle("unjudged", condition === UNJUDGED || condition === UNKNOWN);
    setText(row.firstChild, condition.condition ?
      `⚠ ${condition.words}, for ${ago(condition.since)}` : condition.words);
    // Undo has the place of Acknowledge: a longer text would move what is below.
    row.classList.toggle("acknowledged", Boolean(condition.acknowledged));
    if (!condition.condition) return;
    setAcknowledge(row, condition.event, condition.acknowledged,
      `${camera.name} ${condition.words}`);
  });
}

const VALUES = [["average", "mean level"], ["deviation", "deviation"], ["p1", "darkest 1 %"],
  ["median", "median"], ["p99", "brightest 1 %"], ["clipped_low", "share at black"],
  ["clipped_high", "share at white"], ["entropy", "entropy, bits"]];

function fillValues(body, camera) {
  const known = VALUES.filter(([key]) => camera.luma?.[key] != null);
  body.replaceChildren(...known.map(([key, words]) => {
    const row = make("tr");
    row.append(make("th", words, { scope: "row" }), make("td", camera.luma[key].toFixed(3)));
    return row;
  }));
}

// Since when a camera has sent the same picture again and again; or undefined.
const frozenSince = (camera) => camera.active.find((c) => c.condition === "frozen")?.since;

// The time of the picture in view.
function timeSeen(tile, camera) {
  const frozen = frozenSince(camera);
  const shown = Date.parse(tile.dataset.picture ?? camera.picture);
  return frozen ? Math.min(shown, Date.parse(frozen)) : shown;
}

function updateAge(tile, camera) {
  const caption = tile.querySelector("figcaption");
  if (!camera.picture) {
    caption.textContent = "";
    return;
  }
  const age = (now() - timeSeen(tile, camera)) / 1000;
  caption.classList.toggle("old", age > oldAge(camera));
  caption.textContent = age > oldAge(camera) ? `⚠ ${duration(age)} old` : `${duration(age)} old`;
}

const describeLastFrame = (camera) =>
  camera.last_frame ? `last frame ${ago(camera.last_frame)} ago` : "no frame yet";

const byKeyFrames = (camera) => camera.decode === "keyframes";

const oldAge = (camera) => byKeyFrames(camera) ? OLD_KEY_FRAME : OLD;

const isLost = () => document.body.classList.contains("lost");

// Whether frames came a moment ago, and more are awaited.
const isLive = (camera) => camera.state === "up" && !isLost() &&
  !camera.active.some((c) => c.condition === "signal-loss") &&
  (now() - Date.parse(camera.last_frame)) / 1000 <= oldAge(camera);

// Frames that come are no news where all of them are the same.
function describe(camera) {
  const frozen = frozenSince(camera);
  const up = camera.state === "up";
  if (isLost()) {
    return `Not known without the server${
      camera.last_frame ? `; last known frame ${ago(camera.last_frame)} ago` : ""}`;
  }
  if (isLive(camera) && frozen) {
    return `The same picture since ${clock(frozen)}, for ${ago(frozen)}; ${describeLastFrame(camera)}`;
  }
  const late = up && !isLive(camera);
  // One that has failed is tried again and again: that is one state for people, not two in turn.
  const state = camera.state === "connecting" && camera.reason ? "waiting" : camera.state;
  return `${late ? "No new frame" : STATES[state] ?? state}${
    up && byKeyFrames(camera) ? ", judged by key frames" : ""}${camera.reason ? `: ${camera.reason}` : ""}; ${describeLastFrame(camera)}`;
}

function updateTile(camera) {
  const tile = tiles.get(camera.name);
  tile.dataset.level = level(camera);
  fillConditions(tile.querySelector(".conditions"), camera);
  if (!visible.has(camera.name)) return;
  setText(tile.querySelector(".state"), describe(camera));
  updateAge(tile, camera);
  drawHistogram(tile.querySelector(".histogram"), camera);
  if (tile.querySelector("details").open) fillValues(tile.querySelector("tbody"), camera);
  if (!isLost()) updatePicture(tile, camera);
}

async function updatePicture(tile, camera) {
  const time = camera.picture;
  if (tile.dataset.picture === time || tile.loading || !time) return;
  const image = tile.querySelector("img");
  tile.loading = true;
  if (await setImage(image, `${path(camera.name)}/picture?time=${encodeURIComponent(time)}`)) {
    tile.dataset.picture = time;
    image.hidden = false;
    image.alt = `Picture of ${camera.name}`;
    tile.querySelector(".no-picture").hidden = true;
  }
  tile.loading = false;
}

// Whether it came.
function setImage(image, url) {
  return new Promise((done) => {
    image.onload = () => done(true);
    image.onerror = () => done(false);
    image.src = url;
  });
}

const observer = new IntersectionObserver((entries) => {
  for (const entry of entries) {
    const { name } = entry.target.dataset;
    if (!entry.isIntersecting) visible.delete(name);
    else if (cameras.has(name)) {
      visible.add(name);
      updateTile(cameras.get(name));
    }
  }
  measure();
});

// What is in view is measured, and the camera that is open, wherever its tile is.
const measure = () => look([...new Set([...visible, shownCamera])].filter((name) =>
  cameras.has(name)).sort());

function makeTile(name) {
  const tile = $("tile").content.firstElementChild.cloneNode(true);
  tile.dataset.name = name;
  tile.setAttribute("aria-label", name);
  const link = tile.querySelector("h2 a");
  link.textContent = name;
  link.href = hash(name);
  tile.querySelector("figure").addEventListener("click", () => link.click());
  tile.querySelector("details").addEventListener("toggle", () => updateTile(cameras.get(name)));
  observer.observe(tile);
  return tile;
}

// The wall

function matchesFilter(camera) {
  const words = $("filter").value.toLowerCase().split(/\s+/);
  const text = [camera.name, camera.state, STATES[camera.state], camera.reason,
    ...camera.active.flatMap((c) => [c.condition, c.words])].join(" ").toLowerCase();
  return words.every((word) => text.includes(word));
}

// Where what is wrong comes first, tiles stay where they are while somebody has a hand on them.
function arrange(asked = true) {
  if (!asked && !isWallFree()) return;
  const by = $("order").value;
  const shown = order.map((name) => cameras.get(name)).filter(matchesFilter);
  if (by !== "configured") shown.sort((a, b) => collator.compare(a.name, b.name));
  if (by === "trouble") shown.sort((a, b) => rank(a) - rank(b));
  const wall = $("wall");
  const wanted = shown.map((camera) => tiles.get(camera.name));
  for (const tile of [...wall.children]) if (!wanted.includes(tile)) tile.remove();
  wanted.forEach((tile, i) => {
    if (wall.children[i] !== tile) {
      const focused = tile.contains(document.activeElement) && document.activeElement;
      wall.insertBefore(tile, wall.children[i] ?? null);
      if (focused) focused.focus();
    }
  });
  $("empty").hidden = shown.length > 0;
  $("empty").textContent = order.length ? "No cameras match the filter." :
    "There is no camera. Add a group such as [camera door] with uri=rtsp://192.0.2.1/stream " +
    "to the configuration, and send the program SIGHUP.";
}

function summarize() {
  const all = [...cameras.values()];
  const bad = all.filter((camera) => rank(camera) < 2).length;
  const down = all.filter((camera) => camera.state !== "up").length;
  setText($("summary"),
    `${count(all.length, "camera")}: ${bad} with trouble, ${down} without a picture stream`);
}

function showTrouble(text) {
  change(() => {
    $("trouble").hidden = !text;
    setLongText($("trouble"), text);
  });
}

function updateTimes() {
  for (const name of visible) updateTile(cameras.get(name));
  if (shownCamera !== null) updateCamera();
}

// That nothing is known any more is said above what is open, too.
function showLost(lost) {
  document.body.classList.toggle("lost", lost);
  const text = "No connection to the server: what the page shows is old. Trying again.";
  showTrouble(lost ? text : "");
  updateTimes();
  $("camera-lost").hidden = !lost;
  setText($("camera-lost"), text);
}

// What somebody has asked for and did not get. It stays until it is dismissed, above all else, and
// moves nothing that is under a hand. @offer: with a way to the wall.
function say(text, offer = false) {
  const dialog = [...document.querySelectorAll("dialog[open]")].at(-1);
  const problem = $("problem");
  change(() => {
    (dialog ?? document.body).prepend(problem);
    setText($("problem-text"), text);
    $("problem-wall").hidden = !offer;
    problem.hidden = !text;
  });
}

const report = (what) => (error) => say(`${what}: ${error.message}`);

function describeOutput(output) {
  const parts = [];
  if (!output.up) {
    parts.push(`cannot deliver: ${output.reason}; ${count(output.queued, "event")} waiting`);
  }
  if (output.dead) parts.push(`has given up ${count(output.dead, "event")}: see api/v1/dead-letters`);
  return `⚠ ${output.name} ${parts.join(", and ")}`;
}

function showOutputs(outputs) {
  const bad = outputs.filter((output) => !output.up || output.dead).map(describeOutput);
  const list = $("outputs");
  if (bad.join() === [...list.children].map((row) => row.textContent).join()) return;
  list.hidden = !bad.length;
  list.replaceChildren(...bad.map((text) => make("li", text)));
}

function show(all) {
  clockOffset = Date.parse(all.time) - Date.now();
  $("logout").hidden = !all.login;
  order = all.cameras.map((camera) => camera.name);
  for (const name of [...cameras.keys()]) {
    if (order.includes(name)) continue;
    observer.unobserve(tiles.get(name));
    visible.delete(name);
    tiles.get(name).remove();
    tiles.delete(name);
    cameras.delete(name);
  }
  for (const camera of all.cameras) {
    for (const condition of camera.active) confirm(condition);
    cameras.set(camera.name, camera);
    if (!tiles.has(camera.name)) {
      tiles.set(camera.name, makeTile(camera.name));
      if (matchesFilter(camera)) $("wall").append(tiles.get(camera.name));
    }
    updateTile(camera);
  }
  showTrouble(all.trouble);
  showNotices(all.trouble);
  showOutputs(all.outputs);
  arrange(false);
  summarize();
  updateEventRows();
  if (shownCamera !== null) updateCamera();
}

// Events

const answers = new Map(); // number of an event -> { acknowledged, time }

// What the stream says may be older than what was answered here.
function confirm(condition) {
  const answer = answers.get(condition.event);
  if (!answer) return;
  if (performance.now() - answer.time > CONFIRMATION) answers.delete(condition.event);
  else condition.acknowledged = answer.acknowledged;
}

async function acknowledge(event) {
  const { dataset } = event.currentTarget;
  if (dataset.busy || !isMeant(event)) return;
  dataset.busy = "yes";
  try {
    const said = await ask(`api/v1/events/${dataset.event}/${
      dataset.acknowledged ? "unacknowledge" : "acknowledge"}`, { method: "POST" });
    answers.set(said.number, { acknowledged: said.acknowledged, time: performance.now() });
    cameras.get(said.camera)?.active.forEach(confirm);
    if (cameras.has(said.camera)) updateTile(cameras.get(said.camera));
    updateEventRows(said);
    if (shownCamera !== null) updateCamera();
  } catch (error) {
    report(dataset.acknowledged ? "Not undone" : "Not acknowledged")(error);
  }
  delete dataset.busy;
}

// The button at the end of @row that acknowledges @event or, as @acknowledged says, undoes that.
function setAcknowledge(row, event, acknowledged, what) {
  let button = row.querySelector("button.acknowledge");
  if (!event) {
    button?.remove();
    return;
  }
  if (!button) {
    button = make("button", "", { type: "button", class: "acknowledge aimed" });
    button.addEventListener("click", acknowledge);
    row.append(button);
  }
  button.dataset.event = event;
  button.dataset.acknowledged = acknowledged ?? "";
  setText(button, acknowledged ? "Undo" : "Acknowledge");
  button.setAttribute("aria-label", `${acknowledged ? "Undo: a" : "A"}cknowledge: ${what}`);
  button.title = acknowledged ? "Show the alarm as one that nobody takes care of" :
    "Show everybody that somebody takes care of the alarm. It stays until it is over.";
}

const describeEvent = (event) =>
  `${event.active ? "⚠ " : "✓ cleared: "}${event.words}${event.reason ? ` (${event.reason})` : ""}`;

function makeEventRow(event, withCamera) {
  const row = make("tr");
  const cell = (label, ...content) => {
    const td = make("td", undefined, { "data-label": label });
    td.append(...content);
    row.append(td);
  };
  cell("Time", make("time", clock(event.time), { datetime: event.time }));
  if (withCamera) cell("Camera", event.camera);
  cell("What", describeEvent(event));
  cell("Picture", "");
  cell("Acknowledged", "");
  return row;
}

function updateEventRow(row, event) {
  const [picture] = [...row.children].slice(-2);
  if (event.picture && !picture.firstElementChild) {
    picture.append(make("a", "picture", {
      "aria-label": `Picture of ${event.camera}, ${event.words}`,
      href: `api/v1/events/${event.number}/picture`,
      target: "_blank", rel: "noopener" }));
  }
  row.event = event;
  updateAcknowledged(row);
}

// Only what still lasts can be acknowledged: of what is over, the row says whether it was.
function updateAcknowledged(row) {
  const { event } = row;
  const lasting = cameras.get(event.camera)?.active.find((c) => c.event === event.number);
  const cell = row.lastElementChild;
  if (lasting) event.acknowledged = lasting.acknowledged;
  if (Boolean(lasting) !== Boolean(cell.firstElementChild)) cell.replaceChildren();
  if (lasting) {
    setAcknowledge(cell, event.number, event.acknowledged,
      `${event.camera} ${event.words}, ${clock(event.time)}`);
  } else {
    setText(cell, event.acknowledged ? clock(event.acknowledged) : "");
  }
}

// What was acknowledged or is over, here or elsewhere. @said: an event as it is now.
function updateEventRows(said) {
  for (const row of document.querySelectorAll(".events tbody tr")) {
    if (row.event.number === said?.number) row.event.acknowledged = said.acknowledged;
    updateAcknowledged(row);
  }
}

// A table of events, the newest ones first, in pages: the first one is as new as can be.
class Events {
  constructor(table, withCamera) {
    this.table = table;
    this.withCamera = withCamera;
    this.pages = []; // numbers that the pages before this one begin below
    this.filter = {};
    for (const [where, step] of [["newer", () => this.pages.pop()],
      ["older", () => this.pages.push(this.oldest)]]) {
      const button = document.querySelector(`[data-pages=${table.id}] .${where}`);
      this[where] = button;
      button.addEventListener("click", () => {
        step();
        this.load().catch(report("There are no other changes to show"));
      });
    }
  }

  // Of the camera and the times that @filter has.
  choose(filter) {
    this.filter = filter;
    this.pages = [];
    this.table.replaceChildren();
    return this.load();
  }

  async load() {
    const { filter } = this;
    const before = this.pages.at(-1);
    const query = new URLSearchParams({ ...filter, ...before && { before }, limit: MAX_EVENTS + 1 });
    const events = (await ask(`api/v1/events?${query}`)).reverse();
    if (filter !== this.filter || before !== this.pages.at(-1)) return events;
    const shown = events.slice(0, MAX_EVENTS);
    this.oldest = shown.at(-1)?.number;
    change(() => {
      keep(this.table, shown, (event) => event.number,
        (event) => makeEventRow(event, this.withCamera), updateEventRow);
      this.newer.hidden = !this.pages.length;
      this.older.hidden = events.length <= MAX_EVENTS;
    });
    return events;
  }
}

const latest = new Events($("events"), true);
const ofCamera = new Events($("camera-events"), false);

// Without a connection, the page says so by itself.
const ignore = () => {};

const loadLatest = () => latest.load().catch(ignore);
const loadNotices = () => ask("api/v1/notices").then(setNotices, ignore);

function addEvent() {
  // Its picture is stored after the event itself.
  clearTimeout(pictureTimer);
  pictureTimer = setTimeout(() => {
    if (document.hidden) return;
    if (!areEventsFree()) addEvent();
    else loadLatest();
  }, 1000);
}

let started = false;

const listener = {
  state(all) {
    change(() => show(all));
    if (!started || isShownAgain()) followAddress();
    started = true;
  },
  event: addEvent,
  notice: addNotice,
  open() {
    loadLatest();
    loadNotices();
    showLost(false);
  },
  lost() {
    showLost(true);
  },
  // Where the session has ended, this leads to the page to log in.
  refused() {
    ask("api/v1/notices").catch(ignore);
  },
};

// Days

// Minutes in a row that are alike, as [first, number, whether there was trouble].
function spans(minutes, from) {
  const found = [];
  for (const m of minutes) {
    const x = Date.parse(m.time) / 60000 - from;
    const bad = m.active.length > 0;
    const last = found.at(-1);
    if (last && last[0] + last[1] === x && last[2] === bad) last[1]++;
    else found.push([x, 1, bad]);
  }
  return found;
}

// The minutes of the day that ends with that of @end, and the first of them since 1970.
async function askDay(name, end) {
  const before = Math.floor(end / 60000) + 1;
  const from = before - 1440;
  return { from, before, minutes:
    await ask(`${path(name)}/minutes?from=${from * 60}&before=${before * 60}`) };
}

async function drawDay(tile, name) {
  const { from, minutes } = await askDay(name, now());
  const svg = tile.querySelector(".day");
  svg.replaceChildren(...spans(minutes, from).map(([x, width, bad]) =>
    draw("rect", bad ? { class: "active", x, width, y: 0, height: 16 } :
      { class: "well", x, width, y: 10, height: 6 })));
  const bad = minutes.filter((m) => m.active.length).length;
  svg.setAttribute("aria-label",
    `The last 24 hours: ${bad} of ${minutes.length} known minutes with trouble`);
}

// One after the other: there may be many, and pictures come first.
async function drawDays() {
  for (const name of [...visible]) {
    const tile = tiles.get(name);
    if (!tile || now() - (tile.dayDrawn ?? 0) < DAY_PERIOD) continue;
    tile.dayDrawn = now();
    await drawDay(tile, name).catch(ignore);
  }
}

// One camera

const hash = (name, at) => `#camera=${encodeURIComponent(name)}${
  at ? `&at=${new Date(at).toISOString().slice(0, 16)}Z` : ""}`;

const PARAMETERS = ["camera", "at"];
const TIME = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?)?$/;

const quote = (text) =>
  `“${text.length > MAX_SHOWN_CHARACTERS ? `${text.slice(0, MAX_SHOWN_CHARACTERS)}…` : text}”`;

// The time that @text names, in ms since 1970, and what is wrong with it.
function readTime(text) {
  const instead = "What is shown is of now.";
  // A plus is a blank in an address.
  const plus = text.replace(/ (?=\d\d:\d\d$)/, "+");
  const time = TIME.test(plus) ? Date.parse(plus) : NaN;
  // The day before it is asked for, too.
  if (!(time >= DAY)) {
    return [0, `${quote(text)} is not a time such as 2026-11-25T18:00Z, in 1970 or later. ${instead}`];
  }
  return time < now() ? [time, ""] : [0, `${quote(text)} is in the future. ${instead}`];
}

// What the address asks for, and in words what of it there is not.
function readAddress() {
  const given = new URLSearchParams(location.hash.slice(1));
  const name = given.get("camera");
  const [at, fault] = given.has("at") ? readTime(given.get("at")) : [0, ""];
  const faults = [];
  if (name !== null && !cameras.has(name)) {
    faults.push(`There is no camera ${quote(name)}: it was removed from the configuration, has ` +
      "another name, or never was there.");
  } else if (name === null && given.has("at")) {
    faults.push("A time needs a camera in front of it: #camera=NAME&at=TIME.");
  } else if (fault) {
    faults.push(fault);
  }
  for (const key of new Set(given.keys())) {
    if (!PARAMETERS.includes(key)) {
      faults.push(`The address has ${quote(key)}, which this page does not know: it knows ` +
        `${PARAMETERS.join(" and ")}.`);
    } else if (given.getAll(key).length > 1) {
      faults.push(`The address has ${key} more than once: the first one counts.`);
    }
  }
  return { name, at, fault: faults.join(" ") };
}

// How many minutes of a day had each condition.
function countConditions(minutes) {
  const counts = new Map();
  for (const name of minutes.flatMap((m) => m.active)) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

async function drawTimeline(name, at) {
  const end = at || now();
  const { from, before, minutes } = await askDay(name, end);
  if (name !== shownCamera || at !== shownTime) return;
  const svg = $("timeline");
  const known = minutes.map((m) => ({ ...m, x: Date.parse(m.time) / 60000 - from }));
  const y = (value) => (48 - 46 * Math.min(1, Math.max(0, value))).toFixed(1);
  svg.replaceChildren();
  for (const m of known) {
    if (m.measured) {
      svg.append(draw("rect", { class: "range", x: m.x, y: y(m.p99), width: 1,
        height: Math.max(1, y(m.p1) - y(m.p99)) }));
    }
    if (m.active.length) {
      const mark = draw("rect", { class: "active", x: m.x, y: 50, width: 1, height: 10 });
      const title = draw("title", {});
      title.textContent = `${clock(m.time)}: ${m.active.join(", ")}`;
      mark.append(title);
      svg.append(mark);
    }
  }
  const bad = known.filter((m) => m.active.length).length;
  svg.setAttribute("aria-label",
    `Levels from the darkest to the brightest percentile by the minute; ` +
    `${bad} of ${known.length} minutes had a condition, marked below`);
  $("timeline-from").textContent = clock(from * 60000);
  $("timeline-to").textContent =
    `${clock(Math.min(end, before * 60000))}; ${count(bad, "minute")} with trouble`;
  if (!at) return;
  $("camera-day").replaceChildren(...[...countConditions(minutes)].map(([condition, n]) => {
    const row = make("tr");
    row.append(make("th", condition, { scope: "row" }), make("td", count(n, "minute")));
    return row;
  }));
  $("camera-day-none").hidden = bad > 0;
  setText($("camera-day-none"), known.length ? "No condition was active." :
    "Nothing is known of this day.");
}

function setFigure(id, time, url, words, none) {
  const image = $(id);
  // Its place stays: nothing is to move under the pointer.
  image.classList.toggle("absent", !time);
  setText($(`${id}-time`), time ? words : none);
  if (time && image.dataset.time !== url + time) {
    image.dataset.time = url + time;
    image.src = `${url}?time=${encodeURIComponent(time)}`;
  }
}

const timed = (words, time) => time && `${words}: ${clock(time)}, ${ago(time)} ago`;

// A picture is of now only where another one comes soon.
function showPicture(camera) {
  const frozen = frozenSince(camera);
  const isNow = isLive(camera) && (now() - Date.parse(camera.picture)) / 1000 <= oldAge(camera);
  setFigure("camera-picture", camera.picture, `${path(camera.name)}/picture`,
    frozen ? `stands still since ${clock(frozen)}, for ${ago(frozen)}; ` +
      timed("last frame", camera.last_frame ?? camera.picture) :
      timed(isNow ? "now" : "last picture", camera.picture), "no picture yet");
}

// The values of a camera that is away are those that it had.
function valueRow(camera, condition) {
  const judged = condition.value !== null &&
    (camera.state === "up" || condition.condition === "signal-loss");
  const row = make("tr");
  row.append(make("th", condition.condition, { scope: "row" }),
    make("td", condition.active ? `⚠ ${condition.words}` : judged ? "✓ OK" : "not judged now"),
    make("td", !judged ? "" :
      `${Number(condition.value.toPrecision(3))} ${condition.unit}`));
  return row;
}

// What changes each second, unless a day is shown that is over.
function updateCamera() {
  const camera = cameras.get(shownCamera);
  if (!camera) showGone();
  if (!camera || shownTime) return;
  setText($("camera-state"), describe(camera));
  fillConditions($("camera-conditions"), camera);
  showPicture(camera);
}

// The camera that is open is not there any more: what is known of it stays to be seen.
function showGone() {
  if (gone) return;
  gone = true;
  showLive(false);
  setText($("camera-state"), `Not watched any more. The picture and the values below are from before ${clock(now())}.`);
  $("camera-conditions").replaceChildren();
  say(`The camera ${quote(shownCamera)} was removed from the configuration, or has another name now.`,
    true);
}

const isShownAgain = () => gone && cameras.has(shownCamera);

async function updateDetails() {
  const name = shownCamera;
  if (name === null || shownTime || gone) return;
  const camera = await ask(path(name));
  if (name !== shownCamera || shownTime || gone) return;
  setFigure("camera-reference", camera.reference, `${path(name)}/reference`,
    timed("while all was well", camera.reference),
    "There is no picture of a time when all was well yet.");
  $("camera-values").replaceChildren(...camera.conditions.map((c) => valueRow(camera, c)));
}

// Pictures of a day that is over are those that were kept with its events. @events has the newest.
async function showOldPicture(events, filter) {
  const query = new URLSearchParams({ ...filter, limit: MAX_EVENTS_AT_ONCE });
  const event = events.find((e) => e.picture) ??
    (await ask(`api/v1/events?${query}`)).findLast((e) => e.picture);
  if (filter !== ofCamera.filter) return;
  setFigure("camera-picture", event?.time, `api/v1/events/${event?.number}/picture`,
    event && `${describeEvent(event)}: ${clock(event.time)}`,
    "No picture of this day was kept: they are kept with changes.");
}

async function loadCamera(name, at) {
  const filter = { camera: name, ...at && {
    from: Math.floor((at - DAY) / 1000), until: Math.floor(at / 1000) } };
  const [events] = await Promise.all([ofCamera.choose(filter), drawTimeline(name, at),
    updateDetails()]);
  if (at && filter === ofCamera.filter) await showOldPicture(events, filter);
}

// The parts of the page of a camera that are of now, or those of a day that is over.
function showLive(live) {
  for (const part of document.querySelectorAll("#camera-dialog .live")) part.hidden = !live;
  for (const part of document.querySelectorAll("#camera-dialog .past")) part.hidden = live;
}

function showCamera(name, at) {
  const another = name !== shownCamera || at !== shownTime;
  shownCamera = name;
  shownTime = at;
  gone = false;
  measure();
  $("camera-title").textContent = name;
  $("earlier").href = hash(name, (at || now()) - DAY);
  // What would end within the last hour is now.
  $("later").href = hash(name, at && at + DAY < now() - HOUR ? at + DAY : 0);
  $("later").hidden = !at;
  showLive(!at);
  if (another) {
    $("relearned").textContent = "";
    setFigure("camera-picture", null, "", "", "");
    setFigure("camera-reference", null, "", "", "");
  }
  if (at) {
    setText($("camera-state"), `The day up to ${clock(at)}. This is not what the camera shows now.`);
    $("camera-conditions").replaceChildren();
  }
  updateCamera();
  if (!$("camera-dialog").open) $("camera-dialog").showModal();
  loadCamera(name, at).catch(report("Not all of the camera can be shown"));
}

async function relearn() {
  const name = shownCamera;
  let said;
  try {
    await ask(`${path(name)}/unlearn`, { method: "POST" });
    said = `Reference discarded at ${new Date(now()).toLocaleTimeString()}: the camera learns what ` +
      "it shows from now on. Conditions that compare with the reference end within seconds.";
  } catch (error) {
    said = `The reference was kept. ${error.message}`;
  }
  if (name !== shownCamera) return;
  $("relearned").textContent = said;
  updateDetails().catch(report);
}

function followAddress() {
  const { name, at, fault } = readAddress();
  if (name !== null && cameras.has(name)) showCamera(name, at);
  else $("camera-dialog").close();
  say(fault, true);
}

// Keys

// To another camera, which is opened if one is open.
function move(step) {
  const all = [...$("wall").children];
  if (shownCamera !== null) {
    const shown = all.findIndex((tile) => tile.dataset.name === shownCamera);
    const other = all[Math.min(all.length - 1, Math.max(0, shown + step))];
    if (other) location.replace(hash(other.dataset.name));
    return;
  }
  const at = all.indexOf(document.activeElement?.closest?.("article"));
  all[Math.min(all.length - 1, Math.max(0, at + step))]?.querySelector("a").focus();
}

const keys = {
  "/": () => $("filter").focus(),
  s: () => {
    $("order").selectedIndex = ($("order").selectedIndex + 1) % $("order").length;
    arrange();
  },
  j: () => move(1),
  k: () => move(-1),
  l: () => {
    linear = !linear;
    cameras.forEach(updateTile);
  },
  "?": () => $("help-dialog").showModal(),
  Escape: () => {
    say("");
    $("filter").value = "";
    arrange();
  },
};
const KEYS_OF_CAMERA = ["j", "k"];

document.addEventListener("keydown", (event) => {
  const dialog = [...document.querySelectorAll("dialog[open]")].at(-1);
  if (event.ctrlKey || event.altKey || event.metaKey ||
      (dialog && (dialog !== $("camera-dialog") || !KEYS_OF_CAMERA.includes(event.key))) ||
      (event.target.matches("input, select") && event.key !== "Escape")) return;
  const action = keys[event.key];
  if (!action) return;
  event.preventDefault();
  action();
});
$("view").addEventListener("submit", (event) => event.preventDefault());
$("filter").addEventListener("input", () => arrange());
$("order").addEventListener("change", () => arrange());
$("help-button").addEventListener("click", keys["?"]);
$("logout").addEventListener("submit", () => {
  leaving = true;
  logOut();
});
$("problem-close").addEventListener("click", () => say(""));
$("problem-wall").addEventListener("click", (event) => {
  event.preventDefault();
  if (location.hash) history.pushState(null, "", location.pathname);
  $("filter").value = "";
  arrange();
  followAddress();
});
$("unlearn").addEventListener("click", () => {
  $("relearn-name").textContent = shownCamera;
  $("relearn-dialog").returnValue = "";
  $("relearn-dialog").showModal();
});
$("relearn-dialog").addEventListener("close", () => {
  if ($("relearn-dialog").returnValue === "relearn") relearn();
});
$("camera-dialog").addEventListener("close", () => {
  const closed = shownCamera;
  shownCamera = null;
  gone = false;
  measure();
  if ($("camera-dialog").contains($("problem"))) say("");
  if (closed === readAddress().name) history.pushState(null, "", location.pathname);
});
addEventListener("hashchange", followAddress);

setInterval(() => {
  if (document.hidden) return;
  // Nothing else does so while there is no connection.
  if (isLost()) updateTimes();
  for (const name of visible) updateAge(tiles.get(name), cameras.get(name));
  updateDetails().catch(ignore);
}, 2000);
setInterval(() => {
  if (!document.hidden) drawDays();
}, 1000);
startNotices({ now, clock });
returnToPlace();
start(listener);
