// SPDX-License-Identifier: LGPL-2.1-or-later
// Pictures of a camera: the reference, at an alarm, and now, side by side or two of them below a
// wiper; and in full size or as scopes, on demand.

import { $, addChoices, on, press, setText } from "./dom.js";
import { endPictures, pictureTime, showPictures } from "./pictures.js";
import { cameras, frozenSince, maxAge, now, path, session } from "./state.js";
import { clock, conditionWords, duration, exact, wallClock } from "./words.js";

const KINDS = { full: "Picture", histogram: "Histogram", waveform: "Waveform",
  vectorscope: "Vectorscope" };

let name = "";
let at = 0; // as in showCompare()
let current = null; // time of the reference
let shown = null; // alarm
let kind = "full"; // of the picture in the dialog
const figure = (part) => $("pictures").querySelector(`[data-part=${part}]`);
const canvas = $("pictures").querySelector("canvas");

// Has a part show the picture of @url, "" for none, and say @words.
function setFigure(part, url, words) {
  const image = figure(part).querySelector("img");
  if (image.getAttribute("src") !== url) {
    if (url) image.src = url;
    else image.removeAttribute("src");
  }
  image.hidden = !url;
  setText(figure(part).querySelector("figcaption"), words);
  figure(part).classList.toggle("none", !url);
  showAny();
}

// Pictures of cameras that never sent any take no place. Below the wiper, all have the shape of the
// one of now.
function showAny() {
  const none = !$("pictures").querySelector("figure:not(.none)");
  $("pictures").hidden = $("compare").hidden = none;
  for (const id of ["full-size", "scopes"]) $(id).hidden = Boolean(at) || !canvas.dataset.picture;
  const image = [canvas, ...$("pictures").querySelectorAll("img[src]")]
    .find((i) => i.width && i.height);
  if (image) $("pictures").style.setProperty("--ratio", (image.naturalWidth ?? image.width) /
    (image.naturalHeight ?? image.height) || 16 / 9);
}

// Of a past day, the one that was kept with its alarm.
function drawReference() {
  const past = at && shown?.reference;
  const time = past || current;
  setFigure("reference", past ? `api/v1/events/${shown.event}/reference` : time ?
    `${path(name)}/reference?time=${time}` : "", !time ? "No reference yet" :
    `${past ? "Reference at the alarm" : at && Date.parse(time) > at ? "Current reference" :
      "Reference"} · ${clock(time, now())}${
      !past && at && Date.parse(time) > at ? " (none was kept with the alarm)" : ""}`);
}

export function showReference(camera) {
  current = camera.reference;
  drawReference();
}

// @isNew: its picture may be still to come.
export function showAlarm(alarm, isNew) {
  shown = alarm;
  drawReference();
  figure("alarm").dataset.severity = alarm?.picture ? alarm.severity : "";
  setFigure("alarm", alarm?.picture ? `api/v1/events/${alarm.event}/picture` : "",
    alarm ? `${alarm.ended ? "At the alarm" : "At this alarm"} · ${conditionWords(alarm)}, ${
      clock(alarm.begun, now())}${alarm.picture ? "" : isNew ? " · loading" : " · no picture kept"}` :
      "No alarm in this period");
}

export function updateNow(camera) {
  const time = pictureTime(camera);
  const frozen = frozenSince(camera);
  const isOld = session.lost || frozen || now() - time > maxAge(camera);
  figure("now").classList.toggle("none", !canvas.dataset.picture);
  showAny();
  figure("now").dataset.kind = camera.state !== "up" && isOld ? "lost" : "";
  setText(figure("now").querySelector("figcaption"), !canvas.dataset.picture ? "No picture yet" :
    frozen ? `The same picture since ${clock(frozen, now())}` :
      `${isOld ? "Last picture" : "Now"} · ${isOld ? clock(time, now()) :
        wallClock(time)}`);
}

function setMode(mode) {
  $("pictures").dataset.mode = mode;
  const [left, right] = mode.split("-");
  for (const part of $("pictures").querySelectorAll("figure")) {
    part.classList.toggle("left", part.dataset.part === left && Boolean(right));
    part.classList.toggle("right", part.dataset.part === right);
  }
  press("compare", mode);
  $("wiper").hidden = !right;
}

// @time: of the day that is shown, in ms, or 0: now
export function showCompare(camera, time) {
  const isPast = Boolean(time);
  endPictures(canvas);
  if (name !== camera) {
    current = null;
    for (const part of ["reference", "alarm"]) setFigure(part, "", "");
    canvas.width = canvas.height = 0;
    delete canvas.dataset.picture;
    figure("now").classList.add("none");
  }
  [name, at, shown] = [camera, time, null];
  $("pictures").classList.toggle("past", isPast);
  for (const button of $("compare").querySelectorAll("[data-key*=now]")) button.hidden = isPast;
  if (isPast && $("pictures").dataset.mode.includes("now")) setMode("side");
  if (!isPast) showPictures(canvas, camera);
}

// No more pictures come. @isGone: the last one stays.
export function endCompare(isGone) {
  endPictures(canvas);
  if (!isGone) return;
  figure("now").dataset.kind = "lost";
  setText(figure("now").querySelector("figcaption"), "Last picture");
}

async function showBig(which) {
  kind = which;
  const dialog = $("picture-dialog");
  const image = dialog.querySelector("img");
  const mine = `${path(name)}/${which === "full" ? "picture?width=full" : `scope?kind=${which}`}`;
  press("picture-kinds", which);
  if (!dialog.open) dialog.showModal();
  setText($("picture-words"), "Loading");
  const response = await fetch(`${mine}&time=${now()}`).catch(() => null);
  const blob = response?.ok && await response.blob();
  if (kind !== which || !dialog.open) return;
  URL.revokeObjectURL(image.src);
  image.hidden = !blob;
  if (!blob) {
    const error = await response?.json().catch(() => null);
    setText($("picture-words"), error?.error ?? "There is no connection to the server.");
    return;
  }
  image.src = URL.createObjectURL(blob);
  image.alt = `${KINDS[which]} of ${name}`;
  const time = response.headers.get("X-Frame-Time");
  await image.decode().catch(() => null);
  setText($("picture-words"), [name,
    which === "full" && `${image.naturalWidth}×${image.naturalHeight}`,
    time && exact(time), time && now() - Date.parse(time) > maxAge(cameras.get(name) ?? {}) &&
    `${duration((now() - Date.parse(time)) / 1000)} old`].filter(Boolean).join(" · "));
}

export const openBig = () => {
  if (!at && canvas.dataset.picture) showBig("full");
};
addChoices("picture-kinds", Object.entries(KINDS), showBig);
on("full-size", openBig);
on("scopes", () => showBig("waveform"));
on("picture-again", () => showBig(kind));
on("compare", ({ target }) => {
  if (target.dataset.key) setMode(target.dataset.key);
});
on("wiper", () => $("pictures").style.setProperty("--wipe", $("wiper").value / 100), "input");
setMode("side");
