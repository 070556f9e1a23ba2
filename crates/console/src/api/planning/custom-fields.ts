// Requests on custom fields: fields of cards that a project defines for itself.

import { all, answer, api, idempotent } from "../client";
import type { components } from "../generated/control";

type Schemas = components["schemas"];
export type CustomField = Schemas["CustomField"];
export type FieldType = CustomField["type"];
export type FieldOption = Schemas["FieldOption"];
export type FieldValue = Schemas["FieldValue"];
export type FieldValues = Schemas["FieldValues"];
export type NewField = Schemas["CreateFieldRequest"];
export type FieldChanges = Schemas["UpdateFieldRequest"];
export type OptionChange = Schemas["OptionRequest"];
/** New values by the field's id or name; null clears one. */
export type FieldInputs = Record<string, FieldValue | null>;

/** A card to make. */
export interface NewCardFields {
  name: string;
  /** A task by default. */
  type?: string;
  fields?: FieldInputs;
}

/** The values of a card. */
export interface ValuedCard {
  id: string;
  fields: FieldValues;
}

const FIELDS = "/api/v2/projects/{projectId}/fields";

/** The fields of a project in the order of their creation, with the archived ones. */
export async function readFields(projectId: string): Promise<CustomField[]> {
  return (await answer(api.GET(FIELDS, { params: { path: { projectId } } }))).fields;
}

async function createField(projectId: string, body: NewField, key: string): Promise<CustomField> {
  const sent = { params: { path: { projectId } }, headers: idempotent(key), body };
  return (await answer(api.POST(FIELDS, sent))).field;
}

async function changeField(projectId: string, fieldId: string, body: FieldChanges): Promise<CustomField> {
  return (await answer(api.PATCH(`${FIELDS}/{fieldId}`, { params: { path: { projectId, fieldId } }, body }))).field;
}

async function deleteField(projectId: string, fieldId: string): Promise<void> {
  await answer(api.DELETE(`${FIELDS}/{fieldId}`, { params: { path: { projectId, fieldId } } }));
}

/** The values of a project's cards on the board of a team. */
export function readTeamValues(projectId: string, team: string): Promise<ValuedCard[]> {
  return all((page) => answer(api.GET("/api/v2/projects/{projectId}/cards",
    { params: { path: { projectId }, query: { ...page, team: [team] } } })), ({ cards }) => cards);
}

/** All requests on the fields of a project, which tests replace. */
export const fieldApi = { list: readFields, create: createField, change: changeField, remove: deleteField };
export type FieldApi = typeof fieldApi;
