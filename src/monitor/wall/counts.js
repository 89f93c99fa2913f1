// SPDX-License-Identifier: LGPL-2.1-or-later
// How many cameras are lost, impaired and so on: each count is a link that shows these alone; and
// the newest alarm, which leads to its camera.

import { keep, make, part, setCurrent, setText } from "./dom.js";
import { cameraHash, cameras, choose, describeChoice, isOfKind, isToDo, newest, now, outages,
  startOf, toDoOnes, toDoWords, worst } from "./state.js";
import { KINDS, clock, conditionWords, count, icon } from "./words.js";

const ALWAYS = ["lost", "impaired", "ok"]; // kinds that are shown with a count of 0, too
const ALSO = ["snoozed", "quiet"]; // kinds that count cameras beside their other alarms
const OTHERS = "others"; // the link that says what the counts leave out
const TOGETHER = 10000; // ms between alarms of several cameras that are news together

// The newest alarm of @shown that nobody takes care of: of those that came together, the worst.
export function showNews(link, shown) {
  const all = shown.filter(isToDo).sort((a, b) => newest(b) - newest(a));
  link.hidden = !all.length;
  if (!all.length) return;
  const together = all.filter((c) => newest(all[0]) - newest(c) < TOGETHER)
    .map((camera) => [camera, toDoOnes(camera).find((c) => Date.parse(c.since) === newest(camera))])
    .sort(([, a], [, b]) => worst(a, b));
  const [news, alarm] = together[0];
  const others = together.length - 1;
  const outage = outages(shown).find(({ alarms: lost }) => lost.includes(alarm));
  link.href = outage ? `#?outage=${outage.id}` : cameraHash(news.name, 0, alarm.event);
  link.title = `Newest: ${outage ? outage.words : `${news.name}, ${conditionWords(alarm)}${
    others ? `, and ${count(others, "other camera")}` : ""}`},${
    alarm.active_since ? " still active" : ""} since ${
    clock(outage ? outage.since : startOf(alarm), now())}`;
  setText(link, link.title);
}

// What a filter has the counts be of, and how many other cameras need somebody.
function describeFilter(params, all) {
  const others = [...cameras.values()].filter((c) => isToDo(c) && !all.includes(c)).length;
  return [`Only ${describeChoice(params)}`,
    others && `${count(others, "other camera")} ${toDoWords()}`].filter(Boolean)
    .join(" · ");
}

const makeCount = ([name]) => make("li", "", {}, name === OTHERS ?
  part("a", `count ${name}`, make("b")) :
  part("a", `count ${name}`, icon(name), make("b"), part("span", "word", KINDS[name])));

// Fills @list with the counts of all cameras that @params of the address @base choose, whatever
// their state.
export function showCounts(list, params, base) {
  const anyState = new URLSearchParams(params);
  anyState.delete("state");
  const all = choose(anyState);
  const counts = Object.keys(KINDS).map((name) =>
    [name, all.filter((camera) => isOfKind(camera, name)).length])
    .filter(([name, n]) => n || ALWAYS.includes(name) || params.get("state") === name);
  if (params.get("filter") || (base === "#" && describeChoice(params))) counts.push([OTHERS, ""]);
  keep(list, counts, ([name]) => name, makeCount, (item, [name, n]) => {
    const link = item.firstChild;
    if (name === OTHERS) {
      link.href = base;
      link.title = "Show all cameras again";
      setText(link.lastChild, describeFilter(params, all));
      return;
    }
    const isChosen = params.get("state") === name;
    const other = new URLSearchParams(anyState);
    if (!isChosen) other.set("state", name);
    link.href = other.size ? `${base}?${other}` : base;
    setCurrent(link, isChosen);
    link.title = isChosen ? "Show all cameras again" :
      `Show only these cameras${ALSO.includes(name) ? ", also those with other alarms" : ""}`;
    link.classList.toggle("none", !n);
    setText(link.querySelector("b"), n);
  });
}
