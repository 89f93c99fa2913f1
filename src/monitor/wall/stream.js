// SPDX-License-Identifier: LGPL-2.1-or-later
// What the server says, by one connection for all tabs and windows: a browser makes six to a server,
// and each page with one of its own would take it from the pictures of all. Of the pages in view,
// the one that has been so for the longest time listens, and passes on what it hears. Pages that are
// hidden neither listen nor get messages, once they know what to show when they come into view.

const PRESENCE = 1000; // ms between two signs of life to other pages
const ABSENCE = 5000; // ms after which a page without one is gone
const GREETING = 150; // ms that a new page waits for the answer of others
const SETTLING = 250; // ms until other cameras in view are asked for
const SILENCE = 8000; // ms after which the server, which speaks each second, is gone
const RETRY = 3000; // ms
const MAX_QUERY_CHARACTERS = 4000; // more names are asked for as all

const channel = new BroadcastChannel("videohistogram-monitor");
const others = new Map(); // id -> { since, names, heard }
let me = null; // { id, since } while this page takes part
let names = []; // of the cameras that are in view here
let handlers;
let source = null; // the connection, of the page that listens
let next = null; // the one that takes its place, with other names
let asked = null; // the query of the latest of the two
let state = null; // all that is known, as the event "cameras" has it
let heard = 0; // when the server spoke last
let lost = false;
let greeted = false; // something was heard since this page has come into view
let settling = null;
let rested = 0; // when the server, which has refused, may be asked again

const age = (time) => performance.now() - time;
const post = (kind, more) => channel.postMessage({ kind, id: me.id, ...more });
const announce = (ask) => post("here", { since: me.since, names, ask });

// The page that listens: the one that has been in view for the longest time.
function leader() {
  let first = me;
  for (const [id, page] of others) {
    if (age(page.heard) > ABSENCE) others.delete(id);
    else if (page.since < first.since || (page.since === first.since && id < first.id)) {
      first = { ...page, id };
    }
  }
  return first.id;
}

function query() {
  const all = new Set(names);
  for (const page of others.values()) for (const name of page.names) all.add(name);
  const text = [...all].sort().map(encodeURIComponent).join("/");
  return text.length > MAX_QUERY_CHARACTERS ? "" : `?measured=${text}`;
}

function merge(changes) {
  const known = new Map(state.cameras.map((camera) => [camera.name, camera]));
  for (const camera of changes.cameras) Object.assign(known.get(camera.name) ?? {}, camera);
  Object.assign(state, { ...changes, cameras: state.cameras });
}

// What the server or the page that listens has said. Nothing makes sense before "cameras".
function take(kind, data) {
  heard = performance.now();
  if (lost || !greeted) {
    lost = false;
    greeted = true;
    handlers.open();
  }
  if (kind === "cameras") state = data;
  else if (kind === "changes" && state) merge(data);
  if (kind === "event" || kind === "notice") handlers[kind](data);
  else if (state) handlers.state(state);
  if (state && document.hidden) leave();
}

function lose() {
  if (lost) return;
  lost = true;
  handlers.lost();
}

function pass(kind, data) {
  post("said", { said: kind, data });
  take(kind, data);
}

function close() {
  source?.close();
  next?.close();
  source = next = asked = null;
}

function connect() {
  const stream = new EventSource(`events${asked}`);
  stream.addEventListener("error", () => {
    if (stream !== next && stream !== source) return;
    lose();
    post("lost");
    if (stream.readyState !== EventSource.CLOSED) return;
    // The browser has given up, as after an error of a proxy or the end of a session.
    close();
    rested = performance.now() + RETRY;
    handlers.refused();
  });
  stream.addEventListener("cameras", (message) => {
    if (stream === next) {
      source?.close();
      source = next;
      next = null;
    }
    pass("cameras", JSON.parse(message.data));
  });
  for (const kind of ["changes", "event", "notice"]) {
    stream.addEventListener(kind, (message) => {
      if (stream === source) pass(kind, JSON.parse(message.data));
    });
  }
  return stream;
}

// Has this page listen if it is the one to, for all names that anybody looks at.
function listen() {
  if (!me || performance.now() < rested) return;
  if (leader() !== me.id) {
    close();
    return;
  }
  const wanted = query();
  if (wanted === asked) return;
  next?.close();
  asked = wanted;
  heard = performance.now();
  next = connect();
}

function settle(time) {
  settling ??= setTimeout(() => {
    settling = null;
    listen();
  }, time);
}

channel.addEventListener("message", ({ data: message }) => {
  if (!me) return;
  if (message.kind === "bye") {
    others.delete(message.id);
    listen();
  } else if (message.kind === "logout") {
    // It is asked in a moment, and says that nobody is logged in any more.
    close();
    rested = performance.now() + RETRY;
    setTimeout(handlers.refused, PRESENCE);
  } else if (message.kind === "here") {
    others.set(message.id, { since: message.since, names: message.names,
      heard: performance.now() });
    if (message.ask) announce(false);
    if (message.ask && source && state) post("said", { said: "cameras", data: state });
    settle(SETTLING);
  } else if (leader() !== me.id) {
    if (message.kind === "lost") lose();
    else take(message.said, message.data);
  }
});

function enter() {
  if (me) return;
  me = { id: crypto.getRandomValues(new Uint32Array(2)).join("-"), since: Date.now() };
  heard = performance.now();
  state = null;
  greeted = false;
  announce(true);
  settle(GREETING);
}

function leave() {
  if (!me) return;
  close();
  post("bye");
  others.clear();
  me = null;
}

function follow() {
  if (!document.hidden) enter();
  else if (state) leave();
}

// Pages call it with functions: @state gets all that is known; @event and @notice get what has
// happened; @open is called when news come that did not before, as when the page comes into view;
// @lost when none come, and @refused when the server refuses to send any.
export function start(given) {
  handlers = given;
  document.addEventListener("visibilitychange", follow);
  addEventListener("pagehide", leave);
  addEventListener("pageshow", follow);
  enter();
  setInterval(() => {
    if (!me) return;
    announce(false);
    if (age(heard) > SILENCE) {
      lose();
      close();
    }
    listen();
  }, PRESENCE);
}

// The session ends, here and in all other pages. The connection goes first: its end would be an error.
export function logOut() {
  if (!me) return;
  post("logout");
  close();
  rested = Infinity;
}

// Measurements of the cameras @wanted are wanted here.
export function look(wanted) {
  if (wanted.join("/") === names.join("/")) return;
  names = wanted;
  if (!me) return;
  announce(false);
  settle(SETTLING);
}
