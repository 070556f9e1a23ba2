// The people of a team and of its organization, whom cards of the team can name.

import type { TeamPath } from "../../api/planning/boards";
import { readOrganizationPeople, readTeamMembers, type Person } from "../../api/people/members";

export type { Person };

/** The members of a team, then the others of its organization, each by name. Lists that are refused are empty. */
export async function readTeamPeople(path: TeamPath): Promise<Person[]> {
  const [members, others] = await Promise.all([
    readTeamMembers(path).catch(() => []),
    readOrganizationPeople(path.orgId).catch(() => []),
  ]);
  const own = members.map(({ userId, name }) => ({ id: userId, name }));
  const known = new Set(own.map(({ id }) => id));
  const byName = (one: Person, other: Person) => one.name.localeCompare(other.name);
  return [...own.sort(byName), ...others.filter(({ id }) => !known.has(id)).sort(byName)];
}
