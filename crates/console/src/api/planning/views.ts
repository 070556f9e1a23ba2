// Requests on saved views of cards.

import { all, answer, api, idempotent } from "../client";
import type { components } from "../generated/control";

type Schemas = components["schemas"];
export type SavedView = Schemas["SavedView"];
export type NewView = Schemas["CreateViewRequest"];

const VIEWS = "/api/v2/views";
const CARDS_SHOWN = 100;

/** The caller's views, and those of its teams. */
export function readViews(): Promise<SavedView[]> {
  return all((query) => answer(api.GET(VIEWS, { params: { query } })), ({ views }) => views);
}

export async function readView(viewId: string): Promise<SavedView> {
  return (await answer(api.GET(`${VIEWS}/{viewId}`, { params: { path: { viewId } } }))).view;
}

export async function saveView(body: NewView, key: string): Promise<SavedView> {
  return (await answer(api.POST(VIEWS, { headers: idempotent(key), body }))).view;
}

export async function renameView(viewId: string, name: string): Promise<SavedView> {
  return (await answer(api.PATCH(`${VIEWS}/{viewId}`, { params: { path: { viewId } }, body: { name } }))).view;
}

export async function deleteView(viewId: string): Promise<void> {
  await answer(api.DELETE(`${VIEWS}/{viewId}`, { params: { path: { viewId } } }));
}

/** The orders of lists that views can have. */
const SORTS: Record<string, string> = { "due": "deadline", "priority": "priority", "created": "oldest",
  "created desc": "newest", "updated desc": "updated" };

/** The first cards of a view, in its order where lists have it. */
export async function readViewCards({ projectId, filter, order }: SavedView) {
  const sort = order && SORTS[order.isDescending ? `${order.by} desc` : order.by];
  const query = { ...filter, limit: CARDS_SHOWN, ...(sort ? { sort } : {}) };
  const { indexCards, meta } = await answer(projectId
    ? api.GET("/api/v2/projects/{projectId}/cards", { params: { path: { projectId }, query } })
    : api.GET("/api/v2/cards", { params: { query } }));
  return { cards: indexCards, hasMore: meta.hasMore };
}
