// SPDX-License-Identifier: LGPL-2.1-or-later
// Measures how the page looks, for layout.py: each function returns what is wrong, in words.

"use strict";

window.layout = (() => {
  const NEAR = 1.5; // pixels that do not matter
  const APART = 3; // pixels between controls
  const MIN_CONTRAST = 4.5;
  const CONTROLS = "a[href], button, input, select, summary, textarea";
  const ARROW = 20; // pixels of the arrow of a list to choose from
  const RATIO = 16 / 9;
  const LEGIBLE = 0.016; // of the height of a screen: 14 minutes of arc at 2.5 times its height
  const LARGE = [0.04, 0.05]; // of the height of a screen, or of the width of a tile: its name
  const FIRST = 4; // cameras in the first screen of a phone
  const NO_TEXT = "svg, script, style, noscript, template, select, option, .unseen, .symbols";

  const name = (e) => {
    const own = e.id ? `#${e.id}` : `${e.tagName.toLowerCase()}${
      [...e.classList].map((c) => `.${c}`).join("")}`;
    const article = e.closest("article, tr, li");
    return `${own} ${JSON.stringify(e.textContent.trim().slice(0, 40))}${
      article?.dataset.name ? ` of ${article.dataset.name.slice(0, 20)}` : ""}`;
  };
  const bare = (text) => text.trim().replaceAll("\u00a0", " ");
  const dialog = () => [...document.querySelectorAll("dialog[open]")].at(-1) ?? document.body;

  // What only screen readers have is one pixel large.
  const isSeen = (e) => e.checkVisibility({ visibilityProperty: true, opacityProperty: true }) &&
    !e.closest(".unseen, .symbols") && (() => {
    for (let a = e; a; a = a.parentElement) {
      if (getComputedStyle(a).clipPath.startsWith("inset(50%")) return false;
    }
    return true;
  })();

  // Ancestors that hide what is beyond them, up to the one that is fixed to the window.
  function* clips(e) {
    for (let a = e; a && a !== document.body && a !== document.documentElement;
      a = a.parentElement) {
      const style = getComputedStyle(a);
      if (style.overflowX !== "visible" || style.overflowY !== "visible") {
        const r = a.getBoundingClientRect();
        yield { element: a, style, left: r.left + a.clientLeft, top: r.top + a.clientTop,
          right: r.left + a.clientLeft + a.clientWidth,
          bottom: r.top + a.clientTop + a.clientHeight };
      }
      if (style.position === "fixed") return;
    }
  }

  function clip(e, r) {
    const seen = { left: r.left, top: r.top, right: r.right, bottom: r.bottom };
    for (const c of clips(e)) {
      seen.left = Math.max(seen.left, c.left);
      seen.top = Math.max(seen.top, c.top);
      seen.right = Math.min(seen.right, c.right);
      seen.bottom = Math.min(seen.bottom, c.bottom);
    }
    return seen;
  }

  // Of all lines of text: { element, rects }
  function* texts(root = dialog()) {
    const walk = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    for (let node = walk.nextNode(); node; node = walk.nextNode()) {
      const element = node.parentElement;
      if (!node.data.trim() || element.closest(NO_TEXT) || !isSeen(element)) continue;
      const range = document.createRange();
      range.selectNodeContents(node);
      yield { element, rects: [...range.getClientRects()].filter((r) => r.width && r.height) };
    }
  }

  // Whether a text that ends in dots says all of itself to a pointer and a screen reader, and no line
  // is cut through.
  const isMeant = (e, c, rects) => (c.style.textOverflow === "ellipsis" || c.style.webkitLineClamp > 0) &&
    !rects.some((r) => r.top < c.bottom - NEAR && r.bottom > c.bottom + NEAR) &&
    bare(e.closest("[title]")?.title ?? "").includes(bare(e.textContent));

  function cutText({ element, rects }) {
    const size = parseFloat(getComputedStyle(element).fontSize);
    const free = { x: false, y: false }; // it can be scrolled to
    for (const c of clips(element)) {
      free.x ||= /auto|scroll/.test(c.style.overflowX);
      free.y ||= /auto|scroll/.test(c.style.overflowY);
      const isCut = rects.some((r) =>
        (!free.x && (r.left < c.left - NEAR || r.right > c.right + NEAR)) ||
        // Letters are smaller than their line.
        (!free.y && (r.top < c.top - 0.2 * size || r.bottom > c.bottom + 0.2 * size)));
      if (isCut) return isMeant(element, c, rects) ? "" : `cut off by ${name(c.element)}`;
    }
    if (!free.x && rects.some((r) => r.left < -NEAR || r.right > innerWidth + NEAR)) {
      return "beyond the window";
    }
    return "";
  }

  // The text of a control that has no text of its own.
  function cutValue(e) {
    const text = e.tagName === "SELECT" ? e.selectedOptions[0]?.text : e.value || e.placeholder;
    if (!text || !/^(SELECT|INPUT)$/.test(e.tagName) ||
        !/^(select-one|text|search)$/.test(e.type)) return "";
    const style = getComputedStyle(e);
    const paper = document.createElement("canvas").getContext("2d");
    paper.font = style.font;
    const space = e.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight) -
      (e.tagName === "SELECT" ? ARROW : 0);
    const width = paper.measureText(text).width;
    return width > space + NEAR ?
      `${Math.round(width)} pixels of text in ${Math.round(space)}` : "";
  }

  function cut() {
    const found = [];
    for (const text of texts()) {
      const what = cutText(text);
      if (what) found.push(`${name(text.element)} is ${what}`);
    }
    for (const e of dialog().querySelectorAll("input, select")) {
      const what = isSeen(e) && cutValue(e);
      if (what) found.push(`${name(e)} ${JSON.stringify(e.value)} has ${what}`);
    }
    const page = document.documentElement;
    if (page.scrollWidth > innerWidth) found.push(`the page is ${page.scrollWidth} pixels wide`);
    return found;
  }

  // What is fixed to the window lies over what moves.
  function layer(e) {
    for (let a = e; a; a = a.parentElement) {
      if (/fixed|sticky/.test(getComputedStyle(a).position)) return a;
    }
    return null;
  }

  function overlaps() {
    const boxes = [];
    const add = (element, r) => {
      const seen = clip(element, r);
      if (seen.right - seen.left > NEAR && seen.bottom - seen.top > NEAR) {
        boxes.push({ ...seen, element, layer: layer(element) });
      }
    };
    for (const { element, rects } of texts()) {
      // Lines of letters that lie close together do not touch.
      for (const { left, right, top, bottom } of rects) {
        const rim = 0.15 * (bottom - top);
        add(element, { left, right, top: top + rim, bottom: bottom - rim });
      }
    }
    for (const e of dialog().querySelectorAll(`${CONTROLS}, article, .badge`)) {
      // Marks of a timeline are as close as what happened.
      if (!isSeen(e) || e.closest(".lane")) continue;
      for (const r of e.matches("a:not(.tile, .button, .count)") ? e.getClientRects() :
        [e.getBoundingClientRect()]) add(e, r);
    }
    boxes.sort((a, b) => a.top - b.top);
    const found = new Set();
    boxes.forEach((a, i) => {
      for (let j = i + 1; j < boxes.length && boxes[j].top < a.bottom - NEAR; j++) {
        const b = boxes[j];
        if (a.layer !== b.layer || a.element.contains(b.element) || b.element.contains(a.element) ||
            Math.min(a.right, b.right) - Math.max(a.left, b.left) <= NEAR ||
            Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) <= NEAR) continue;
        // A label and its control are one.
        const label = a.element.closest("label");
        if (label && label === b.element.closest("label")) continue;
        found.add(`${name(a.element)} and ${name(b.element)} overlap`);
      }
    });
    return [...found];
  }

  // Controls with a border that are too close to be told apart. Choices are one control.
  function crowded() {
    const all = [...dialog().querySelectorAll("button, .button, input, select, summary")]
      .filter((e) => isSeen(e) && !e.closest(".choices") &&
        parseFloat(getComputedStyle(e).borderTopWidth))
      .map((element) => ({ ...clip(element, element.getBoundingClientRect()), element,
        layer: layer(element) })).filter((r) => r.right > r.left && r.bottom > r.top);
    return all.flatMap((a, i) => all.slice(i + 1).filter((b) => a.layer === b.layer &&
      Math.max(a.left, b.left) - Math.min(a.right, b.right) < APART &&
      Math.max(a.top, b.top) - Math.min(a.bottom, b.bottom) < APART)
      .map((b) => `${name(a.element)} and ${name(b.element)} are too close`));
  }

  // Numbers whose unit may be on the next line. Code is copied as it is.
  const separable = () => [...texts()].filter(({ element }) => !element.closest("code") &&
    /\d (m?s|min|h|d|%)(?!\w)/.test(element.textContent))
    .map(({ element }) => `${name(element)} may break between a number and its unit`);

  // Contrast of what is over pictures, which may be black or white.

  const parse = (color) => {
    const [r, g, b, a = 1] = color.match(/[\d.]+/g).map(Number);
    return { rgb: [r, g, b], a };
  };
  const over = (front, back) => front.rgb.map((v, i) => v * front.a + back[i] * (1 - front.a));
  function luminance(rgb) {
    const [r, g, b] = rgb.map((v) => v / 255)
      .map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  }
  function contrast(a, b) {
    const [light, dark] = [luminance(a), luminance(b)].sort((x, y) => y - x);
    return (light + 0.05) / (dark + 0.05);
  }

  function overPictures() {
    const found = [];
    for (const { element, rects } of texts()) {
      const tile = element.closest(".tile");
      if (!tile || !rects.length) continue;
      const parts = [];
      for (let a = element; a !== tile; a = a.parentElement) parts.unshift(a);
      for (const picture of [[0, 0, 0], [255, 255, 255]]) {
        const back = parts.reduce((color, part) =>
          over(parse(getComputedStyle(part).backgroundColor), color), picture);
        const ratio = contrast(over(parse(getComputedStyle(element).color), back), back);
        if (ratio < MIN_CONTRAST) {
          found.push(`${name(element)} has a contrast of ${ratio.toFixed(2)} over ${picture}`);
        }
      }
    }
    return [...new Set(found)];
  }

  // The wall

  function wall(count) {
    const found = [];
    const box = document.getElementById("wall-tiles").getBoundingClientRect();
    const tiles = [...document.querySelectorAll("#wall-tiles article")];
    if (tiles.length !== count) found.push(`${tiles.length} tiles, not ${count}`);
    let best = 0;
    for (let columns = 1; columns <= tiles.length; columns++) {
      const [w, h] = [box.width / columns, box.height / Math.ceil(tiles.length / columns)];
      best = Math.max(best, Math.min(w, h * RATIO) * Math.min(h, w / RATIO));
    }
    for (const tile of tiles) {
      const r = tile.getBoundingClientRect();
      const picture = tile.querySelector("canvas").getBoundingClientRect();
      if (r.left < -NEAR || r.top < -NEAR || r.right > innerWidth + NEAR ||
          r.bottom > innerHeight + NEAR) found.push(`${name(tile)} is not in the window`);
      if (Math.abs(r.width / r.height / RATIO - 1) > 0.05) {
        found.push(`${name(tile)} is ${r.width} × ${r.height}`);
      }
      if (r.width * r.height < 0.9 * best) found.push(`${name(tile)} could be larger`);
      if (Math.abs(picture.width - r.width) > 2 || Math.abs(picture.height - r.height) > 2) {
        found.push(`the picture of ${name(tile)} does not fill it`);
      }
      const size = parseFloat(getComputedStyle(tile.querySelector(".name")).fontSize);
      if (size < Math.min(LARGE[0] * innerHeight, LARGE[1] * r.width) - NEAR) {
        found.push(`the name of ${name(tile)} has ${size} pixels`);
      }
    }
    for (const badge of document.querySelectorAll("#wall-tiles.dense .badge:has(b)")) {
      badge.querySelector("b").textContent = "View partly covered";
      if (badge.offsetHeight > 2 * parseFloat(getComputedStyle(badge).fontSize)) {
        found.push(`${name(badge)} has several lines`);
      }
    }
    if (document.documentElement.scrollHeight > innerHeight) found.push("the wall scrolls");
    if (!isSeen(document.getElementById("wall-clock"))) found.push("the wall has no clock");
    const far = innerWidth > innerHeight ? document.querySelectorAll("#wall-bar *, .badge") : [];
    for (const e of far) {
      const size = parseFloat(getComputedStyle(e).fontSize);
      if (isSeen(e) && size < LEGIBLE * innerHeight) found.push(`${name(e)} has ${size} pixels`);
    }
    return found;
  }

  // The overview on a phone: trouble comes first, and some thumbnails are in view.
  function phone(count) {
    const tiles = [...document.querySelectorAll("#tiles article")];
    const isBad = tiles.map((tile) => /lost|impaired|notice/.test(tile.dataset.kind));
    const found = isBad.some((bad, i) => bad && i && !isBad[i - 1]) ? ["trouble is not first"] : [];
    const end = document.querySelector("nav").getBoundingClientRect().top;
    const shown = tiles.filter((tile) =>
      tile.querySelector(".tile").getBoundingClientRect().bottom <= end);
    // The line of an outage stands for its cameras, and takes the place of one.
    const first = FIRST - document.querySelectorAll("#outages li").length;
    const [top, menu] = ["counts", "menu"].map((id) =>
      document.getElementById(id).getBoundingClientRect().top);
    if (Math.abs(top - menu) > 4) found.push("the menu has a line of its own");
    if (shown.length < Math.min(count, first)) found.push(`${shown.length} cameras are in view`);
    return found;
  }

  // The keyboard: start(), then step() after each Tab until it is true, and then missed().

  const reached = new Set();
  const seen = [];
  function start() {
    reached.clear();
    seen.length = 0;
    document.activeElement?.blur();
  }
  function step() {
    const e = document.activeElement;
    if (!e || e === document.body) return reached.size > 0;
    if (reached.has(e)) return e === [...reached][0];
    reached.add(e);
    const style = getComputedStyle(e);
    const shown = e.matches("input[type=checkbox]") ? e.closest("label") ?? e : e;
    if (style.outlineStyle === "none" || parseFloat(style.outlineWidth) < 2) {
      seen.push(`${name(e)} has no sign of the focus`);
    }
    const r = clip(shown, shown.getClientRects()[0] ?? shown.getBoundingClientRect());
    const x = (Math.max(r.left, 0) + Math.min(r.right, innerWidth)) / 2;
    const y = (Math.max(r.top, 0) + Math.min(r.bottom, innerHeight)) / 2;
    const at = document.elementFromPoint(x, y);
    if (!at || !(shown.contains(at) || at.contains(shown))) {
      seen.push(`${name(e)} is under ${at ? name(at) : "the rim"} while it has the focus`);
    }
    return false;
  }
  function missed() {
    const all = [...dialog().querySelectorAll(CONTROLS)].filter((e) => isSeen(e) && !e.disabled &&
      e.getBoundingClientRect().width > 0 &&
      // Of a lane, arrows lead to the others, and some links are there twice.
      !e.closest(".lane, [aria-hidden=true]"));
    return [...seen, ...all.filter((e) => !reached.has(e)).map((e) =>
      `${name(e)} is not reached with Tab`)];
  }

  const count = (selector) => [...document.querySelectorAll(selector)].filter(isSeen).length;

  function choose(id, value) {
    const list = document.getElementById(id);
    list.value = value;
    list.dispatchEvent(new Event("change"));
  }

  return { choose, count, crowded, cut, overlaps, overPictures, separable, wall, phone, start, step, missed };
})();
