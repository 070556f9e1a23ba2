// Custom fields that new cards of a project need.

import { readFields, type CustomField, type FieldInputs } from "../../api/planning/custom-fields";
import { ApiError } from "../../api/errors";
import { inputOf, isActive, isOfCards } from "./custom-fields";

/** True for the refusal of a new card that lacks fields. */
export function lacksFields(error: unknown): boolean {
  return error instanceof ApiError
    && error.issues.some(({ path, rule }) => rule === "required" && /(^|\.)fields\./.test(path));
}

/** The fields of a project that a new card needs and gets no value of without being asked. */
export async function readRequired(project: string, read = readFields): Promise<CustomField[]> {
  const fields = await read(project);
  return fields.filter((field) => isActive(field) && isOfCards(field) && field.is_required
    && field.default_value === null);
}

/** The values of a form, by the fields' ids. `read` gives all that is typed or chosen for a field. */
export function inputsOf(fields: readonly CustomField[], read: (id: string) => readonly string[]): FieldInputs {
  const inputs = fields.flatMap(({ id, type }) => {
    const given = read(id).filter((one) => one.trim() !== "");
    const value = type === "choices" ? given : inputOf(type, given[0] ?? "");
    return value === null || given.length === 0 ? [] : [[id, value] as const];
  });
  return Object.fromEntries(inputs) as FieldInputs;
}
