// The uncommitted changes of a branch: listed, committed, or discarded with what depends on them.

import { computed, signal } from "@preact/signals";
import { commitChanges, readChanges, readObject, readTree, type TreeNode, type UncommittedChanges }
  from "../../api/content/objects";
import { discard, type ChangeKind } from "../../api/content/versions";
import { text } from "../../text";
import type { Comparison, Entry } from "./compared-entry";
import { differingFields } from "./fields";
import { placeOf, type OpenedProject } from "./project";
import { inTreeOrder, type ChangedObject } from "./tree-order";
import { sendWaiting } from "../undo";

/** Most objects that the service takes at once. */
const TOGETHER = 100;

export const changesApi = { changes: readChanges, tree: readTree, object: readObject, discard, commit: commitChanges };
export type ChangesApi = typeof changesApi;

export class Changes {
  readonly opened: OpenedProject;
  readonly place: string;
  readonly comparison = computed(() => this.#comparison());
  readonly total = computed(() => this.#changes.value?.totalObjectChanges ?? 0);
  readonly #api: ChangesApi;
  readonly #changes = signal<UncommittedChanges | null>(null);
  #tree: readonly TreeNode[] = [];
  #reads = 0;

  constructor(opened: OpenedProject, api: ChangesApi = changesApi) {
    this.opened = opened;
    this.#api = api;
    this.place = placeOf(opened.project, opened.branch);
  }

  async load(): Promise<void> {
    const own = (this.#reads += 1);
    const { project, branch } = this.opened;
    const [changes, tree] = await Promise.all([this.#api.changes(project.id, branch), this.#api.tree(this.place)]);
    if (own !== this.#reads) return;
    this.#tree = tree;
    this.#changes.value = changes;
  }

  /** Commits all changes; returns the hash. */
  async commit(message: string, key: string): Promise<string> {
    await sendWaiting();
    return this.#api.commit(this.opened.project.id, this.opened.branch, message, key);
  }

  /** Discards some changes, or all. */
  async discard(some?: readonly Entry[]): Promise<void> {
    const { project, branch } = this.opened;
    try {
      if (!some) return await this.#api.discard(project.id, branch);
      for (let at = 0; at < some.length; at += TOGETHER) {
        const ids = some.slice(at, at + TOGETHER).map(({ objectId }) => objectId);
        await this.#api.discard(project.id, branch, ids);
      }
    } finally {
      await this.load();
    }
  }

  /** The changes that are discarded with one of them. */
  together(one: Entry): Entry[] {
    return together(one, this.comparison.value.entries, this.#tree);
  }

  #comparison(): Comparison {
    const changes = this.#changes.value;
    const root = { id: this.opened.project.id, name: text.versions.top };
    const known = new Map(this.#tree.map((node) => [node.id, node]));
    const named = (id: UncommittedChanges["added"][number]): ChangedObject => {
      const { name = "", type = "", parent = root.id } = known.get(id) ?? {};
      return { objectId: id, parentId: parent, name, type };
    };
    const found = changes ? [...changes.added.map(named).map((one) => this.#entry("added", one)),
      ...changes.modified.map(named).map((one) => this.#entry("modified", one)),
      ...changes.deletedObjects.map((one) => this.#entry("deleted", one))] : [];
    return { ...inTreeOrder(found, this.#tree, root), isPart: false, head: { place: this.place },
      base: { place: this.place, commit: changes?.committedHash ?? "" } };
  }

  #entry(change: ChangeKind, object: ChangedObject): Omit<Entry, "path"> {
    const { objectId } = object;
    return { ...object, change, fields: async () => differingFields(
      change === "added" ? null : await this.#api.object(this.place, objectId, true),
      change === "deleted" ? null : await this.#api.object(this.place, objectId),
    ) };
  }
}

/**
 * The changes that go with one of them, in an order in which the service takes them: no object is left without a
 * parent. `entries` are in the order of the tree.
 */
export function together(one: Entry, entries: readonly Entry[], tree: readonly TreeNode[]): Entry[] {
  if (one.change === "modified") return [one];
  const parents = new Map<string, string>(tree.map(({ id, parent }) => [id, parent]));
  const changed = new Map(entries.map((entry) => [entry.objectId, entry]));
  for (const { objectId, parentId } of entries) parents.set(objectId, parentId);
  const isInside = ({ objectId }: Entry) => {
    const seen = new Set<string>();
    for (let at = parents.get(objectId); at && !seen.has(at); at = parents.get(at)) {
      if (at === one.objectId) return true;
      seen.add(at);
    }
    return false;
  };
  const inside = entries.filter(isInside);
  if (one.change === "added") return [...inside.reverse(), one];
  // A deleted object comes back with the deleted ones that it was in.
  const above: Entry[] = [];
  for (let entry = changed.get(one.parentId); entry?.change === "deleted"; entry = changed.get(entry.parentId)) {
    above.unshift(entry);
  }
  return [...above, one, ...inside.filter(({ change }) => change === "deleted")];
}
