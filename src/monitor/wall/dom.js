// SPDX-License-Identifier: LGPL-2.1-or-later
// Elements of the page: found, made, and kept while they are under somebody's hand.

const REST = 5000; // ms without a hand on it after which a part of the page may move
const LONG_REST = 30000; // the same while the pointer stays there
const ARRIVAL = 700; // ms in which a button that came under the hand is not meant

export const phone = matchMedia("(max-width: 40rem)");
export const $ = (id) => document.getElementById(id);
export const on = (id, listener, type = "click") => $(id).addEventListener(type, listener);

// A number and its unit stay on one line.
const bind = (text) => `${text ?? ""}`.replace(/(?<=\d) (?=(?:m?s|min|h|d|%)(?!\w))/g, "\u00a0");

// Gives @element @attributes, of which functions listen to the event of their name, and @children.
function complete(element, attributes, ...children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(key, value);
    else element.setAttribute(key, value);
  }
  element.append(...children.filter((child) => child !== "")
    .map((child) => (child instanceof Node ? child : bind(child))));
  return element;
}

export const make = (name, text = "", attributes = {}, ...children) =>
  complete(document.createElement(name), attributes, text, ...children);
export const draw = (name, attributes = {}, ...children) =>
  complete(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, ...children);
export const part = (name, kind, ...children) => make(name, "", { class: kind }, ...children);
export const button = (text, click, attributes = {}) =>
  make("button", text, { type: "button", click, ...attributes });

// What the browser keeps for this page, or @otherwise: it may not let a page store anything.
export function recall(key, otherwise) {
  try {
    return JSON.parse(localStorage.getItem(key)) ?? otherwise;
  } catch {
    return otherwise;
  }
}

export function store(key, value) {
  try {
    localStorage.setItem(key, JSON.stringify(value));
  } catch {
    // It is as it is until the page is loaded again.
  }
}

// Makes the children of @parent those that @make makes of @items, keeps those that are there, with
// their focus and a press that is not over yet, and has @update bring them up to date.
export function keep(parent, items, key, create, update) {
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

// Code stays as it is, to be copied.
export function setText(element, text) {
  const bound = element.localName === "code" ? text : bind(text);
  if (element.textContent !== bound) element.textContent = bound;
}

export const setCurrent = (element, isCurrent, value = "true") => (isCurrent ?
  element.setAttribute("aria-current", value) : element.removeAttribute("aria-current"));

// Gives a list @options to choose from: [value, words]
export const setOptions = (id, options) => keep($(id), options, ([value]) => value,
  ([value, words]) => make("option", words, { value }), () => {});

// Adds buttons of which one is pressed, for @entries: [key, words]
export const addChoices = (id, entries, choose) => $(id).append(...entries.map(([key, words]) =>
  button(words, () => choose(key), { "data-key": key })));

export function press(id, key) {
  for (const button of $(id).children) button.setAttribute("aria-pressed", button.dataset.key === key);
}

// Asks whether to go on, and calls @then if the answer is @yes, with the note if one is asked for.
export function askFirst({ title, warning = "", text, note = false, yes }, then) {
  for (const [part, words] of Object.entries({ title, warning, text, yes })) {
    setText($(`ask-${part}`), words);
  }
  $("ask-warning").hidden = !warning;
  $("ask-note").parentNode.hidden = !note;
  $("ask").returnValue = $("ask-note").value = "";
  $("ask").onclose = () => $("ask").returnValue && then($("ask-note").value);
  $("ask").showModal();
  if (note) $("ask-note").focus();
}

// Returns a function that has the part with @id say what was done, with a button to undo it if it
// is given how.
export function makeSaid(id) {
  const [text, act] = $(id).children;
  let undo = null;
  act.addEventListener("click", () => {
    $(id).hidden = true;
    undo();
  });
  return (words, how) => {
    undo = how;
    setText(text, words);
    act.hidden = !how;
    $(id).hidden = !words;
  };
}

// Messages are shown in the half of the window where nothing was pressed last.
addEventListener("pointerdown", ({ target, clientY }) => target.closest("#problem, #name-form") ||
  document.body.classList.toggle("low", clientY > innerHeight / 2), { capture: true });

// For a text that may have paths in it: lines end behind a slash rather than within a word.
export function setLongText(element, text) {
  if (element.textContent === bind(text)) return;
  element.replaceChildren(...bind(text).split(/(?<=\/)/).flatMap((part) => [part, make("wbr")]));
}

const arrivals = new WeakMap(); // button or tile -> when it came to where another one was

const overlap = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom &&
  b.top < a.bottom;

// Tiles, and buttons which do what cannot be meant by chance, as far as they are in view. What each
// is about is in data-event.
const listAimed = () => [...document.querySelectorAll(".aimed")].map(
  (aimed) => ({ aimed, event: aimed.dataset.event, place: aimed.getBoundingClientRect() }))
  .filter(({ place }) => place.height && place.bottom > 0 && place.top < innerHeight);

// Has @how change the page. What it brings to where something else was is not pressed for a moment:
// a hand that was on its way meant the other one.
export function change(how) {
  const before = listAimed();
  how();
  if (!before.length) return;
  for (const { aimed, event, place } of listAimed()) {
    if (before.some((b) => b.aimed.tagName === aimed.tagName &&
        (b.aimed !== aimed || b.event !== event) && overlap(b.place, place))) {
      arrivals.set(aimed, performance.now());
    }
  }
}

// Whether a click on a button or a tile was meant for it. A double click is one decision.
export const isMeant = (click) => click.detail <= 1 && !(click.detail &&
  performance.now() - arrivals.get(click.currentTarget) < ARRIVAL);

// Whether nothing under the hand of the user would move away: a function that tells it of @element.
export function watchHand(element) {
  let last = -Infinity;
  let over = false;
  for (const kind of ["pointermove", "pointerdown", "wheel", "touchmove", "keydown"]) {
    element.addEventListener(kind, (event) => {
      last = performance.now();
      over = event.pointerType === "mouse" || (over && kind === "keydown");
    }, { passive: true });
  }
  element.addEventListener("pointerleave", () => {
    over = false;
  });
  return () => performance.now() - last > (over ? LONG_REST : REST);
}
