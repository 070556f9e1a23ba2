// Requests on boards and their cards.

import { all, answer, api, idempotent } from "../client";
import { withChanges, type BoardCard, type BoardColumn, type KnownBoard, type WholeBoard } from "./board-changes";
import type { NewCardFields } from "./custom-fields";
import type { components } from "../generated/control";

export type { BoardCard, BoardColumn, KnownBoard, WholeBoard };
export type Team = components["schemas"]["Team"];
export type TeamProject = { id: string; name: string };

/** The team that a board belongs to. */
export interface TeamPath {
  orgId: string;
  teamId: string;
}

/** The place of a card among the others of a column. */
export interface CardPlace {
  statusId?: string;
  afterCardId?: string;
  beforeCardId?: string;
  sprintId?: string | null;
}

const TEAM = "/api/v2/orgs/{orgId}/teams/{teamId}";

/** The address of a team in the API, for its events and for what is asked ahead. */
export const teamAddress = ({ orgId, teamId }: TeamPath) => `/api/v2/orgs/${orgId}/teams/${teamId}`;

/** The board; if one is known, made of what has changed on it since. */
export async function readWholeBoard(path: TeamPath, known?: KnownBoard): Promise<KnownBoard> {
  if (known?.revision) {
    const query = { since: known.revision };
    const { changes } = await answer(api.GET(`${TEAM}/board/changes`, { params: { path, query } }));
    return withChanges(known, changes);
  }
  const asked = api.GET(`${TEAM}/board`, { params: { path } });
  const [{ board }, { response }] = await Promise.all([answer(asked), asked]);
  return { ...board, revision: response.headers.get("ETag") ?? "" };
}

/** The board as it was at a time of the past. */
export async function readPastBoard(path: TeamPath, at: string): Promise<BoardColumn[]> {
  return (await answer(api.GET(`${TEAM}/board`, { params: { path, query: { at } } }))).board.columns;
}

export async function readTeam(path: TeamPath): Promise<Team> {
  return (await answer(api.GET(TEAM, { params: { path } }))).team;
}

/** The projects whose cards the team plans. */
export function readTeamProjects(path: TeamPath): Promise<TeamProject[]> {
  return all(
    (query) => answer(api.GET(`${TEAM}/projects`, { params: { path, query } })),
    ({ projects }) => projects,
  );
}

/** Puts a card on the board, or moves it; returns whether it is open there. */
export async function placeCard(path: TeamPath, cardId: string, place: CardPlace): Promise<boolean> {
  const params = { path: { ...path, cardId } };
  return (await answer(api.PUT(`${TEAM}/cards/{cardId}`, { params, body: place }))).card.is_open;
}

export async function takeCardOff(path: TeamPath, cardId: string): Promise<void> {
  await answer(api.DELETE(`${TEAM}/cards/{cardId}`, { params: { path: { ...path, cardId } } }));
}

export async function deleteCard(projectId: string, cardId: string): Promise<void> {
  await answer(api.DELETE("/api/v2/projects/{projectId}/cards/{cardId}", { params: { path: { projectId, cardId } } }));
}

/** A new card with its place. One request, so that a card that can't be placed is not left behind off the board. */
export async function createCard(path: TeamPath, projectId: string, card: NewCardFields, place: CardPlace,
  key: string): Promise<string> {
  const body = { atomic: true, operations: [{ op: "create" as const, ...card, placement: { ...path, ...place } }] };
  const { results } = await answer(
    api.POST("/api/v2/projects/{projectId}/cards/bulk", {
      params: { path: { projectId } },
      headers: idempotent(key),
      body,
    }),
  );
  return results[0]?.cardId ?? "";
}

/** The three columns of a new board. */
export async function createColumns(path: TeamPath, names: readonly string[]): Promise<void> {
  const states = ["not_started", "started", "closed"] as const;
  for (const [at, transitionState] of states.entries()) {
    const closeMode = transitionState === "closed" ? ("automatic" as const) : ("off" as const);
    await answer(
      api.POST(`${TEAM}/statuses`, { params: { path }, body: { name: names[at] ?? "", transitionState, closeMode } }),
    );
  }
}

export type StatusFields = components["schemas"]["UpdateStatusRequest"];
export type NewStatus = components["schemas"]["CreateStatusRequest"];

export async function createStatus(path: TeamPath, body: NewStatus, key: string): Promise<void> {
  await answer(api.POST(`${TEAM}/statuses`, { params: { path }, headers: idempotent(key), body }));
}

export async function changeStatus(path: TeamPath, statusId: string, body: StatusFields): Promise<void> {
  await answer(api.PATCH(`${TEAM}/statuses/{statusId}`, { params: { path: { ...path, statusId } }, body }));
}

/** Deletes a column. Its cards go to another one. */
export async function deleteStatus(path: TeamPath, statusId: string, to: string | null): Promise<void> {
  const query = to ? { moveCardsTo: to } : {};
  await answer(api.DELETE(`${TEAM}/statuses/{statusId}`, { params: { path: { ...path, statusId }, query } }));
}

/** All requests on columns, which tests replace. */
export const columnApi = { create: createStatus, change: changeStatus, remove: deleteStatus };
export type ColumnApi = typeof columnApi;

/** All requests of a board's model, which tests replace. */
export const boardApi = {
  read: readWholeBoard,
  place: placeCard,
  takeOff: takeCardOff,
  remove: deleteCard,
  create: createCard,
};
export type BoardApi = typeof boardApi;
