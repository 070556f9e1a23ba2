// A new project. It belongs to an organization, so that it can have a board at once; a person without one gets it with
// their first project.

import { createOrganization } from "../../api/people/organizations";
import { newKey } from "../../api/persist";
import { createProject, type Organization } from "../../api/places";
import { text } from "../../text";
import type { Caller } from "../people/account";

/** The owner of a project that only its maker plans. */
export const SELF = "self";

/** The organization of one's own: the first one that a person owns. */
export function workspaceOf(organizations: readonly Organization[]): Organization | undefined {
  return organizations.filter(({ role }) => role === "owner")
    .toSorted((one, other) => one.createdAt.localeCompare(other.createdAt))[0];
}

/** The possible owners of a project, the usual one first. An empty value is the workspace that is still to be made. */
export function ownersOf(organizations: readonly Organization[], caller: Caller): { value: string; name: string }[] {
  const own = workspaceOf(organizations);
  const others = organizations.filter((one) => one !== own && one.role !== "guest");
  return [
    own ? { value: own.id, name: own.name } : { value: "", name: text.begin.organization(caller.name) },
    ...others.map(({ id, name }) => ({ value: id, name })),
    { value: SELF, name: text.projects.self },
  ];
}

/** The requests that make a project, which tests replace. */
const projectMakerApi = { organization: createOrganization, project: createProject };
export type ProjectMakerApi = typeof projectMakerApi;

/** One try to make a project. Trying it again after a failure makes nothing twice. */
export class ProjectMaker {
  readonly #keys = { organization: newKey(), project: newKey() };
  readonly #caller: Caller;
  readonly #organizations: readonly Organization[];
  readonly #api: ProjectMakerApi;

  constructor(caller: Caller, organizations: readonly Organization[], api: ProjectMakerApi = projectMakerApi) {
    [this.#caller, this.#organizations, this.#api] = [caller, organizations, api];
  }

  /** Makes the project; returns its id. Without an owner it goes to the workspace. */
  async make(name: string, owner = "", key = ""): Promise<string> {
    if (owner === SELF) return this.#api.project({ name, key }, this.#keys.project);
    const orgId = owner || workspaceOf(this.#organizations)?.id || (await this.#workspace());
    return this.#api.project({ name, key, orgId }, this.#keys.project);
  }

  async #workspace(): Promise<string> {
    const name = text.begin.organization(this.#caller.name);
    return (await this.#api.organization(name, this.#keys.organization)).id;
  }
}
