// A project on a branch, with what stands around its pages: its owner and the boards that plan its cards.

import { isLinked, readBranches, readProject, type Branch, type ProjectRecord } from "../../api/content/projects";
import { readOrganizations, readTeams, type Organization, type Team } from "../../api/places";
import { readAccount, type Caller } from "../people/account";

/** Most teams that are asked whether they plan the project. */
const TEAMS = 20;

export interface OpenedProject {
  project: ProjectRecord;
  branch: string;
  branches: readonly Branch[];
  organizations: readonly Organization[];
  caller: Caller;
  /** The teams that plan its cards. */
  teams: readonly Team[];
}

/** The project with a branch; without a name the default one. */
export async function openProject(id: string, branch: string | null): Promise<OpenedProject> {
  const [project, branches, organizations, caller] = await Promise.all([
    readProject(id),
    readBranches(id),
    readOrganizations(),
    readAccount(),
  ]);
  const teams = await linkedTeams(project, organizations);
  return { project, branch: branch ?? project.defaultBranch, branches, organizations, caller, teams };
}

/** The teams of the owner that plan a project's cards. */
async function linkedTeams({ id, ownerId }: ProjectRecord, organizations: readonly Organization[]): Promise<Team[]> {
  if (!organizations.some((one) => one.id === ownerId)) return [];
  const teams = (await readTeams(ownerId)).slice(0, TEAMS);
  const linked = await Promise.all(teams.map((team) => isLinked(team, id)));
  return teams.filter((_, at) => linked[at]);
}

/** A project on a branch, as the API names it. */
export function placeOf({ id, defaultBranch }: Pick<ProjectRecord, "id" | "defaultBranch">, branch: string): string {
  return branch === defaultBranch ? id : `${id}--${branch}`;
}

/** The address of a project's page, with the branch unless that is the default one. */
export function projectHref(
  { id, defaultBranch }: Pick<ProjectRecord, "id" | "defaultBranch">,
  path: string,
  branch: string,
  parameters: Record<string, string> = {},
): string {
  const query = new URLSearchParams({ ...parameters, ...(branch === defaultBranch ? {} : { branch }) }).toString();
  return `/projects/${id}${path}${query && `?${query}`}`;
}
