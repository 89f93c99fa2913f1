// SPDX-License-Identifier: LGPL-2.1-or-later
// The wall: states come by stream.js, pictures by themselves while their tile is in view.

import { logOut, look, start } from "./stream.js";

const $ = (id) => document.getElementById(id);
const OLD = 15; // s: older pictures say so loudly
const DAY_PERIOD = 300000; // ms between two looks at the day of a tile
const DAY = 86400000; // ms
const HOUR = 3600000;
const MOST_EVENTS = 50;
const MOST_EVENTS_AT_ONCE = 1000; // of the API
const REST = 5000; // ms without a hand on it after which a part of the page may move
const LONG_REST = 30000; // the same while the pointer stays there
const CONFIRMATION = 5000; // ms in which the answer to an acknowledgement is newer than the stream
const ARRIVAL = 700; // ms in which a button that came under the hand is not meant
const STATES = {
  connecting: "is being connected", up: "sends pictures",
  "waiting-for-key-frame": "waiting for a key frame",
  waiting: "is tried again soon", hanging: "does not react",
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

function make(name, text, attributes = {}) {
  const element = document.createElement(name);
  if (text !== undefined) element.textContent = text;
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
}

function draw(name, attributes) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
}

async function ask(url, options) {
  const response = await fetch(url, options);
  if (response.status === 401) location.assign("login");
  const answer = await response.json().catch(() => null);
  if (!response.ok || !answer) {
    throw new Error(answer?.error ?? `${response.status} ${response.statusText}`);
  }
  return answer;
}

const count = (n, word) => `${n} ${word}${n === 1 ? "" : "s"}`;

// Makes the children of @parent those that @make makes of @items, keeps those that are there, with
// their focus and a press that is not over yet, and has @update bring them up to date.
function keep(parent, items, key, create, update) {
  const old = new Map([...parent.children].map((child) => [child.dataset.key, child]));
  const wanted = items.map((item) => {
    const child = old.get(String(key(item))) ?? create(item);
    child.dataset.key = key(item);
    update(child, item);
    return child;
  });
  for (const child of old.values()) if (!wanted.includes(child)) child.remove();
  wanted.forEach((child, i) => {
    if (parent.children[i] !== child) parent.insertBefore(child, parent.children[i] ?? null);
  });
}

const setText = (element, text) => {
  if (element.textContent !== text) element.textContent = text;
};

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

const arrivals = new WeakMap(); // button -> when it came to where another one was

const overlap = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom &&
  b.top < a.bottom;

const acknowledgeButtons = () => [...document.querySelectorAll("button.acknowledge")].map(
  (button) => ({ button, event: button.dataset.event, place: button.getBoundingClientRect() }))
  .filter(({ place }) => place.height && place.bottom > 0 && place.top < innerHeight);

// Has @change change the page. A button that it brings to where another one was is not pressed for
// a moment: a hand that was on its way meant the other one.
function change(how) {
  const before = acknowledgeButtons();
  how();
  if (!before.length) return;
  for (const { button, event, place } of acknowledgeButtons()) {
    if (before.some((b) => (b.button !== button || b.event !== event) && overlap(b.place, place))) {
      arrivals.set(button, performance.now());
    }
  }
}

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

const WELL = { condition: "", words: "✓ all is well" };

function fillConditions(list, camera) {
  const well = !camera.active.length && camera.state === "up";
  keep(list, well ? [WELL] : camera.active, (c) => c.condition, () => {
    const row = make("li");
    row.append(make("span"), " ");
    return row;
  }, (row, condition) => {
    row.classList.toggle("well", condition === WELL);
    setText(row.firstChild, condition === WELL ? WELL.words :
      `⚠ ${condition.words}, for ${ago(condition.since)}`);
    // Undo has the place of Acknowledge: a longer text would move what is below.
    row.classList.toggle("acknowledged", Boolean(condition.acknowledged));
    if (condition === WELL) return;
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

// The time of what is to be seen: a camera that is frozen sends the same again and again.
function timeSeen(tile, camera) {
  const frozen = camera.active.find((c) => c.condition === "frozen");
  const shown = Date.parse(tile.dataset.picture ?? camera.picture);
  return frozen ? Math.min(shown, Date.parse(frozen.since)) : shown;
}

function updateAge(tile, camera) {
  const caption = tile.querySelector("figcaption");
  if (!camera.picture) {
    caption.textContent = "";
    return;
  }
  const age = (now() - timeSeen(tile, camera)) / 1000;
  caption.classList.toggle("old", age > OLD);
  caption.textContent = age > OLD ? `⚠ ${duration(age)} old` : `${duration(age)} old`;
}

function describe(camera) {
  const frames = camera.last_frame ? `last frame ${ago(camera.last_frame)} ago` : "no frame yet";
  return `${STATES[camera.state] ?? camera.state}${camera.reason ? `: ${camera.reason}` : ""}; ${frames}`;
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
  updatePicture(tile, camera);
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
  look([...visible].sort());
});

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
  const text = [camera.name, camera.state, camera.reason,
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
    setText($("trouble"), text);
  });
}

const report = (error) => showTrouble(error.message);

function describeOutput(output) {
  const parts = [];
  if (!output.up) {
    parts.push(`does not reach whom it tells (${output.reason}), ` +
      `${count(output.queued, "event")} to be told`);
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
  showOutputs(all.outputs);
  arrange(false);
  summarize();
  showAcknowledged();
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
  const button = event.currentTarget;
  const { dataset } = button;
  // A double click is one decision.
  if (event.detail > 1 || dataset.busy ||
      (event.detail && performance.now() - arrivals.get(button) < ARRIVAL)) return;
  dataset.busy = "yes";
  try {
    const said = await ask(`api/v1/events/${dataset.event}/${
      dataset.acknowledged ? "unacknowledge" : "acknowledge"}`, { method: "POST" });
    answers.set(said.number, { acknowledged: said.acknowledged, time: performance.now() });
    cameras.get(said.camera)?.active.forEach(confirm);
    if (cameras.has(said.camera)) updateTile(cameras.get(said.camera));
    showAcknowledged(said);
    if (shownCamera !== null) updateCamera();
  } catch (error) {
    report(error);
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
    button = make("button", "", { type: "button", class: "acknowledge" });
    button.addEventListener("click", acknowledge);
    row.append(button);
  }
  button.dataset.event = event;
  button.dataset.acknowledged = acknowledged ?? "";
  setText(button, acknowledged ? "Undo" : "Acknowledge");
  button.setAttribute("aria-label", `${acknowledged ? "Undo: a" : "A"}cknowledge: ${what}`);
}

const describeEvent = (event) =>
  `${event.active ? "⚠ " : "✓ no longer: "}${event.words}${event.reason ? ` (${event.reason})` : ""}`;

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
  const [picture, acknowledged] = [...row.children].slice(-2);
  if (event.picture && !picture.firstElementChild) {
    picture.append(make("a", "picture", {
      "aria-label": `Picture of ${event.camera}, ${event.words}`,
      href: `api/v1/events/${event.number}/picture`,
      target: "_blank", rel: "noopener" }));
  }
  if (event.active) {
    setAcknowledge(acknowledged, event.number, event.acknowledged,
      `${event.camera} ${event.words}, ${clock(event.time)}`);
  }
}

// What was acknowledged, here or elsewhere, in the rows of events, too: @said, or all that is active.
function showAcknowledged(said) {
  const known = said ? [[said.number, said.acknowledged]] : [...cameras.values()].flatMap(
    (camera) => camera.active.map((c) => [c.event, c.acknowledged]));
  for (const [number, acknowledged] of known) {
    for (const button of document.querySelectorAll(`tr button[data-event="${number}"]`)) {
      const what = button.getAttribute("aria-label").replace(/^.*?cknowledge: /, "");
      setAcknowledge(button.parentNode, number, acknowledged, what);
    }
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
        this.load().catch(report);
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
    const query = new URLSearchParams({ ...filter, ...before && { before }, limit: MOST_EVENTS + 1 });
    const events = (await ask(`api/v1/events?${query}`)).reverse();
    if (filter !== this.filter || before !== this.pages.at(-1)) return events;
    const shown = events.slice(0, MOST_EVENTS);
    this.oldest = shown.at(-1)?.number;
    change(() => {
      keep(this.table, shown, (event) => event.number,
        (event) => makeEventRow(event, this.withCamera), updateEventRow);
      this.newer.hidden = !this.pages.length;
      this.older.hidden = events.length <= MOST_EVENTS;
    });
    return events;
  }
}

const latest = new Events($("events"), true);
const ofCamera = new Events($("camera-events"), false);

// What concerned all cameras in the last 24 hours.
async function loadNotices() {
  const notices = await ask("api/v1/notices");
  const recent = notices.filter((n) => now() - Date.parse(n.time) < DAY);
  change(() => $("notices").replaceChildren(...recent.map((notice) => {
    const row = make("li", "⚠ ");
    row.append(make("time", clock(notice.time), { datetime: notice.time }), `: ${notice.text}`);
    return row;
  })));
}

function addEvent() {
  // Its picture is stored after the event itself.
  clearTimeout(pictureTimer);
  pictureTimer = setTimeout(() => {
    if (document.hidden) return;
    if (!areEventsFree()) addEvent();
    else latest.load().catch(report);
  }, 1000);
}

function addNotice() {
  // It is stored after it was told.
  setTimeout(() => loadNotices().catch(report), 1000);
}

const listener = {
  state(all) {
    const first = !order.length;
    change(() => show(all));
    if (first) followAddress();
  },
  event: addEvent,
  notice: addNotice,
  open() {
    latest.load().catch(report);
    loadNotices().catch(report);
    document.body.classList.remove("lost");
    showTrouble("");
  },
  lost() {
    document.body.classList.add("lost");
    showTrouble("No connection to the server: what the page shows is old. Trying again.");
  },
  // Where the session has ended, this leads to the page to log in.
  refused() {
    ask("api/v1/notices").catch(() => {});
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
    await drawDay(tile, name).catch(() => {
      // The stream says that the server is away.
    });
  }
}

// One camera

const hash = (name, at) => `#camera=${encodeURIComponent(name)}${
  at ? `&at=${new Date(at).toISOString().slice(0, 16)}Z` : ""}`;

const address = () => new URLSearchParams(location.hash.slice(1));

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

function valueRow(condition) {
  const row = make("tr");
  row.append(make("th", condition.condition, { scope: "row" }),
    make("td", condition.active ? `⚠ ${condition.words}` : condition.value === null ?
      "not judged now" : "✓ well"),
    make("td", condition.value === null ? "" :
      `${Number(condition.value.toPrecision(3))} ${condition.unit}`));
  return row;
}

// What changes each second, unless a day is shown that is over.
function updateCamera() {
  const camera = cameras.get(shownCamera);
  if (!camera || shownTime) return;
  setText($("camera-state"), describe(camera));
  fillConditions($("camera-conditions"), camera);
  setFigure("camera-picture", camera.picture, `${path(camera.name)}/picture`,
    timed("now", camera.picture), "no picture yet");
}

async function updateDetails() {
  const name = shownCamera;
  if (name === null || shownTime) return;
  const camera = await ask(path(name));
  if (name !== shownCamera || shownTime) return;
  // The stream has no new one of a tile that is not in view.
  setFigure("camera-picture", camera.picture, `${path(name)}/picture`,
    timed("now", camera.picture), "no picture yet");
  setFigure("camera-reference", camera.reference, `${path(name)}/reference`,
    timed("while all was well", camera.reference),
    "There is no picture of a time when all was well yet.");
  $("camera-values").replaceChildren(...camera.conditions.map(valueRow));
}

// Pictures of a day that is over are those that were kept with its events. @events has the newest.
async function showOldPicture(events, filter) {
  const query = new URLSearchParams({ ...filter, limit: MOST_EVENTS_AT_ONCE });
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

function showCamera(name) {
  const time = Date.parse(address().get("at") ?? "");
  const at = time < now() ? time : 0;
  const another = name !== shownCamera || at !== shownTime;
  shownCamera = name;
  shownTime = at;
  $("camera-title").textContent = name;
  $("earlier").href = hash(name, (at || now()) - DAY);
  // What would end within the last hour is now.
  $("later").href = hash(name, at && at + DAY < now() - HOUR ? at + DAY : 0);
  $("later").hidden = !at;
  for (const part of document.querySelectorAll("#camera-dialog .live")) part.hidden = Boolean(at);
  for (const part of document.querySelectorAll("#camera-dialog .past")) part.hidden = !at;
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
  loadCamera(name, at).catch(report);
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
  const name = address().get("camera");
  if (name !== null && cameras.has(name)) showCamera(name);
  else $("camera-dialog").close();
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
$("logout").addEventListener("submit", logOut);
$("unlearn").addEventListener("click", () => {
  $("relearn-name").textContent = shownCamera;
  $("relearn-dialog").returnValue = "";
  $("relearn-dialog").showModal();
});
$("relearn-dialog").addEventListener("close", () => {
  if ($("relearn-dialog").returnValue === "relearn") relearn();
});
$("camera-dialog").addEventListener("close", () => {
  shownCamera = null;
  if (location.hash) history.pushState(null, "", location.pathname);
});
addEventListener("hashchange", followAddress);

setInterval(() => {
  if (document.hidden) return;
  for (const name of visible) updateAge(tiles.get(name), cameras.get(name));
  updateDetails().catch(() => {
    // The stream says that the server is away.
  });
}, 2000);
setInterval(() => {
  if (!document.hidden) drawDays();
}, 1000);
start(listener);
