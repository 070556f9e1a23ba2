// A project's settings: its record, who reaches it, and the teams that plan its cards.

import { computed, signal } from "@preact/signals";
import { reasonOf } from "../../api/errors";
import { isLinked, readMembers, readOrganizationMembers, removeMember, setLink, setMember, updateProject,
  type ProjectMember, type ProjectRecord, type ProjectRole, type Visibility } from "../../api/content/projects";
import { readTeams, type Organization, type Team } from "../../api/places";
import { text } from "../../text";
import { manages } from "../people/account";
import { tell, tellFailure } from "../messages";
import type { OpenedProject } from "./project";
import { record, undoStep } from "../undo";

/** Most teams that are listed. */
const TEAMS = 50;

export type ProjectFields = Pick<ProjectRecord, "name" | "key" | "description" | "visibility">;

export interface LinkedTeam {
  team: Team;
  isOn: boolean;
}

export const settingsApi = { members: readMembers, people: readOrganizationMembers, setMember, removeMember, setLink,
  update: updateProject };
export type SettingsApi = typeof settingsApi;

export class ProjectSettings {
  readonly opened: OpenedProject;
  readonly owner: Organization | undefined;
  readonly project = signal<ProjectRecord>({} as ProjectRecord);
  readonly members = signal<readonly ProjectMember[]>([]);
  readonly teams = signal<readonly LinkedTeam[]>([]);
  readonly role = computed((): ProjectRole =>
    this.members.value.find(({ userId }) => userId === this.opened.caller.id)?.role ?? "viewer");
  readonly manages = computed(() => this.role.value === "manager");
  readonly #api: SettingsApi;

  constructor(opened: OpenedProject, api: SettingsApi = settingsApi) {
    this.opened = opened;
    this.#api = api;
    this.project.value = opened.project;
    this.owner = opened.organizations.find(({ id }) => id === opened.project.ownerId);
  }

  /** True if the caller may give the project to another owner. */
  get transfers(): boolean {
    const { project, caller } = this.opened;
    return this.owner ? manages(this.owner) : project.ownerId === caller.id;
  }

  /** The kinds of visibility to choose from. Internal is to the members of an organization. */
  get kinds(): Visibility[] {
    const hasInternal = this.owner !== undefined || this.project.value.visibility === "internal";
    return ["private", ...(hasInternal ? ["internal" as const] : []), "public"];
  }

  /** The owners that the caller may give it to. */
  get owners(): { id: string; name: string }[] {
    const { caller, organizations, project } = this.opened;
    return [caller, ...organizations.filter(({ role }) => role !== "guest")].filter(({ id }) => id !== project.ownerId);
  }

  /** Reads the members. A viewer may not list them, and sees that alone. */
  async load(): Promise<void> {
    this.members.value = await this.#api.members(this.opened.project.id).catch(() => []);
  }

  async loadTeams(): Promise<void> {
    if (!this.owner) return;
    const teams = (await readTeams(this.owner.id)).slice(0, TEAMS);
    const linked = await Promise.all(teams.map((team) => isLinked(team, this.opened.project.id)));
    this.teams.value = teams.map((team, at) => ({ team, isOn: linked[at] ?? false }));
  }

  async save(fields: ProjectFields): Promise<void> {
    const before = this.project.value;
    await this.#update(fields);
    record({ name: before.name, undo: () => this.#update(before) });
    tell(text.settings.saved);
  }

  async #update({ name, key, description, visibility }: ProjectFields): Promise<void> {
    // A project keeps its key where the person leaves the field empty.
    const fields = { name, description, visibility, ...(key ? { key } : {}) };
    this.project.value = await this.#api.update(this.opened.project.id, fields);
  }

  /** Gives a member another role: shown at once, and taken back if that is refused. */
  async setRole(member: ProjectMember, role: ProjectRole): Promise<void> {
    const before = this.members.value;
    this.members.value = before.map((one) => (one.userId === member.userId ? { ...one, role } : one));
    try {
      await this.#api.setMember(this.opened.project.id, member.userId, role);
      record({ name: member.name, undo: () => this.share(member.userId, member.role) });
      tell(text.members.changed(member.name, text.roles.project[role] ?? role));
    } catch (error) {
      this.members.value = before;
      tell(text.members.unchanged(member.name, reasonOf(error)), { bad: true });
    }
  }

  /** Removes a member at once. They come back with their role. */
  async remove({ userId, name, role }: ProjectMember): Promise<void> {
    const before = this.members.value;
    this.members.value = before.filter((one) => one.userId !== userId);
    try {
      await this.#api.removeMember(this.opened.project.id, userId);
    } catch (error) {
      this.members.value = before;
      return void tellFailure(error);
    }
    const step = { name, undo: () => this.share(userId, role) };
    record(step);
    tell(text.settings.removed(name), { act: { name: text.undo.title, run: () => undoStep(step) } });
    await this.load();
  }

  async share(person: string, role: ProjectRole): Promise<void> {
    await this.#api.setMember(this.opened.project.id, person, role);
    await this.load();
  }

  /** The people of the caller's organizations with whom the project isn't shared yet, by id. */
  async people(): Promise<Map<string, string>> {
    const { organizations, project } = this.opened;
    const lists = await Promise.all(organizations.map(({ id }) => this.#api.people(id)));
    const direct = new Set(this.members.value.filter(({ isDirect }) => isDirect).map(({ userId }) => userId as string));
    return new Map(lists.flat().filter(({ userId }) => !direct.has(userId) && userId !== project.ownerId)
      .map(({ userId, name }) => [userId, name]));
  }

  /** Links a team, or ends that: shown at once, and taken back if that is refused. */
  async link(team: Team, isOn: boolean, isUndo = false): Promise<void> {
    const set = (now: boolean) => {
      this.teams.value = this.teams.value.map((one) => (one.team === team ? { team, isOn: now } : one));
    };
    set(isOn);
    try {
      await this.#api.setLink(team, this.opened.project.id, isOn);
      if (!isUndo) record({ name: team.name, undo: () => this.link(team, !isOn, true) });
    } catch (error) {
      set(!isOn);
      tellFailure(error);
    }
  }
}
