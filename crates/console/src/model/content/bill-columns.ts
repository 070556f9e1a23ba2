// The columns of a bill that a person chooses, and the values that stand in them.

import type { BomRow } from "../../api/content/bom";
import { text } from "../../text";
import { writtenValue } from "./properties";

export interface BillColumns {
  /** Properties by the names that the API has for them, in their order. */
  properties: readonly string[];
  /** Shows the file of each part. */
  hasFile: boolean;
}

/** Properties that every bill offers. */
export const OFFERED: readonly string[] = ["partNumber", "material", "description"];
export const USUAL: BillColumns = { properties: ["partNumber", "material"], hasFile: true };
/** Most properties of a bill, and the longest name of one. */
const MOST = 20;
const NAME_CHARS = 200;

/** The columns that were kept as text; the usual ones where nothing was kept, or something damaged. */
export function columnsOf(kept: string | null): BillColumns {
  try {
    // Without columns this throws, too.
    const { properties, hasFile } = JSON.parse(kept ?? "null") as Partial<BillColumns>;
    const names = (properties ?? []).filter((name) => typeof name === "string" && name.length <= NAME_CHARS);
    return { properties: names.slice(0, MOST), hasFile: hasFile !== false };
  } catch {
    return USUAL;
  }
}

/** The columns with a property more, or without it if they have it. */
export function toggled({ properties, hasFile }: BillColumns, name: string): BillColumns {
  const others = properties.filter((one) => one !== name);
  return { hasFile, properties: others.length < properties.length ? others : [...others, name].slice(0, MOST) };
}

/** The columns with those that a person typed: names with commas between. */
export function withTyped({ properties, hasFile }: BillColumns, typed: string): BillColumns {
  const names = typed.split(",").map((name) => name.trim()).filter(Boolean).map((name) => name.slice(0, NAME_CHARS));
  return { hasFile, properties: [...new Set([...properties, ...names])].slice(0, MOST) };
}

/** The heading of a property's column. Names that people gave are theirs. */
export const headingOf = (name: string): string =>
  (text.bom.properties as Record<string, string>)[name] ?? name.replace(/^\/data\//, "");

/** The different values of a property among the objects of a row. */
export function valueOf({ properties }: Pick<BomRow, "properties">, name: string): string {
  const written = (value: unknown) => writtenValue(value, text.properties.truth) ?? JSON.stringify(value);
  return (properties?.[name] ?? []).map(written).join(", ");
}
