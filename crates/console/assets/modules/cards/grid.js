// A table of any number of rows: only those near the viewport are in the page.

import { h, refill } from "../../ui/dom.js";

/**
 * @template Row
 * @typedef {{ key: string, name: string, cell: (row: Row) => Node | string | number | null | (Node | string | null)[] }} Column
 */

const ROW_PX = 34;
const BESIDE = 12;

/**
 * @template {{ id: string, error?: string }} Row
 * @param {{ label: string, all: string, columns: Column<Row>[], described: string, sorted: (key: string) => void, selected: () => void,
 *   opened: (row: Row) => void }} options `all` names the box that selects all rows that are shown
 */
export function grid({ label, all, columns, described, sorted, selected, opened }) {
  const rows = h("div", { class: "grid-rows", role: "rowgroup" });
  const heads = new Map(columns.map(({ key, name }) => [key, h("span", { role: "columnheader", class: `cell-${key}` },
    h("button", { type: "button", "data-sort": key, onclick: () => sorted(key) }, name))]));
  const every = h("input", { type: "checkbox", "aria-label": all, onchange: () => {
    if (every.checked) range(0, shown.length - 1);
    else chosen.clear();
    selected();
    draw();
  } });
  const head = h("div", { class: "grid-row grid-head", role: "row" }, h("span", { role: "columnheader" }, every), [...heads.values()]);
  const element = h("div", { class: "grid", role: "grid", "aria-label": label, "aria-describedby": described, "aria-multiselectable": "true",
    tabindex: "0" }, h("div", { role: "rowgroup", class: "grid-top" }, head), rows);
  /** @type {Row[]} */
  let shown = [];
  /** @type {Set<string>} */
  const chosen = new Set();
  let [active, anchor, planned] = [-1, -1, 0];

  function draw() {
    const top = element.scrollTop;
    const first = Math.max(0, Math.floor(top / ROW_PX) - BESIDE);
    const last = Math.min(shown.length, Math.ceil((top + element.clientHeight) / ROW_PX) + BESIDE);
    refill(rows, shown.slice(first, last).map((row, at) => rowElement(row, first + at)));
    every.checked = chosen.size > 0 && chosen.size === shown.length;
    every.indeterminate = chosen.size > 0 && !every.checked;
    const row = shown[active];
    if (row && active >= first && active < last) element.setAttribute("aria-activedescendant", `row-${row.id}`);
    else element.removeAttribute("aria-activedescendant");
  }

  /** @param {Row} row @param {number} index */
  function rowElement(row, index) {
    const box = h("input", { type: "checkbox", tabindex: "-1", "aria-hidden": "true", checked: chosen.has(row.id) });
    const is = h("div", { class: "grid-row", role: "row", id: `row-${row.id}`, "data-index": index, "aria-rowindex": index + 2,
      "aria-selected": String(chosen.has(row.id)), "data-active": index === active ? "" : undefined, "data-wrong": row.error ? "" : undefined },
    h("span", { role: "gridcell" }, box),
    columns.map(({ key, cell }) => h("span", { role: "gridcell", class: `cell-${key}` }, cell(row))));
    is.style.setProperty("top", `${index * ROW_PX}px`);
    return is;
  }

  /** @param {number} index @param {boolean} [extend] */
  function go(index, extend = false) {
    if (shown.length === 0) return;
    active = Math.max(0, Math.min(shown.length - 1, index));
    if (extend) range(anchor, active);
    else anchor = active;
    const top = active * ROW_PX;
    const height = element.clientHeight - ROW_PX;
    if (top < element.scrollTop) element.scrollTop = top;
    if (top + ROW_PX > element.scrollTop + height) element.scrollTop = top + ROW_PX - height;
    draw();
  }

  /** @param {number} from @param {number} to */
  function range(from, to) {
    if (from < 0) from = to;
    for (const row of shown.slice(Math.min(from, to), Math.max(from, to) + 1)) chosen.add(row.id);
    selected();
  }

  /** @param {number} index */
  function toggle(index) {
    const row = shown[index];
    if (!row) return;
    if (!chosen.delete(row.id)) chosen.add(row.id);
    anchor = index;
    selected();
  }

  element.addEventListener("scroll", () => {
    cancelAnimationFrame(planned);
    planned = requestAnimationFrame(draw);
  }, { passive: true });
  new ResizeObserver(draw).observe(element);
  element.addEventListener("click", (event) => {
    const at = event.target instanceof Element ? event.target.closest("[data-index]") : null;
    if (!at) return;
    const index = Number(at.getAttribute("data-index"));
    const onBox = event.target instanceof HTMLInputElement;
    if (event.shiftKey) range(anchor, index);
    else if (onBox || event.ctrlKey || event.metaKey) toggle(index);
    else if (index === active) opened(shown[index]);
    active = index;
    if (!event.shiftKey) anchor = index;
    draw();
  });
  element.addEventListener("keydown", (event) => {
    if (event.target !== element || event.altKey) return;
    const page = Math.max(1, Math.floor(element.clientHeight / ROW_PX) - 2);
    /** @type {Record<string, () => void>} */
    const keys = {
      ArrowDown: () => go(active + 1, event.shiftKey), ArrowUp: () => go(active - 1, event.shiftKey),
      PageDown: () => go(active + page, event.shiftKey), PageUp: () => go(active - page, event.shiftKey),
      Home: () => go(0, event.shiftKey), End: () => go(shown.length - 1, event.shiftKey),
      x: () => { toggle(active); draw(); }, X: () => { range(anchor, active); draw(); }, Enter: () => { if (shown[active]) opened(shown[active]); },
      Escape: () => { chosen.clear(); selected(); draw(); },
    };
    const isAll = (event.ctrlKey || event.metaKey) && event.key === "a";
    const act = isAll ? () => { range(0, shown.length - 1); draw(); } : event.ctrlKey || event.metaKey ? undefined : keys[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });

  return {
    element,
    chosen,
    draw,
    /** Goes on by rows, with the focus. @param {number} by */
    step(by) {
      element.focus({ preventScroll: true });
      go(active + by);
    },
    /** @param {Row[]} list @param {string} sort @param {boolean} descending */
    show(list, sort, descending) {
      const at = shown[active]?.id;
      shown = list;
      // What isn't shown can't be seen to change.
      const ids = new Set(list.map((row) => row.id));
      for (const one of chosen) if (!ids.has(one)) chosen.delete(one);
      active = at ? shown.findIndex((row) => row.id === at) : -1;
      anchor = active;
      rows.style.setProperty("height", `${shown.length * ROW_PX}px`);
      element.setAttribute("aria-rowcount", String(shown.length + 1));
      for (const [key, cell] of heads) {
        cell.setAttribute("aria-sort", key !== sort ? "none" : descending ? "descending" : "ascending");
      }
      draw();
    },
  };
}
