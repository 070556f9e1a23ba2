// Fields of objects: their names in words, their values as text, and in which of them two states differ.

import type { ProjectObject } from "../../api/content/objects";
import type { Field } from "../../api/content/versions";
import { text } from "../../text";
import { isEqual } from "../equal";
import { placementRows } from "./placement";
import { symbolOf } from "./properties";

const unescaped = (part: string) => part.replaceAll("~1", "/").replaceAll("~0", "~");
const escaped = (part: string) => part.replaceAll("~", "~0").replaceAll("/", "~1");

/** The name of a field for people. */
export function fieldName(field: string): string {
  const known = (text.versions.fields as Record<string, string>)[field];
  return known ?? field.replace(/^\/data\//, "").split("/").map(unescaped).join(" › ");
}

/** A value as text. */
export function writtenField(value: unknown): string {
  if (typeof value === "string") return value;
  const { value: amount, unit, ...rest } = (value ?? {}) as Record<string, unknown>;
  const isMeasure = typeof amount === "number" && typeof unit === "string" && Object.keys(rest).length === 0;
  return isMeasure ? `${amount} ${symbolOf(unit)}` : JSON.stringify(value, null, 1) ?? "";
}

/** The fields of an object as a comparison names them. */
function fieldsOf(object: ProjectObject | null): Map<string, unknown> {
  const fields = new Map<string, unknown>();
  const nested = (path: string, value: unknown) => {
    const isMap = typeof value === "object" && value !== null && !Array.isArray(value);
    const inner = isMap ? Object.entries(value) : [];
    if (!isMap || (inner.length === 0 && path !== "/data")) fields.set(path, value);
    else for (const [name, one] of inner) nested(`${path}/${escaped(name)}`, one);
  };
  for (const [name, value] of Object.entries(object ?? {})) {
    if (name === "data") nested("/data", value);
    else if (name !== "id") fields.set(`/${name}`, value);
  }
  return fields;
}

/** The fields in which two states of an object differ; of a state that is absent all of the other. */
export function differingFields(base: ProjectObject | null, head: ProjectObject | null): Field[] {
  const [before, after] = [fieldsOf(base), fieldsOf(head)];
  return [...new Set([...before.keys(), ...after.keys()])]
    .filter((field) => !isEqual(before.get(field), after.get(field)))
    .map((field) => ({ field, base: before.get(field), head: after.get(field) }));
}

/** Fields as people read them: a placement by position and rotation. `unit` is that of its lengths, if it is known. */
export function readableFields(fields: readonly Field[], unit?: string): Field[] {
  return fields.flatMap((one) => {
    const rows = one.field === "/data/placement" ? placementFields(one, unit) : [];
    return rows.length > 0 ? rows : [one];
  });
}

function placementFields({ base, head }: Field, unit?: string): Field[] {
  const units = unit === undefined ? undefined : { length: { name: unit } };
  const [before, after] = [base, head].map((placement) =>
    new Map(placementRows({ placement, units }).map(({ name, value }) => [name, value])));
  if (!before || !after) return [];
  return [...new Set([...before.keys(), ...after.keys()])]
    .map((field) => ({ field, base: before.get(field), head: after.get(field) }))
    .filter((field) => field.base !== field.head);
}

/** True for texts of several lines, and long ones, which have a place of their own. */
export function isLong({ base, head }: Pick<Field, "base" | "head">): boolean {
  return [base, head].some((side) => typeof side === "string" && (side.includes("\n") || side.length > 200));
}
