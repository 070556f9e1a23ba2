// The custom fields of an object: values in its data, below `fields` by the fields' ids.

import type { CustomField, FieldInputs, FieldValue, FieldValues } from "../../api/planning/custom-fields";
import type { Data } from "../../api/content/objects";
import { text } from "../../text";
import { chosenOf, hasOptions, isActive } from "../planning/custom-fields";

const FIELDS = "fields";

const isMap = (value: unknown): value is Data => typeof value === "object" && value !== null && !Array.isArray(value);
const isValue = (value: unknown): value is FieldValue => typeof value === "string" || typeof value === "number"
  || (Array.isArray(value) && value.every((one) => typeof one === "string"));

/** The values of fields among an object's data. What has another form is one of the other properties. */
export function valuesOf(data: Data, fields: readonly CustomField[]): FieldValues {
  const own = isMap(data[FIELDS]) ? data[FIELDS] : {};
  return Object.fromEntries(fields.flatMap(({ id }) => {
    const value = own[id];
    return isValue(value) ? [[id, value] as const] : [];
  }));
}

/** The fields that an object of a type shows: active ones, and archived ones of which it has a value. */
export function fieldsOfObject(fields: readonly CustomField[], type: string, data: Data): CustomField[] {
  const own = fields.filter(({ applies_to: to, object_type: only }) => to !== "cards" && (!only || only === type));
  const values = valuesOf(data, own);
  return own.filter((field) => isActive(field) || values[field.id] !== undefined);
}

/** Why a value doesn't fit its field, as one that a merge has brought; empty if it does. */
export function misfitOf(field: CustomField, value: FieldValue | undefined): string {
  const { type, minimum, maximum, options } = field;
  if (!isActive(field)) return "";
  if (value === undefined) return field.is_required ? text.fields.needsValue : "";
  if (hasOptions(type)) {
    const chosen = chosenOf(value).map((id) => options.find((option) => option.id === id));
    const isOfType = type === "choices" ? Array.isArray(value) : typeof value === "string";
    if (!isOfType || chosen.includes(undefined)) return text.fields.misfit;
    return chosen.some((option) => option?.is_archived) ? text.fields.hasArchived : "";
  }
  if (type !== "number") return typeof value === "string" ? "" : text.fields.misfit;
  const isWithin = typeof value === "number" && value >= (minimum ?? -Infinity) && value <= (maximum ?? Infinity);
  return isWithin ? "" : text.fields.misfit;
}

/** The data with other values of fields; those that are not given are cleared. */
export function withValues(data: Data, fields: readonly CustomField[], inputs: FieldInputs): Data {
  const { [FIELDS]: before, ...others } = data;
  const ids = new Set(fields.map(({ id }) => id));
  const kept = Object.entries(isMap(before) ? before : {}).filter(([id]) => !ids.has(id));
  const given = Object.entries(inputs).filter(([id, value]) => ids.has(id) && value !== null);
  const values = Object.fromEntries([...kept, ...given]);
  return Object.keys(values).length === 0 ? others : { ...others, [FIELDS]: values };
}

/** The data without the values of these fields, which the page shows beside it. */
export const withoutValues = (data: Data, fields: readonly CustomField[]): Data =>
  (isMap(data[FIELDS]) ? withValues(data, fields, {}) : data);
