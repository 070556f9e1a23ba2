// The files of a branch: its tree with uncommitted changes, the object that is shown, and edits. Edits are shown at
// once, and taken back with the reason if they are refused.

import { computed, signal } from "@preact/signals";
import { reasonOf } from "../../api/errors";
import { filesApi, type Data, type FilesApi, type ProjectObject, type TreeNode, type UncommittedChanges }
  from "../../api/content/objects";
import { pause } from "../../api/persist";
import { text } from "../../text";
import { holdersOf } from "./bill-roots";
import { failedImports, type Import } from "./imports";
import { patchOf } from "./properties";
import { tell } from "../messages";
import { placeOf, projectHref, type OpenedProject } from "./project";
import { ownsPicture, type Pictured } from "./shape-kinds";
import { shapesOf } from "./shapes";
import { changedBelow, Tree } from "./tree";
import { deleteLater, record, sendWaiting } from "../undo";
import type { Target } from "./uploads";

/** Time in which held keys pass over objects: only the last is read. */
const PASSING_MS = 30;

/** The object that is shown: what the tree knows at once, the rest when it is read. */
export interface Shown {
  id: string;
  object: ProjectObject | null;
  failure: string | null;
}

export class Files {
  readonly tree: Tree;
  readonly place: string;
  readonly target: Target;
  readonly opened: OpenedProject;
  readonly changes = signal<UncommittedChanges | null>(null);
  readonly imports = signal<ReadonlyMap<string, Import>>(new Map());
  readonly shown = signal<Shown | null>(null);
  /** The object that the person's last upload became, for the page to show. */
  readonly arrived = signal<string | null>(null);
  /** Uncommitted changes of objects by their ids. */
  readonly marks = computed(() => new Map<string, "added" | "modified">([
    ...(this.changes.value?.modified ?? []).map((id) => [id, "modified"] as const),
    ...(this.changes.value?.added ?? []).map((id) => [id, "added"] as const),
  ]));
  /** Shapes in space, by their objects. */
  readonly shapes = computed(() => shapesOf(this.tree.nodes.value));
  readonly below = computed(() => changedBelow(this.tree.nodes.value, this.changes.value));
  /** Objects with parts in them, which have a bill of materials. */
  readonly holders = computed(() => holdersOf(this.tree.nodes.value));
  /** The folder for new files. */
  readonly folder = computed(() => this.tree.folderOf(this.tree.selected.value));

  readonly #api: FilesApi;
  readonly #hidden = new Set<string>();
  #reads = 0;
  #latest: Promise<void> = Promise.resolve();
  #edits = 0;
  #waiting = 0;
  #turn = 0;

  constructor(opened: OpenedProject, api: FilesApi = filesApi) {
    const { project, branch } = opened;
    this.opened = opened;
    this.#api = api;
    this.place = placeOf(project, branch);
    this.target = { place: this.place, href: projectHref(project, "", branch) };
    this.tree = new Tree(project.id);
  }

  nodeOf(id: string | null): TreeNode | undefined {
    return this.tree.byId.value.get(id ?? "");
  }

  /** The picture of an object of the tree. */
  picturedOf(id: string): Pictured | undefined {
    const node = this.nodeOf(id);
    const own = node && ownsPicture(node) ? node.file : undefined;
    const sha256 = (this.shapes.value.get(id) ?? own)?.sha256;
    return sha256 ? { place: this.place, id, sha256 } : undefined;
  }

  nameOf(id: string): string {
    return id === this.tree.root ? this.opened.project.name : this.nodeOf(id)?.name ?? "";
  }

  /** Reads tree and changes. An answer that is older than an edit or another answer is dropped. */
  load(): Promise<void> {
    this.#latest = this.#load((this.#reads += 1), this.#edits);
    return this.#latest;
  }

  async #load(own: number, edits: number): Promise<void> {
    const { project, branch } = this.opened;
    const [nodes, changes] = await Promise.all([this.#api.tree(this.place), this.#api.changes(project.id, branch)]);
    // The caller needs what this reading found; the newer one shows it.
    if (own !== this.#reads) return this.#latest;
    if (this.#waiting > 0 || edits !== this.#edits) return;
    this.changes.value = changes;
    this.tree.nodes.value = nodes.filter(({ id }) => !this.#hidden.has(id));
    void failedImports(nodes, (id) => this.#api.object(this.place, id))
      .then((imports) => { if (own === this.#reads) this.imports.value = imports; }, () => {});
  }

  /** Shows an object, or none. */
  async select(id: string | null): Promise<void> {
    const own = (this.#turn += 1);
    const isSame = this.shown.peek()?.id === id;
    this.tree.select(id);
    if (!id) {
      this.shown.value = null;
      return;
    }
    if (!isSame) this.shown.value = { id, object: null, failure: null };
    await pause(PASSING_MS);
    if (own === this.#turn) await this.#read(id, own);
  }

  /** Reads the shown object again. */
  async refresh(): Promise<void> {
    const shown = this.shown.peek();
    if (shown) await this.#read(shown.id, (this.#turn += 1));
  }

  async #read(id: string, own: number): Promise<void> {
    const now = await this.#api.object(this.place, id).then(
      (object): Shown => ({ id, object, failure: null }),
      (error: unknown): Shown => ({ id, object: null, failure: reasonOf(error) }),
    );
    if (own === this.#turn) this.shown.value = now;
  }

  rename(id: string, name: string): Promise<boolean> {
    const before = this.nodeOf(id);
    if (!before || before.name === name) return Promise.resolve(false);
    return this.#edit(before, (node) => (node.id === id ? { ...node, name } : node), { name }, { name: before.name });
  }

  move(id: string, parent: string): Promise<boolean> {
    const before = this.nodeOf(id);
    if (!before || before.parent === parent || this.tree.isBelow(parent, id)) return Promise.resolve(false);
    const change = (node: TreeNode) => (node.id === id ? { ...node, parent } : node);
    return this.#edit(before, change, { parent }, { parent: before.parent });
  }

  /** Changes properties of an object. Without a difference nothing is sent. */
  async setData(id: string, before: Data, wanted: Data): Promise<void> {
    const patch = patchOf(before, wanted);
    if (Object.keys(patch).length === 0) return;
    await this.#send(() => this.#api.patch(this.place, id, { data: patch }));
    const back = patchOf(wanted, before);
    record({ name: this.nameOf(id), undo: async () => {
      await this.#send(() => this.#api.patch(this.place, id, { data: back }));
      await this.#again();
    } });
    await this.#again();
  }

  /** Makes an object, and returns its id. */
  async create(name: string, type: string, parent: string, key: string): Promise<string> {
    const id = await this.#send(() => this.#api.create(this.place, { name, type, parent }, key));
    record({ name, undo: async () => {
      await this.#send(() => this.#api.remove(this.place, id));
      await this.load();
    } });
    await this.load();
    return id;
  }

  /** The objects that a deletion takes along, and those of them that were never committed. */
  lossOf(id: string): { gone: number; lost: number } {
    const gone = this.tree.nodes.value.filter((node) => this.tree.isBelow(node.id, id));
    return { gone: gone.length, lost: gone.filter((node) => this.marks.value.get(node.id) === "added").length };
  }

  /** Deletes an object, after the time in which the person can take that back. */
  delete(id: string): void {
    const node = this.nodeOf(id);
    if (!node) return;
    deleteLater({
      name: node.name,
      hide: () => {
        this.#hidden.add(id);
        this.#edits += 1;
        this.tree.nodes.value = this.tree.nodes.value.filter((one) => one.id !== id);
      },
      restore: () => {
        this.#hidden.delete(id);
        void this.load();
      },
      send: async () => {
        await this.#send(() => this.#api.remove(this.place, id));
        this.#hidden.delete(id);
        void this.load();
      },
    });
  }

  /** Commits the changes of the branch, with the deletions that still wait; returns the hash. */
  async commit(message: string, key: string): Promise<string> {
    await sendWaiting();
    const { project, branch } = this.opened;
    const hash = await this.#api.commit(project.id, branch, message, key);
    await this.load();
    return hash;
  }

  /** The way of every edit of the tree. */
  async #edit(
    { id, name }: TreeNode,
    change: (node: TreeNode) => TreeNode,
    patch: { name?: string; parent?: string },
    back: { name?: string; parent?: string },
  ): Promise<boolean> {
    const old = this.tree.nodes.value;
    this.tree.nodes.value = old.map(change);
    // What is selected stays in view in its new place.
    if (this.tree.selected.peek() === id) this.tree.select(id);
    try {
      await this.#send(() => this.#api.patch(this.place, id, patch));
    } catch (error) {
      this.tree.nodes.value = old;
      tell(text.files.refused(name, reasonOf(error)), { bad: true });
      // The reason is told already.
      await this.#again().catch(() => {});
      return false;
    }
    record({ name, undo: async () => {
      await this.#send(() => this.#api.patch(this.place, id, back));
      await this.#again();
    } });
    await this.#again();
    return true;
  }

  async #again(): Promise<void> {
    await Promise.all([this.load(), this.refresh()]);
  }

  /** Sends a change. A reading that began before it is older. */
  async #send<Answer>(send: () => Promise<Answer>): Promise<Answer> {
    this.#waiting += 1;
    this.#edits += 1;
    return send().finally(() => { this.#waiting -= 1; });
  }
}
