// The designs of a comparison: files with a shape of which the file or an object inside differs, or that one side alone
// has.

import type { TreeNode } from "../../api/content/objects";
import type { Comparison, Entry, Side } from "./compared-entry";
import { isPart, ownsShape } from "./shape-kinds";
import { shapesOf } from "./shapes";

/** A file with a shape, as both sides have it; null for a side without it. */
export interface ComparedDesign {
  /** Id of the object that owns the file. */
  owner: string;
  name: string;
  base: Side | null;
  head: Side | null;
}

type Compared = Pick<Comparison, "entries" | "base" | "head" | "nameOf">;

/**
 * The designs that both sides have, then the others, each in the order of the list. `tree` has the objects of both
 * sides that are known.
 */
export function designsOf({ entries, base, head, nameOf }: Compared, tree: readonly TreeNode[]): ComparedDesign[] {
  if (!base) return [];
  const shapes = shapesOf(tree);
  const changes = new Map(entries.map((entry) => [entry.objectId, entry.change]));
  const ownerOf = (entry: Entry) => {
    const { objectId, parentId, type, files, file } = entry;
    if (files) return isShown(type, files) ? objectId : undefined;
    if (file) return ownsShape({ type, file }) ? objectId : undefined;
    // The tree may be of another state, in which a deleted object isn't there.
    return isPart({ type }) ? (shapes.get(objectId) ?? shapes.get(parentId))?.owner : undefined;
  };
  const owners = new Set(entries.map(ownerOf).filter((owner) => owner !== undefined));
  const designs = [...owners].map((owner): ComparedDesign => {
    const change = changes.get(owner);
    return { owner, name: nameOf(owner) ?? "", base: change === "added" ? null : base,
      head: change === "deleted" ? null : head };
  });
  const isOnBoth = (design: ComparedDesign) => Number(design.base !== null && design.head !== null);
  return designs.sort((one, other) => isOnBoth(other) - isOnBoth(one));
}

const isShown = (type: string, { base, head }: NonNullable<Entry["files"]>) =>
  [base, head].every((file) => ownsShape({ type, file }));
