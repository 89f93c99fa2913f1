// SPDX-License-Identifier: LGPL-2.1-or-later
// The wall: all cameras of the view at once, as large as they can be, in pages if there are many.

import { showCounts, showNews } from "./counts.js";
import { $, change, keep, on, phone, setText, watchHand } from "./dom.js";
import { byUrgency, choose, describeChoice, ignore, missingGroup, now } from "./state.js";
import { acknowledgeFocused, focusTile, makeTile, moveFocus, updateTile } from "./tile.js";
import { wallClock } from "./words.js";

const MAX_TILES = 64; // of a page
const LEAST = 110; // pixels: narrower tiles have no place for words
const RATIO = 16 / 9;
const GAP = 2; // pixels
const DENSE = 0.26; // of the height of the window: tiles that are narrower have one badge each
const CYCLE = 15000; // ms that a page is shown

const isFree = watchHand($("wall"));
const isPaused = () => $("wall-pause").getAttribute("aria-pressed") === "true";
let params = new URLSearchParams();
let page = 0;
let pages = 1;
let turned = 0; // when the page was shown
let lock = null;
let ranks = new Map(); // name -> place, on a phone

// The columns, and the size of a tile, with which @n tiles fill most of a screen.
function fit(n, width, height) {
  let best = { area: 0 };
  for (let columns = 1; columns <= n; columns++) {
    const rows = Math.ceil(n / columns);
    const [w, h] = [(width - GAP * (columns - 1)) / columns, (height - GAP * (rows - 1)) / rows];
    const tile = { columns, width: Math.min(w, h * RATIO), height: Math.min(h, w / RATIO) };
    tile.area = tile.width * tile.height;
    if (tile.area > best.area) best = tile;
  }
  return best;
}

// How many of @n tiles fit on a page.
function countTiles(n) {
  const { clientWidth: width, clientHeight: height } = $("wall-tiles");
  let most = Math.min(n, MAX_TILES);
  while (most > 1 && fit(most, width, height).width < LEAST) most--;
  return most;
}

// Lays @n tiles out, and returns how many badges each has at most, if not the usual number.
function layOut(n) {
  const tiles = $("wall-tiles");
  const { columns, width, height } = fit(n, tiles.clientWidth, tiles.clientHeight);
  const isDense = width < DENSE * innerHeight;
  tiles.classList.toggle("dense", isDense);
  tiles.style.setProperty("--columns", columns);
  tiles.style.setProperty("--width", `${Math.floor(width)}px`);
  tiles.style.setProperty("--height", `${Math.floor(height)}px`);
  return isDense ? 1 : undefined;
}

// Badges of small tiles have one line: with the time, if it fits.
function shorten() {
  const badges = [...$("wall-tiles").querySelectorAll(".badges")];
  for (const { classList } of badges) classList.remove("brief");
  if (!$("wall-tiles").classList.contains("dense")) return;
  badges.filter((b) => b.scrollWidth > b.clientWidth)
    .forEach(({ classList }) => classList.add("brief"));
}

// A phone shows few tiles at once: trouble comes first, but moves nothing under a hand.
function list() {
  const shown = choose(params);
  if (!phone.matches) return shown;
  if (isFree() || !ranks.size) {
    ranks = new Map(shown.sort(byUrgency).map(({ name }, i) => [name, i]));
  }
  const rank = ({ name }) => ranks.get(name) ?? ranks.size;
  return shown.sort((a, b) => rank(a) - rank(b));
}

function draw() {
  const shown = list();
  pages = Math.max(1, Math.ceil(shown.length / countTiles(shown.length)));
  page = Math.min(page, pages - 1);
  const size = Math.ceil(shown.length / pages);
  const some = shown.slice(page * size, (page + 1) * size);
  const badges = some.length ? layOut(some.length) : 0;
  keep($("wall-tiles"), some, (camera) => camera.name, makeTile,
    (tile, camera) => updateTile(tile, camera, badges));
  shorten();
  $("wall-pages").hidden = pages < 2;
  setText($("wall-page"), `Page ${page + 1} of ${pages}`);
}

function update() {
  draw();
  showCounts($("wall-counts"), params, "#wall");
  setText($("wall-title"), missingGroup(params) || describeChoice(params) || "Wall");
  $("wall-title").classList.toggle("unseen", !describeChoice(params));
  showNews($("wall-news"), choose(params));
  setText($("wall-clock"), wallClock(now()));
}

function turn(step) {
  page = (page + step + pages) % pages;
  turned = performance.now();
  change(update);
}

async function keepAwake() {
  if (document.body.dataset.view !== "wall" || document.hidden || lock) return;
  lock = await navigator.wakeLock?.request("screen").catch(() => null) ?? null;
  lock?.addEventListener("release", () => {
    lock = null;
  });
}

function fill() {
  if (document.fullscreenElement) document.exitFullscreen().catch(ignore);
  else document.documentElement.requestFullscreen?.().catch(ignore);
}

new ResizeObserver(() => {
  if (!$("wall").hidden) draw();
}).observe($("wall-tiles"));
document.addEventListener("visibilitychange", keepAwake);
document.addEventListener("fullscreenchange", () => {
  setText($("wall-full"), document.fullscreenElement ? "Leave full screen" : "Full screen");
});
on("wall-full", fill);
on("wall-previous", () => turn(-1));
on("wall-next", () => turn(1));
on("wall-pause", () => {
  $("wall-pause").setAttribute("aria-pressed", !isPaused());
  setText($("wall-pause"), isPaused() ? "Continue" : "Pause");
});
// Pages stay while somebody has a hand on them, who may be about to open a camera.
setInterval(() => {
  if (!$("wall").hidden && !document.hidden && pages > 1 && !isPaused() && isFree() &&
      performance.now() - turned > CYCLE) turn(1);
}, 1000);

export const view = {
  section: "wall",
  // Full screen needs a key or a click, which an address is not.
  open() {
    location.hash = `#wall${document.body.dataset.view === "overview" ?
      /\?.*/.exec(location.hash)?.[0] ?? "" : ""}`;
    if (!document.fullscreenElement) fill();
  },
  show(given) {
    params = given;
    ranks.clear();
    turned = performance.now();
    update();
    keepAwake();
  },
  comeBack: (name) => focusTile($("wall-tiles"), name),
  hide() {
    $("wall-tiles").replaceChildren();
    lock?.release();
    if (document.fullscreenElement) document.exitFullscreen().catch(ignore);
  },
  update,
  move: (step) => moveFocus($("wall-tiles"), step),
  keys: { ArrowLeft: () => turn(-1), ArrowRight: () => turn(1), f: fill, a: acknowledgeFocused },
};
