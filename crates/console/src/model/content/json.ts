// JSON as people read it.

/** Longest list in one line, in characters. */
const LINE = 72;

/** A value as lines of JSON. A short list of numbers or words, as a row of a matrix is, stands in one line. */
export function prettyJson(value: unknown, indent = ""): string {
  if (value === null || typeof value !== "object") return JSON.stringify(value) ?? "null";
  const inner = `${indent}  `;
  if (Array.isArray(value)) {
    const items = value.map((item) => prettyJson(item, inner));
    const line = `[${items.join(", ")}]`;
    const isFlat = value.every((item) => item === null || typeof item !== "object");
    return isFlat && line.length <= LINE ? line : linesOf("[", items, "]", indent);
  }
  const fields = Object.entries(value).map(([name, one]) => `${JSON.stringify(name)}: ${prettyJson(one, inner)}`);
  return linesOf("{", fields, "}", indent);
}

/** A text as lines of JSON if it is an object or a list, else as it is. */
export function prettyText(text: string): string {
  const value = parsed(text);
  return value !== null && typeof value === "object" ? prettyJson(value) : text;
}

/** The value of a JSON text; null for other texts. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}

function linesOf(open: string, parts: readonly string[], close: string, indent: string): string {
  if (parts.length === 0) return open + close;
  return `${open}\n${parts.map((part) => `${indent}  ${part}`).join(",\n")}\n${indent}${close}`;
}
