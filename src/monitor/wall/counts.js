// SPDX-License-Identifier: LGPL-2.1-or-later
// How many cameras are lost, impaired and so on: each count is a link that shows these alone.

import { keep, make, part, setCurrent, setText } from "./dom.js";
import { choose, kind } from "./state.js";
import { KINDS, icon } from "./words.js";

const ALWAYS = ["lost", "impaired", "ok"]; // kinds that are shown with a count of 0, too

const makeCount = ([name]) => make("li", "", {},
  part("a", `count ${name}`, icon(name), make("b"), part("span", "word", KINDS[name])));

// Fills @list with the counts of all cameras that @params of the address @base choose, whatever
// their state.
export function showCounts(list, params, base) {
  const anyState = new URLSearchParams(params);
  anyState.delete("state");
  const all = choose(anyState);
  const counts = Object.keys(KINDS).map((name) =>
    [name, all.filter((camera) => kind(camera) === name).length])
    .filter(([name, n]) => n || ALWAYS.includes(name) || params.get("state") === name);
  keep(list, counts, ([name]) => name, makeCount, (item, [name, n]) => {
    const link = item.firstChild;
    const isChosen = params.get("state") === name;
    const other = new URLSearchParams(anyState);
    if (!isChosen) other.set("state", name);
    link.href = other.size ? `${base}?${other}` : base;
    setCurrent(link, isChosen);
    link.title = isChosen ? "Show all cameras again" : "Show only these cameras";
    link.classList.toggle("none", !n);
    setText(link.querySelector("b"), n);
  });
}
