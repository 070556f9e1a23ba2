// The choice of where an object goes: places with their paths, found by a part of them.

import { text } from "../../text.js";
import { ask } from "../../ui/dialog.js";
import { fill, h } from "../../ui/dom.js";

/** Most places that are listed at once. */
const LISTED = 500;
const ROWS = 10;

/** Types that hold nothing, besides all of `file`. */
const LEAVES = new Set(["Page", "Code", "Include", "File"]);

/** Whether an object may hold others: an assembly may that owns its file, and other files may not. @param {any} node */
export function holds({ type, file }) {
  return !LEAVES.has(type) && (!file || type === "Assembly" || type === "Part");
}

/**
 * Asks where to move an object.
 * @param {{ nodes: any[], one: any, root: { id: string, name: string }, isBelow: (id: string, above: string) => boolean,
 *   move: (parent: string) => void }} options
 */
export function askMove({ nodes, one, root, isBelow, move }) {
  const children = Map.groupBy(nodes, ({ parent }) => parent);
  /** @type {{ id: string, name: string, path: string, level: number }[]} */
  const places = [{ ...root, path: root.name, level: 0 }];
  // A tree may be deeper than the stack.
  const open = (children.get(root.id) ?? []).map((node) => ({ node, above: "", level: 1 })).reverse();
  for (let next = open.pop(); next; next = open.pop()) {
    const { node, above, level } = next;
    if (node.id === one.id) continue;
    const path = above ? `${above} / ${node.name}` : node.name;
    if (holds(node) && !isBelow(node.id, one.id)) places.push({ id: node.id, name: node.name, path, level });
    for (const child of (children.get(node.id) ?? []).toReversed()) open.push({ node: child, above: path, level: level + 1 });
  }
  const list = h("select", { id: "field-into", name: "into", size: ROWS, required: true, class: "places" });
  const rest = h("p", { class: "soft", role: "status" });
  const filter = h("input", { id: "field-find-into", type: "search", autocomplete: "off", oninput: () => draw() });
  function draw() {
    const wanted = filter.value.trim().toLocaleLowerCase();
    const found = places.filter(({ path }) => path.toLocaleLowerCase().includes(wanted));
    const chosen = list.value || one.parent;
    fill(list, found.slice(0, LISTED).map(({ id, path, name, level }) => {
      const option = h("option", { value: id, title: path, selected: id === chosen }, wanted ? path : name);
      option.style.setProperty("--level", String(wanted ? 0 : Math.min(level, 20)));
      return option;
    }));
    if (list.selectedIndex < 0) list.selectedIndex = found.length > 0 ? 0 : -1;
    list.hidden = found.length === 0;
    fill(rest, found.length === 0 ? text.files.noInto : found.length > LISTED ? text.files.moreInto(found.length - LISTED) : null);
  }
  draw();
  const dialog = ask({ title: text.files.moves(one.name), action: text.files.move,
    fields: [h("div", { class: "field" }, h("label", { for: filter.id }, text.files.findInto), filter),
      h("div", { class: "field" }, h("label", { for: list.id }, text.files.into), list, rest)],
    async send(form) { move(String(form.get("into"))); } });
  dialog.classList.add("wide");
  filter.addEventListener("keydown", (event) => {
    if (event.key !== "ArrowDown") return;
    event.preventDefault();
    list.focus();
  });
}
