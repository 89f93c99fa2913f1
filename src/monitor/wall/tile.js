// SPDX-License-Identifier: LGPL-2.1-or-later
// Tiles of cameras, as the wall and the overview show them: the picture, and on it the name and what
// is wrong.

import { $, keep, make, setText } from "./dom.js";
import { endPictures, pictureTime, showPictures } from "./pictures.js";
import { cameraHash, kind, marks, maxAge, now } from "./state.js";
import { clock, duration, icon, quietWords } from "./words.js";

const NEW = 120000; // ms for which an alarm is new
const MAX_BADGES = 2;

// What a badge says beside its icon and its words.
function describeBadge({ quiet, since }) {
  if (quiet?.until) return `until ${clock(quiet.until, now())}`;
  return since ? duration((now() - Date.parse(since)) / 1000) : "";
}

const isNew = ({ condition, quiet }) => condition && !quiet && !condition.acknowledged &&
  now() - Date.parse(condition.since) < NEW;

const makeBadge = (mark) => make("span", "", { class: `badge ${mark.kind}` }, icon(mark.kind),
  make("b"), make("span", "", { class: "for" }), make("span", "", { class: "more" }));

function updateBadge(badge, mark) {
  const [, words, time, more] = badge.children;
  setText(words, mark.words);
  setText(time, describeBadge(mark));
  const helped = !mark.quiet && mark.condition?.acknowledged;
  badge.title = mark.quiet ? quietWords(mark.quiet, now()) : "";
  badge.classList.toggle("acknowledged", Boolean(helped));
  badge.classList.toggle("new", Boolean(isNew(mark)));
  if (helped && !more.firstElementChild) {
    more.replaceChildren(icon("user"), make("span"));
    more.title = "Acknowledged";
  }
  if (helped) setText(more.lastElementChild, mark.condition.acknowledged_by ?? "");
  else setText(more, isNew(mark) ? "New" : "");
}

// Fills @parent with badges of what @shown has, as marks() of state.js returns it.
export function fillBadges(parent, shown, most = MAX_BADGES) {
  const some = shown.slice(0, shown.length > most ? Math.max(1, most - 1) : most);
  if (some.length < shown.length) {
    some.push({ kind: "rest", words: `+${shown.length - some.length}`, title:
      shown.slice(some.length).map((mark) => mark.words).join(", ") });
  }
  keep(parent, some, (mark) => `${mark.kind} ${mark.condition?.condition ?? ""}`,
    (mark) => (mark.kind === "rest" ? make("span", "", { class: "badge rest" }) : makeBadge(mark)),
    (badge, mark) => {
      if (mark.kind !== "rest") updateBadge(badge, mark);
      else {
        setText(badge, mark.words);
        badge.title = mark.title;
      }
    });
}

export function makeTile(camera) {
  const article = $("tile").content.firstElementChild.cloneNode(true);
  article.dataset.name = camera.name;
  article.setAttribute("aria-label", camera.name);
  const tile = article.querySelector(".tile");
  tile.href = cameraHash(camera.name);
  setText(tile.querySelector(".name"), camera.name);
  tile.querySelector(".name").title = camera.name;
  const canvas = tile.querySelector("canvas");
  canvas.setAttribute("aria-label", `Picture of ${camera.name}`);
  showPictures(canvas, camera.name);
  return article;
}

// To be called with each tile before it is removed.
export const endTile = (article) => endPictures(article.querySelector("canvas"));

// How old the picture is, if that is not a matter of course.
function describeAge(camera) {
  const time = pictureTime(camera.name) ?? Date.parse(camera.picture);
  const frozen = camera.active.find((c) => c.condition === "frozen")?.since;
  if (frozen) return `same picture since ${clock(frozen, now())}`;
  return now() - time > maxAge(camera) ? `last picture ${clock(time, now())}` : "";
}

// @most: badges, if there is no place for the usual number.
export function updateTile(article, camera, most) {
  const shown = marks(camera);
  const tile = article.querySelector(".tile");
  const canvas = tile.querySelector("canvas");
  const alarm = shown.find((mark) => mark.condition && !mark.quiet);
  article.dataset.kind = kind(camera);
  article.classList.toggle("acknowledged", Boolean(alarm?.condition.acknowledged));
  fillBadges(tile.querySelector(".badges"), shown, most);
  setText(tile.querySelector(".age"), canvas.dataset.picture ? describeAge(camera) : "");
  tile.querySelector(".no-picture").hidden = Boolean(canvas.dataset.picture);
  setText(tile.querySelector(".no-picture"), camera.picture ? "Loading" : "No picture yet");
}
