// Elements of drawings.

const SVG = "http://www.w3.org/2000/svg";

/** @param {string} tag @param {Record<string, string | number>} attributes @param {...(Element | string)} children */
export function svg(tag, attributes, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  element.append(...children);
  return element;
}

/** Round steps of an axis up to a value, at most five. @param {number} most */
export function steps(most) {
  const raw = Math.max(1, most) / 4;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = Math.max(1, ([1, 2, 5, 10].find((one) => one * power >= raw) ?? 10) * power);
  return Array.from({ length: Math.ceil(Math.max(1, most) / step) + 1 }, (_, at) => at * step);
}

/** A table with a head for each column. @param {string} caption @param {string[]} heads @param {(string | number)[][]} rows @param {(tag: any, properties: any, ...children: any[]) => HTMLElement} h */
export function tableOf(caption, heads, rows, h) {
  return h("div", { class: "numbers-place", tabindex: "0", role: "group", "aria-label": caption }, h("table", { class: "numbers" }, h("caption", { class: "unseen" }, caption),
    h("thead", {}, h("tr", {}, heads.map((head) => h("th", { scope: "col" }, head)))),
    h("tbody", {}, rows.map(([first, ...others]) => h("tr", {}, h("th", { scope: "row" }, first),
      others.map((value) => h("td", {}, value)))))));
}
