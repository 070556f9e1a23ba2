// A changed object, and the list in which it stands.

import type { FileRef } from "../../api/content/objects";
import type { ChangeAspect, ChangeKind, Displacement, Field } from "../../api/content/versions";
import type { ChangedObject } from "./tree-order";

export interface Entry extends ChangedObject {
  change: ChangeKind;
  path: string;
  /** Aspects of a change between two commits, and the way of what moved. */
  aspects?: readonly ChangeAspect[];
  displacement?: Displacement;
  /** The file before and after, if it is another one. */
  files?: { base: FileRef; head: FileRef };
  /** The file of an object that one side alone has. */
  file?: FileRef;
  /** The fields that differ, read when they are shown. */
  fields: () => Promise<Field[]>;
}

/** A state of a project: its branch, or a commit there. */
export interface Side {
  place: string;
  commit?: string;
}

/** A list of changed objects with what stands around it. */
export interface Comparison {
  entries: readonly Entry[];
  base: Side | null;
  head: Side;
  /** The object that alone is compared, with all in it. */
  object?: string;
  /** There are more than these. */
  isPart: boolean;
  nameOf: (id: string) => string | undefined;
}
