// SPDX-License-Identifier: LGPL-2.1-or-later
// The page: which view the address names, what the server says, and the keys.

import { confirm, onAcknowledged } from "./acknowledge.js";
import { isAttentive, startAttention, tell, tellConnection, updateAttention } from "./attention.js";
import { view as camera } from "./camera.js";
import { showCounts, showNews } from "./counts.js";
import { $, change, keep, make, on, setCurrent, setLongText, setText } from "./dom.js";
import { view as events } from "./events.js";
import { addNotice, brief, setNotices, showNotices } from "./notices.js";
import { view as overview } from "./overview.js";
import { followPictures, takePicture } from "./pictures.js";
import { ask, cameraHash, cameras, ignore, isOperator, now, returnToPlace, say, session, setState }
  from "./state.js";
import { logOut, start } from "./stream.js";
import { stripsChanged } from "./strips.js";
import { view as wall } from "./wall.js";
import { count, quote, readable, wallClock } from "./words.js";

const TICK = 1000; // ms
// The address may name what all objects have: tables that it chooses from have no prototype.
const views = { __proto__: null, "": overview, wall, events, camera };
let shown = null; // the view
let started = false;
let origin = "#"; // address from which the camera was opened
let opened = ""; // its name

function readAddress() {
  const [, section, name, query] = /^#?([^/?]*)(?:\/([^?]*))?(?:\?(.*))?$/s.exec(location.hash);
  let decoded = name;
  try {
    decoded = name && decodeURIComponent(name);
  } catch {
    // It is no camera, then.
  }
  return { section, view: views[section], name: decoded, params: new URLSearchParams(query) };
}

// Links of earlier versions: #camera=NAME&at=TIME
function renew() {
  const old = new URLSearchParams(location.hash.slice(1));
  if (location.hash.startsWith("#camera=")) {
    const at = Date.parse(old.get("at"));
    history.replaceState(null, "", cameraHash(old.get("camera"), at));
  }
}

// How many of the cameras that the view shows have what: at the top, where the counts filter the
// overview, and in the title.
function countAll() {
  const { params, name } = readAddress();
  const group = params.get("group");
  showCounts($("counts"), shown === overview ? params : new URLSearchParams(), "#");
  // The overview has it as its first tile, and the camera itself says it at length.
  showNews($("news"), [...cameras.values()].filter((c) => shown === camera ? c.name !== name :
    shown !== overview || params.size));
  updateAttention(new URLSearchParams(group !== null && [overview, wall].includes(shown) ?
    { group } : {}));
}

function followAddress() {
  renew();
  let { section, view, name, params } = readAddress();
  let fault = "";
  if (!view) fault = `This page has no view ${quote(section)}.`;
  else if (view === camera && !cameras.has(name)) {
    fault = `There is no camera ${quote(name ?? "")}: it was removed from the key file, or ` +
      "renamed.";
  }
  if (fault) [view, params] = [overview, new URLSearchParams()];
  if (view !== camera) origin = fault ? "#" : location.hash || "#";
  change(() => {
    if (shown !== view) shown?.hide();
    for (const other of Object.values(views)) $(other.section).hidden = other !== view;
    for (const link of document.querySelectorAll("nav a")) {
      setCurrent(link, link.dataset.view === view.section, "page");
    }
    document.body.dataset.view = view.section;
    shown = view;
    countAll();
    view.show(params, name);
    if (opened && view !== camera) view.comeBack?.(opened);
    opened = view === camera ? name : "";
  });
  say(fault, Boolean(fault));
}

function update(names) {
  if (!started) return;
  change(() => {
    countAll();
    shown.update(names);
  });
}

function showTrouble(text) {
  $("trouble").hidden = !text;
  setLongText($("trouble"), text);
}

function showOutputs(outputs) {
  const bad = outputs.filter((output) => !output.up || output.dead).map((output) => {
    const { name, reason, queued, dead } = output;
    return [!output.up && `${name} cannot deliver: ${reason}; ${count(queued, "event")} waiting`,
      dead && `${count(dead, "event")} to ${name} could not be delivered: retry or discard them ` +
        "(see “Dead letters” in the manual)"].filter(Boolean).join(". ");
  });
  $("outputs").hidden = !bad.length;
  keep($("outputs"), bad, (text) => text, (text) => make("li", text), ignore);
}

function showUser() {
  const isViewer = !isOperator();
  $("logout").hidden = !session.login;
  document.body.classList.toggle("viewer", isViewer);
  for (const [part, words] of Object.entries({ "key-file": session.configuration?.file ||
    "which the program is given by --config", reload: session.configuration?.reload ?? "" })) {
    for (const element of document.querySelectorAll(`code.${part}`)) setText(element, words);
  }
  document.body.classList.toggle("named", Boolean(session.user));
  setText($("user"), session.user ? session.user + (isViewer ? " (viewer)" : "") :
    isViewer ? "Viewer" : "Menu");
}

function showLost(lost) {
  session.lost = lost;
  document.body.classList.toggle("stale", lost);
  showTrouble(lost ? `No connection to the server since ${wallClock(now()).slice(0, 5)}: what the ` +
    "page shows is old. Trying again." : "");
  tellConnection(lost);
}

const listener = {
  state(all, names) {
    change(() => {
      setState(all);
      cameras.forEach(confirm);
      showUser();
      showTrouble(brief(readable(all.trouble, now())));
      showNotices(all.trouble);
      showOutputs(all.outputs);
    });
    if (!started) {
      started = true;
      followAddress();
    } else update(names);
  },
  event(event) {
    tell(event);
    stripsChanged();
  },
  picture: takePicture,
  follow: followPictures,
  isAttentive,
  notice: addNotice,
  open() {
    ask("api/v1/notices").then((all) => {
      setNotices(all);
      update([]);
    }, ignore);
    change(() => showLost(false));
  },
  lost() {
    change(() => showLost(true));
  },
  // Where the session has ended, this leads to the page to log in.
  refused() {
    ask("api/v1/notices").catch(ignore);
  },
};

// Keys are of the page again, not of a field.
function escape() {
  if (document.activeElement?.matches("input, select")) document.activeElement.blur();
  const said = !$("problem").hidden;
  $("menu").open = false;
  say("");
  if (!said && !shown.escape?.() && shown !== overview) {
    location.hash = shown === camera ? origin : "#";
  }
}

// What keys do: [words, action]. Those without an action are of a view, or of the browser.
const keys = {
  o: ["overview", () => location.assign("#")],
  w: ["wall, in full screen", () => wall.open()],
  e: ["alarms", () => location.assign("#events")],
  "/": ["filter", () => (shown.focusFilter ? shown.focusFilter() : location.assign("#"))],
  j: ["next camera or alarm", () => shown.move?.(1)],
  k: ["previous camera or alarm", () => shown.move?.(-1)],
  a: ["acknowledge the alarm of the camera, or undo that"],
  f: ["full-size picture of the open camera, or full screen of the wall"],
  Enter: ["open the camera, or a row of several alarms"],
  Escape: ["dismiss a message, clear the filter, go back", escape],
  "?": ["this list", () => $("help-dialog").showModal()],
};
for (const [key, [words]] of Object.entries(keys)) {
  const attributes = key === "a" ? { class: "operator" } : {};
  $("keys").append(make("dt", "", attributes, make("kbd", key)), make("dd", words, attributes));
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || document.querySelector("dialog[open]") ||
      (event.target.matches("input:not([type=range], [type=checkbox]), select, textarea") &&
        event.key !== "Escape")) return;
  const action = keys[event.key]?.[1] ?? shown?.keys?.[event.key];
  if (!action) return;
  event.preventDefault();
  action();
});
on("help-button", keys["?"][1]);
on("logout", () => {
  session.leaving = true;
  logOut();
}, "submit");
on("problem-close", () => say(""));
on("ask-cancel", () => $("ask").close());
document.addEventListener("click", (event) => {
  if (!$("menu").contains(event.target)) $("menu").open = false;
});
addEventListener("hashchange", () => {
  $("menu").open = false;
  // What it is about is not shown any more.
  document.querySelector("dialog[open]")?.close();
  if (started) followAddress();
});
onAcknowledged((event) => update([event.camera]));
setInterval(() => {
  setText($("clock"), wallClock(now()));
  // Nothing else has durations go on while there is no connection.
  if (session.lost && !document.hidden) update([]);
}, TICK);
startAttention();
returnToPlace();
start(listener);
