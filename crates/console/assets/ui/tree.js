// A tree of any size: only the rows near the viewport are in the page.

import { h, icon, refill } from "./dom.js";
import { text } from "../text.js";

/**
 * @typedef {{ id: string, name: string, product?: string, parent: string, icon: string, children: number, mark?: "added" | "changed",
 *   inside: number, deleted: number, isFile?: boolean }} Node `inside` counts changes at any depth below, `deleted` the
 *   deletions directly below
 * @typedef {{ node: Node, level: number, place: number, of: number }} Row
 * @typedef {"pointer" | "enter" | "arrows"} Means how a person chose a row
 * @typedef {{ element: HTMLElement, show: (nodes: Node[]) => void, select: (id: string | null) => void,
 *   step: (by: number) => void }} Tree `step` moves the focus to the tree, and the selection by some rows
 */

/** Fingers need more room than a mouse. */
const ROW_PX = matchMedia("(pointer: coarse)").matches ? 40 : 28;
const BESIDE = 10;
const ROW = "application/x-atelier-object";

/**
 * `dropped` hears files on a folder, `moved` a row on another one; `menu` is asked for at a point.
 * @param {{ label: string, root: string, chosen: (id: string, by: Means) => void,
 *   dropped: (transfer: DataTransfer, on: string) => void, moved?: (id: string, on: string) => void,
 *   menu?: (id: string | null, x: number, y: number) => void }} options
 * @returns {Tree}
 */
export function tree({ label, root, chosen, dropped, moved, menu }) {
  const rows = h("div", { class: "tree-rows", role: "presentation" });
  const element = h("div", { class: "tree", role: "tree", "aria-label": label, tabindex: "0" }, rows);
  element.style.setProperty("--row", `${ROW_PX}px`);
  /** @type {Map<string, Node[]>} */
  let children = new Map();
  /** @type {Row[]} */
  let seen = [];
  /** @type {Set<string>} */
  const unfolded = new Set();
  /** @type {string | null} */
  let selected = null;
  /** @type {Map<number, HTMLElement>} */
  let drawn = new Map();
  let planned = 0;

  function flatten() {
    seen = [];
    // A list of what is still to be shown, last first: a tree may be deeper than the stack.
    /** @type {Row[]} */
    const open = [];
    /** @param {string} id @param {number} level */
    const push = (id, level) => {
      const list = children.get(id) ?? [];
      for (let at = list.length - 1; at >= 0; at -= 1) open.push({ node: list[at], level, place: at + 1, of: list.length });
    };
    push(root, 1);
    for (let row = open.pop(); row; row = open.pop()) {
      seen.push(row);
      if (unfolded.has(row.node.id)) push(row.node.id, row.level + 1);
    }
    rows.style.height = `${seen.length * ROW_PX}px`;
    draw();
  }

  /** Rows that stay are kept while scrolling, unless they are drawn `again`. */
  function draw(again = true) {
    const first = Math.max(0, Math.floor(element.scrollTop / ROW_PX) - BESIDE);
    const last = Math.min(seen.length, Math.ceil((element.scrollTop + element.clientHeight) / ROW_PX) + BESIDE);
    const wanted = seen.slice(first, last).map((row, at) =>
      (again ? undefined : drawn.get(first + at)) ?? rowElement(row, first + at));
    drawn = new Map(refill(rows, wanted).map((row, at) => [first + at, row]));
    const shown = `object-${selected}`;
    if (selected && rows.querySelector(`[id="${shown}"]`)) element.setAttribute("aria-activedescendant", shown);
    else element.removeAttribute("aria-activedescendant");
  }

  /** @param {Row} row @param {number} index */
  function rowElement({ node, level, place, of }, index) {
    const folds = node.children > 0;
    const isClosed = folds && !unfolded.has(node.id);
    const row = h("div", {
      class: "tree-row", role: "treeitem", id: `object-${node.id}`, "data-id": node.id,
      "aria-level": level, "aria-setsize": of, "aria-posinset": place,
      "aria-expanded": folds ? String(unfolded.has(node.id)) : undefined,
      "aria-selected": String(node.id === selected), draggable: moved ? "true" : undefined,
    }, h("span", { class: "twist" }, folds ? icon("open") : null), icon(node.icon),
    h("span", { class: "name", dir: "auto" }, node.name),
    node.product ? h("span", { class: "beside", dir: "auto" }, node.product) : null,
    isClosed && node.inside > 0 ? mark("changed", `•${node.inside}`, text.files.changedInside(node.inside))
      : !isClosed && node.deleted > 0 ? mark("deleted", `−${node.deleted}`, text.files.deletedInside(node.deleted)) : null,
    node.mark ? mark(node.mark, node.mark === "added" ? "+" : "~", node.mark === "added" ? text.files.added : text.files.modified) : null);
    row.style.top = `${index * ROW_PX}px`;
    row.style.setProperty("--level", String(Math.min(level, 40)));
    return row;
  }

  /** @param {string} kind @param {string} sign @param {string} said */
  function mark(kind, sign, said) {
    return h("span", { class: `change ${kind}`, title: said }, h("span", { "aria-hidden": "true" }, sign), h("span", { class: "unseen" }, ` ${said}`));
  }

  /** @param {string} id @param {boolean} is */
  function unfold(id, is) {
    if (is) unfolded.add(id);
    else unfolded.delete(id);
    flatten();
  }

  /** @param {number} index @param {Means} [by] */
  function go(index, by = "arrows") {
    const row = seen[Math.max(0, Math.min(seen.length - 1, index))];
    if (!row) return;
    selected = row.node.id;
    const top = Math.max(0, Math.min(seen.length - 1, index)) * ROW_PX;
    if (top < element.scrollTop) element.scrollTop = top;
    if (top + ROW_PX > element.scrollTop + element.clientHeight) element.scrollTop = top + ROW_PX - element.clientHeight;
    draw(false);
    for (const [at, shown] of drawn) shown.setAttribute("aria-selected", String(seen[at]?.node.id === selected));
    chosen(row.node.id, by);
  }
  const indexOf = (/** @type {string | null} */ id) => seen.findIndex((row) => row.node.id === id);

  /** @param {Event} event */
  const idOf = (event) =>
    (event.target instanceof Element ? event.target.closest(".tree-row") : null)?.getAttribute("data-id") ?? null;

  element.addEventListener("scroll", () => {
    cancelAnimationFrame(planned);
    planned = requestAnimationFrame(() => draw(false));
  });
  new ResizeObserver(() => draw(false)).observe(element);
  element.addEventListener("click", (event) => {
    const id = idOf(event);
    const index = indexOf(id);
    if (!id || index < 0) return;
    const folds = (seen[index]?.node.children ?? 0) > 0;
    if (folds && event.target instanceof Element && event.target.closest(".twist")) return unfold(id, !unfolded.has(id));
    if (folds && id === selected) unfold(id, !unfolded.has(id));
    go(indexOf(id), "pointer");
  });
  element.addEventListener("keydown", (event) => {
    const index = indexOf(selected);
    const row = seen[index];
    const page = Math.floor(element.clientHeight / ROW_PX);
    /** @type {Record<string, () => void>} */
    const keys = {
      ArrowDown: () => go(index + 1), ArrowUp: () => go(index - 1), j: () => go(index + 1), k: () => go(index - 1),
      PageDown: () => go(index + page), PageUp: () => go(index - page),
      Home: () => go(0), End: () => go(seen.length - 1), Enter: () => { if (row) go(index, "enter"); },
      ArrowRight: () => {
        if (!row || row.node.children === 0) return;
        if (unfolded.has(row.node.id)) go(index + 1);
        else unfold(row.node.id, true);
      },
      ArrowLeft: () => {
        if (row && unfolded.has(row.node.id)) unfold(row.node.id, false);
        else if (row) go(indexOf(row.node.parent));
      },
    };
    const plain = !event.ctrlKey && !event.metaKey && !event.altKey;
    if (menu && (event.key === "ContextMenu" || (event.key === "F10" && event.shiftKey))) {
      event.preventDefault();
      const box = (element.querySelector("[aria-selected=true]") ?? element).getBoundingClientRect();
      return menu(selected, box.left + 24, box.top + ROW_PX);
    }
    const act = plain ? keys[event.key] : undefined;
    if (!act) return;
    event.preventDefault();
    act();
  });
  /** The row of the folder that a drop at the event goes to, and its id. @param {DragEvent} event */
  function target(event) {
    const id = idOf(event);
    const node = seen.find((row) => row.node.id === id)?.node;
    const on = node?.isFile ? node.parent : node?.id ?? root;
    return { on, lit: on === root ? element : rows.querySelector(`[data-id="${on}"]`) };
  }
  const dim = () => [element, ...element.querySelectorAll(".lit")].forEach((lit) => lit.classList.remove("lit"));
  element.addEventListener("contextmenu", (event) => {
    if (!menu) return;
    event.preventDefault();
    const id = idOf(event);
    if (id) go(indexOf(id));
    menu(id, event.clientX, event.clientY);
  });
  element.addEventListener("dragstart", (event) => event.dataTransfer?.setData(ROW, idOf(event) ?? ""));
  element.addEventListener("dragover", (event) => {
    if (!event.dataTransfer?.types.some((type) => type === "Files" || type === ROW)) return;
    event.preventDefault();
    dim();
    target(event).lit?.classList.add("lit");
  });
  element.addEventListener("dragleave", dim);
  element.addEventListener("drop", (event) => {
    event.preventDefault();
    dim();
    const { on } = target(event);
    const row = event.dataTransfer?.getData(ROW);
    if (row) moved?.(row, on);
    else if (event.dataTransfer) dropped(event.dataTransfer, on);
  });

  return {
    element,
    show(nodes) {
      children = new Map();
      for (const node of nodes) {
        const list = children.get(node.parent);
        if (list) list.push(node);
        else children.set(node.parent, [node]);
      }
      flatten();
    },
    select(id) {
      selected = id;
      for (let node = id ? find(id) : null; node; node = find(node.parent)) unfolded.add(node.parent);
      flatten();
    },
    step(by) {
      element.focus();
      go(indexOf(selected) + by);
    },
  };

  /** @param {string} id */
  function find(id) {
    for (const list of children.values()) {
      const node = list.find((one) => one.id === id);
      if (node) return node;
    }
    return null;
  }
}
