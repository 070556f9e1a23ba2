// The order of a tree: files and folders by name. Changed objects in that order, with the names of what they are in.

import type { TreeNode } from "../../api/content/objects";

const collator = new Intl.Collator(undefined, { numeric: true });
/** Types that people upload and create; of others, those that own a file are sorted, too. */
const SORTED = new Set(["Folder", "Code", "Document", "File"]);
const HOLDERS = new Set(["Folder", "Package"]);

export type OrderedNode = Pick<TreeNode, "id" | "name" | "type" | "parent" | "file">;

/**
 * The nodes with files and folders of the same parent by name, folders first. Everything else keeps its place among its
 * siblings, because parts of assemblies and pages of documents have an order of their own.
 */
export function sortedTree<Node extends OrderedNode>(nodes: readonly Node[], root: string): Node[] {
  const holders = new Set([root, ...nodes.filter(({ type }) => HOLDERS.has(type)).map(({ id }) => id)]);
  const isSorted = (node: Node) => holders.has(node.parent) && (Boolean(node.file) || SORTED.has(node.type));
  const rank = ({ type }: Node) => (type === "Folder" ? 0 : 1);
  const sorted = groupBy(nodes.filter(isSorted), ({ parent }) => parent);
  for (const list of sorted.values()) {
    list.sort((one, other) => rank(one) - rank(other) || collator.compare(one.name, other.name)).reverse();
  }
  return nodes.map((node) => (isSorted(node) ? sorted.get(node.parent)?.pop() ?? node : node));
}

/** A changed object. */
export interface ChangedObject {
  objectId: string;
  parentId: string;
  name: string;
  type: string;
}

interface Placed {
  name: string;
  parent: string;
  /** The place in the tree's list. */
  at: number;
}

interface Order<Entry> {
  /** The entries in the tree's order, each with the names above it. */
  entries: (Entry & { path: string })[];
  nameOf: (id: string) => string | undefined;
}

/**
 * Puts changed objects in the tree's order. The tree may be of another state than the change: what the change says of
 * its own objects counts.
 */
export function inTreeOrder<Entry extends ChangedObject>(
  changed: readonly Entry[],
  tree: readonly OrderedNode[],
  root: { id: string; name: string },
): Order<Entry> {
  const places = placesOf(changed, tree, root.id);
  const placed = changed.map((entry) => {
    const above = new Set<Placed>();
    let top = entry.objectId;
    // Two states together may have objects in each other.
    for (let at = places.get(top); at && !above.has(at); at = places.get(top)) {
      above.add(at);
      top = at.parent;
    }
    const line = [...above].reverse();
    // Of an object whose parents can't be read the end of the path is known.
    const names = [...(top === root.id ? [] : ["…"]), ...line.slice(0, -1).map(({ name }) => name)];
    return { line, entry: { ...entry, path: names.join(" / ") } };
  });
  placed.sort((one, other) => compareLines(one.line, other.line));
  return {
    entries: placed.map(({ entry }) => entry),
    nameOf: (id) => (id === root.id ? root.name : places.get(id)?.name),
  };
}

/** The changed objects that are an object, or are in it: as the change has them, or else the tree. */
export function changedInside<Entry extends ChangedObject>(
  changed: readonly Entry[],
  tree: readonly Pick<OrderedNode, "id" | "parent">[],
  root: string,
): Entry[] {
  const parents = new Map<string, string>(tree.map(({ id, parent }) => [id, parent]));
  for (const { objectId, parentId } of changed) parents.set(objectId, parentId);
  return changed.filter(({ objectId }) => {
    const seen = new Set<string>();
    for (let at: string | undefined = objectId; at && !seen.has(at); at = parents.get(at)) {
      if (at === root) return true;
      seen.add(at);
    }
    return false;
  });
}

function placesOf(changed: readonly ChangedObject[], tree: readonly OrderedNode[], root: string): Map<string, Placed> {
  const own = new Map(changed.map((entry) => [entry.objectId, entry]));
  const known = new Set(tree.map(({ id }) => id));
  const gone = changed.filter(({ objectId }) => !known.has(objectId))
    .sort((one, other) => collator.compare(one.name, other.name))
    .map(({ objectId, name, type, parentId }): OrderedNode => ({ id: objectId, name, type, parent: parentId }));
  const present = tree.map((node): OrderedNode => {
    const { name = node.name, parentId: parent = node.parent } = own.get(node.id) ?? {};
    return { ...node, name, parent };
  });
  return new Map(sortedTree([...present, ...gone], root).map(({ id, name, parent }, at) => [id, { name, parent, at }]));
}

/** Compares two ways from the root: what is above comes first. */
function compareLines(one: readonly Placed[], other: readonly Placed[]): number {
  const at = one.findIndex((place, depth) => place !== other[depth]);
  const [mine, its] = [one[at], other[at]];
  if (!mine) return -1;
  return its ? mine.at - its.at : 1;
}

/** Entries by a key, in their order. `Map.groupBy` is too new for some browsers. */
export function groupBy<Entry>(entries: readonly Entry[], keyOf: (entry: Entry) => string): Map<string, Entry[]> {
  const groups = new Map<string, Entry[]>();
  for (const entry of entries) {
    const known = groups.get(keyOf(entry));
    if (known) known.push(entry);
    else groups.set(keyOf(entry), [entry]);
  }
  return groups;
}
