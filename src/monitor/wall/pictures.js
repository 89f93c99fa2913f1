// SPDX-License-Identifier: LGPL-2.1-or-later
// Pictures of cameras in canvases that are in view: by one endless response of the server for all
// tabs, or one by one where the server has no place for another one, or tiles are large.

import { ask, cameras, ignore, now, path } from "./state.js";
import { pass, want } from "./stream.js";

const WIDTHS = [160, 320, 480, 640]; // pixels, of the endless response
const TOLERANCE = 0.8; // of the pixels of a tile that its picture has at least
const MAX_FULL = 4; // tiles that get full pictures
const PHONE = "(max-width: 40rem), (prefers-reduced-data: reduce)";
const PHONE_INTERVAL = 3; // s
const SILENCE = 15000; // ms without a byte after which the response is lost
const RETRY = 3000; // ms
const FALLBACK = 30000; // ms for which pictures are asked for one by one
const POLL = 1000; // ms
const MAX_QUERY_CHARACTERS = 4000; // more names are asked for as all
const LF = 10;

const shown = new WeakMap(); // canvas -> name
const inView = new Set(); // canvases
const latest = new Map(); // name -> { time, bitmap }
let asked = ""; // what the server was asked for last
let current = null; // AbortController of the response
let fallbackUntil = 0;
let poller = null;

function paint(canvas, bitmap) {
  if (!bitmap) return;
  if (canvas.width !== bitmap.width || canvas.height !== bitmap.height) {
    [canvas.width, canvas.height] = [bitmap.width, bitmap.height];
  }
  canvas.getContext("2d", { alpha: false }).drawImage(bitmap, 0, 0);
  canvas.dataset.picture = latest.get(shown.get(canvas)).time;
}

// When the frame of the latest picture arrived, here or at the server, in ms since 1970; or 0.
export const pictureTime = ({ name, picture }) =>
  Math.max(latest.get(name)?.time ?? 0, Date.parse(picture ?? 0));

// @picture: { camera, time, blob }
export async function takePicture({ camera, time, blob }) {
  const bitmap = await createImageBitmap(blob).catch(() => null);
  const before = latest.get(camera);
  if (!bitmap || Date.parse(time) < before?.time) return;
  before?.bitmap.close();
  latest.set(camera, { time: Date.parse(time), bitmap });
  for (const canvas of inView) if (shown.get(canvas) === camera) paint(canvas, bitmap);
}

// What is in view, and how large it is, to all pages and to the server.
function choose() {
  const canvases = [...inView].filter((canvas) => canvas.isConnected);
  const names = [...new Set(canvases.map((canvas) => shown.get(canvas)))].sort();
  const pixels = Math.max(0, ...canvases.map((c) => c.clientWidth)) * devicePixelRatio * TOLERANCE;
  const width = WIDTHS.find((w) => w >= pixels) ?? (names.length <= MAX_FULL ? 9999 : WIDTHS.at(-1));
  want(names, names.length ? width : 0, matchMedia(PHONE).matches ? PHONE_INTERVAL : 1);
}

const observer = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) {
    if (isIntersecting && shown.has(target)) {
      inView.add(target);
      paint(target, latest.get(shown.get(target))?.bitmap);
    } else inView.delete(target);
  }
  choose();
}, { rootMargin: "64px" });
addEventListener("resize", choose);

// Shows the pictures of the camera @name in @canvas from now on, while it is in view. A canvas that is
// removed from the page is out of view.
export function showPictures(canvas, name) {
  shown.set(canvas, name);
  observer.observe(canvas);
}

export function endPictures(canvas) {
  observer.unobserve(canvas);
  inView.delete(canvas);
  shown.delete(canvas);
  choose();
}

async function read(reader) {
  let timer;
  const silence = new Promise((_, fail) => {
    timer = setTimeout(() => fail(new Error("silence")), SILENCE);
  });
  try {
    return await Promise.race([reader.read(), silence]);
  } finally {
    clearTimeout(timer);
  }
}

function join(a, b) {
  const both = new Uint8Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}

// Passes on the pictures that @bytes has as a whole, and returns the rest.
function split(bytes) {
  for (;;) {
    const end = bytes.indexOf(LF);
    if (end < 0) return bytes;
    const head = JSON.parse(new TextDecoder().decode(bytes.subarray(0, end)));
    const next = end + 1 + head.bytes;
    if (bytes.length < next) return bytes;
    if (head.camera) {
      pass("picture", { camera: head.camera, time: head.time,
        blob: new Blob([bytes.slice(end + 1, next)], { type: "image/jpeg" }) });
    }
    bytes = bytes.subarray(next);
  }
}

async function receive(query) {
  const control = new AbortController();
  const before = current;
  current = control;
  try {
    const response = await fetch(`pictures?${query}`, { signal: control.signal });
    if (!response.ok) fallbackUntil = performance.now() + FALLBACK;
    else {
      const reader = response.body.getReader();
      for (let rest = new Uint8Array();;) {
        const { done, value } = await read(reader);
        before?.abort();
        if (done) break;
        rest = split(rest.length ? join(rest, value) : value);
      }
    }
  } catch {
    // Aborted, or the connection is lost: the timer below has them asked for again.
  }
  before?.abort();
  control.abort();
  setTimeout(() => {
    if (current === control) {
      current = null;
      asked = "";
    }
  }, RETRY);
}

async function poll({ names, width }) {
  const ended = poller = {};
  const known = new Set(); // names of cameras with a picture
  while (poller === ended) {
    for (const name of names) {
      // A refusal would be an error in the browser.
      const has = known.has(name) ||
        (cameras.has(name) && (await ask(path(name)).catch(ignore))?.picture);
      const response = has &&
        await fetch(`${path(name)}/picture?width=${width}&time=${now()}`).catch(ignore);
      if (poller !== ended) return;
      known.delete(name);
      if (response?.ok) {
        known.add(name);
        pass("picture", { camera: name, time: response.headers.get("X-Frame-Time"),
          blob: await response.blob() });
      }
    }
    await new Promise((done) => setTimeout(done, POLL));
  }
}

// Has the server send what is @wanted from now on: { names, width, interval }.
export function followPictures(wanted) {
  const isFull = wanted.width > WIDTHS.at(-1) && wanted.names.length <= MAX_FULL;
  const byOne = isFull || performance.now() < fallbackUntil;
  const width = Math.min(wanted.width, WIDTHS.at(-1));
  const names = wanted.names.map(encodeURIComponent).join("/");
  const query = names && `width=${width}&interval=${wanted.interval}${
    names.length > MAX_QUERY_CHARACTERS ? "" : `&cameras=${names}`}`;
  if (`${byOne}${query}` === asked) return;
  asked = `${byOne}${query}`;
  poller = null;
  if (!query || byOne) {
    current?.abort();
    current = null;
  }
  if (query && byOne) poll({ names: wanted.names, width: isFull ? "full" : width });
  else if (query) receive(query);
}
