// A bar chart as SVG. It shows what a table says, so it is hidden from screen readers.

const SVG = "http://www.w3.org/2000/svg";
const [HEIGHT, LEFT, BOTTOM, TOP] = [220, 56, 24, 12];
const LABEL_WIDTH = 100;

/** @param {string} tag @param {Record<string, string | number>} attributes @param {string} [said] */
function shape(tag, attributes, said) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  if (said !== undefined) element.textContent = said;
  return element;
}

/**
 * A bar for each value.
 * @param {{ name: string, value: number }[]} bars @param {(value: number) => string} say
 */
export function barChart(bars, say) {
  // As wide as it will be shown: scaled down, its words would be too small on a phone.
  const whole = innerWidth < 720 ? 360 : 900;
  const chart = shape("svg", { class: "usage-chart", viewBox: `0 0 ${whole} ${HEIGHT}`, "aria-hidden": "true" });
  const top = roundUp(Math.max(...bars.map(({ value }) => value), 0));
  const room = HEIGHT - BOTTOM - TOP;
  for (const part of [0, 0.5, 1]) {
    const y = TOP + room * (1 - part);
    chart.append(shape("line", { x1: LEFT, x2: whole, y1: y, y2: y }),
      shape("text", { x: LEFT - 8, y: y + 4, "text-anchor": "end" }, say(top * part)));
  }
  const step = (whole - LEFT) / Math.max(bars.length, 1);
  const width = Math.min(step * 0.7, 48);
  const every = Math.ceil((bars.length * LABEL_WIDTH) / (whole - LEFT));
  for (const [at, { name, value }] of bars.entries()) {
    const height = top > 0 ? (value / top) * room : 0;
    const middle = LEFT + step * (at + 0.5);
    const bar = shape("rect", { x: middle - width / 2, y: HEIGHT - BOTTOM - height, width, height, rx: 2 });
    bar.append(shape("title", {}, `${name}: ${say(value)}`));
    chart.append(bar);
    if (at % every === 0) {
      const short = [...name].length > 14 ? `${[...name].slice(0, 13).join("")}…` : name;
      chart.append(shape("text", { x: middle, y: HEIGHT - 6, "text-anchor": "middle" }, short));
    }
  }
  return chart;
}

/** The next of 1, 2 and 5 times a power of ten. @param {number} value */
function roundUp(value) {
  if (value <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return power * ([1, 2, 5, 10].find((step) => step * power >= value) ?? 10);
}
