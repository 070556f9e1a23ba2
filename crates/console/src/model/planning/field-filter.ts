// Filters of cards by custom fields, in the form in which the service takes them: `{"<field>": ["<option>", null]}`,
// `{"<field>": {"not": ["<option>"]}}` or `{"<field>": {"from": 2, "to": 3}}`. Null is no value.

import type { FieldValue, FieldValues } from "../../api/planning/custom-fields";
import { chosenOf } from "./custom-fields";
import { columnWith, valueIn, type FieldColumn } from "./field-columns";

type Scalar = string | number;
export type AnyOf = readonly (Scalar | null)[];
/** Bounds are included. */
export interface Range {
  from?: Scalar;
  to?: Scalar;
}
export interface NoneOf {
  not: AnyOf;
}
export type FieldTest = AnyOf | NoneOf | Range;
/** Tests of columns by the id of one of their fields. */
export type FieldFilter = Readonly<Record<string, FieldTest>>;

/** The parameter of an address that has the filter. */
export const FIELD_PARAMETER = "fields";

const isScalar = (value: unknown): value is Scalar => typeof value === "string" || typeof value === "number";
const isAnyOf = (test: unknown): test is AnyOf =>
  Array.isArray(test) && test.length > 0 && test.every((value) => value === null || isScalar(value));
const isRange = (test: unknown): test is Range => typeof test === "object" && test !== null && !Array.isArray(test)
  && Object.keys(test).length > 0
  && Object.entries(test).every(([name, bound]) => (name === "from" || name === "to") && isScalar(bound));
const isNoneOf = (test: unknown): test is NoneOf =>
  typeof test === "object" && test !== null && Object.keys(test).join() === "not" && isAnyOf((test as NoneOf).not);
export const isNegated = (test: FieldTest): test is NoneOf => "not" in test;
export const isOfRange = (test: FieldTest): test is Range => !Array.isArray(test) && !isNegated(test);

/** The filter of an address. What can't be read is left out. */
export function fieldFilterOf(search: URLSearchParams): FieldFilter {
  try {
    const tests = JSON.parse(search.get(FIELD_PARAMETER) ?? "{}") as unknown;
    if (typeof tests !== "object" || tests === null) return {};
    return Object.fromEntries(Object.entries(tests).filter(([, test]) =>
      isAnyOf(test) || isNoneOf(test) || isRange(test)));
  } catch {
    return {};
  }
}

/** The parameter of an address with the filter; null without a test. */
export const fieldParameterOf = (filter: FieldFilter) => (isUnfiltered(filter) ? null : JSON.stringify(filter));

export const isUnfiltered = (filter: FieldFilter) => Object.keys(filter).length === 0;

/** The filter with another test of a column, or without one. */
export function withTest(filter: FieldFilter, { key, fields }: Pick<FieldColumn, "key" | "fields">,
  test: FieldTest | null): FieldFilter {
  const others = Object.entries(filter).filter(([id]) => !fields.some((field) => field.id === id));
  const isEmpty = test === null
    || (isOfRange(test) ? Object.keys(test).length === 0 : valuesOf(test).length === 0);
  return Object.fromEntries(isEmpty ? others : [...others, [key.slice("field-".length), test]]);
}

/** The test of a column. */
export function testOf(filter: FieldFilter, { fields }: Pick<FieldColumn, "fields">): FieldTest | undefined {
  const field = fields.find(({ id }) => filter[id] !== undefined);
  return field && filter[field.id];
}

/** The values of a test that names some. */
export const valuesOf = (test: FieldTest | undefined): AnyOf =>
  (!test || isOfRange(test) ? [] : isNegated(test) ? test.not : test);

/** The test with other values. */
export const withValues = (test: FieldTest | undefined, values: AnyOf): FieldTest =>
  (test && isNegated(test) ? { not: values } : values);

/** The opposite of a test that names values. */
export const opposite = (test: FieldTest): FieldTest =>
  (isOfRange(test) ? test : isNegated(test) ? test.not : { not: test });

/** True if a card with these values passes all tests. Those of fields that are gone hide nothing. */
export function fitsFields(filter: FieldFilter, columns: readonly FieldColumn[], values: FieldValues): boolean {
  return Object.entries(filter).every(([id, test]) => {
    const column = columnWith(columns, id);
    return !column || passes(test, column, valueIn(column, values));
  });
}

function passes(test: FieldTest, column: FieldColumn, value: FieldValue | undefined): boolean {
  if (isOfRange(test)) return value !== undefined && !Array.isArray(value) && isWithin(test, value);
  if (isNegated(test)) return !passes(test.not, column, value);
  if (value === undefined) return test.includes(null);
  return test.some((wanted) => wanted !== null && hasValue(column, value, wanted));
}

/** True if a value is the wanted one, or an option of its name. */
function hasValue({ options }: FieldColumn, value: FieldValue, wanted: Scalar): boolean {
  if (options.length === 0) return value === wanted;
  const ids = options.find((option) => option.ids.has(String(wanted)))?.ids;
  return chosenOf(value).some((id) => ids?.has(id) ?? id === wanted);
}

/** Days are compared as texts: their order is that of their letters. */
const isWithin = ({ from, to }: Range, value: string | number) =>
  (from === undefined || from <= value) && (to === undefined || value <= to);
