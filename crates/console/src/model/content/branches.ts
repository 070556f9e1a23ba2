// The branches of a project, with the times of their last commits.

import { signal } from "@preact/signals";
import { createBranch, deleteBranch, readBranches, type Branch } from "../../api/content/projects";
import { readCommit } from "../../api/content/versions";
import { deleteLater } from "../undo";

/** Most last commits that are read at once; other branches show when they were made. */
const MOST_TIMES = 50;

export const branchesApi = { list: readBranches, commit: readCommit, create: createBranch, remove: deleteBranch };
export type BranchesApi = typeof branchesApi;

export class Branches {
  readonly all = signal<readonly Branch[]>([]);
  /** When each commit was made, of those that are read. */
  readonly times = signal<ReadonlyMap<string, string>>(new Map());
  readonly #project: string;
  readonly #api: BranchesApi;
  readonly #hidden = new Set<string>();

  constructor(project: string, first: readonly Branch[], api: BranchesApi = branchesApi) {
    this.#project = project;
    this.#api = api;
    this.all.value = first;
  }

  async load(): Promise<void> {
    const all = await this.#api.list(this.#project);
    this.all.value = all.filter(({ name }) => !this.#hidden.has(name));
    await this.readTimes();
  }

  async readTimes(): Promise<void> {
    const hashes = [...new Set(this.all.value.map(({ commitHash }) => commitHash))];
    const unknown = hashes.filter((hash) => !this.times.value.has(hash)).slice(0, MOST_TIMES);
    const found = await Promise.all(unknown.map((hash) =>
      this.#api.commit(this.#project, hash).then(({ createdAt }) => [hash, createdAt] as const, () => null)));
    this.times.value = new Map([...this.times.value, ...found.filter((one) => one !== null)]);
  }

  timeOf({ commitHash, createdAt }: Branch): string {
    return this.times.value.get(commitHash) ?? createdAt;
  }

  async create(name: string, from: string, key: string): Promise<string> {
    return (await this.#api.create(this.#project, name, from, key)).name;
  }

  /** Deletes a branch, after the time in which the person can take that back. */
  delete(name: string): void {
    const before = this.all.value;
    deleteLater({
      name,
      hide: () => {
        this.#hidden.add(name);
        this.all.value = before.filter((one) => one.name !== name);
      },
      restore: () => {
        this.#hidden.delete(name);
        void this.load();
      },
      send: () => this.#api.remove(this.#project, name).then(() => void this.#hidden.delete(name)),
    });
  }
}
