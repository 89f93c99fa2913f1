// SPDX-License-Identifier: LGPL-2.1-or-later
// Tiles of cameras, as the wall and the overview show them: the picture, and on it the name and what
// is wrong.

import { acknowledgeByKey } from "./acknowledge.js";
import { isMeant, keep, make, part, setText } from "./dom.js";
import { pictureTime, showPictures } from "./pictures.js";
import { cameraHash, cameras, cause, frozenSince, isAcknowledged, kind, marks, maxAge, now,
  unconfirmedWords } from "./state.js";
import { clock, duration, helpWords, icon, quietWords } from "./words.js";

const NEW = 120000; // ms for which an alarm is new
const MAX_BADGES = 2;

function describeBadge({ kind: mark, words, quiet, since, condition }) {
  if (quiet?.until) {
    return `${words.startsWith("Snoozed") ? "" : `${mark} `}until ${clock(quiet.until, now())}`;
  }
  if (mark === "unjudged") return condition ? unconfirmedWords(condition) : "";
  return since ? duration((now() - Date.parse(since)) / 1000) : "";
}

const isNew = ({ condition, quiet }) => condition && !quiet && !condition.acknowledged &&
  !condition.unconfirmed &&
  now() - Date.parse(condition.since) < NEW;

// What a badge has no room for.
function describeAlarm({ words, since, condition }) {
  return [since && `${words} since ${clock(since, now())}`,
    condition?.scale?.sentence.replace(/\.$/, ""), condition && helpWords(condition, now())].filter(Boolean).join(". ");
}

const makeBadge = (mark) => part("span", `badge ${mark.kind}`, icon(mark.kind), make("b"),
  part("span", "tail", part("span", "for"), part("span", "since"), part("span", "more")));

function updateBadge(badge, mark) {
  const [, words, tail] = badge.children;
  const [time, since, more] = tail.children;
  setText(words, mark.words);
  words.title = mark.words;
  setText(time, describeBadge(mark));
  setText(since, mark.since && !mark.quiet && !isNew(mark) ? `since ${clock(mark.since, now())}` : "");
  const helped = !mark.quiet && mark.condition?.acknowledged;
  badge.title = mark.quiet ? quietWords(mark.quiet, now()) : describeAlarm(mark);
  badge.classList.toggle("acknowledged", Boolean(helped));
  badge.classList.toggle("new", Boolean(isNew(mark)));
  if (helped && !more.firstElementChild) {
    more.replaceChildren(icon("user"), make("span"), part("span", "since"));
    more.title = "Acknowledged";
  }
  if (helped) {
    setText(more.children[1], mark.condition.acknowledged_by);
    setText(more.children[2], clock(helped, now()));
  } else setText(more, !isNew(mark) ? "" : mark.condition.active_since ? "Still active" : "New");
}

// Fills @parent with badges of what @shown has, as marks() of state.js returns it.
export function fillBadges(parent, shown, most = MAX_BADGES) {
  const some = shown.slice(0, shown.length > most ? Math.max(1, most - 1) : most);
  const rest = shown.slice(some.length);
  if (rest.length) some.push({ kind: "rest", rest: rest.map((mark) => mark.words).join(", ") });
  keep(parent, some, (mark) => `${mark.kind} ${mark.condition?.condition ?? ""}`,
    (mark) => (mark.rest ? part("span", "badge rest") : makeBadge(mark)),
    (badge, mark) => {
      if (!mark.rest) updateBadge(badge, mark);
      else {
        setText(badge, `+${rest.length}`);
        badge.title = mark.rest;
      }
    });
}

export function makeTile({ name }) {
  const canvas = make("canvas", "", { role: "img", "aria-label": `Picture of ${name}`,
    width: 16, height: 9 });
  showPictures(canvas, name);
  const tile = make("a", "", { class: "tile aimed", "data-event": name, href: cameraHash(name) },
    canvas, part("span", "no-picture"),
    part("span", "top", make("span", name, { class: "name", title: name }), part("span", "age")),
    part("span", "badges"));
  tile.addEventListener("click", (click) => isMeant(click) || click.preventDefault());
  return make("article", "", { "data-name": name, "aria-label": name }, tile);
}

// The tile or row with the focus, or in which it is.
export const focused = (kind) => document.activeElement?.closest?.(kind);
export const acknowledgeFocused = () =>
  acknowledgeByKey(cameras.get(focused("article")?.dataset.name));

// A camera that is not watched any more has no page.
export const focusRow = (row) => (row?.querySelector("a:not([aria-hidden]), [aria-expanded]") ??
  row?.querySelector("button"))?.focus();

export function moveFocus(parent, step, kind = "article") {
  const all = [...parent.querySelectorAll(kind)];
  const at = all.indexOf(focused(kind));
  focusRow(all[Math.min(all.length - 1, Math.max(0, at + step))]);
}

// Back from the page of the camera @name, its tile is where the hand was.
export const focusTile = (parent, name) => [...parent.querySelectorAll("a.tile")]
  .find((tile) => tile.dataset.event === name)?.focus();

// How old the picture is, if that is not a matter of course.
function describeAge(camera) {
  const time = pictureTime(camera);
  const frozen = frozenSince(camera);
  if (frozen) return `same picture since ${clock(frozen, now())}`;
  return now() - time > maxAge(camera) ? `last picture ${clock(time, now())}` : "";
}

// @most: badges, if there is no place for the usual number.
export function updateTile(article, camera, most) {
  const shown = marks(camera);
  const tile = article.querySelector(".tile");
  const canvas = tile.querySelector("canvas");
  article.dataset.kind = kind(camera);
  article.classList.toggle("gone", camera.active.some((c) => c.condition === "signal-loss"));
  article.classList.toggle("acknowledged", isAcknowledged(camera));
  fillBadges(tile.querySelector(".badges"), shown, most);
  setText(tile.querySelector(".age"), canvas.dataset.picture ? describeAge(camera) : "");
  tile.querySelector(".no-picture").hidden = Boolean(canvas.dataset.picture);
  setText(tile.querySelector(".no-picture"), camera.picture ? "Loading" :
    camera.state === "up" ? "No picture yet" : cause(camera) || "No picture yet");
}
