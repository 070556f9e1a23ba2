// A tree of any size: only the rows near the viewport are in the page.

import { h, icon, refill } from "./dom.js";

/**
 * @typedef {{ id: string, name: string, parent: string, icon: string, children: number, mark?: string,
 *   isFile?: boolean }} Node
 * @typedef {{ node: Node, level: number, place: number, of: number }} Row
 * @typedef {{ element: HTMLElement, show: (nodes: Node[]) => void, select: (id: string | null) => void }} Tree
 */

const ROW_PX = 28;
const BESIDE = 10;
const ROW = "application/x-atelier-object";

/**
 * `dropped` hears files on a folder, `moved` a row on another one; `pressed` hears other keys and answers whether it took
 * them; `menu` is asked for at a point.
 * @param {{ label: string, root: string, chosen: (id: string) => void, dropped: (transfer: DataTransfer, on: string) => void,
 *   moved?: (id: string, on: string) => void, pressed?: (key: string, id: string | null) => boolean,
 *   menu?: (id: string | null, x: number, y: number) => void }} options
 * @returns {Tree}
 */
export function tree({ label, root, chosen, dropped, moved, pressed, menu }) {
  const rows = h("div", { class: "tree-rows", role: "presentation" });
  const element = h("div", { class: "tree", role: "tree", "aria-label": label, tabindex: "0" }, rows);
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
    const row = h("div", {
      class: "tree-row", role: "treeitem", id: `object-${node.id}`, "data-id": node.id,
      "aria-level": level, "aria-setsize": of, "aria-posinset": place,
      "aria-expanded": folds ? String(unfolded.has(node.id)) : undefined,
      "aria-selected": String(node.id === selected), draggable: moved ? "true" : undefined,
    }, h("span", { class: "twist" }, folds ? icon("open") : null), icon(node.icon),
    h("span", { class: "name", dir: "auto" }, node.name),
    node.mark ? h("span", { class: `change ${node.mark}` }, node.mark === "added" ? "+" : "~",
      h("span", { class: "unseen" }, ` ${node.mark}`)) : null);
    row.style.top = `${index * ROW_PX}px`;
    row.style.setProperty("--level", String(Math.min(level, 40)));
    return row;
  }

  /** @param {string} id @param {boolean} is */
  function unfold(id, is) {
    if (is) unfolded.add(id);
    else unfolded.delete(id);
    flatten();
  }

  /** @param {number} index */
  function go(index) {
    const row = seen[Math.max(0, Math.min(seen.length - 1, index))];
    if (!row) return;
    selected = row.node.id;
    const top = Math.max(0, Math.min(seen.length - 1, index)) * ROW_PX;
    if (top < element.scrollTop) element.scrollTop = top;
    if (top + ROW_PX > element.scrollTop + element.clientHeight) element.scrollTop = top + ROW_PX - element.clientHeight;
    draw(false);
    for (const [at, shown] of drawn) shown.setAttribute("aria-selected", String(seen[at]?.node.id === selected));
    chosen(row.node.id);
  }

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
    const index = seen.findIndex((row) => row.node.id === id);
    if (!id || index < 0) return;
    const twist = event.target instanceof Element && event.target.closest(".twist");
    if (twist || (id === selected && (seen[index]?.node.children ?? 0) > 0)) unfold(id, !unfolded.has(id));
    go(index);
  });
  element.addEventListener("keydown", (event) => {
    const index = seen.findIndex((row) => row.node.id === selected);
    const row = seen[index];
    const page = Math.floor(element.clientHeight / ROW_PX);
    /** @type {Record<string, () => void>} */
    const keys = {
      ArrowDown: () => go(index + 1), ArrowUp: () => go(index - 1), j: () => go(index + 1), k: () => go(index - 1),
      PageDown: () => go(index + page), PageUp: () => go(index - page),
      Home: () => go(0), End: () => go(seen.length - 1),
      ArrowRight: () => {
        if (!row || row.node.children === 0) return;
        if (unfolded.has(row.node.id)) go(index + 1);
        else unfold(row.node.id, true);
      },
      ArrowLeft: () => {
        if (row && unfolded.has(row.node.id)) unfold(row.node.id, false);
        else if (row) go(seen.findIndex((other) => other.node.id === row.node.parent));
      },
    };
    const plain = !event.ctrlKey && !event.metaKey && !event.altKey;
    if (menu && (event.key === "ContextMenu" || (event.key === "F10" && event.shiftKey))) {
      event.preventDefault();
      const box = (element.querySelector("[aria-selected=true]") ?? element).getBoundingClientRect();
      return menu(selected, box.left + 24, box.top + ROW_PX);
    }
    const act = plain ? keys[event.key] : undefined;
    if (!act && plain && pressed?.(event.key, selected)) event.preventDefault();
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
    if (id) go(seen.findIndex((row) => row.node.id === id));
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
