// SPDX-License-Identifier: LGPL-2.1-or-later
// The overview: how many cameras have what, filters, and tiles or a list with what is wrong first.

import { setAcknowledge } from "./acknowledge.js";
import { $, change, keep, make, on, part, phone, recall, setOptions, setText, store, watchHand }
  from "./dom.js";
import { alarms, byName, byUrgency, cameras, cause, choose, describeChoice, groups, isAcknowledged,
  isOfKind, isToDo, kind, marks, missingGroup, now, session, toDoOnes, toDoWords } from
  "./state.js";
import { showOutages } from "./outages.js";
import { countMissed, drawStrip, loadStrips } from "./strips.js";
import { acknowledgeFocused, fillBadges, focusTile, makeTile, moveFocus, updateTile } from
  "./tile.js";
import { KINDS, capital, clock, conditionWords, count, helpWords, icon, quietWords, stateWords }
  from "./words.js";

const SAVED = "overview"; // in the storage of the browser
const isList = () => $("density").value === "list";
const isFree = watchHand($("tiles"));
let params = new URLSearchParams();
let top = 0; // where the page was scrolled to
let arranged = []; // sections as they are shown: { title, isToDo, names }

function divide(shown) {
  if ($("order").value === "name") return [{ title: "", all: [...shown].sort(byName) }];
  if ($("order").value === "group") {
    return groups().map((group) => ({ title: group || "Without a group",
      all: shown.filter((camera) => (camera.group ?? "") === group) }));
  }
  const rest = shown.filter((camera) => !alarms(camera).length && !isToDo(camera));
  const urgent = rest.filter((camera) => kind(camera) === "lost");
  return [
    { title: capital(toDoWords()), isToDo: true,
      all: [...shown.filter(isToDo), ...urgent].sort(byUrgency) },
    { title: "Acknowledged", all: shown.filter(isAcknowledged).sort(byUrgency) },
    { title: "All others", all: rest.filter((camera) => !urgent.includes(camera)) },
  ];
}

// Tiles stay where they are while somebody has a hand on them.
function arrange(asked) {
  if (!asked && !isFree()) return;
  arranged = divide(choose(params)).filter(({ all }) => all.length)
    .map(({ all, ...section }) => ({ ...section, names: all.map((camera) => camera.name) }));
  if (arranged.length === 1 && !arranged[0].isToDo) arranged[0].title = "";
}

function makeCard(camera) {
  const card = makeTile(camera);
  card.append(part("div", "strip"), part("div", "caption", make("b", camera.name),
    part("span", "badges"), part("span", "state"), part("p", "cause"), part("span", "act")));
  const link = card.querySelector("a");
  // What is beside the picture leads there, too.
  card.addEventListener("click", ({ target }) => {
    if (!target.closest("a, button") && getSelection().isCollapsed) link.click();
  });
  return card;
}

function describeState(camera) {
  const [first] = marks(camera);
  if (!first && session.lost) return "Not known";
  if (!first) return stateWords(camera);
  if (first.quiet) return quietWords(first.quiet, now());
  if (first.kind === "unjudged") return KINDS.unjudged;
  const { acknowledged, acknowledged_by: by } = first.condition ?? {};
  if (acknowledged) return `by ${by || "someone"}, ${clock(acknowledged, now())}`;
  return first.since ? `since ${clock(first.since, now())}` : first.words;
}

function setState(element, camera) {
  const isOk = !marks(camera).length && !session.lost;
  if (!element.firstChild || isOk !== Boolean(element.querySelector("svg"))) {
    element.replaceChildren(...isOk ? [icon("ok"), make("span")] : [make("span")]);
  }
  setText(element.lastElementChild, describeState(camera));
}

const HOLD = 10000; // ms for which Undo keeps its place, though the camera has another alarm

const isHeld = (act, { event, acknowledged }) => acknowledged &&
  act.querySelector(`[data-event="${event}"]`) && now() - Date.parse(acknowledged) < HOLD;

function updateCard(card, camera) {
  updateTile(card, camera);
  drawStrip(card.querySelector(".strip"), camera.name);
  fillBadges(card.querySelector(".caption .badges"), isList() ? marks(camera) : []);
  setState(card.querySelector(".state"), camera);
  const act = card.querySelector(".act");
  const alarm = camera.active.find((one) => !one.quiet && isHeld(act, one)) ??
    toDoOnes(camera)[0] ?? alarms(camera)[0];
  setText(card.querySelector(".cause"), [cause(camera), alarm && helpWords(alarm, now())]
    .filter(Boolean).join(" "));
  setAcknowledge(act, alarm?.event, alarm?.acknowledged,
    alarm && `${camera.name}: ${conditionWords(alarm)}`);
}

function updateSection(section, { title, isToDo: isAllToDo, names }) {
  const all = names.map((name) => cameras.get(name)).filter(Boolean);
  const toDo = all.filter(isToDo).length;
  setText(section.querySelector("h2 span"), title);
  setText(section.querySelector("h2 small"), toDo === (isAllToDo ? all.length : 0) ? all.length :
    `${toDo} of ${all.length}${isAllToDo ? "" : ` ${toDoWords()}`}`);
  section.querySelector("h2").hidden = !title;
  section.classList.toggle("todo", Boolean(isAllToDo));
  keep(section.querySelector("div"), all, (camera) => camera.name, makeCard, updateCard);
}

const makeSection = () => make("section", "", {},
  make("h2", "", {}, make("span"), " ", make("small")), part("div", "grid"));

// What the heading counts if only one state is shown.
const STATES = { __proto__: null, todo: toDoWords, acknowledged: () => "acknowledged" };

function describeAll(all) {
  const state = params.get("state");
  const words = STATES[state]?.() ?? KINDS[state];
  if (session.lost) return "Not known without the server";
  const n = choose(params).length;
  if (words) return STATES[state] ? `${count(n, "camera")} ${words}` : `${n} ${words}`;
  if (!all.length) return "No cameras";
  const describe = (tests) => tests.map(([test, what]) => [all.filter(test).length, what])
    .filter(([n]) => n).map(([n, what]) => `${n} ${what}`).join(", ");
  const others = describe(Object.entries(KINDS).filter(([name]) => name !== "ok")
    .map(([name, what]) => [(camera) => isOfKind(camera, name), what]));
  return describe([[isToDo, toDoWords()], [isAcknowledged, "acknowledged"]])
    .replace(/^\d+/, (number) => count(Number(number), "camera")) ||
    (others && `No alarms: ${others}`) ||
    (all.length === 1 ? "1 camera OK" : `All ${all.length} cameras OK`);
}

function fillGroups() {
  const all = groups();
  $("group").hidden = !all.some(Boolean);
  setOptions("group", [["all", "All groups"],
    ...all.map((group) => [`=${group}`, group || "Without a group"])]);
  $("group").value = params.has("group") ? `=${params.get("group")}` : "all";
}

// An alarm that came and went while nobody was here leaves no tile.
function showMissed() {
  const n = countMissed();
  $("missed").hidden = !n || params.size > 0;
  setText($("missed"), `${count(n, "alarm")} ended unacknowledged in 24 hours`);
}

function update() {
  const anyState = new URLSearchParams(params);
  anyState.delete("state");
  setText($("overview-title"), [describeChoice(params), describeAll(choose(anyState))]
    .filter(Boolean).join(": "));
  fillGroups();
  $("tiles").dataset.density = $("density").value;
  showOutages(choose(params));
  showMissed();
  arrange(false);
  keep($("tiles"), arranged, ({ title }) => title, makeSection, updateSection);
  const isEmpty = !arranged.length;
  $("empty").hidden = !isEmpty;
  if (isEmpty) {
    const { file, reload } = session.configuration ?? {};
    setText($("empty"), cameras.size ? missingGroup(params) || "No cameras match the filter." : `There are no cameras yet.${
      file ? ` Add a group such as [camera door] with uri=rtsp://192.0.2.1/stream to ${file}, and ` +
        `have the program read it: ${reload}` : ""}`);
  }
}

// Has the address say what is chosen, so that it can be kept and sent.
function setParameter(name, value) {
  if (value === null) params.delete(name);
  else params.set(name, value);
  history.replaceState(null, "", params.size ? `#?${params}` : "#");
  dispatchEvent(new Event("hashchange"));
}

const saved = recall(SAVED, {});
$("order").value = saved.order ?? "trouble";
// Until somebody chooses it, it follows the width of the window.
function suitDensity() {
  $("density").value = $("tiles").dataset.density = saved.density ??
    (phone.matches ? "list" : "medium");
}
suitDensity();
phone.addEventListener("change", suitDensity);
on("view", (event) => event.preventDefault(), "submit");
on("filter", () => setParameter("filter", $("filter").value || null), "input");
on("group", () => setParameter("group",
  $("group").value === "all" ? null : $("group").value.slice(1)), "change");
for (const id of ["order", "density"]) {
  on(id, () => {
    saved[id] = $(id).value;
    store(SAVED, saved);
    change(() => {
      arrange(id === "order");
      update();
    });
  }, "change");
}

export const view = {
  section: "overview",
  show(given) {
    params = given;
    if (document.activeElement !== $("filter")) $("filter").value = params.get("filter") ?? "";
    arrange(true);
    update();
    loadStrips(update);
  },
  comeBack(name) {
    scrollTo(0, top);
    focusTile($("tiles"), name);
  },
  hide() {
    top = scrollY;
  },
  update,
  focusFilter: () => $("filter").focus(),
  escape() {
    const had = params.size > 0;
    $("filter").value = "";
    for (const name of [...params.keys()]) params.delete(name);
    setParameter("state", null);
    return had;
  },
  move: (step) => moveFocus($("tiles"), step),
  keys: { a: acknowledgeFocused },
};
