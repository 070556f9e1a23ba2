// Text of models and people as elements: paragraphs, headings, lists, quotes, code, emphasis and links. Nothing of it
// becomes markup, and links lead to web pages and mail alone.

import { h } from "./dom.js";

const FENCE = /^\s*(```+|~~~+)\s*([\w+-]*)\s*$/;
const ITEM = /^\s{0,6}(?:[-*+]|(\d{1,9})[.)])\s+(.*)$/;
const HEADING = /^#{1,6}\s+(.*)$/;
const INLINE = /`([^`]+)`|\*\*([^*]+)\*\*|\*([^*\s][^*]*)\*|\[([^\]]+)\]\(([^\s()]+)\)/g;
const SAFE = new Set(["http:", "https:", "mailto:"]);

/** The blocks of a text. @param {string} source @returns {Node[]} */
export function prose(source) {
  const lines = source.split("\n");
  /** @type {Node[]} */
  const blocks = [];
  /** @type {string[]} */
  let paragraph = [];
  const end = () => {
    if (paragraph.length > 0) blocks.push(h("p", { dir: "auto" }, inline(paragraph.join("\n"))));
    paragraph = [];
  };
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at];
    const fence = FENCE.exec(line);
    if (fence) {
      end();
      const from = at + 1;
      for (at = from; at < lines.length && lines[at].trim() !== fence[1]; at += 1);
      blocks.push(code(lines.slice(from, at).join("\n")));
    } else if (ITEM.test(line)) {
      end();
      const from = at;
      for (; at + 1 < lines.length && ITEM.test(lines[at + 1]); at += 1);
      blocks.push(list(lines.slice(from, at + 1)));
    } else if (HEADING.test(line)) {
      end();
      blocks.push(h("p", { class: "prose-heading", dir: "auto" }, inline(line.replace(HEADING, "$1"))));
    } else if (line.startsWith("> ")) {
      end();
      const from = at;
      for (; lines[at + 1]?.startsWith("> "); at += 1);
      const quoted = lines.slice(from, at + 1).map((one) => one.slice(2)).join("\n");
      blocks.push(h("blockquote", { dir: "auto" }, inline(quoted)));
    } else if (line.trim() === "") {
      end();
    } else {
      paragraph.push(line);
    }
  }
  end();
  return blocks;
}

/** A block of code. @param {string} content @param {string} [label] */
export function code(content, label) {
  return h("pre", { class: "prose-code", tabindex: "0", role: label ? "group" : undefined, "aria-label": label }, content);
}

/** @param {string[]} lines */
function list(lines) {
  const items = lines.map((line) => h("li", { dir: "auto" }, inline(ITEM.exec(line)?.[2] ?? "")));
  const first = ITEM.exec(lines[0])?.[1];
  return first ? h("ol", { start: first }, items) : h("ul", {}, items);
}

/** @param {string} source @returns {(Node | string)[]} */
function inline(source) {
  /** @type {(Node | string)[]} */
  const parts = [];
  let from = 0;
  for (const found of source.matchAll(INLINE)) {
    const [whole, written, strong, emphasis, name, target] = found;
    parts.push(source.slice(from, found.index));
    from = found.index + whole.length;
    if (written) parts.push(h("code", {}, written));
    else if (strong) parts.push(h("strong", {}, strong));
    else if (emphasis) parts.push(h("em", {}, emphasis));
    else parts.push(link(name, target) ?? whole);
  }
  parts.push(source.slice(from));
  return parts;
}

/** A link that leaves for another tab; none where its scheme could run something. @param {string} name @param {string} target */
function link(name, target) {
  if (!URL.canParse(target)) return null;
  const url = new URL(target);
  if (!SAFE.has(url.protocol)) return null;
  return h("a", { href: url.href, target: "_blank", rel: "noopener noreferrer nofollow", title: url.href }, name);
}
