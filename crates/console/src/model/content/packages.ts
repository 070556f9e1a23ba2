// The packages that a project publishes, and those of others that it includes.

import { signal } from "@preact/signals";
import { readObjectsOf } from "../../api/content/objects";
import { include, pin, publish, readInclude, readPackage, readPackages, withdraw, type Include, type Package }
  from "../../api/content/packages";

/** An included package with the newest published one; null where the caller can't read that. */
export interface Inclusion {
  include: Include;
  newest: Package | null;
}

export const packagesApi = { published: readPackages, one: readPackage, objects: readObjectsOf, include: readInclude,
  publish, withdraw, add: include, pin };
export type PackagesApi = typeof packagesApi;

export class Packages {
  readonly published = signal<readonly Package[]>([]);
  readonly included = signal<readonly Inclusion[]>([]);
  readonly #project: string;
  readonly #api: PackagesApi;

  constructor(project: string, api: PackagesApi = packagesApi) {
    this.#project = project;
    this.#api = api;
  }

  async load(): Promise<void> {
    const [published, objects] = await Promise.all([
      this.#api.published(this.#project),
      this.#api.objects(this.#project, "Include"),
    ]);
    const included = await Promise.all(objects.map(({ id }) => this.#inclusion(id)));
    this.published.value = published;
    this.included.value = included.filter((one) => one !== null);
  }

  /** The objects that can be published: packages of the tree. */
  async publishable(): Promise<{ id: string; name: string }[]> {
    return this.#api.objects(this.#project, "Package");
  }

  publish(object: string, description: string): Promise<void> {
    return this.#change(this.#api.publish(this.#project, object, description));
  }

  withdraw(id: string): Promise<void> {
    return this.#change(this.#api.withdraw(this.#project, id));
  }

  include(ref: string, key: string): Promise<void> {
    return this.#change(this.#api.add(this.#project, ref.trim(), key));
  }

  update(id: string, commitHash: string): Promise<void> {
    return this.#change(this.#api.pin(this.#project, id, commitHash));
  }

  async #change(sent: Promise<unknown>): Promise<void> {
    await sent;
    await this.load();
  }

  async #inclusion(id: string): Promise<Inclusion | null> {
    const found = await this.#api.include(this.#project, id);
    if (!found) return null;
    const { projectId, packageId } = found.include;
    return { include: found, newest: await this.#api.one(projectId, packageId) };
  }
}

/** True if a newer state of an included package is published. */
export const isOld = ({ include: { include: pinned }, newest }: Inclusion) =>
  newest !== null && newest.commitHash !== pinned.commitHash;
