// JSON as people read it.

/** Longest list in one line, in characters. */
const LINE = 72;

/**
 * A value as lines of JSON. A short list of numbers or words, as a row of a matrix is, stands in one line.
 * @param {unknown} value @param {string} [indent]
 * @returns {string}
 */
export function prettyJson(value, indent = "") {
  if (value === null || typeof value !== "object") return JSON.stringify(value) ?? "null";
  const inner = `${indent}  `;
  if (Array.isArray(value)) {
    const items = value.map((item) => prettyJson(item, inner));
    const line = `[${items.join(", ")}]`;
    const isFlat = value.every((item) => item === null || typeof item !== "object");
    return isFlat && line.length <= LINE ? line : lines("[", items, "]", indent);
  }
  const fields = Object.entries(value).map(([name, one]) => `${JSON.stringify(name)}: ${prettyJson(one, inner)}`);
  return lines("{", fields, "}", indent);
}

/** @param {string} open @param {string[]} parts @param {string} close @param {string} indent */
function lines(open, parts, close, indent) {
  if (parts.length === 0) return open + close;
  return `${open}\n${parts.map((part) => `${indent}  ${part}`).join(",\n")}\n${indent}${close}`;
}
