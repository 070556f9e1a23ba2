// Requests on what a card is to other cards: its parent and children, what blocks it, and its checklist.

import type { CardPath } from "./cards";
import { all, answer, api, idempotent } from "../client";
import { readProject } from "../content/projects";
import type { NewCardFields } from "./custom-fields";
import type { components } from "../generated/control";

type Schemas = components["schemas"];
export type CardRelation = Schemas["CardRelation"];
export type RelatedCard = Schemas["RelatedCard"];
export type RelationKind = CardRelation["kind"];
export type ChecklistItem = Schemas["ChecklistItem"];
export type ChecklistChanges = Schemas["UpdateChecklistItemRequest"];
export type ChildCard = Schemas["IndexCard"];
type FoundCard = Schemas["Card"];

const CARDS = "/api/v2/projects/{projectId}/cards";
const CARD = `${CARDS}/{cardId}` as const;
/** Cards that a search answers. */
const FOUND = 20;

/** Makes or ends a relation, from the side of the card that blocks or duplicates. */
export async function setRelation(path: CardPath, otherCardId: string, kind: RelationKind, is: boolean): Promise<void> {
  const sent = { params: { path: { ...path, otherCardId } }, body: { kind } };
  if (is) await answer(api.PUT(`${CARD}/relations/{otherCardId}`, sent));
  else await answer(api.DELETE(`${CARD}/relations/{otherCardId}`, sent));
}

/** The cards right below a card, oldest first. */
export function readChildren({ projectId, cardId }: CardPath): Promise<ChildCard[]> {
  return all((page) => answer(api.GET(CARDS,
    { params: { path: { projectId }, query: { ...page, parent: [cardId], sort: "oldest" } } })),
  ({ indexCards }) => indexCards);
}

/** The cards right below a card in other projects that the person sees. The card goes by its id. */
export async function readFarChildren({ projectId, cardId }: CardPath): Promise<ChildCard[]> {
  const found = await all((page) => answer(api.GET("/api/v2/cards",
    { params: { query: { ...page, parent: [cardId], sort: "oldest" } } })), ({ indexCards }) => indexCards);
  return found.filter((card) => card.project_id !== projectId);
}

/** Makes a card below another one. */
export async function createChild({ projectId, cardId }: CardPath, card: NewCardFields, key: string) {
  const sent = { params: { path: { projectId } }, headers: idempotent(key), body: { ...card, parentId: cardId } };
  return (await answer(api.POST(CARDS, sent))).indexCard;
}

/** Cards of a project by a part of their name or by their key; the newest for an empty text. */
export async function findCards(projectId: string, q: string): Promise<RelatedCard[]> {
  const query = { limit: FOUND, ...(q ? { q } : {}) };
  const { cards } = await answer(api.GET(CARDS, { params: { path: { projectId }, query } }));
  return cards.map(inBrief);
}

/** Finds cards of a project, and by a text also those of the other projects of its owner, which come last. */
export function ownersCards(projectId: string): (q: string) => Promise<RelatedCard[]> {
  let others: Promise<ReadonlySet<string>> | undefined;
  return async (q) => {
    if (!q) return findCards(projectId, q);
    others ??= readOthers(projectId);
    const [near, owned, { cards }] = await Promise.all([findCards(projectId, q), others,
      answer(api.GET("/api/v2/cards", { params: { query: { limit: FOUND, q } } }))]);
    return [...near, ...cards.filter((card) => owned.has(card.project_id)).map(inBrief)];
  };
}

/** The other projects of a project's owner that the person sees. */
async function readOthers(projectId: string): Promise<ReadonlySet<string>> {
  const { ownerId } = await readProject(projectId);
  const projects = await all((page) => answer(api.GET("/api/v2/projects",
    { params: { query: { ...page, ownerId } } })), (read) => read.projects);
  return new Set(projects.map(({ id }) => id).filter((id) => id !== projectId));
}

function inBrief({ id, project_id: projectId, key, name, is_open: isOpen }: FoundCard): RelatedCard {
  return { id, projectId, key, name, isOpen };
}

export async function readChecklist(path: CardPath): Promise<ChecklistItem[]> {
  return (await answer(api.GET(`${CARD}/checklist`, { params: { path } }))).items;
}

export async function addItem(path: CardPath, said: string, key: string): Promise<ChecklistItem> {
  const sent = { params: { path }, headers: idempotent(key), body: { text: said } };
  return (await answer(api.POST(`${CARD}/checklist`, sent))).item;
}

export async function changeItem(path: CardPath, itemId: string, body: ChecklistChanges): Promise<void> {
  await answer(api.PATCH(`${CARD}/checklist/{itemId}`, { params: { path: { ...path, itemId } }, body }));
}

export async function deleteItem(path: CardPath, itemId: string): Promise<void> {
  await answer(api.DELETE(`${CARD}/checklist/{itemId}`, { params: { path: { ...path, itemId } } }));
}

/** All requests on a card's family and relations, which tests replace. */
export const relationsApi = { set: setRelation, children: readChildren, farChildren: readFarChildren,
  create: createChild };
export type RelationsApi = typeof relationsApi;

/** All requests on a checklist, which tests replace. */
export const checklistApi = { read: readChecklist, add: addItem, change: changeItem, remove: deleteItem };
export type ChecklistApi = typeof checklistApi;
