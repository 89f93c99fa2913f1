// SPDX-License-Identifier: LGPL-2.1-or-later
// What the server says, by one connection for all tabs and windows: a browser makes six to a server,
// and each page with one of its own would take it from the pictures of all. Of the pages in view,
// the one that has been so for the longest time listens, and passes on what it hears. Pages that are
// hidden neither listen nor get messages, once they know what to show when they come into view,
// unless they are to call for attention. Pictures are shared in the same way: pictures.js gets those
// that any page wants, in the page that listens.

const PRESENCE = 1000; // ms between two signs of life to other pages
const ABSENCE = 5000; // ms after which a page without one is gone
const GREETING = 150; // ms that a new page waits for the answer of others
const SETTLING = 250; // ms until other pictures are asked for
const SILENCE = 8000; // ms after which the server, which speaks each second, is gone
const RETRY = 3000; // ms
const NOTHING = { names: [], width: 0, interval: 60 };

const channel = new BroadcastChannel("videohistogram-monitor");
const others = new Map(); // id -> { since, hidden, wanted, heard }
let me = null; // { id, since } while this page takes part
let wanted = NOTHING; // pictures, while the page is in view
let handlers;
let source = null; // the connection, of the page that listens
let state = null; // all that is known, as the event "cameras" has it
const pictures = new Map(); // name -> the last picture that the page that listens has heard
let heard = 0; // when the server spoke last
let lost = false;
let greeted = false; // something was heard since this page has come into view
let settling = null;
let rested = 0; // when the server, which has refused, may be asked again

const age = (time) => performance.now() - time;
const post = (kind, more) => channel.postMessage({ kind, id: me.id, ...more });
const describe = () => ({ since: me.since, hidden: document.hidden,
  wanted: document.hidden ? NOTHING : wanted });
const announce = (ask) => post("here", { ...describe(), ask });
const mayLeave = () => document.hidden && !handlers.isAttentive();

const isBefore = (a, b) => (a.hidden - b.hidden || a.since - b.since || (a.id < b.id ? -1 : 1)) < 0;

// The page that listens: the one that has been in view for the longest time.
function leader() {
  let first = { ...describe(), id: me.id };
  for (const [id, page] of others) {
    if (age(page.heard) > ABSENCE) others.delete(id);
    else if (isBefore({ ...page, id }, first)) first = { ...page, id };
  }
  return first.id;
}

// Pictures that any page wants: the widest and most frequent ones for all.
function wantedByAll() {
  const all = [describe(), ...others.values()].map((page) => page.wanted);
  return { names: [...new Set(all.flatMap((w) => w.names))].sort(),
    width: Math.max(...all.map((w) => w.width)),
    interval: Math.min(...all.map((w) => w.interval)) };
}

// Returns the names of the cameras that have changed.
function merge(changes) {
  const known = new Map(state.cameras.map((camera) => [camera.name, camera]));
  for (const camera of changes.cameras) Object.assign(known.get(camera.name) ?? {}, camera);
  Object.assign(state, { ...changes, cameras: state.cameras });
  return changes.cameras.map((camera) => camera.name);
}

// What the server or the page that listens has said. Nothing makes sense before "cameras".
function take(kind, data) {
  if (kind === "picture") {
    handlers.picture(data);
    return;
  }
  let names = null;
  heard = performance.now();
  if (lost || !greeted) {
    lost = false;
    greeted = true;
    handlers.open();
  }
  if (kind === "cameras") state = data;
  else if (kind === "changes" && state) names = merge(data);
  if (kind === "cameras" || kind === "changes") {
    if (state) handlers.state(state, names);
  } else handlers[kind](data);
  if (state && mayLeave()) leave();
}

function lose() {
  if (lost) return;
  lost = true;
  handlers.lost();
}

// Has all pages take what this one has heard.
export function pass(kind, data) {
  if (!me) return;
  if (kind === "picture") pictures.set(data.camera, data);
  if (others.size) post("said", { said: kind, data });
  take(kind, data);
}

function close() {
  source?.close();
  source = null;
  pictures.clear();
  handlers.follow(NOTHING);
}

function connect() {
  // No measurements: pages that show some ask for them.
  const stream = new EventSource("events?measured=");
  stream.addEventListener("error", () => {
    if (stream !== source) return;
    lose();
    post("lost");
    if (stream.readyState !== EventSource.CLOSED) return;
    // The browser has given up, as after an error of a proxy or the end of a session.
    close();
    rested = performance.now() + RETRY;
    handlers.refused();
  });
  for (const kind of ["cameras", "changes", "event", "notice"]) {
    stream.addEventListener(kind, (message) => {
      if (stream === source) pass(kind, JSON.parse(message.data));
    });
  }
  return stream;
}

// Has this page listen if it is the one to, for all that anybody looks at.
function listen() {
  if (!me || performance.now() < rested) return;
  if (leader() !== me.id) {
    close();
    return;
  }
  if (!source) {
    heard = performance.now();
    source = connect();
  }
  handlers.follow(wantedByAll());
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
    const { since, hidden, wanted: theirs } = message;
    others.set(message.id, { since, hidden, wanted: theirs, heard: performance.now() });
    if (message.ask) announce(false);
    if (message.ask && source && state) {
      post("said", { said: "cameras", data: state });
      for (const data of pictures.values()) post("said", { said: "picture", data });
    }
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
  if (!document.hidden && !me) enter();
  else if (me && state && mayLeave()) leave();
  else if (me) {
    announce(false);
    listen();
  }
}

// Pages call it with functions: @state gets all that is known, and the names of cameras that have
// changed or null for all; @event, @notice and @picture get what has happened; @follow gets the
// pictures to ask the server for; @isAttentive says whether the page listens though it is hidden;
// @open is called when news come that did not before, as when the page comes into view; @lost when
// none come, and @refused when the server refuses to send any.
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

// Pictures of the cameras with @names are wanted here, at least @width pixels wide and every @interval
// seconds.
export function want(names, width, interval) {
  const next = { names, width, interval };
  if (JSON.stringify(next) === JSON.stringify(wanted)) return;
  wanted = next;
  if (!me) return;
  announce(false);
  settle(SETTLING);
}
