// Requests on the people of teams and organizations.

import { all, answer, api } from "../client";
import type { TeamPath } from "../planning/boards";
import type { components } from "../generated/control";

export type TeamMember = components["schemas"]["TeamMember"];
export type TeamRole = components["schemas"]["TeamRole"];

const MEMBERS = "/api/v2/orgs/{orgId}/teams/{teamId}/members";

/** A person by id and name. */
export interface Person {
  id: string;
  name: string;
}

export function readTeamMembers(path: TeamPath): Promise<TeamMember[]> {
  return all(
    (query) => answer(api.GET(MEMBERS, { params: { path, query } })),
    ({ members }) => members,
  );
}

/** The people of an organization; none for callers who may not list them. */
export function readOrganizationPeople(orgId: string): Promise<Person[]> {
  return all(
    (query) => answer(api.GET("/api/v2/orgs/{orgId}/members", { params: { path: { orgId }, query } })),
    ({ members }) => members,
  ).then((members) => members.map(({ userId, name }) => ({ id: userId, name })));
}

/** Adds a member to a team, or changes their role. */
export async function putTeamMember(path: TeamPath, memberId: string, role: TeamRole): Promise<void> {
  await answer(api.PUT(`${MEMBERS}/{memberId}`, { params: { path: { ...path, memberId } }, body: { role } }));
}

export async function removeTeamMember(path: TeamPath, memberId: string): Promise<void> {
  await answer(api.DELETE(`${MEMBERS}/{memberId}`, { params: { path: { ...path, memberId } } }));
}
