// Requests on an organization, its members, invitations and teams.

import type { Invitation } from "./account";
import { all, answer, api, idempotent } from "../client";
import type { components } from "../generated/control";
import type { Organization } from "../places";

type Schemas = components["schemas"];
export type Member = Schemas["OrganizationMember"];
export type Role = Schemas["OrganizationRole"];
export type MadeKey = Schemas["MadeKey"];
export type { Invitation, Organization };

const ORG = "/api/v2/orgs/{orgId}";
const at = (orgId: string) => ({ path: { orgId } });

export async function readOrganization(orgId: string): Promise<Organization> {
  return (await answer(api.GET(ORG, { params: at(orgId) }))).organization;
}

export async function createOrganization(name: string, key: string): Promise<Organization> {
  return (await answer(api.POST("/api/v2/orgs", { headers: idempotent(key), body: { name } }))).organization;
}

export async function renameOrganization(orgId: string, name: string): Promise<Organization> {
  return (await answer(api.PATCH(ORG, { params: at(orgId), body: { name } }))).organization;
}

export async function deleteOrganization(orgId: string): Promise<void> {
  await answer(api.DELETE(ORG, { params: at(orgId) }));
}

/** The number of projects that an organization or a person owns. */
export async function countProjects(ownerId: string): Promise<number> {
  const owned = await all(
    (query) => answer(api.GET("/api/v2/projects", { params: { query: { ...query, ownerId } } })),
    ({ projects }) => projects,
  );
  return owned.length;
}

export function readMembers(orgId: string): Promise<Member[]> {
  return all(
    (query) => answer(api.GET(`${ORG}/members`, { params: { ...at(orgId), query } })),
    ({ members }) => members,
  );
}

export async function changeRole(orgId: string, memberId: string, role: Role): Promise<void> {
  await answer(api.PATCH(`${ORG}/members/{memberId}`, { params: { path: { orgId, memberId } }, body: { role } }));
}

/** Removes a member; returns the keys of service accounts that they made, which still work. */
export async function removeMember(orgId: string, memberId: string): Promise<MadeKey[]> {
  const params = { path: { orgId, memberId } };
  const asked = api.DELETE(`${ORG}/members/{memberId}`, { params });
  // The answer to a deletion that was repeated may be lost.
  const removed = await answer(asked) as Awaited<typeof asked>["data"];
  return removed?.serviceKeys ?? [];
}

export function readInvitations(orgId: string): Promise<Invitation[]> {
  return all(
    (query) => answer(api.GET(`${ORG}/invitations`, { params: { ...at(orgId), query } })),
    ({ invitations }) => invitations,
  );
}

export interface NewInvitation {
  role: Role;
  email?: string;
  expiresAt: string;
}

/** Makes an invitation; its secret is answered this once. */
export function createInvitation(orgId: string, invitation: NewInvitation, key: string) {
  return answer(
    api.POST(`${ORG}/invitations`, { params: at(orgId), headers: idempotent(key), body: invitation }),
  );
}

export async function revokeInvitation(orgId: string, invitationId: string): Promise<void> {
  await answer(api.DELETE(`${ORG}/invitations/{invitationId}`, { params: { path: { orgId, invitationId } } }));
}

export async function createTeam(
  orgId: string,
  team: { name: string; visibility: Schemas["TeamVisibility"] },
  key: string,
): Promise<void> {
  await answer(api.POST(`${ORG}/teams`, { params: at(orgId), headers: idempotent(key), body: team }));
}

/** Deletes a team with its board and sprints. Its cards stay in their projects. */
export async function deleteTeam(orgId: string, teamId: string): Promise<void> {
  await answer(api.DELETE(`${ORG}/teams/{teamId}`, { params: { path: { orgId, teamId } } }));
}

export async function createServiceAccount(orgId: string, name: string, role: Role, key: string): Promise<Member> {
  const body = { name, role };
  return (
    await answer(api.POST(`${ORG}/service-accounts`, { params: at(orgId), headers: idempotent(key), body }))
  ).member;
}
