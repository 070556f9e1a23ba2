// Requests on types of cards: names that a project defines, each with a preset for its new cards.

import { answer, api, idempotent } from "../client";
import type { components } from "../generated/control";

type Schemas = components["schemas"];
export type CardTypeDefinition = Schemas["CardTypeDefinition"];
export type NewCardType = Schemas["CreateCardTypeRequest"];
export type CardTypeChanges = Schemas["UpdateCardTypeRequest"];

const TYPES = "/api/v2/projects/{projectId}/card-types";

/** The types that a project defines, by name. */
export async function readCardTypes(projectId: string): Promise<CardTypeDefinition[]> {
  return (await answer(api.GET(TYPES, { params: { path: { projectId } } }))).cardTypes;
}

async function createCardType(projectId: string, body: NewCardType, key: string): Promise<CardTypeDefinition> {
  const sent = { params: { path: { projectId } }, headers: idempotent(key), body };
  return (await answer(api.POST(TYPES, sent))).cardType;
}

async function changeCardType(projectId: string, cardTypeId: string, body: CardTypeChanges) {
  const sent = { params: { path: { projectId, cardTypeId } }, body };
  return (await answer(api.PATCH(`${TYPES}/{cardTypeId}`, sent))).cardType;
}

async function deleteCardType(projectId: string, cardTypeId: string): Promise<void> {
  await answer(api.DELETE(`${TYPES}/{cardTypeId}`, { params: { path: { projectId, cardTypeId } } }));
}

/** All requests on the types of a project, which tests replace. */
export const cardTypeApi = { list: readCardTypes, create: createCardType, change: changeCardType,
  remove: deleteCardType };
export type CardTypeApi = typeof cardTypeApi;
