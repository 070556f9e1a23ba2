// Cards that are linked to objects.

import { answer, api, idempotent } from "../client";
import type { NewCardFields } from "./custom-fields";
import type { components } from "../generated/control";

export type HistoryRow = components["schemas"]["HistoryRow"];
export type Card = components["schemas"]["Card"];

/** Entries of a project's history of cards after a sequence, oldest first. */
export async function readHistoryAfter(projectId: string, after: string | null) {
  const query = { limit: 100, ...(after ? { after } : {}) };
  const { history, meta } = await answer(api.GET("/api/v2/projects/{projectId}/history",
    { params: { path: { projectId }, query } }));
  return { history, hasMore: meta.hasMore };
}

export async function readCard(projectId: string, cardId: string): Promise<Card> {
  const params = { path: { projectId, cardId } };
  return (await answer(api.GET("/api/v2/projects/{projectId}/cards/{cardId}", { params }))).card;
}

/** A new card that is linked to an object. */
export async function createLinkedCard(projectId: string, objectId: string, body: NewCardFields, key: string) {
  const path = { projectId };
  const { card } = await answer(api.POST("/api/v2/projects/{projectId}/cards",
    { params: { path }, headers: idempotent(key), body }));
  await answer(api.PUT("/api/v2/projects/{projectId}/cards/{cardId}/objects/{objectId}",
    { params: { path: { ...path, cardId: card.id, objectId } }, body: {} }));
  return card.id;
}
