// Requests on projects, their branches, members and links to teams.

import { all, answer, api, idempotent } from "../client";
import type { components } from "../generated/control";
import type { Team } from "../places";

type Schemas = components["schemas"];
export type ProjectRecord = Schemas["ProjectRecord"];
export type Branch = Schemas["BranchRecord"];
export type ProjectMember = Schemas["ProjectMember"];
export type ProjectRole = Schemas["ProjectRole"];
export type Visibility = Schemas["Visibility"];

const PROJECT = "/api/v2/projects/{projectId}";

/** The address of a project's events. */
export const projectEvents = (projectId: string) => `/api/v2/projects/${projectId}/events`;

export async function readProject(projectId: string): Promise<ProjectRecord> {
  return (await answer(api.GET(PROJECT, { params: { path: { projectId } } }))).project;
}

export function readBranches(projectId: string): Promise<Branch[]> {
  return all((query) => answer(api.GET(`${PROJECT}/branches`, { params: { path: { projectId }, query } })),
    ({ branches }) => branches);
}

export async function createBranch(projectId: string, name: string, fromBranch: string, key: string): Promise<Branch> {
  const sent = { params: { path: { projectId } }, headers: idempotent(key), body: { name, fromBranch } };
  return (await answer(api.POST(`${PROJECT}/branches`, sent))).branch;
}

export async function deleteBranch(projectId: string, branch: string): Promise<void> {
  await answer(api.DELETE(`${PROJECT}/branches/{branch}`, { params: { path: { projectId, branch } } }));
}

export async function updateProject(projectId: string, body: Schemas["UpdateProjectRequest"]): Promise<ProjectRecord> {
  return (await answer(api.PATCH(PROJECT, { params: { path: { projectId } }, body }))).project;
}

export async function deleteProject(projectId: string): Promise<void> {
  await answer(api.DELETE(PROJECT, { params: { path: { projectId } } }));
}

export async function transferProject(projectId: string, ownerId: string, key: string): Promise<void> {
  const params = { path: { projectId } };
  await answer(api.POST(`${PROJECT}/transfer`, { params, headers: idempotent(key), body: { ownerId } }));
}

/** The members of a project. */
export function readMembers(projectId: string): Promise<ProjectMember[]> {
  return all((query) => answer(api.GET(`${PROJECT}/members`, { params: { path: { projectId }, query } })),
    ({ members }) => members);
}

export async function setMember(projectId: string, memberId: string, role: ProjectRole): Promise<void> {
  await answer(api.PUT(`${PROJECT}/members/{memberId}`, { params: { path: { projectId, memberId } }, body: { role } }));
}

export async function removeMember(projectId: string, memberId: string): Promise<void> {
  await answer(api.DELETE(`${PROJECT}/members/{memberId}`, { params: { path: { projectId, memberId } } }));
}

/** The members of an organization; none for those who may not list them. */
export function readOrganizationMembers(orgId: string): Promise<{ userId: string; name: string }[]> {
  return all((query) => answer(api.GET("/api/v2/orgs/{orgId}/members", { params: { path: { orgId }, query } })),
    ({ members }) => members).catch(() => []);
}

const LINK = "/api/v2/orgs/{orgId}/teams/{teamId}/projects";

/** True if a team plans the cards of a project. */
export async function isLinked({ organization_id: orgId, id: teamId }: Team, projectId: string): Promise<boolean> {
  const projects = await all((query) => answer(api.GET(LINK, { params: { path: { orgId, teamId }, query } })),
    (page) => page.projects).catch(() => []);
  return projects.some(({ id }) => id === projectId);
}

/** Lets a team plan the cards of a project, or ends that. */
export async function setLink({ organization_id: orgId, id: teamId }: Team, projectId: string, on: boolean) {
  const params = { path: { orgId, teamId, projectId } };
  if (on) await answer(api.PUT(`${LINK}/{projectId}`, { params }));
  else await answer(api.DELETE(`${LINK}/{projectId}`, { params }));
}
