// The order of a tree: files and folders by name. Changed objects in that order, with the names of what they are in.

import { text } from "../text.js";

/**
 * @typedef {import("./comparison.js").Entry} Entry
 * @typedef {{ name: string, parent: string, at: number }} Place `at` is the place in the tree's list
 */

const collator = new Intl.Collator(undefined, { numeric: true });
/** Types that people upload and create; of others, those that own a file are sorted, too. */
const SORTED = new Set(["Folder", "Code", "Document", "File"]);
const HOLDERS = new Set(["Folder", "Package"]);

/**
 * The nodes with files and folders of the same parent by name, folders first. Everything else keeps its place among its
 * siblings, because parts of assemblies and pages of documents have an order of their own.
 * @template {{ id: string, name: string, type: string, parent: string, file?: any }} Node
 * @param {Node[]} nodes @param {string} root @returns {Node[]}
 */
export function sortedTree(nodes, root) {
  const holders = new Set([root, ...nodes.filter(({ type }) => HOLDERS.has(type)).map(({ id }) => id)]);
  const isSorted = (/** @type {Node} */ node) => holders.has(node.parent) && (Boolean(node.file) || SORTED.has(node.type));
  const rank = (/** @type {Node} */ { type }) => (type === "Folder" ? 0 : 1);
  const sorted = Map.groupBy(nodes.filter(isSorted), ({ parent }) => parent);
  for (const list of sorted.values()) {
    list.sort((one, other) => rank(one) - rank(other) || collator.compare(one.name, other.name)).reverse();
  }
  return nodes.map((node) => (isSorted(node) ? sorted.get(node.parent)?.pop() ?? node : node));
}

/**
 * The entries in the tree's order, and names of objects. `tree` may be of another state than the change: what the change
 * says of its own objects counts.
 * @param {Entry[]} entries @param {any[]} tree @param {{ id: string, name: string }} root
 */
export function inTreeOrder(entries, tree, root) {
  const changed = new Map(entries.map((entry) => [entry.objectId, entry]));
  const known = new Set(tree.map(({ id }) => id));
  const gone = entries.filter(({ objectId }) => !known.has(objectId)).sort((one, other) => collator.compare(one.name, other.name))
    .map(({ objectId, name, type, parentId }) => ({ id: objectId, name, type, parent: parentId }));
  const present = tree.map((node) => {
    const { name = node.name, parentId: parent = node.parent } = changed.get(node.id) ?? {};
    return { ...node, name, parent };
  });
  /** @type {Map<string, Place>} */
  const places = new Map(sortedTree([...present, ...gone], root.id).map(({ id, name, parent }, at) => [id, { name, parent, at }]));
  const placed = entries.map((entry) => {
    /** @type {Set<Place>} */
    const above = new Set();
    let top = entry.objectId;
    // Two states together may have objects in each other.
    for (let at = places.get(top); at && !above.has(at); at = places.get(top)) {
      above.add(at);
      top = at.parent;
    }
    const line = [...above].reverse();
    // Of an object whose parents can't be read the end of the path is known.
    const names = [...(top === root.id ? [] : [text.versions.above]), ...line.slice(0, -1).map(({ name }) => name)];
    return { line, entry: { ...entry, path: names.join(" / ") } };
  });
  placed.sort((one, other) => {
    const at = one.line.findIndex((place, depth) => place !== other.line[depth]);
    if (at < 0) return -1;
    const [mine, its] = [one.line[at], other.line[at]];
    return its ? mine.at - its.at : 1;
  });
  return {
    entries: placed.map(({ entry }) => entry),
    nameOf: (/** @type {string} */ id) => (id === root.id ? root.name : places.get(id)?.name),
  };
}
