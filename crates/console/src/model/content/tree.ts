// A project's tree: its objects in order, which of them are unfolded, and which one is selected.

import { computed, signal } from "@preact/signals";
import type { TreeNode, UncommittedChanges } from "../../api/content/objects";
import { groupBy, sortedTree } from "./tree-order";

export interface TreeRow {
  node: TreeNode;
  level: number;
  /** Its place among its siblings, from 1, and their number. */
  place: number;
  of: number;
  children: number;
  isUnfolded: boolean;
}

/** Types that hold nothing, beside all that are a file. */
const LEAVES = new Set(["Page", "Code", "Include", "File"]);
/** Types that people put files into. */
const FOLDERS = new Set(["Folder", "Package"]);

/** True if an object may hold others: an assembly may that owns its file, and other files may not. */
export const holds = ({ type, file }: Pick<TreeNode, "type" | "file">) =>
  !LEAVES.has(type) && (!file || type === "Assembly" || type === "Part");

/** The product of which an object is an occurrence, where its own name doesn't say it. */
export const productOf = ({ name, product }: Pick<TreeNode, "name" | "product">) =>
  (product === name ? undefined : product);

/** Other objects of the same file, and other occurrences of the same product. Programs number those without a name. */
export function otherUses(
  node: Pick<TreeNode, "id" | "name" | "type" | "file">,
  nodes: readonly TreeNode[],
): TreeNode[] {
  const { id, type, file } = node;
  const isPart = !file && (type === "Part" || type === "Assembly");
  const used = (one: Pick<TreeNode, "name" | "product">) => one.product ?? one.name.replace(/_\d+$/, "");
  const own = used(nodes.find((one) => one.id === id) ?? node);
  return nodes.filter((other) => other.id !== id && (file ? other.file?.sha256 === file.sha256
    : isPart && other.type === type && !other.file && used(other) === own));
}

/** How often the product of an object stands among `others`, which hold the object. */
export const usesIn = (node: Parameters<typeof otherUses>[0], others: readonly TreeNode[]) =>
  otherUses(node, others).length + 1;

export class Tree {
  readonly root: string;
  readonly nodes = signal<readonly TreeNode[]>([]);
  readonly selected = signal<string | null>(null);
  readonly unfolded = signal<ReadonlySet<string>>(new Set());
  readonly byId = computed(() => new Map(this.nodes.value.map((node) => [node.id, node])));
  readonly children = computed(() => groupBy(sortedTree(this.nodes.value, this.root), ({ parent }) => parent));
  readonly rows = computed(() => flatten(this.children.value, this.root, this.unfolded.value));

  constructor(root: string) {
    this.root = root;
  }

  /** Selects an object, and unfolds all above it. */
  select(id: string | null): void {
    this.selected.value = id;
    const closed = this.above(id).filter((one) => !this.unfolded.peek().has(one.id));
    if (closed.length > 0) {
      this.unfolded.value = new Set([...this.unfolded.peek(), ...closed.map((node) => node.id)]);
    }
  }

  fold(id: string, isUnfolded: boolean): void {
    const now = new Set(this.unfolded.value);
    if (isUnfolded) now.add(id);
    else now.delete(id);
    this.unfolded.value = now;
  }

  /** The objects above another one, the nearest last. */
  above(id: string | null): TreeNode[] {
    const [found, known] = [[] as TreeNode[], this.byId.peek()];
    let node = known.get(known.get(id ?? "")?.parent ?? "");
    while (node && found.length < known.size) {
      found.unshift(node);
      node = known.get(node.parent);
    }
    return found;
  }

  /** True if an object is `above` or below it. */
  isBelow(id: string, above: string): boolean {
    return id === above || this.above(id).some((node) => node.id === above);
  }

  /** The folder for files that come to an object: itself, or the next one above that is a folder. */
  folderOf(id: string | null): string {
    const node = this.byId.value.get(id ?? "");
    const line = node ? [...this.above(node.id), node] : [];
    return line.findLast(({ type }) => FOLDERS.has(type))?.id ?? this.root;
  }

  /** The object for another one's place: itself, or the next one above that may hold others. */
  holderOf(id: string | null): string {
    const node = this.byId.value.get(id ?? "");
    const line = node ? [...this.above(node.id), node] : [];
    return line.findLast(holds)?.id ?? this.root;
  }
}

function flatten(children: Map<string, TreeNode[]>, root: string, unfolded: ReadonlySet<string>): TreeRow[] {
  const rows: TreeRow[] = [];
  // What is still to be shown, last first: a tree may be deeper than the stack.
  const open: TreeRow[] = [];
  const push = (id: string, level: number) => {
    const list = children.get(id) ?? [];
    for (let at = list.length - 1; at >= 0; at -= 1) {
      const node = list[at] as TreeNode;
      const count = children.get(node.id)?.length ?? 0;
      open.push({ node, level, place: at + 1, of: list.length, children: count,
        isUnfolded: count > 0 && unfolded.has(node.id) });
    }
  };
  push(root, 1);
  for (let row = open.pop(); row; row = open.pop()) {
    rows.push(row);
    if (row.isUnfolded) push(row.node.id, row.level + 1);
  }
  return rows;
}

export interface ChangedBelow {
  /** Changes at any depth below an object. */
  all: ReadonlyMap<string, number>;
  /** Deletions directly below an object. */
  deleted: ReadonlyMap<string, number>;
}

/** Counts the uncommitted changes below each object. */
export function changedBelow(nodes: readonly TreeNode[], changes: UncommittedChanges | null): ChangedBelow {
  const [all, deleted] = [new Map<string, number>(), new Map<string, number>()];
  if (!changes) return { all, deleted };
  const parents = new Map(nodes.map((node) => [node.id as string, node.parent as string]));
  for (const one of changes.deletedObjects) parents.set(one.objectId, one.parentId);
  const add = (counts: Map<string, number>, id: string) => counts.set(id, (counts.get(id) ?? 0) + 1);
  const changed = [...changes.added, ...changes.modified, ...changes.deletedObjects.map(({ objectId }) => objectId)];
  for (const id of changed) {
    for (let at = parents.get(id); at; at = parents.get(at)) add(all, at);
  }
  for (const { parentId } of changes.deletedObjects) add(deleted, parentId);
  return { all, deleted };
}
