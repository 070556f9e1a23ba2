// Custom fields as columns of a table whose cards come from several projects: fields of one name, type and unit are
// one column.

import type { CustomField, FieldType, FieldValue, FieldValues } from "../../api/planning/custom-fields";
import { groupBy } from "../group";
import { chosenOf, isActive, isOfCards, sayValue, type ValueNames } from "./custom-fields";

/** A column's name in addresses and in the browser: its first field's id. */
export type FieldColumnName = `field-${string}`;

export interface ColumnOption {
  name: string;
  /** Its ids in the projects. */
  ids: ReadonlySet<string>;
  isArchived: boolean;
}

export interface FieldColumn {
  key: FieldColumnName;
  name: string;
  type: FieldType;
  unit: string;
  fields: readonly CustomField[];
  options: readonly ColumnOption[];
}

export const isFieldColumn = (name: string): name is FieldColumnName => name.startsWith("field-");
const fold = (name: string) => name.normalize().toLowerCase();

/** The columns of active fields, in the order of the fields. */
export function columnsOf(fields: readonly CustomField[]): FieldColumn[] {
  const own = fields.filter((field) => isActive(field) && isOfCards(field));
  const groups = groupBy(own, ({ name, type, unit }) => `${type} ${unit} ${fold(name)}`);
  return [...groups.values()].flatMap((same) => {
    const [first] = same;
    if (!first) return [];
    const { id, name, type, unit } = first;
    return [{ key: `field-${id}` as const, name, type, unit, fields: same, options: optionsOf(same) }];
  });
}

function optionsOf(fields: readonly CustomField[]): ColumnOption[] {
  const groups = groupBy(fields.flatMap(({ options }) => options), ({ name }) => fold(name));
  return [...groups.values()].map((own) => ({ name: own[0]?.name ?? "", ids: new Set(own.map(({ id }) => id)),
    isArchived: own.every(({ is_archived: isArchived }) => isArchived) }));
}

/** The column that has a field. */
export const columnWith = (columns: readonly FieldColumn[], field: string) =>
  columns.find(({ fields }) => fields.some(({ id }) => id === field));

/** The column's field in a project, if it has one. */
export const fieldIn = ({ fields }: FieldColumn, project: string) =>
  fields.find(({ project_id: own }) => own === project);

/** The value that a card has in a column. */
export function valueIn({ fields }: FieldColumn, values: FieldValues): FieldValue | undefined {
  return fields.map(({ id }) => values[id]).find((value) => value !== undefined);
}

/** The value of a card in a column, as people read it. */
export function sayIn({ fields }: FieldColumn, values: FieldValues, names: ValueNames): string {
  const field = fields.find(({ id }) => values[id] !== undefined);
  const value = field && values[field.id];
  return field && value !== undefined ? sayValue(field, value, names) : "";
}

/** By what cards are sorted in a column: numbers, days, the order of the options, or words. No value comes last. */
export function sortKeyIn(column: FieldColumn, values: FieldValues, names: ValueNames): string | number {
  const value = valueIn(column, values);
  const isCounted = column.type === "number" || column.options.length > 0;
  if (value === undefined) return isCounted ? Number.MAX_VALUE : "\uffff";
  if (typeof value === "number") return value;
  if (column.options.length === 0) return column.type === "user" ? names.person(String(value)) : String(value);
  const [first = ""] = chosenOf(value);
  return column.options.findIndex(({ ids }) => ids.has(first));
}
