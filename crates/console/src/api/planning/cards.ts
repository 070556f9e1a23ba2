// Requests on cards: their fields, what they are related to, their comments and their history.

import type { TeamPath } from "./boards";
import { all, answer, api, idempotent } from "../client";
import { readFields } from "./custom-fields";
import type { components } from "../generated/control";
import type { ProjectObject } from "../content/objects";

type Schemas = components["schemas"];
export type CardRead = Schemas["GetCardResponse"];
export type CardTag = Schemas["CardTag"];
export type Comment = Schemas["Comment"];
export type HistoryRow = Schemas["HistoryRow"];
export type ProjectMember = Schemas["ProjectMember"];
export type Sprint = Schemas["Sprint"];
export type Status = Schemas["WorkflowStatus"];
export type CardChanges = Schemas["UpdateCardRequest"];
export type CardOperation = Schemas["CardOperation"];
export type CardPlacement = Schemas["CardPlacement"];
export type CardOutcome = Schemas["CardOperationResult"];

export interface CardPath {
  projectId: string;
  cardId: string;
}

/** The kinds of resources that a card can be related to. */
export type Relation = "assignees" | "tags" | "objects";

const CARD = "/api/v2/projects/{projectId}/cards/{cardId}";
const TEAM = "/api/v2/orgs/{orgId}/teams/{teamId}";
/** Pages of a card's history that are shown. */
const HISTORY_PAGES = 5;

export async function readCard(path: CardPath): Promise<CardRead> {
  return await answer(api.GET(CARD, { params: { path } }));
}

/** The card as it was at a time of the past; a deleted one by its id. */
export async function readPastCard(path: CardPath, at: string): Promise<CardRead> {
  return await answer(api.GET(CARD, { params: { path, query: { at } } }));
}

/** The card of a key among those of the caller's projects. */
export async function findByKey(q: string): Promise<Schemas["IndexCard"] | undefined> {
  const { indexCards } = await answer(api.GET("/api/v2/cards", { params: { query: { q, limit: 20 } } }));
  const number = (key: string) => key.slice(key.indexOf("-"));
  // A project's former key still finds its cards, whose numbers stay.
  return indexCards.find(({ key }) => key && number(key) === number(q));
}

/** Changes fields of a card. With the head that the person saw, others' changes since then refuse it. */
export async function changeCard(path: CardPath, changes: CardChanges) {
  return await answer(api.PATCH(CARD, { params: { path }, body: changes }));
}

/** Makes or ends a relation of a card. */
export async function relateCard({ projectId, cardId }: CardPath, relation: Relation, id: string, is: boolean) {
  const path = { projectId, cardId };
  switch (relation) {
    case "assignees": {
      const params = { path: { ...path, userId: id } };
      return void (await (is ? answer(api.PUT(`${CARD}/assignees/{userId}`, { params, body: {} }))
        : answer(api.DELETE(`${CARD}/assignees/{userId}`, { params }))));
    }
    case "tags": {
      const params = { path: { ...path, tagId: id } };
      return void (await (is ? answer(api.PUT(`${CARD}/tags/{tagId}`, { params, body: {} }))
        : answer(api.DELETE(`${CARD}/tags/{tagId}`, { params }))));
    }
    case "objects": {
      const params = { path: { ...path, objectId: id } };
      return void (await (is ? answer(api.PUT(`${CARD}/objects/{objectId}`, { params, body: {} }))
        : answer(api.DELETE(`${CARD}/objects/{objectId}`, { params }))));
    }
  }
}

export function readComments(path: CardPath): Promise<Comment[]> {
  return all((query) => answer(api.GET(`${CARD}/comments`, { params: { path, query } })), ({ comments }) => comments);
}

export async function addComment(path: CardPath, body: string, key: string): Promise<void> {
  await answer(api.POST(`${CARD}/comments`, { params: { path }, headers: idempotent(key), body: { body } }));
}

export async function changeComment(path: CardPath, commentId: string, body: string): Promise<void> {
  await answer(api.PATCH(`${CARD}/comments/{commentId}`, { params: { path: { ...path, commentId } }, body: { body } }));
}

export async function deleteComment(path: CardPath, commentId: string): Promise<void> {
  await answer(api.DELETE(`${CARD}/comments/{commentId}`, { params: { path: { ...path, commentId } } }));
}

/** The beginning of a card's history. */
export async function readHistory(path: CardPath): Promise<HistoryRow[]> {
  const rows: HistoryRow[] = [];
  for (let [page, after] = [0, "0"]; page < HISTORY_PAGES; page += 1) {
    const { history, meta } = await answer(api.GET(`${CARD}/history`,
      { params: { path, query: { limit: 100, after } } }));
    rows.push(...history);
    if (!meta.hasMore) break;
    after = meta.nextAfter;
  }
  return rows;
}

/** People who may be assigned. Readers who may not list them get none. */
export function readProjectMembers(projectId: string): Promise<ProjectMember[]> {
  return all((query) => answer(api.GET("/api/v2/projects/{projectId}/members",
    { params: { path: { projectId }, query } })), ({ members }) => members);
}

export async function readTags(projectId: string): Promise<CardTag[]> {
  return (await answer(api.GET("/api/v2/projects/{projectId}/card-tags", { params: { path: { projectId } } }))).tags;
}

export async function createTag(projectId: string, name: string, color: string, key: string): Promise<CardTag> {
  const params = { path: { projectId } };
  const body = { name, color };
  return (await answer(api.POST("/api/v2/projects/{projectId}/card-tags",
    { params, headers: idempotent(key), body }))).tag;
}

export function readSprints(path: TeamPath): Promise<Sprint[]> {
  return all((query) => answer(api.GET(`${TEAM}/sprints`, { params: { path, query } })), ({ sprints }) => sprints);
}

export function readStatuses(path: TeamPath): Promise<Status[]> {
  return all((query) => answer(api.GET(`${TEAM}/statuses`, { params: { path, query } })), ({ statuses }) => statuses);
}

/** Places many cards in one request, in their order. */
export async function placeCards(path: TeamPath, placements: CardPlacement[]): Promise<void> {
  await answer(api.PUT(`${TEAM}/cards`, { params: { path }, body: { placements } }));
}

/** Changes many cards of a project; an outcome for each operation. */
export async function changeCards(projectId: string, operations: CardOperation[]): Promise<CardOutcome[]> {
  return (await answer(api.POST("/api/v2/projects/{projectId}/cards/bulk",
    { params: { path: { projectId } }, body: { operations } }))).results;
}

/** Changes cards of a project in one transaction: all operations, or none. */
export async function changeTogether(projectId: string, operations: CardOperation[], key: string): Promise<void> {
  await answer(api.POST("/api/v2/projects/{projectId}/cards/bulk",
    { params: { path: { projectId } }, headers: idempotent(key), body: { atomic: true, operations } }));
}

export interface ObjectName {
  id: string;
  name: string;
}

/** Objects of a project by a part of their name. */
export async function findObjects(projectId: string, q: string): Promise<ObjectName[]> {
  return (await answer(api.GET("/api/v2/projects/{projectId}/tree",
    { params: { path: { projectId }, query: { q } } }))).tree;
}

/** An object that a card is linked to. */
export type LinkedObject = Pick<ProjectObject, "id" | "name" | "type" | "file" | "data">;

export async function readLinkedObject(projectId: string, objectId: string): Promise<LinkedObject> {
  return (await answer(api.GET("/api/v2/projects/{projectId}/objects/{objectId}",
    { params: { path: { projectId, objectId } } }))).object as LinkedObject;
}

/** All requests of a card's models, which tests replace. */
export const cardApi = {
  read: readCard,
  change: changeCard,
  relate: relateCard,
  comments: readComments,
  addComment,
  changeComment,
  deleteComment,
  history: readHistory,
  members: readProjectMembers,
  tags: readTags,
  createTag,
  fields: readFields,
  sprints: readSprints,
  statuses: readStatuses,
  object: readLinkedObject,
};
export type CardApi = typeof cardApi;
