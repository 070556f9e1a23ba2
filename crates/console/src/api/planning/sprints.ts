// Requests on sprints, and on the cards of a team that no board shows yet.

import { all, answer, api, idempotent } from "../client";
import { createCard, readWholeBoard, takeCardOff, type CardPlace, type TeamPath } from "./boards";
import type { NewCardFields } from "./custom-fields";
import type { components } from "../generated/control";

type Schemas = components["schemas"];
export type Sprint = Schemas["Sprint"];
export type SprintReport = Schemas["SprintReport"];
export type SprintReportPart = Schemas["SprintReportPart"];
export type SprintStatus = Schemas["SprintStatus"];
export type AvailableCard = Schemas["AvailableTeamCard"];

/** Fields that change; those that are absent stay as they are. Days are those of the team's zone. */
export interface SprintChanges {
  name?: string;
  description?: string;
  startDate?: string | null;
  endDate?: string | null;
}

const TEAM = "/api/v2/orgs/{orgId}/teams/{teamId}";
const SPRINT = `${TEAM}/sprints/{sprintId}` as const;

/** The sprints of a team, or those of a state, newest first. */
export function readSprints(path: TeamPath, status?: SprintStatus): Promise<Sprint[]> {
  const only = status ? { status } : {};
  return all(
    (query) => answer(api.GET(`${TEAM}/sprints`, { params: { path, query: { ...query, ...only } } })),
    ({ sprints }) => sprints,
  );
}

/** The last sprints of a state, newest first. */
export async function readLastSprints(path: TeamPath, status: SprintStatus, limit: number): Promise<Sprint[]> {
  const params = { path, query: { status, limit } };
  return (await answer(api.GET(`${TEAM}/sprints`, { params }))).sprints;
}

export async function readSprint(path: TeamPath, sprintId: string): Promise<Sprint> {
  return (await answer(api.GET(SPRINT, { params: { path: { ...path, sprintId } } }))).sprint;
}

export async function readReport(path: TeamPath, sprintId: string): Promise<SprintReport> {
  return (await answer(api.GET(`${SPRINT}/report`, { params: { path: { ...path, sprintId } } }))).report;
}

export async function createSprint(path: TeamPath, fields: SprintChanges & { name: string }, key: string) {
  const request = { params: { path }, headers: idempotent(key), body: fields };
  return (await answer(api.POST(`${TEAM}/sprints`, request))).sprint;
}

export async function changeSprint(path: TeamPath, sprintId: string, changes: SprintChanges): Promise<Sprint> {
  return (await answer(api.PATCH(SPRINT, { params: { path: { ...path, sprintId } }, body: changes }))).sprint;
}

/** Starts a sprint. Days that are absent stay as they are. */
export async function startSprint(
  path: TeamPath,
  sprintId: string,
  body: Pick<SprintChanges, "startDate" | "endDate"> & { allowConcurrent: boolean },
): Promise<Sprint> {
  return (await answer(api.POST(`${SPRINT}/start`, { params: { path: { ...path, sprintId } }, body }))).sprint;
}

/** Completes a sprint; `target` is where its open cards go: `backlog`, `keep`, or another sprint. */
export async function completeSprint(path: TeamPath, sprintId: string, target: string | null): Promise<void> {
  const body = target ? { incompleteCardsTo: target } : {};
  await answer(api.POST(`${SPRINT}/complete`, { params: { path: { ...path, sprintId } }, body }));
}

export async function deleteSprint(path: TeamPath, sprintId: string): Promise<void> {
  await answer(api.DELETE(SPRINT, { params: { path: { ...path, sprintId } } }));
}

export interface Available {
  cards: AvailableCard[];
  /** How many there are in all. */
  total: number;
}

/** Open cards of the team's projects that are not on its board. */
export async function readAvailable(path: TeamPath, q: string, limit: number): Promise<Available> {
  const params = { path, query: { limit, ...(q ? { q } : {}) } };
  const { cards, meta } = await answer(api.GET(`${TEAM}/available-cards`, { params }));
  return { cards, total: meta.total };
}

/** Puts cards at places, all or none. */
export async function placeCards(path: TeamPath, places: (CardPlace & { cardId: string })[]): Promise<void> {
  await answer(api.PUT(`${TEAM}/cards`, { params: { path }, body: { placements: places } }));
}

/** The sprints that are not completed: the active ones, then the planned ones in the order of their making. */
export async function readOpenSprints(path: TeamPath): Promise<Sprint[]> {
  const [active, planned] = await Promise.all([readSprints(path, "active"), readSprints(path, "planned")]);
  return [...active, ...planned.reverse()];
}

/** A new card, placed on the board or, without a place, on none. Returns its id. */
async function createPlanned(path: TeamPath, projectId: string, card: NewCardFields, place: CardPlace | null,
  key: string): Promise<string> {
  if (place) return createCard(path, projectId, card, place, key);
  const request = { params: { path: { projectId } }, headers: idempotent(key), body: card };
  return (await answer(api.POST("/api/v2/projects/{projectId}/cards", request))).card.id;
}

/** All requests of a plan, which tests replace. */
export const planningApi = {
  readBoard: readWholeBoard,
  readAvailable,
  readOpenSprints,
  place: placeCards,
  takeOff: takeCardOff,
  create: createPlanned,
};
export type PlanningApi = typeof planningApi;

/** The requests on one sprint, which tests replace. */
export const sprintApi = {
  read: readSprint,
  report: readReport,
  change: changeSprint,
  start: startSprint,
  complete: completeSprint,
};
export type SprintApi = typeof sprintApi;
