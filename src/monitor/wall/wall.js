// SPDX-License-Identifier: LGPL-2.1-or-later
// The wall: states come by server-sent events, pictures by themselves while their tile is in view.

const $ = (id) => document.getElementById(id);
const OLD = 15; // s: older pictures say so loudly
const DAY_PERIOD = 300000; // ms between two looks at the day of a tile
const MOST_EVENTS = 50;
const NOTICE_PERIOD = 86400000; // ms
const STATES = {
  connecting: "is being connected", up: "sends pictures",
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
let source;
let pictureTimer;
let shownCamera; // of the dialog, or null

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
  if (!response.ok) throw new Error((await response.json()).error);
  return response.json();
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

function fillConditions(list, camera) {
  const rows = camera.active.map((condition) => {
    const row = make("li", `⚠ ${condition.words}, for ${ago(condition.since)}`);
    if (condition.acknowledged) row.append(" (seen)");
    else if (condition.event) row.append(" ", acknowledgeButton(condition.event));
    return row;
  });
  if (!rows.length && camera.state === "up") {
    rows.push(make("li", "✓ all is well", { class: "well" }));
  }
  list.replaceChildren(...rows);
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
  return `${STATES[camera.state]}${camera.reason ? `: ${camera.reason}` : ""}; ${frames}`;
}

function updateTile(camera) {
  const tile = tiles.get(camera.name);
  tile.dataset.level = level(camera);
  tile.querySelector(".state").textContent = describe(camera);
  // A button that has the focus stays what it is.
  const list = tile.querySelector(".conditions");
  if (!list.contains(document.activeElement)) fillConditions(list, camera);
  updateAge(tile, camera);
  if (!visible.has(camera.name) || document.hidden) return;
  drawHistogram(tile.querySelector(".histogram"), camera);
  if (tile.querySelector("details").open) fillValues(tile.querySelector("tbody"), camera);
  updatePicture(tile, camera);
}

async function updatePicture(tile, camera) {
  const time = camera.picture;
  if (tile.dataset.picture === time || tile.loading || !time) return;
  const image = tile.querySelector("img");
  tile.loading = true;
  if (await setImage(image, `${path(camera.name)}/picture?${encodeURIComponent(time)}`)) {
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

function arrange() {
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
  $("empty").textContent = order.length ? "No camera is like the filter." :
    "There is no camera. Add a group such as [camera door] with uri=rtsp://192.0.2.1/stream " +
    "to the configuration, and send the program SIGHUP.";
}

function summarize() {
  const all = [...cameras.values()];
  const bad = all.filter((camera) => rank(camera) < 2).length;
  const down = all.filter((camera) => camera.state !== "up").length;
  const text = `${all.length} cameras: ${bad} with trouble, ${down} without a picture stream`;
  if ($("summary").textContent !== text) $("summary").textContent = text;
}

function showTrouble(text) {
  $("trouble").hidden = !text;
  if ($("trouble").textContent !== text) $("trouble").textContent = text;
}

const events = (count) => `${count} event${count === 1 ? "" : "s"}`;

function describeOutput(output) {
  const parts = [];
  if (!output.up) {
    parts.push(`does not reach whom it tells (${output.reason}), ` +
      `${events(output.queued)} to be told`);
  }
  if (output.dead) parts.push(`has given up ${events(output.dead)}: see api/v1/dead-letters`);
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
    cameras.set(camera.name, camera);
    if (!tiles.has(camera.name)) tiles.set(camera.name, makeTile(camera.name));
    updateTile(camera);
  }
  showTrouble(all.trouble && `The database cannot be written: ${all.trouble}. ` +
    "Changes are kept in memory until it can.");
  showOutputs(all.outputs);
  arrange();
  summarize();
  if (shownCamera) updateCamera();
}

// Events

function acknowledgeButton(number) {
  const button = make("button", "Seen", { type: "button", title: "I have seen this" });
  button.addEventListener("click", async (event) => {
    event.stopPropagation();
    button.disabled = true;
    try {
      await ask(`api/v1/events/${number}/acknowledge`, { method: "POST" });
      button.replaceWith("seen");
    } catch (error) {
      button.disabled = false;
      showTrouble(error.message);
    }
  });
  return button;
}

function eventRow(event, withCamera) {
  const row = make("tr", undefined, { "data-number": event.number });
  const time = make("td");
  time.append(make("time", clock(event.time), { datetime: event.time }));
  row.append(time);
  if (withCamera) row.append(make("td", event.camera));
  row.append(make("td", `${event.active ? "⚠ " : "✓ no longer: "}${event.words}` +
    `${event.reason ? ` (${event.reason})` : ""}`));
  const picture = make("td");
  if (event.picture) {
    picture.append(make("a", "picture", {
      "aria-label": `Picture of ${event.camera}, ${event.words}`,
      href: `api/v1/events/${event.number}/picture`,
      target: "_blank", rel: "noopener" }));
  }
  const seen = make("td");
  if (event.acknowledged) seen.append("seen");
  else if (event.active && event.number) seen.append(acknowledgeButton(event.number));
  row.append(picture, seen);
  return row;
}

// What concerned all cameras in the last 24 hours.
async function loadNotices() {
  const notices = await ask("api/v1/notices");
  const recent = notices.filter((n) => now() - Date.parse(n.time) < NOTICE_PERIOD);
  $("notices").replaceChildren(...recent.map((notice) => {
    const row = make("li", "⚠ ");
    row.append(make("time", clock(notice.time), { datetime: notice.time }), `: ${notice.text}`);
    return row;
  }));
}

function addEvent() {
  // Its picture is stored after the event itself.
  clearTimeout(pictureTimer);
  pictureTimer = setTimeout(() => loadEvents().catch((error) => showTrouble(error.message)), 1000);
}

async function loadEvents() {
  const events = await ask(`api/v1/events?limit=${MOST_EVENTS}`);
  $("events").replaceChildren(...events.reverse().map((event) => eventRow(event, true)));
}

function listen() {
  source = new EventSource("events");
  source.addEventListener("open", () => {
    loadEvents().catch((error) => showTrouble(error.message));
    loadNotices().catch((error) => showTrouble(error.message));
    document.body.classList.remove("lost");
    showTrouble("");
  });
  source.addEventListener("error", () => {
    document.body.classList.add("lost");
    showTrouble("There is no connection to the server: what is shown is old. It is tried again.");
    // What the browser has given up, such as after a proxy's error, is begun anew.
    if (source.readyState === EventSource.CLOSED) setTimeout(listen, 3000);
  });
  source.addEventListener("event", addEvent);
  // It is stored after it was told.
  source.addEventListener("notice", () => setTimeout(
    () => loadNotices().catch((error) => showTrouble(error.message)), 1000));
  source.addEventListener("cameras", (message) => {
    const first = !order.length;
    show(JSON.parse(message.data));
    if (first) followAddress();
  });
}

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

async function drawTimeline(name, at) {
  const { from, before, minutes } = await askDay(name, at || now());
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
  $("timeline-to").textContent = `${clock(before * 60000)}; ${bad} minutes with trouble`;
}

function setFigure(id, time, url, words, none) {
  const image = $(id);
  image.hidden = !time;
  $(`${id}-time`).textContent = time ? `${words}: ${clock(time)}, ${ago(time)} ago` : none;
  if (time && image.dataset.time !== url + time) {
    image.dataset.time = url + time;
    image.src = `${url}?${encodeURIComponent(time)}`;
  }
}

function valueRow(condition) {
  const row = make("tr");
  row.append(make("th", condition.condition, { scope: "row" }),
    make("td", condition.active ? `⚠ ${condition.words}` : condition.value === null ?
      "not judged now" : "✓ well"),
    make("td", condition.value === null ? "" :
      `${Number(condition.value.toPrecision(3))} ${condition.unit}`));
  return row;
}

// What changes each second.
function updateCamera() {
  const camera = cameras.get(shownCamera);
  if (!camera) return;
  $("camera-state").textContent = describe(camera);
  const list = $("camera-conditions");
  if (!list.contains(document.activeElement)) fillConditions(list, camera);
  setFigure("camera-picture", camera.picture, `${path(camera.name)}/picture`, "now",
    "no picture yet");
}

async function updateDetails() {
  const name = shownCamera;
  const camera = await ask(path(name));
  if (name !== shownCamera) return;
  setFigure("camera-reference", camera.reference, `${path(name)}/reference`, "while all was well",
    "There is no picture of a time when all was well yet.");
  $("camera-values").replaceChildren(...camera.conditions.map(valueRow));
}

async function showCamera(name) {
  const at = Date.parse(address().get("at") ?? "") || 0;
  shownCamera = name;
  $("camera-title").textContent = name;
  $("earlier").href = hash(name, (at || now()) - 86400000);
  $("later").href = hash(name, at && at + 86400000 < now() ? at + 86400000 : 0);
  $("later").hidden = !at;
  updateCamera();
  if (!$("camera-dialog").open) $("camera-dialog").showModal();
  try {
    const [events] = await Promise.all([
      ask(`api/v1/events?limit=${MOST_EVENTS}&camera=${encodeURIComponent(name)}`),
      drawTimeline(name, at), updateDetails()]);
    $("camera-events").replaceChildren(...events.reverse().map((event) => eventRow(event, false)));
  } catch (error) {
    showTrouble(error.message);
  }
}

function followAddress() {
  const name = address().get("camera");
  if (name !== null && cameras.has(name)) showCamera(name);
  else $("camera-dialog").close();
}

// Keys

function move(step) {
  const all = [...$("wall").children];
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
};

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || document.querySelector("dialog[open]") ||
      event.target.matches("input, select")) return;
  const action = keys[event.key];
  if (!action) return;
  event.preventDefault();
  action();
});
$("view").addEventListener("submit", (event) => event.preventDefault());
$("filter").addEventListener("input", arrange);
$("order").addEventListener("change", arrange);
$("help-button").addEventListener("click", keys["?"]);
$("unlearn").addEventListener("click", () => ask(`${path(shownCamera)}/unlearn`, { method: "POST" })
  .then(updateDetails).catch((error) => { $("camera-state").textContent = error.message; }));
$("camera-dialog").addEventListener("close", () => {
  shownCamera = null;
  if (location.hash) history.pushState(null, "", location.pathname);
});
addEventListener("hashchange", followAddress);

setInterval(() => {
  for (const name of tiles.keys()) updateAge(tiles.get(name), cameras.get(name));
  if (shownCamera) updateDetails().catch(() => {});
}, 2000);
setInterval(drawDays, 1000);
listen();
