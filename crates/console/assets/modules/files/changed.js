// What has changed below the objects of a tree, by object.

/**
 * How many changes are below each object at any depth, and how many deletions directly below it.
 * @param {any[]} nodes @param {any} changes the uncommitted changes of the branch
 */
export function changedBelow(nodes, changes) {
  const deletedObjects = changes.deletedObjects ?? [];
  /** @type {Map<string, string>} */
  const parents = new Map(nodes.map((node) => [node.id, node.parent]));
  for (const one of deletedObjects) parents.set(one.objectId, one.parentId);
  /** @type {Map<string, number>} */
  const all = new Map();
  /** @type {Map<string, number>} */
  const deleted = new Map();
  const add = (/** @type {Map<string, number>} */ counts, /** @type {string} */ id) => counts.set(id, (counts.get(id) ?? 0) + 1);
  for (const id of [...(changes.added ?? []), ...(changes.modified ?? []), ...deletedObjects.map((/** @type {any} */ one) => one.objectId)]) {
    for (let at = parents.get(id); at; at = parents.get(at)) add(all, at);
  }
  for (const one of deletedObjects) add(deleted, one.parentId);
  return { all, deleted };
}
