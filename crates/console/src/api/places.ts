// Requests for the caller, and for the places of the first pages.

import { all, answer, api, idempotent } from "./client";
import type { components } from "./generated/control";

type Schemas = components["schemas"];
export type Organization = Schemas["Organization"];
export type Project = Schemas["ProjectRecord"];
export type Team = Schemas["Team"];
export type IndexCard = Schemas["IndexCard"];

export async function readCaller() {
  return (await answer(api.GET("/api/v2/me"))).user;
}

export function readOrganizations(): Promise<Organization[]> {
  return all((query) => answer(api.GET("/api/v2/orgs", { params: { query } })), ({ organizations }) => organizations);
}

/** The boards of an organization; those that may not be listed are left out. */
export function readTeams(orgId: string): Promise<Team[]> {
  return all((query) => answer(api.GET("/api/v2/orgs/{orgId}/teams", { params: { path: { orgId }, query } })),
    ({ teams }) => teams).catch(() => []);
}

/** A page of projects, last changed first. */
export function readProjects(query: { q?: string; cursor?: string; limit?: number }) {
  return answer(api.GET("/api/v2/projects", { params: { query: { limit: 50, sort: "updated", ...query } } }));
}

/** A page of the caller's open cards, by due day; those without one come last. */
export async function readOwnCards(limit: number, cursor?: string) {
  const query = { assignee: ["me"], open: true, sort: "deadline" as const, limit, ...(cursor ? { cursor } : {}) };
  const { indexCards, meta } = await answer(api.GET("/api/v2/cards", { params: { query } }));
  return { cards: indexCards, next: meta.hasMore ? meta.nextCursor : null };
}

export type MentionedCard = Schemas["MentionedCard"];
export type WaitingApproval = Schemas["WaitingApproval"];

/** The open cards that mention the caller, and the questions of agents that wait for its answer. */
export async function readMentionsAndQuestions() {
  const { mentioned, approvals } = await answer(api.GET("/api/v2/me/work"));
  return { mentioned, approvals };
}

/** The cards that a person wrote or has, last changed first. */
export async function readTouchedCards(personId: string, limit: number): Promise<IndexCard[]> {
  const read = async (whose: { author?: string[]; assignee?: string[] }) => {
    const query = { ...whose, sort: "updated" as const, limit };
    return (await answer(api.GET("/api/v2/cards", { params: { query } }))).indexCards;
  };
  const found = (await Promise.all([read({ author: [personId] }), read({ assignee: ["me"] })])).flat();
  return [...new Map(found.map((card) => [card.id, card])).values()]
    .sort((one, other) => other.updated_at.localeCompare(one.updated_at)).slice(0, limit);
}

/** When a card of a team was changed last; null where it has none. */
export async function readTeamActivity(team: string): Promise<string | null> {
  const query = { team: [team], sort: "updated" as const, limit: 1 };
  return (await answer(api.GET("/api/v2/cards", { params: { query } }))).indexCards[0]?.updated_at ?? null;
}

export interface NewProject {
  name: string;
  /** Begins the keys of its cards; derived from the name if empty. */
  key?: string;
  orgId?: string | undefined;
}

export async function createProject(project: NewProject, idempotencyKey: string): Promise<string> {
  const { name, key, orgId } = project;
  const body = { name, ...(key ? { key } : {}), ...(orgId ? { orgId } : {}) };
  return (await answer(api.POST("/api/v2/projects", { headers: idempotent(idempotencyKey), body }))).id;
}
