// A team with what stands around its pages: its projects, and the organizations of the caller.

import { readTeam, readTeamProjects, type Team, type TeamPath, type TeamProject } from "../../api/planning/boards";
import { readOrganizations, type Organization } from "../../api/places";
import { readAccount, type Caller } from "../people/account";

export interface OpenedTeam {
  path: TeamPath;
  team: Team;
  /** The projects whose cards the team plans. */
  projects: TeamProject[];
  organizations: Organization[];
  caller: Caller;
}

export async function openTeam(path: TeamPath): Promise<OpenedTeam> {
  const [team, projects, organizations, caller] =
    await Promise.all([readTeam(path), readTeamProjects(path), readOrganizations(), readAccount()]);
  return { path, team, projects, organizations, caller };
}
