// Objects that a bill of materials may be of: those with parts in them.

import type { TreeNode } from "../../api/content/objects";

type Node = Pick<TreeNode, "id" | "parent" | "type" | "name">;

/** Types of objects that bills count. */
export const COMPONENTS: ReadonlySet<string> = new Set(["Assembly", "Part", "Include"]);
const HOLDERS = new Set(["Folder", "Package"]);

/** The ids of the objects that hold a part, an assembly or an include, at any depth. */
export function holdersOf(nodes: readonly Node[]): ReadonlySet<string> {
  const parents = new Map<string, string>(nodes.map(({ id, parent }) => [id, parent]));
  const holders = new Set<string>();
  for (const { type, parent } of nodes) {
    if (!COMPONENTS.has(type)) continue;
    for (let at: string | undefined = parent; at && !holders.has(at); at = parents.get(at)) holders.add(at);
  }
  return holders;
}

/** The objects to choose from: folders, packages, and assemblies that are in no other one. The chosen one always. */
export function rootsOf<Own extends Node>(nodes: readonly Own[], chosen: string | null): Own[] {
  const holders = holdersOf(nodes);
  const types = new Map<string, string>(nodes.map(({ id, type }) => [id, type]));
  return nodes.filter(({ id, type, parent }) => id === chosen || (holders.has(id)
    && (HOLDERS.has(type) || (type === "Assembly" && types.get(parent) !== "Assembly"))));
}
