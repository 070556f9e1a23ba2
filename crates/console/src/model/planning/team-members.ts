// The members of a team, with their roles.

import { signal } from "@preact/signals";
import { teamAddress, type TeamPath } from "../../api/planning/boards";
import { reasonOf } from "../../api/errors";
import {
  putTeamMember,
  readOrganizationPeople,
  readTeamMembers,
  removeTeamMember,
  type Person,
  type TeamMember,
  type TeamRole,
} from "../../api/people/members";
import { watch, type Watch } from "../../api/watch";
import { text } from "../../text";
import { manages } from "../people/account";
import { keepEqual } from "../equal";
import { tell, tellFailure } from "../messages";
import { openTeam, type OpenedTeam } from "./team";
import { record, undoStep } from "../undo";

/** The requests on a team's members, which tests replace. */
const teamMembersApi = {
  read: readTeamMembers,
  people: readOrganizationPeople,
  put: putTeamMember,
  remove: removeTeamMember,
};
export type TeamMembersApi = typeof teamMembersApi;

export class TeamMembers {
  readonly path: TeamPath;
  readonly all = signal<readonly TeamMember[]>([]);
  readonly #api: TeamMembersApi;

  constructor(path: TeamPath, api: TeamMembersApi = teamMembersApi) {
    [this.path, this.#api] = [path, api];
  }

  async reload(): Promise<void> {
    this.all.value = keepEqual(this.all.peek(), await this.#api.read(this.path));
  }

  /** The people of the organization who are not in the team. */
  async others(): Promise<Person[]> {
    const [people] = await Promise.all([this.#api.people(this.path.orgId), this.reload()]);
    const own = new Set(this.all.peek().map(({ userId }) => userId));
    return people.filter(({ id }) => !own.has(id));
  }

  async add(userId: string, role: TeamRole): Promise<void> {
    await this.#api.put(this.path, userId, role);
    await this.reload();
  }

  /** Gives a member another role at once, and the old one if that is refused. */
  async change(one: TeamMember, role: TeamRole): Promise<void> {
    this.#show(one.userId, role);
    try {
      await this.#api.put(this.path, one.userId, role);
      tell(text.members.changed(one.name, text.roles.team[role] ?? role));
      record({ name: one.name, undo: () => this.#put(one) });
    } catch (error) {
      this.#show(one.userId, one.role);
      tell(text.members.unchanged(one.name, reasonOf(error)), { bad: true });
    }
  }

  /** Removes a member at once. They come back with their role. */
  async remove(one: TeamMember): Promise<void> {
    const before = this.all.peek();
    this.all.value = before.filter(({ userId }) => userId !== one.userId);
    try {
      await this.#api.remove(this.path, one.userId);
      const step = { name: one.name, undo: () => this.#put(one) };
      record(step);
      tell(text.teams.removed(one.name), { act: { name: text.undo.title, run: () => undoStep(step) } });
    } catch (error) {
      this.all.value = before;
      tellFailure(error);
    }
  }

  async #put({ userId, role }: TeamMember): Promise<void> {
    await this.#api.put(this.path, userId, role);
    await this.reload();
  }

  #show(userId: string, role: TeamRole): void {
    this.all.value = this.all.peek().map((one) => (one.userId === userId ? { ...one, role } : one));
  }
}

export interface OpenTeamMembers {
  members: TeamMembers;
  opened: OpenedTeam;
  live: Watch;
}

export async function openTeamMembers(path: TeamPath): Promise<OpenTeamMembers> {
  const members = new TeamMembers(path);
  const [opened] = await Promise.all([openTeam(path), members.reload()]);
  const live = watch(`${teamAddress(path)}/events`, () => members.reload(), ({ type }) => type === "members.changed");
  return { members, opened, live };
}

/** True if the caller decides on the team's members: its managers, and those of the organization. */
export function mayManage({ team, organizations, caller }: OpenedTeam, members: readonly TeamMember[]): boolean {
  const organization = organizations.find(({ id }) => id === team.organization_id);
  const own = members.find(({ userId }) => userId === caller.id);
  return own?.role === "manager" || (organization !== undefined && manages(organization));
}
