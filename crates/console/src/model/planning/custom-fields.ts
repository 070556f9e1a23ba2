// Custom fields of cards: values as people read and type them.

import { ApiError } from "../../api/errors";
import type { CustomField, FieldOption, FieldType, FieldValue, FieldValues } from "../../api/planning/custom-fields";
import { text } from "../../text";

/** The types, those that people use most first. */
export const FIELD_TYPES = ["text", "number", "date", "choice", "choices", "user", "url"] as const satisfies
  readonly FieldType[];
/** Longest text or address, as the service has it. */
export const MOST_LETTERS = 1000;
const DIGITS = 15;
/** Addresses that a browser opens without running anything. */
const ADDRESS = /^(https?:|mailto:)/i;

/** Names of what values refer to. */
export interface ValueNames {
  person: (id: string) => string;
  /** A day in words. */
  day: (iso: string) => string;
}

/** True for a field of which cards have values. */
export const isOfCards = ({ applies_to: to }: Pick<CustomField, "applies_to">) => to !== "objects";
export const isActive = ({ status }: CustomField) => status === "active";
export const hasOptions = (type: FieldType) => type === "choice" || type === "choices";
export const isAddress = (value: string) => ADDRESS.test(value);

/** The fields that a card shows: active ones, and archived ones of which it has a value. */
export function fieldsOfCard(fields: readonly CustomField[], values: FieldValues): CustomField[] {
  return fields.filter((field) => isOfCards(field) && (isActive(field) || values[field.id] !== undefined));
}

/** The ids of the options that a value has. */
export function chosenOf(value: FieldValue | undefined): string[] {
  return Array.isArray(value) ? value : typeof value === "string" ? [value] : [];
}

/** The options to choose from: those in use, and archived ones that the value has. */
export function optionsFor({ options }: CustomField, value: FieldValue | undefined): FieldOption[] {
  const chosen = new Set(chosenOf(value));
  return options.filter(({ id, is_archived: isArchived }) => !isArchived || chosen.has(id));
}

/** The options with one more, or without it; null for none. They keep the order of the field. */
export function withOption({ options }: CustomField, value: FieldValue | undefined, id: string, is: boolean) {
  const chosen = new Set(chosenOf(value));
  if (is) chosen.add(id);
  else chosen.delete(id);
  return chosen.size === 0 ? null : options.map((option) => option.id).filter((one) => chosen.has(one));
}

/** A number with its unit. */
export function sayNumber(value: number, unit: string): string {
  const said = value.toLocaleString(undefined, { maximumFractionDigits: DIGITS });
  return unit ? `${said} ${unit}` : said;
}

/** A value as people read it. */
export function sayValue({ type, unit, options }: CustomField, value: FieldValue, names: ValueNames): string {
  if (typeof value === "number") return sayNumber(value, unit);
  if (hasOptions(type)) {
    const nameOf = (id: string) => options.find((option) => option.id === id)?.name ?? text.fields.goneOption;
    return chosenOf(value).map(nameOf).join(", ");
  }
  if (type === "user") return names.person(String(value));
  return type === "date" ? names.day(String(value)) : String(value);
}

/** A value as it is typed. */
export const typedOf = (value: FieldValue | undefined) => (value === undefined ? "" : String(value));

/** The value that a text means; null clears. Throws for a text that is no number where one is wanted. */
export function inputOf(type: FieldType, typed: string): FieldValue | null {
  const said = typed.trim();
  if (said === "") return null;
  if (type !== "number") return said;
  const number = Number(said);
  if (!Number.isFinite(number)) throw new Error(text.fields.notNumber);
  return number;
}

/** The refusal of values with fields by their names: requests name them by their ids, those of objects in `data`. */
export function namedRefusal(error: unknown, fields: readonly CustomField[]): unknown {
  if (!(error instanceof ApiError) || !error.issues.some(({ path }) => path.includes("fields."))) return error;
  const nameOf = (place: string) => fields.find(({ id }) => place.replace(/^data\./, "") === `fields.${id}`)?.name;
  return new Error(error.say(nameOf));
}
