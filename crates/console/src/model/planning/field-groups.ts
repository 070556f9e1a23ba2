// Groups of cards by a custom field: options in their order, people and other values by name.

import type { FieldValues } from "../../api/planning/custom-fields";
import { chosenOf } from "./custom-fields";
import { sayIn, valueIn, type FieldColumn } from "./field-columns";
import type { ValueNames } from "./custom-fields";

export interface FieldGroup {
  /** Empty for the cards without a value. */
  id: string;
  name: string;
}

/** The groups of a card; one without a value has none. A card with several options is in several. */
export function fieldGroups(column: FieldColumn, values: FieldValues, names: ValueNames): FieldGroup[] {
  const value = valueIn(column, values);
  if (value === undefined) return [];
  if (column.options.length === 0) return [{ id: String(value), name: sayIn(column, values, names) }];
  return chosenOf(value).flatMap((id) => {
    const option = column.options.find(({ ids }) => ids.has(id));
    return option ? [{ id: optionKey(option.ids), name: option.name }] : [];
  });
}

/** The order of two groups of a column. Cards without a value come last. */
export function compareGroups(column: FieldColumn, one: FieldGroup, other: FieldGroup): number {
  const last = Number(!one.id) - Number(!other.id);
  if (last !== 0) return last;
  if (column.type === "number") return Number(one.id) - Number(other.id);
  if (column.type === "date") return one.id < other.id ? -1 : Number(one.id > other.id);
  const rank = ({ id }: FieldGroup) => column.options.findIndex(({ ids }) => optionKey(ids) === id);
  const collator = new Intl.Collator(undefined, { numeric: true });
  return column.options.length > 0 ? rank(one) - rank(other) : collator.compare(one.name, other.name);
}

/** Options of one name in several projects are one group. */
const optionKey = (ids: ReadonlySet<string>) => [...ids][0] ?? "";
