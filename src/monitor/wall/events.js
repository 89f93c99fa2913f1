// SPDX-License-Identifier: LGPL-2.1-or-later
// The view “Alarms”: the alarms of all cameras that the filters in the address choose, each in one
// row from its start to its end.

import { acknowledgeAll, chooseAll, onAcknowledged, setAcknowledge, setAcknowledgeAll } from
  "./acknowledge.js";
import { $, addChoices, askFirst, button, change, isMeant, keep, make, makeSaid, on, press,
  setOptions, setText, watchHand } from "./dom.js";
import { gaps } from "./notices.js";
import { getWhen, setWhen } from "./snooze.js";
import { ask, cameraHash, cameras, canUndo, describeActive, endOf, groups, ignore, isOpen,
  isOperator, missingGroup, now, path, placeOf, report, say } from "./state.js";
import { focusRow, focused, moveFocus } from "./tile.js";
import { makeBadge, updateBadge } from "./timeline.js";
import { SEVERITIES, between, capital, clock, conditionWords, count, day, exact, groupBy, joinHelp,
  lasted, lasting, listNames, readable, wallClock, weekday } from "./words.js";

const HOUR = 3600000; // ms
const DAY = 24 * HOUR;
const PHONE = matchMedia("(max-width: 44rem)");
const PAGE = 100; // rows that are loaded at once
const SOON = 1500; // ms after a change, when its picture is stored
const AGAIN = HOUR; // after its end, in which the same alarm counts as the same trouble
const MANY_TIMES = 3; // alarms that are one row
const MAX_ASKED = 20; // cameras that are asked for their conditions after a reload
const TYPING = 400; // ms without a key, after which what was typed counts
const MANY = ["camera", "group", "condition"]; // filters of several values
const PERIODS = { __proto__: null, "1h": ["1 hour", HOUR], "6h": ["6 hours", 6 * HOUR],
  night: ["Last night"], "24h": ["24 hours", DAY], "7d": ["7 days", 7 * DAY],
  "30d": ["30 days", 30 * DAY] };
const STATES = { unacknowledged: "Not acknowledged", acknowledged: "Acknowledged",
  missed: "Ended unacknowledged", active: "Still active", over: "Over" };

const isFree = watchHand($("events"));
const tellDone = makeSaid("events-done");
const seen = new Map(); // condition -> words
let params = new URLSearchParams();
let alarms = [];
let cursor = null; // of the next page
let turn = 0; // of requests
let known = ""; // what was active when the list was loaded
let configured = ""; // cameras and groups when the list was loaded
let told = ""; // cameras and groups that the menus have
let latest = ""; // when a camera was added whose conditions the menu has
let timer = null;
let typing = null;
const opened = new Set(); // keys of rows whose alarms are shown

const nameGroup = (group) => group || "Without a group";

const FILTERS = { __proto__: null, // that are chosen from a list
  group: ["Group", () => groups().filter((g, _, all) => g || all.length > 1).map((group) =>
    [group, nameGroup(group)])],
  condition: ["Condition", () => [...seen].sort((a, b) => (a[1] < b[1] ? -1 : 1))],
  severity: ["Severity", () => SEVERITIES.map((severity) => [severity, capital(severity)])],
  state: ["State", () => Object.entries(STATES)],
};

// [from, before] of the address in ms, where either may be NaN.
function range() {
  const [, length] = PERIODS[params.get("period")] ?? [];
  if (length) return [now() - length, NaN];
  if (params.get("period") === "night") {
    const morning = new Date(now()).setHours(8, 0, 0, 0);
    return [morning - 14 * HOUR, morning];
  }
  return [Date.parse(params.get("from")), Date.parse(params.get("before"))];
}

// Parameters of the server as the address has them. Several values are joined by slashes.
function makeQuery(more) {
  const [from, before] = range();
  const parts = Object.entries({ from: from > 0 && Math.floor(from / 1000),
    before: before > 0 && Math.ceil(before / 1000), ...more,
    ...Object.fromEntries(["filter", "severity", "state"].map((key) => [key, params.get(key)])) })
    .filter(([, value]) => value).map(([key, value]) => `${key}=${encodeURIComponent(value)}`);
  for (const key of MANY.filter((name) => params.has(name))) {
    parts.push(`${key}=${params.getAll(key).map(encodeURIComponent).join("/")}`);
  }
  return parts.join("&");
}

// Has the address say what is chosen, so that it can be kept and sent.
function follow() {
  location.hash = params.size ? `#events?${params}` : "#events";
}

const without = (...keys) => keys.forEach((key) => params.delete(key));

function set(key, value) {
  if (MANY.includes(key)) {
    if (!params.getAll(key).includes(value)) params.append(key, value);
  } else params.set(key, value);
  if (key === "period") without("from", "before");
  follow();
}

function fillMenus() {
  for (const [key, [words, list]] of Object.entries(FILTERS)) {
    const options = [["", words], ...list().map(([value, text]) => [`=${value}`, text])];
    setOptions(`events-${key}`, options);
    $(`events-${key}`).value = "";
    $(`events-${key}`).hidden = options.length < 2;
  }
  setOptions("events-names", [...cameras.keys()].map((name) => [name, ""]));
}

function showFilters() {
  fillMenus();
  const period = params.get("period");
  const isOther = params.has("from") || params.has("before");
  press("events-period", period ?? (isOther ? "other" : "all"));
  $("events-times").hidden = !isOther && $("events-times").hidden;
  const [from, before] = range();
  setWhen($("events-from"), from);
  setWhen($("events-before"), before, true);
  const words = ([key, value]) => (key === "group" ? nameGroup(value) : FILTERS[key]?.[1]()
    .find(([v]) => v === value)?.[1]) ?? PERIODS[value]?.[0] ?? (["from", "before"].includes(key) ?
    `${capital(key)} ${clock(value, now())}` : value);
  if (document.activeElement !== $("events-search")) $("events-search").value = params.get("filter") ?? "";
  keep($("events-chips"), [...params].filter(([key]) => key !== "filter"), (entry) => entry.join(), (entry) =>
    button(`${words(entry)} ×`, () => {
      params.delete(...entry);
      follow();
    }, { class: "chip", "aria-label": `Remove from the filter: ${words(entry)}` }), ignore);
  $("events-csv").href = `api/v1/alarms?${makeQuery({ format: "csv", export: 1 })}`;
  $("events-json").href = `api/v1/alarms?${makeQuery({ export: 1 })}`;
}

function makeRow(item) {
  if (item.title) {
    return make("tr", "", { class: item.reason ? "day gap" : "day", title: item.reason ?? "" },
      make("th", item.title, { colspan: 7, scope: "rowgroup" }));
  }
  const { camera: name, members } = item;
  const isWatched = cameras.has(name) && !members;
  const link = (text, attributes) => make(isWatched ? "a" : "span", text, { ...attributes,
    ...isWatched && { href: cameraHash(name, Date.parse(item.begun) + 999, item.event) } });
  const cells = {
    Picture: [link("", { class: "thumbnail", ...isWatched && { tabindex: -1,
      "aria-hidden": true } })],
    Camera: members ? [make("p", "", {}, button("", () =>
      toggle(item.key)), make("small"))] : [button("Only this camera", () => set("camera", name), { class: "only",
      "aria-label": `Show only alarms of ${name}` }),
    make("p", "", {}, link(name), make("small"))],
    What: [makeBadge(item), make("small")],
    Start: [make("time", wallClock(item.begun), { datetime: item.begun,
      title: exact(item.begun) })],
    End: [], Duration: [make("b")],
    Acknowledged: [make("span"), members ? button("Acknowledge all", (click) => isMeant(click) &&
      acknowledgeNumbers(...chooseAll(row.item.members)), { class: "acknowledge aimed" }) : ""],
  };
  const row = make("tr", "", {}, ...Object.entries(cells).map(([key, content]) =>
    make("td", "", { "data-label": key }, ...content)));
  return row;
}

function updateJoined({ outage, key, members, begun, camera }, [open, place], start, act) {
  setText(open, outage ? count(members.length, "camera") : `${camera} ×${members.length}`);
  open.setAttribute("aria-expanded", opened.has(key));
  setText(place, outage ? capital(placeOf(members.map((m) => cameras.get(m.camera) ?? m)).trim()) :
    placeName(camera));
  setText(start.firstChild, wallClock(begun));
  setAcknowledgeAll(act, members, key, `${open.textContent}, ${conditionWords(members[0])}`);
}

// Where a camera is now: alarms have the group of when they were loaded.
const placeName = (name) => (cameras.has(name) ? cameras.get(name).group ?? "" :
  "not watched any more");

// The reason that all have, or "".
const reasonOf = ([first, ...rest]) => (rest.every((m) => m.reason === first.reason) ?
  capital(readable(first.reason, now())) : "");

// Why there is still no video, if that is not what it was at first.
function presentReason({ camera, condition, ended, reason: first }) {
  const { reason } = cameras.get(camera) ?? {};
  return !ended && condition === "signal-loss" && reason && reason !== first && `Now: ${reason}`;
}

// The names of an outage, or how long the alarm was active.
const describeMembers = ({ outage, members, at_most: isAtMost }) => (outage ?
  listNames(members.map((member) => member.camera).sort()) : `Active for ${
    lasting(members.reduce((sum, a) => sum + between(a.begun, endOf(a)), 0), isAtMost)
  } in all`);

function updateRow(row, item) {
  if (item.title) return;
  row.item = item;
  const [picture, camera, what, start, end, length, acknowledged] = row.children;
  const reasons = item.members ? [describeMembers(item), reasonOf(item.members)] :
    [item.quiet && "Quiet", item.reason && capital(readable(item.reason, now())),
      presentReason(item), item.end_reason && `Ended: ${readable(item.end_reason, now())}`];
  setText(what.lastChild, [...reasons, item.note && `Note: ${item.note}`].filter(Boolean).join(" · "));
  updateBadge(what.firstChild, item);
  row.classList.toggle("member", !item.members && opened.has(item.key));
  if (item.picture && !picture.querySelector("img")) {
    picture.firstChild.append(make("img", "", { loading: "lazy", alt: "", width: 96,
      height: 54, src: `api/v1/events/${item.pictured ?? item.event}/picture` }));
  }
  const some = item.members ?? [item];
  const ended = item.ended && `${day(item.ended) === day(item.begun) ? "" :
    `${weekday(item.ended)} `}${wallClock(item.ended)}`;
  const over = item.outage ? some.filter((a) => a.ended).length : 0;
  setText(end, ended || [...new Set(some.filter((a) => !a.ended).map(describeActive)),
    over && `${over} of ${some.length} over`].filter(Boolean).join(", "));
  row.classList.toggle("active", !item.ended);
  setText(length.firstChild, lasted(item, item.members ?
    Math.max(...item.members.map(endOf)) : endOf(item)));
  const helped = some.filter((a) => a.acknowledged);
  const help = joinHelp(helped);
  setText(acknowledged.firstChild, helped.length ? `${helped.length < some.length ?
    `${helped.length} of ${some.length}: ` : ""}${help.acknowledged_by || "yes"}, ${
    clock(help.acknowledged, now())}` : isOperator() || !some.some(isOpen) ? "" : "no");
  if (item.members) {
    updateJoined(item, camera.firstChild.children, start, acknowledged.lastChild);
    return;
  }
  setText(camera.querySelector("small"), placeName(item.camera));
  setAcknowledge(acknowledged, (isOpen(item) || canUndo(item)) && item.event, item.acknowledged,
    `${item.camera}: ${conditionWords(item)}, ${exact(item.begun)}`);
}

const toDo = (some = alarms) => some.filter(isOpen);

// The last time, or null if that of one alarm is still to come: "null" is behind all digits.
const last = (some, key) => some.map((alarm) => alarm[key]).sort().at(-1);

// Alarms of one row as one: from the first start to the last end.
function join(members) {
  const [newest] = members;
  const { begun } = members.at(-1);
  const ended = last(members, "ended");
  const pictured = members.find((alarm) => alarm.picture)?.event;
  return { ...newest, event: newest.key, members, quiet: members.every(({ quiet }) => quiet),
    newest: newest.begun, begun, ended,
    at_most: Boolean(ended) && members.some((alarm) => alarm.at_most),
    picture: Boolean(pictured), pictured,
    ...joinHelp(members) };
}

// The gaps in the period, as far as alarms are loaded: no alarms does not mean that all was well.
function listGaps() {
  const [from, before] = range();
  const oldest = Math.max(from || 0, cursor ? Date.parse(alarms.at(-1)?.begun) : 0);
  return gaps().filter(({ begun, ended }) => Date.parse(ended) > oldest &&
    !(Date.parse(begun) >= before));
}

// Gives alarms of the same row the same key: of an outage, or of a condition that comes back.
function setKeys() {
  const before = new Map(); // camera and condition -> their previous alarm
  for (const alarm of [...alarms].reverse()) {
    const series = `${alarm.condition} ${alarm.camera}`;
    const last = before.get(series);
    const isAgain = Date.parse(alarm.begun) - Date.parse(last?.ended) < AGAIN;
    alarm.key = alarm.outage ? `outage ${alarm.outage}` : isAgain && !last.outage ? last.key :
      `again ${alarm.event}`;
    before.set(series, alarm);
  }
}

// Alarms, or several that are one row, followed by its alarms if it is opened; and gaps.
function arrange() {
  setKeys();
  const together = groupBy(alarms, ({ key }) => key);
  const all = [...alarms, ...listGaps()].sort((a, b) => Date.parse(b.begun) - Date.parse(a.begun));
  return all.flatMap((alarm) => {
    const members = together.get(alarm.key);
    if (alarm.title || members.length < (alarm.outage ? 2 : MANY_TIMES)) return [alarm];
    return alarm !== members[0] ? [] :
      [join(members), ...opened.has(alarm.key) ? members : []];
  });
}

function draw() {
  const dayOf = (item) => item && day(item.newest ?? item.begun);
  const items = arrange().flatMap((item, i, all) => [...dayOf(item) !== dayOf(all[i - 1]) ?
    [{ title: dayOf(item) }] : [], item]);
  keep($("events-rows"), items, (item) => item.title ??
    `${item.event}${cameras.has(item.camera) ? "" : " removed"}`, makeRow, updateRow);
  const n = toDo().length;
  $("events-table").hidden = !items.length;
  $("events-older").hidden = !cursor;
  $("events-all").hidden = !n || !isOperator();
  setText($("events-all"), `Acknowledge ${n} shown…`);
  const [from, before] = range();
  setText($("events-count"), !alarms.length ? from >= before ? "The end is not after the start." :
    params.size ? missingGroup(params) || "No alarms match the filter." :
      "Nothing has happened yet." : `${cursor ? "The newest " : ""}${
        count(alarms.length, "alarm")}, ${n ? `${n} not acknowledged` : "none to acknowledge"}`);
}

// The same, and leads the focus to a neighbour if its row goes, such as one that is acknowledged.
function drawAround() {
  const row = focused("tr");
  const rows = [...$("events-rows").querySelectorAll("tr:not(.day)")];
  const at = rows.indexOf(row);
  draw();
  if (at < 0 || row.isConnected) return;
  focusRow([...rows.slice(at), ...rows.slice(0, at).reverse()].find((other) => other.isConnected));
}

const active = () => [...cameras.values()].flatMap((camera) =>
  [camera.snoozed?.until, ...camera.active.map((c) => c.event + (c.acknowledged ?? ""))]).join() +
  gaps().length;

const configuration = () =>
  [...cameras.values()].map(({ name, group, added }) => `${name}\n${group}\n${added}`).join("\n");

// Has the menu offer the conditions of cameras that were added since the last call; with the first
// one, of one camera: nearly always, all have the same.
async function findConditions() {
  const fresh = [...cameras.values()].filter(({ added }) => added > latest);
  const some = latest ? fresh.slice(0, MAX_ASKED) : fresh.slice(0, 1);
  const all = await Promise.all(some.map(({ name }) => ask(path(name))));
  latest = fresh.map(({ added }) => added).sort().at(-1) ?? latest;
  for (const { conditions } of all) {
    for (const condition of conditions) seen.set(condition.condition, conditionWords(condition));
  }
  if (some.length) fillMenus();
}

// Loads the newest rows, or with @more those that follow.
async function load(more) {
  const mine = ++turn;
  known = active();
  const present = configuration();
  const page = await ask(`api/v1/alarms?${makeQuery({ limit: PAGE, cursor: more && cursor })}`);
  if (mine !== turn) return;
  // What was chosen by groups that have changed does not stay.
  if (!more) {
    if (configured !== present && (params.has("group") || params.has("filter"))) cursor = undefined;
    configured = present;
  }
  for (const alarm of page.alarms) seen.set(alarm.condition, conditionWords(alarm));
  const numbers = new Set(page.alarms.map((alarm) => alarm.event));
  const oldest = Date.parse(page.alarms.at(-1)?.begun);
  const rest = alarms.filter((alarm) => !numbers.has(alarm.event) &&
    (more || (cursor !== undefined && page.cursor && Date.parse(alarm.begun) < oldest)));
  const isOther = cursor === undefined; // another filter
  if (more || !rest.length) ({ cursor } = page);
  alarms = more ? [...rest, ...page.alarms] : [...page.alarms, ...rest];
  change(isOther ? draw : drawAround);
}

// Rows stay where they are while somebody has a hand on them.
function loadSoon() {
  clearTimeout(timer);
  timer = setTimeout(() => {
    if (document.hidden || !isFree()) loadSoon();
    else load(false).catch(ignore);
  }, SOON);
}

async function acknowledgeNumbers(numbers, undo, note) {
  const changed = await acknowledgeAll(numbers, undo, note).catch(
    report(undo ? "Not undone" : "Not acknowledged"));
  if (!changed) return;
  tellDone(`${count(changed.length, "alarm")} ${undo ? "not acknowledged any more" :
    "acknowledged"}.`, !undo && changed.length && (() =>
    acknowledgeNumbers(changed, true)));
  load(false).catch(ignore);
}

function toggle(key) {
  if (!opened.delete(key)) opened.add(key);
  change(draw);
}

// What was typed: parts of the names of cameras, groups or conditions. It stays where it is.
function search() {
  clearTimeout(typing);
  const text = $("events-search").value.trim();
  if (text === (params.get("filter") ?? "")) return;
  if (text) params.set("filter", text);
  else params.delete("filter");
  history.replaceState(null, "", params.size ? `#events?${params}` : "#events");
  dispatchEvent(new Event("hashchange"));
}

// A name that was chosen from the list is that camera, and not others whose name contains it.
function take({ target, inputType }) {
  clearTimeout(typing);
  if (inputType?.startsWith("insertT") || !cameras.has(target.value)) {
    typing = setTimeout(search, TYPING);
    return;
  }
  without("filter");
  set("camera", target.value);
  target.value = "";
}

function choosePeriod(key) {
  $("events-times").hidden = key !== "other";
  if (key === "other") $("events-from").firstChild.focus();
  else if (key !== "all") set("period", key);
  else {
    without("period", "from", "before");
    follow();
  }
}

function takeTimes() {
  // A mistyped time would be no limit at all: the browser says what is wrong with it.
  if (![...$("events-times").querySelectorAll("input")].every((input) => input.reportValidity())) return;
  without("period");
  for (const key of ["from", "before"]) {
    const time = getWhen($(`events-${key}`), key === "before");
    if (time > 0) params.set(key, new Date(time).toISOString().replace(":00.000Z", "Z"));
    else without(key);
  }
  follow();
}

function askAcknowledgeAll() {
  const all = toDo();
  const lasting = all.filter((alarm) => !alarm.ended).length;
  askFirst({ title: `Acknowledge ${count(all.length, "alarm")}?`, yes: "Acknowledge", note: true, text:
    `This acknowledges every alarm in the list that is not acknowledged yet: ${
      count(all.length, "alarm")} of ${
      count(new Set(all.map((alarm) => alarm.camera)).size, "camera")}, ${lasting} of them still ` +
    "active. You can undo this." }, (note) =>
    acknowledgeNumbers(all.map(({ event }) => event), false, note));
}

const showMore = ({ matches }) => {
  $("events-more").open = !matches;
};
showMore(PHONE);
PHONE.addEventListener("change", showMore);
addChoices("events-period", Object.entries({ ...PERIODS, all: ["All"], other: ["Other…"] })
  .map(([key, [words]]) => [key, words]), choosePeriod);
document.querySelector("#events-period [data-key=night]").title = "From 18:00 to 8:00";
for (const key of Object.keys(FILTERS)) {
  on(`events-${key}`, ({ target }) => set(key, target.value.slice(1)), "change");
}
for (const key of ["from", "before"]) on(`events-${key}`, takeTimes, "change");
on("events-filter", (event) => {
  event.preventDefault();
  search();
}, "submit");
on("events-search", take, "input");
on("events-search", search, "change");
on("events-older", () => load(true).catch(report("No older alarms")));
on("events-all", askAcknowledgeAll);
onAcknowledged((event) => {
  for (const alarm of alarms.filter(({ event: number }) => number === event.number)) {
    Object.assign(alarm, { acknowledged: event.acknowledged,
      acknowledged_by: event.acknowledged_by ?? "", note: event.note ?? "" });
  }
  if (!$("events").hidden) change(draw);
});

export const view = {
  section: "events",
  show(given) {
    params = given;
    [alarms, cursor] = [[], undefined];
    $("events-done").hidden = true;
    showFilters();
    load(false).catch(report("The alarms cannot be shown"));
    findConditions().then(showFilters, ignore);
  },
  hide() {
    clearTimeout(timer);
    clearTimeout(typing);
    turn++;
  },
  update() {
    // After a reload of the configuration, rows stay where they are, but what they say follows.
    if (told !== configuration()) {
      told = configuration();
      fillMenus();
      findConditions().catch(ignore);
      if (cursor !== undefined) drawAround();
      loadSoon();
    }
    for (const row of $("events-rows").querySelectorAll(".active")) updateRow(row, row.item);
    if (active() !== known) {
      known = active();
      loadSoon();
    }
  },
  focusFilter: () => $("events-search").focus(),
  escape() {
    const had = params.size > 0;
    $("events-search").value = "";
    if (had) location.hash = "#events";
    return had;
  },
  move: (step) => moveFocus($("events-rows"), step, "tr:not(.day)"),
  keys: {
    a() {
      const row = focused("tr");
      const act = row?.querySelector("button.acknowledge");
      say("");
      if (act && !act.hidden) act.click();
      else if (!isOperator()) say("You are a viewer: operators acknowledge alarms.");
      else if (!row) say("No alarm is selected. Press j to select one.");
      else say("There is nothing to acknowledge: the alarm is over and acknowledged, or quiet.");
    },
  },
};
