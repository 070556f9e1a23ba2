// Filters by custom fields in the filter bar: their entries in its menu, their own menus, and their chips.

import { columnWith, type FieldColumn } from "../../model/planning/field-columns";
import { isNegated, isOfRange, opposite, testOf, valuesOf, withTest, withValues, type FieldTest, type Range }
  from "../../model/planning/field-filter";
import { sayNumber } from "../../model/planning/custom-fields";
import { text } from "../../text";
import { Avatar } from "../../ui/avatar";
import { ask } from "../../ui/dialog";
import { Field } from "../../ui/form";
import { Icon } from "../../ui/icon";
import { openMenu, type MenuEntry } from "../../ui/menu-state";
import { dayOf } from "../../ui/time";
import { DateField } from "./date-field";
import { fieldIcon } from "./field-icon";
import type { Chip, FieldFilterSource } from "./filter-source";

/** Choices from which on the menu has a field to find one. */
const MANY = 8;

/** The custom fields as entries of the bar's menu; each leads to a menu or a dialog of its own. */
export function fieldEntries(source: FieldFilterSource, anchor: () => Element | null): MenuEntry[] {
  return source.columns.value.map((column) => ({
    name: `${column.name}…`, part: "fields", lead: <Icon name={fieldIcon(column.type)} />,
    run: () => { const at = anchor(); if (at) openMenu(at, valuesMenu(source, column)); },
  }));
}

function valuesMenu(source: FieldFilterSource, column: FieldColumn) {
  const choices = choicesOf(source, column);
  return {
    label: text.fields.filterBy(column.name), stays: true,
    ...(choices.length > MANY ? { find: text.fields.findOption } : {}),
    entries: () => [...choices.map(({ value, name, lead }) => entryOf(source, column, value, name, lead)),
      ...(column.type === "number" || column.type === "date" ? [rangeEntry(source, column)] : []),
      entryOf(source, column, null, text.fields.clear)],
  };
}

/** The values to choose from: options, and people. */
function choicesOf({ people }: FieldFilterSource, { type, options }: FieldColumn) {
  if (type === "user") {
    return [...people.value].map(([value, name]) =>
      ({ value, name, lead: <Avatar name={name} of={value} decorative /> }));
  }
  return options.map(({ name, ids: [first = ""], isArchived }) =>
    ({ value: first, name: isArchived ? text.fields.archivedOne(name) : name, lead: undefined }));
}

/** Several values of a field are chosen: cards have one of them. */
function entryOf(source: FieldFilterSource, column: FieldColumn, value: string | null, name: string,
  lead?: MenuEntry["lead"]): MenuEntry {
  const test = testOf(source.filter.value, column);
  const values = valuesOf(test);
  const has = values.includes(value);
  const run = () => source.set(withTest(source.filter.peek(), column,
    withValues(test, has ? values.filter((one) => one !== value) : [...values, value])));
  return { name, lead, checked: has, run, ...(value === null ? { part: "none" } : {}) };
}

function rangeEntry(source: FieldFilterSource, column: FieldColumn): MenuEntry {
  return { name: text.fields.range, lead: <Icon name={fieldIcon(column.type)} />,
    run: () => askRange(source, column) };
}

function askRange(source: FieldFilterSource, column: FieldColumn): void {
  const test = testOf(source.filter.peek(), column);
  const range: Range = test && isOfRange(test) ? test : {};
  const isDate = column.type === "date";
  const bound = (name: "from" | "to", label: string) => (isDate
    ? <DateField label={label} name={name} value={String(range[name] ?? "")} />
    : <Field label={column.unit ? `${label} (${column.unit})` : label} name={name} type="number" step="any"
      value={String(range[name] ?? "")} />);
  ask({
    title: column.name, action: text.filters.filter, cancel: text.cancel,
    fields: <div class="field-bounds">{bound("from", text.fields.fromLabel)}{bound("to", text.fields.toLabel)}</div>,
    async send(form) {
      const said = (["from", "to"] as const).flatMap((name) => {
        const typed = String(form.get(name) ?? "");
        return typed ? [[name, isDate ? typed : Number(typed)] as const] : [];
      });
      source.set(withTest(source.filter.peek(), column, Object.fromEntries(said)));
    },
  });
}

/** A test in words, after the name of its field. */
function sayTest({ people }: FieldFilterSource, { type, unit, options }: FieldColumn, test: FieldTest): string {
  const say = (value: string | number) => (typeof value === "number" ? sayNumber(value, unit)
    : type === "date" ? dayOf(value) : type === "user" ? people.value.get(value) ?? text.card.former
      : options.find(({ ids }) => ids.has(value))?.name ?? value);
  if (!isOfRange(test)) {
    const words = valuesOf(test).map((value) => (value === null ? text.fields.clear : say(value))).join(", ");
    return isNegated(test) ? text.filters.not(words) : words;
  }
  const [from, to] = [test.from, test.to].map((one) => (one === undefined ? "" : say(one)));
  return from && to ? text.fields.between(from, to) : from ? text.fields.from(from) : text.fields.to(to ?? "");
}

/** The chips of the custom fields by which cards are filtered. */
export function fieldChips(source: FieldFilterSource): Chip[] {
  // Until the fields are read, nobody knows what the address means.
  if (source.columns.value.length === 0) return [];
  return Object.entries(source.filter.value).map(([id, test]) => {
    const column = columnWith(source.columns.value, id);
    return {
      key: `field-${id}`,
      value: column ? `${column.name}: ${sayTest(source, column, test)}` : text.fields.gone,
      lead: column && <Icon name={fieldIcon(column.type)} />,
      ...(isOfRange(test) ? {} : { flip: () => source.set({ ...source.filter.peek(), [id]: opposite(test) }) }),
      remove: () => {
        const { [id]: _, ...others } = source.filter.peek();
        source.set(others);
      },
    };
  });
}
