// The first board of a project, with three columns and a card.

import { createCard, createColumns } from "../../api/planning/boards";
import { answer, api, idempotent } from "../../api/client";
import { createOrganization } from "../../api/people/organizations";
import { newKey } from "../../api/persist";
import { readOrganizations, type Organization } from "../../api/places";
import { readProject, transferProject } from "../../api/content/projects";
import { text } from "../../text";
import { readAccount } from "../people/account";
import { boardMade } from "../first-steps";

/** The organization that a board moves the project into; null where the project is an organization's already. */
export async function newOwner(projectId: string): Promise<Pick<Organization, "name"> & { id?: string } | null> {
  const [project, organizations, caller] =
    await Promise.all([readProject(projectId), readOrganizations(), readAccount()]);
  if (organizations.some(({ id }) => id === project.ownerId)) return null;
  return organizations.find(({ role }) => role === "owner") ?? { name: text.begin.organization(caller.name) };
}

/** Makes a board with three columns and a first card for the project, which moves into `owner`. Returns its address. */
export async function makeFirstBoard(
  projectId: string,
  owner: Awaited<ReturnType<typeof newOwner>>,
): Promise<string> {
  const project = await readProject(projectId);
  let orgId = project.ownerId;
  if (owner) {
    orgId = owner.id ?? (await createOrganization(owner.name, newKey())).id;
    await transferProject(projectId, orgId, newKey());
  }
  const { team } = await answer(api.POST("/api/v2/orgs/{orgId}/teams",
    { params: { path: { orgId } }, headers: idempotent(newKey()), body: { name: project.name } }));
  const path = { orgId, teamId: team.id };
  await answer(api.PUT("/api/v2/orgs/{orgId}/teams/{teamId}/projects/{projectId}",
    { params: { path: { ...path, projectId } } }));
  await createColumns(path, text.board.columns);
  await createCard(path, projectId, { name: text.begin.card }, {}, newKey());
  const board = `/orgs/${orgId}/teams/${team.id}`;
  boardMade(board);
  return board;
}
