// The form of a custom field: from what is typed to requests.

import { ApiError } from "../../api/errors";
import type { CustomField, FieldChanges, FieldType, FieldValue, NewField,
  OptionChange } from "../../api/planning/custom-fields";
import { text } from "../../text";
import { isEqual } from "../equal";
import { hasOptions, inputOf, typedOf } from "./custom-fields";
import type { OptionDrafts } from "./option-drafts";

/** A field as it is typed. Parts that its type doesn't have are empty. */
export interface TypedField {
  name: string;
  description: string;
  unit: string;
  minimum: string;
  maximum: string;
  /** For a choice, the key of an option's row. */
  default: string;
  isRequired: boolean;
  /** Boards show it on cards. */
  isShown: boolean;
  appliesTo: CustomField["applies_to"];
  /** The only type of objects that have values; empty for all. */
  objectType: string;
}

/** Types whose fields may have a default here. */
export const hasDefault = (type: FieldType) => type !== "user" && type !== "choices";

/** The field as its form begins. */
export function typedField(field?: CustomField): TypedField {
  return {
    name: field?.name ?? "",
    description: field?.description ?? "",
    unit: field?.unit ?? "",
    minimum: typedOf(field?.minimum ?? undefined),
    maximum: typedOf(field?.maximum ?? undefined),
    default: typedOf(field?.default_value ?? undefined),
    isRequired: field?.is_required ?? false,
    isShown: field?.is_shown ?? false,
    appliesTo: field?.applies_to ?? "cards",
    objectType: field?.object_type ?? "",
  };
}

/** The properties that the form gives to a field of the type. */
function propertiesOf(type: FieldType, typed: TypedField, options: OptionDrafts) {
  const { name, description, unit, minimum, maximum, isRequired, appliesTo } = typed;
  return {
    name: name.trim(), description: description.trim(), isRequired, appliesTo,
    isShown: typed.isShown && appliesTo !== "objects",
    objectType: appliesTo === "cards" ? null : typed.objectType.trim() || null,
    ...(type === "number" ? { unit: unit.trim(), minimum: numberOf(minimum), maximum: numberOf(maximum) } : {}),
    ...(hasDefault(type) ? { defaultValue: defaultOf(type, typed.default, options) } : {}),
  };
}

const numberOf = (typed: string) => inputOf("number", typed) as number | null;

/** The default; that of a choice by its id, or by the name of an option that is new. */
function defaultOf(type: FieldType, typed: string, options: OptionDrafts): FieldValue | null {
  if (type !== "choice") return inputOf(type, typed);
  const row = options.named.find(({ key }) => key === typed);
  return row ? row.id ?? row.name.trim() : null;
}

export function newField(type: FieldType, typed: TypedField, options: OptionDrafts): NewField {
  const properties = Object.entries(propertiesOf(type, typed, options));
  return {
    ...Object.fromEntries(properties.filter(([, value]) => value !== null)),
    name: typed.name.trim(), type, ...(hasOptions(type) ? { options: options.changes.map(({ name }) => name) } : {}),
  };
}

/** The properties that differ from the field's; `null` if none does. */
export function changesOfField(field: CustomField, typed: TypedField, options: OptionDrafts): FieldChanges | null {
  const before: Record<string, unknown> = currentOf(field);
  const now = { ...propertiesOf(field.type, typed, options),
    ...(hasOptions(field.type) ? { options: options.changes } : {}) };
  const changes = Object.entries(now).filter(([name, value]) => !isEqual(before[name], value));
  return changes.length === 0 ? null : Object.fromEntries(changes);
}

/** The field's own properties, as a request names them. */
function currentOf(field: CustomField) {
  const { name, description, unit, minimum, maximum, is_required: isRequired, is_shown: isShown } = field;
  const { applies_to: appliesTo, object_type: objectType } = field;
  const options: OptionChange[] = field.options.map(({ id, name: option, is_archived: isArchived }) =>
    ({ id, name: option, isArchived }));
  return { name, description, unit, minimum, maximum, isRequired, isShown, appliesTo, objectType, options,
    defaultValue: field.default_value };
}

/** The changes that take back others. A removed option is gone for good, so changed options have no way back. */
export function inverseOf(field: CustomField, changes: FieldChanges): FieldChanges | null {
  if (changes.options) return null;
  const before: Record<string, unknown> = currentOf(field);
  return Object.fromEntries(Object.keys(changes).map((name) => [name, before[name]]));
}

/** The refusal of options by their names: the service names them by their places. */
export function optionRefusal(error: unknown, options: OptionDrafts): unknown {
  const isOfOption = ({ path }: { path: string }) => path.startsWith("body.options[");
  if (!(error instanceof ApiError) || !error.issues.some(isOfOption)) return error;
  return new Error(error.say((place) => {
    const at = /^options\[(\d+)\]/.exec(place)?.[1];
    return at === undefined ? undefined : text.fields.optionOf(options.named[Number(at)]?.name ?? "");
  }));
}
