// Elements by functions: text is always text, so no name or file can become markup.

import { text } from "../text.js";

/**
 * @typedef {Node | string | number | null | undefined | false} Child
 * @typedef {Record<string, unknown>} Properties
 */

/**
 * An element. Properties that begin with `on` are listeners, `class`, `data-…`, `aria-…` and unknown ones attributes.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag @param {Properties} [properties] @param {...(Child | Child[])} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function h(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on") && typeof value === "function") {
      element.addEventListener(name.slice(2), /** @type {EventListener} */ (value));
    } else if (name === "value" && "value" in element) {
      /** @type {HTMLInputElement} */ (/** @type {unknown} */ (element)).value = String(value);
    } else {
      element.setAttribute(name, value === true ? "" : String(value));
    }
  }
  element.append(...fragments(children));
  return element;
}

/** @param {(Child | Child[])[]} children @returns {(Node | string)[]} */
function fragments(children) {
  return children.flat().filter((child) => child || child === 0 || child === "").map((child) =>
    typeof child === "number" ? String(child) : /** @type {Node | string} */ (child));
}

/** Replaces the content of an element. @param {Element} element @param {...(Child | Child[])} children */
export function fill(element, ...children) {
  element.replaceChildren(...fragments(children));
}

/**
 * Makes `wanted` the children of an element, and keeps those that are equal to the ones with their ids, so that a click or
 * a focus on them is not lost. They have no listeners of their own.
 * @template {Element} Child
 * @param {Element} element @param {Child[]} wanted @returns {Child[]} the children
 */
export function refill(element, wanted) {
  const present = new Map([...element.children].map((child) => [child.id, /** @type {Child} */ (child)]));
  const children = wanted.map((child) => {
    const known = present.get(child.id);
    return known && known.isEqualNode(child) ? known : child;
  });
  const kept = new Set(children);
  for (const child of present.values()) if (!kept.has(child)) child.remove();
  let next = element.firstElementChild;
  for (const child of children) {
    if (child === next) next = next.nextElementSibling;
    else element.insertBefore(child, next);
  }
  return children;
}

/**
 * Puts an element before another one, or at the end. Where the browser can, it is moved with its state, as with the focus.
 * @param {any} parent @param {Element} element @param {Element | null} next
 */
export function moveBefore(parent, element, next) {
  if (parent.moveBefore && parent.isConnected && element.isConnected) parent.moveBefore(element, next);
  else parent.insertBefore(element, next);
}

const SVG = "http://www.w3.org/2000/svg";

/** An icon of `icons.svg`, hidden from screen readers: its control has a name. @param {string} name */
export function icon(name) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("class", "icon");
  svg.setAttribute("aria-hidden", "true");
  svg.setAttribute("width", "16");
  svg.setAttribute("height", "16");
  const use = document.createElementNS(SVG, "use");
  use.setAttribute("href", `${document.documentElement.dataset.base}/icons.svg#${name}`);
  svg.append(use);
  return svg;
}

/**
 * A button with an icon and a name, which is shown unless `quiet`.
 * @param {{ name: string, icon?: string, kind?: string, quiet?: boolean, onclick?: (event: Event) => void,
 *   type?: string, id?: string }} options
 */
export function button({ name, icon: shape, kind = "", quiet = false, onclick, type = "button", id }) {
  return h("button", { type, id, class: `button ${kind}`, "aria-label": quiet ? name : undefined,
    title: quiet ? name : undefined, onclick }, shape ? icon(shape) : null, quiet ? null : h("span", {}, name));
}

/** What stands for content that is still to come. Styles show it after a while, so that fast answers don't flicker. */
export function loading() {
  return h("p", { class: "soft loading" }, text.loading);
}

/** A moment as people say it, with the exact one on hover. @param {string} iso */
export function moment(iso) {
  const at = new Date(iso);
  const seconds = (at.getTime() - Date.now()) / 1000;
  const relative = new Intl.RelativeTimeFormat(undefined, { numeric: "auto" });
  /** @type {[Intl.RelativeTimeFormatUnit, number][]} */
  const units = [["year", 31557600], ["month", 2629800], ["day", 86400], ["hour", 3600], ["minute", 60]];
  const unit = units.find(([, length]) => Math.abs(seconds) >= length);
  const said = unit ? relative.format(Math.round(seconds / unit[1]), unit[0]) : relative.format(0, "minute");
  return h("time", { datetime: iso, title: at.toLocaleString() }, said);
}

/** A size in bytes as people say it. @param {number} bytes */
export function size(bytes) {
  const units = ["byte", "kilobyte", "megabyte", "gigabyte"];
  const step = bytes < 1 ? 0 : Math.min(3, Math.floor(Math.log10(bytes) / 3));
  return new Intl.NumberFormat(undefined,
    { style: "unit", unit: units[step], unitDisplay: step ? "short" : "long", maximumFractionDigits: 1 }).format(bytes / 1000 ** step);
}

/** A person's two letters on a hue of their own. @param {string} name */
export function mark(name) {
  const letters = name.split(/\s+/).map((word) => [...word][0] ?? "").slice(0, 2).join("").toUpperCase();
  let hue = 0;
  for (const letter of name) hue = (hue * 31 + (letter.codePointAt(0) ?? 0)) % 12;
  return h("span", { class: "mark", "data-hue": hue, "data-letters": letters || "?", title: name, role: "img",
    "aria-label": name });
}
