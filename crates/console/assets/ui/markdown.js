// Markdown as elements: text is always text, so nothing in it becomes markup. Links have safe schemes alone, and
// pictures are links, because the page loads nothing from outside.

import { h } from "./dom.js";

const DEEPEST = 6;
const SCHEMES = new Set(["http:", "https:", "mailto:"]);

/** A block of text as elements, below a heading of the level `under`. @param {string} source @param {number} under */
export function markdown(source, under = 2) {
  // Headings begin below that of the place, and leave out no level.
  const levels = { under, last: under };
  return h("div", { class: "markdown" }, blocks(source.replace(/\r\n?/g, "\n").split("\n"), 0, levels));
}

/** @param {string[]} lines @param {number} depth @param {{ under: number, last: number }} levels @returns {Node[]} */
function blocks(lines, depth, levels) {
  /** @type {Node[]} */
  const made = [];
  for (let at = 0; at < lines.length;) {
    const line = lines[at];
    if (line.trim() === "") {
      at += 1;
      continue;
    }
    const fence = /^ {0,3}(`{3,}|~{3,})/.exec(line);
    if (fence) {
      let end = at + 1;
      while (end < lines.length && !lines[end].trim().startsWith(fence[1])) end += 1;
      made.push(h("pre", { tabindex: "0" }, h("code", {}, lines.slice(at + 1, end).join("\n"))));
      at = end + 1;
      continue;
    }
    const heading = /^ {0,3}(#{1,6}) +(.*?)(?: +#+ *)?$/.exec(line);
    if (heading) {
      levels.last = Math.min(heading[1].length + levels.under, levels.last + 1, 6);
      made.push(h(/** @type {"h3"} */ (`h${levels.last}`), { dir: "auto" }, inline(heading[2], 0)));
      at += 1;
      continue;
    }
    if (/^ {0,3}([-*_])( *\1){2,} *$/.test(line)) {
      made.push(h("hr"));
      at += 1;
      continue;
    }
    if (/^ {0,3}>/.test(line) && depth < DEEPEST) {
      const inner = [];
      for (; at < lines.length && /^ {0,3}>/.test(lines[at]); at += 1) inner.push(lines[at].replace(/^ {0,3}> ?/, ""));
      made.push(h("blockquote", { dir: "auto" }, blocks(inner, depth + 1, levels)));
      continue;
    }
    if (item(line) && depth < DEEPEST) {
      const [list, next] = listAt(lines, at, depth, levels);
      made.push(list);
      at = next;
      continue;
    }
    if (line.includes("|") && /^ {0,3}\|?( *:?-+:? *\|)+( *:?-+:? *)?$/.test(lines[at + 1] ?? "")) {
      const rows = [line];
      for (at += 2; at < lines.length && lines[at].includes("|"); at += 1) rows.push(lines[at]);
      made.push(table(rows));
      continue;
    }
    const paragraph = [line];
    for (at += 1; at < lines.length && lines[at].trim() !== "" && !begins(lines[at], depth); at += 1) paragraph.push(lines[at]);
    made.push(h("p", { dir: "auto" }, paragraph.flatMap((one, index) =>
      [...(index > 0 ? [h("br")] : []), ...inline(one.trim(), 0)])));
  }
  return made;
}

/** Whether a line ends the paragraph before it. @param {string} line @param {number} depth */
function begins(line, depth) {
  return /^ {0,3}(#{1,6} |`{3,}|~{3,})/.test(line) || (depth < DEEPEST && (/^ {0,3}>/.test(line) || item(line) !== null));
}

/** @param {string} line */
function item(line) {
  return /^( *)([-*+]|\d{1,9}[.)])( +)(.*)$/.exec(line);
}

/** @param {string[]} lines @param {number} at @param {number} depth @param {{ under: number, last: number }} levels */
function listAt(lines, at, depth, levels) {
  const first = item(lines[at]);
  const indent = first?.[1].length ?? 0;
  const ordered = /\d/.test(first?.[2] ?? "");
  const list = h(ordered ? "ol" : "ul", ordered && parseInt(first?.[2] ?? "1", 10) !== 1
    ? { start: parseInt(first?.[2] ?? "1", 10) } : {});
  while (at < lines.length) {
    const found = item(lines[at]);
    if (!found || found[1].length !== indent || /\d/.test(found[2]) !== ordered) break;
    const width = indent + found[2].length + 1;
    const own = [found[4]];
    for (at += 1; at < lines.length; at += 1) {
      const blank = lines[at].trim() === "";
      const inside = !blank && /^ */.exec(lines[at])?.[0].length;
      if (blank && !/^ {2,}\S/.test(lines[at + 1] ?? "")) break;
      if (!blank && (inside || 0) <= indent && (item(lines[at]) || begins(lines[at], depth))) break;
      own.push(lines[at].slice(Math.min(width, /^ */.exec(lines[at])?.[0].length ?? 0)));
    }
    while (at < lines.length && lines[at].trim() === "" && item(lines[at + 1] ?? "")) at += 1;
    const task = /^\[([ xX])\] (.*)$/.exec(own[0]);
    if (task) own[0] = task[2];
    // One paragraph needs no element of its own.
    const inner = blocks(own, depth + 1, levels);
    const flat = inner[0] instanceof HTMLParagraphElement ? [...inner[0].childNodes, ...inner.slice(1)] : inner;
    list.append(h("li", { dir: "auto", class: task ? "task" : undefined },
      task ? h("span", { role: "img", "aria-label": task[1] === " " ? "☐" : "☑" }, task[1] === " " ? "☐ " : "☑ ") : null, flat));
  }
  return /** @type {[Node, number]} */ ([list, at]);
}

/** @param {string[]} rows */
function table(rows) {
  const cells = (/** @type {string} */ row) => row.trim().replace(/^\||\|$/g, "").split("|").slice(0, 20).map((cell) => cell.trim());
  const [head, ...body] = rows;
  return h("div", { class: "table-place", tabindex: "0" }, h("table", {},
    h("thead", {}, h("tr", {}, cells(head).map((cell) => h("th", { dir: "auto" }, inline(cell, 0))))),
    h("tbody", {}, body.map((row) => h("tr", {}, cells(row).map((cell) => h("td", { dir: "auto" }, inline(cell, 0))))))));
}

// Each alternative ends at a character that it excludes, or after a bounded length: hostile text takes linear time.
const INLINE = new RegExp([
  /\\([!-/:-@[-`{-~])/u, /`([^`]{1,1000})`/u, /!?\[([^[\]]{0,500})\]\(([^()\s]{1,2000})\)/u,
  /\*\*(?=\S)((?:[^*]|\*(?!\*)){1,1000})\*\*/u, /__(?=\S)([^_]{1,1000})__/u, /\*(?=\S)([^*]{1,1000})\*/u,
  /(?<![\p{L}\p{N}_])_(?=\S)([^_]{1,1000})_(?![\p{L}\p{N}_])/u, /~~(?=\S)([^~]{1,1000})~~/u,
  /<?(https?:\/\/[^\s<>()[\]"'`]{1,2000}[^\s<>()[\]"'`.,;:!?])>?/u,
].map((one) => one.source).join("|"), "gu");

/** @param {string} source @param {number} depth @returns {(Node | string)[]} */
function inline(source, depth) {
  if (depth >= DEEPEST) return [source];
  /** @type {(Node | string)[]} */
  const made = [];
  let end = 0;
  for (const found of source.matchAll(INLINE)) {
    const [whole, escaped, code, name, target, strong, strongToo, soft, softToo, struck, address] = found;
    if (found.index > end) made.push(source.slice(end, found.index));
    end = found.index + whole.length;
    const bold = strong ?? strongToo;
    const slanted = soft ?? softToo;
    if (escaped) made.push(escaped);
    else if (code) made.push(h("code", {}, code));
    else if (target) made.push(link(target, name ? inline(name, depth + 1) : [target], whole));
    else if (bold) made.push(h("strong", {}, inline(bold, depth + 1)));
    else if (slanted) made.push(h("em", {}, inline(slanted, depth + 1)));
    else if (struck) made.push(h("s", {}, inline(struck, depth + 1)));
    else if (address) made.push(link(address, [address], whole));
    else made.push(whole);
  }
  if (end < source.length) made.push(source.slice(end));
  return made;
}

/** A link, or the text as it was typed where its scheme isn't safe. @param {string} target @param {(Node | string)[]} name @param {string} typed */
function link(target, name, typed) {
  const url = URL.canParse(target, location.origin) ? new URL(target, location.origin) : null;
  if (!url || !SCHEMES.has(url.protocol)) return typed;
  const own = url.origin === location.origin;
  return h("a", { href: own ? url.pathname + url.search + url.hash : url.href, target: own ? undefined : "_blank",
    rel: own ? undefined : "noopener noreferrer nofollow ugc", dir: "auto" }, name);
}
