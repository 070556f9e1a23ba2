// Properties of objects: as rows that people read, with units, and as changes that are sent.

import type { Data } from "../../api/content/objects";
import { isEqual } from "../equal";

export interface PropertyRow {
  name: string;
  value: string;
}

/** Data that conversions write for programs, or that the page shows elsewhere. */
const HIDDEN = new Set(["text", "conversion", "units", "placement", "header", "notebook"]);
/** Parts of a conversion's data whose names say nothing to people. */
const UNNAMED = new Set(["definition", "validation", "document", "page"]);
/** Properties that only programs need, and the name of a product, which the page shows beside the object's. */
const LEFT_OUT = new Set(["definition › id", "definition › name", "definition › geometry", "definition › layers",
  "occurrence › id", "occurrence › name"]);
/** Names of the rows that come first. */
const FIRST = [/^material/i, /thickness/i];
/** The deepest nested value that has a row of its own, and the longest list that is written out. */
const DEEP = 4;
const LIST = 8;

const SYMBOLS: [RegExp, string][] = [[/micrometre/g, "µm"], [/millimetre/g, "mm"], [/centimetre/g, "cm"],
  [/kilogram/g, "kg"], [/gram/g, "g"], [/metre/g, "m"], [/inch/g, "in"], [/radian/g, "rad"], [/degree/g, "°"],
  [/megapascal/g, "MPa"], [/pascal/g, "Pa"], [/newton/g, "N"]];

type Kind = "text" | "number" | "truth" | "nested";

export function kindOf(value: unknown): Kind {
  return typeof value === "string" ? "text" : typeof value === "number" ? "number"
    : typeof value === "boolean" ? "truth" : "nested";
}

const isMap = (value: unknown): value is Data => typeof value === "object" && value !== null && !Array.isArray(value);

/** The unit as engineers write it. */
export function symbolOf(unit: string): string {
  return SYMBOLS.reduce((now, [pattern, symbol]) => now.replace(pattern, symbol), unit);
}

/** A number with six digits. */
export const numberOf = (value: number) => value.toLocaleString(undefined, { maximumSignificantDigits: 6 });

/** The properties as rows. `truth` has the words for true and false. */
export function propertyRows(data: Data, truth: Record<string, string>): PropertyRow[] {
  const rows: PropertyRow[] = [];
  const add = (path: readonly string[], value: unknown) => {
    const name = path.join(" › ");
    if (LEFT_OUT.has(name) || (path.length === 1 && HIDDEN.has(name))) return;
    const written = writtenValue(value, truth);
    if (written !== undefined) rows.push({ name: nameOf(path), value: written });
    else if (isMap(value) && path.length < DEEP) {
      for (const [own, inner] of Object.entries(value)) add([...path, own], inner);
    }
  };
  for (const [name, value] of Object.entries(data)) add([name], value);
  const rankOf = ({ name }: PropertyRow) => {
    const at = FIRST.findIndex((pattern) => pattern.test(name));
    return at < 0 ? FIRST.length : at;
  };
  return rows.sort((one, other) => rankOf(one) - rankOf(other));
}

/** A value in one line; undefined for one that takes more. */
export function writtenValue(value: unknown, truth: Record<string, string>): string | undefined {
  if (typeof value === "string") return value;
  if (typeof value === "number") return numberOf(value);
  if (typeof value === "boolean") return truth[String(value)];
  if (Array.isArray(value)) {
    const written = value.map((one) => (typeof one === "object" ? undefined : writtenValue(one, truth)));
    return value.length <= LIST && written.every((one) => one !== undefined) ? written.join(", ") : undefined;
  }
  if (isMap(value) && "value" in value && (typeof value.unit === "string" || Object.keys(value).length === 1)) {
    const written = writtenValue(value.value, truth);
    return written === undefined || value.unit === undefined ? written : `${written} ${symbolOf(String(value.unit))}`;
  }
  return undefined;
}

/** The name of a row. The names in a conversion's data are those of a program. */
function nameOf(path: readonly string[]): string {
  const [first = "", ...below] = path;
  const isOccurrence = first === "occurrence";
  if (!isOccurrence && !UNNAMED.has(first)) return path.join(" › ");
  const [part = "", ...own] = below;
  const lead = isOccurrence ? [inWords(first)] : [];
  // The names of properties are those of the file's author.
  if (part === "properties" && own.length > 0) return [...lead, ...own].join(" › ");
  const named = part === "material" && own[0] === "name" ? [part] : below;
  return [...lead, ...named.filter((one) => !UNNAMED.has(one)).map(inWords)].join(" › ");
}

function inWords(name: string): string {
  const words = name.replace(/([a-z])([A-Z])/g, "$1 $2").toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/**
 * The merge patch that makes `after` of `before`; it removes a property by null. It has the changed properties alone:
 * sent back, a number as 1.0 would become 1.
 */
export function patchOf(before: Data, after: Data): Data {
  const gone = Object.keys(before).filter((name) => !(name in after)).map((name) => [name, null]);
  const changed = Object.entries(after).filter(([name, value]) => !(name in before && isEqual(before[name], value)))
    .map(([name, value]) => {
      const old = before[name];
      return [name, isMap(old) && isMap(value) ? patchOf(old, value) : value];
    });
  return Object.fromEntries([...changed, ...gone]) as Data;
}

/** Longest list in one line of JSON, in characters. */
const LINE = 72;

/** A value as lines of JSON. A short list of numbers or words, as a row of a matrix is, stands in one line. */
export function prettyJson(value: unknown, indent = ""): string {
  if (value === null || typeof value !== "object") return JSON.stringify(value) ?? "null";
  const inner = `${indent}  `;
  const lines = (open: string, parts: string[], close: string) => (parts.length === 0 ? open + close
    : `${open}\n${parts.map((part) => inner + part).join(",\n")}\n${indent}${close}`);
  if (Array.isArray(value)) {
    const items = value.map((item) => prettyJson(item, inner));
    const line = `[${items.join(", ")}]`;
    const isFlat = value.every((item) => item === null || typeof item !== "object");
    return isFlat && line.length <= LINE ? line : lines("[", items, "]");
  }
  const fields = Object.entries(value).map(([name, one]) => `${JSON.stringify(name)}: ${prettyJson(one, inner)}`);
  return lines("{", fields, "}");
}
