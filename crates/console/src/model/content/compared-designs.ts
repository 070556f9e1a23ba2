// The designs of a comparison: files with a shape that both sides have, of which the file or an object inside differs.

import type { TreeNode } from "../../api/content/objects";
import type { Comparison, Entry, Side } from "./compared-entry";
import { isPart, ownsShape } from "./shape-kinds";
import { shapesOf } from "./shapes";

/** A file with a shape, as both sides have it. */
export interface ComparedDesign {
  /** Id of the object that owns the file. */
  owner: string;
  name: string;
  base: Side;
  head: Side;
}

type Compared = Pick<Comparison, "entries" | "base" | "head" | "nameOf">;

/** The designs in the order of the list. `tree` has the objects of both sides that are known. */
export function designsOf({ entries, base, head, nameOf }: Compared, tree: readonly TreeNode[]): ComparedDesign[] {
  if (!base) return [];
  const shapes = shapesOf(tree);
  const changes = new Map(entries.map((entry) => [entry.objectId, entry.change]));
  const ownerOf = (entry: Entry) => {
    const { objectId, parentId, type, files } = entry;
    if (files) return isShown(type, files) ? objectId : undefined;
    // The tree may be of another state, in which a deleted object isn't there.
    return isPart({ type }) ? (shapes.get(objectId) ?? shapes.get(parentId))?.owner : undefined;
  };
  const owners = new Set(entries.map(ownerOf).filter((owner) => owner !== undefined));
  return [...owners].filter((owner) => (changes.get(owner) ?? "modified") === "modified")
    .map((owner) => ({ owner, name: nameOf(owner) ?? "", base, head }));
}

const isShown = (type: string, { base, head }: NonNullable<Entry["files"]>) =>
  [base, head].every((file) => ownsShape({ type, file }));
