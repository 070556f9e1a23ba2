// Objects with a shape in space: those that own a file of shapes, and the parts inside such files.

import type { PreviewShape } from "../../api/content/previews";
import type { TreeNode } from "../../api/content/objects";
import { text } from "../../text";
import { lengthsOf } from "./measures";
import { symbolOf } from "./properties";
import { isPart, ownsShape } from "./shape-kinds";
import type { PartTable } from "./view3d-tree";

/** The shape that an object is, or is part of. */
export interface ShapeRef {
  /** Id of the object that owns the file. */
  owner: string;
  /** Hash of the file. */
  sha256: string;
}

type Node = Pick<TreeNode, "id" | "parent" | "type" | "file">;

/** The shapes of a tree by their objects. */
export function shapesOf(nodes: readonly Node[]): Map<string, ShapeRef> {
  const known = new Map<string, Node>(nodes.map((node) => [node.id, node]));
  const found = new Map<string, ShapeRef | null>();
  for (const node of nodes) {
    // The way up to the next object whose shape is known: a tree may be deeper than the stack.
    const way: string[] = [];
    let at: Node | undefined = node;
    let shape: ShapeRef | null = null;
    while (at && !way.includes(at.id)) {
      const before = found.get(at.id);
      if (before !== undefined) {
        shape = before;
        break;
      }
      way.push(at.id);
      if (!isPart(at)) {
        shape = ownsShape(at) && at.file ? { owner: at.id, sha256: at.file.sha256 } : null;
        break;
      }
      at = known.get(at.parent);
    }
    for (const id of way) found.set(id, shape);
  }
  return new Map([...found].filter((one): one is [string, ShapeRef] => one[1] !== null));
}

/** The objects of a shape as its view knows them. An object that was deleted has neither id nor name. */
export function partsOf({ objects }: Pick<PreviewShape, "objects">, nodes: ReadonlyMap<string, TreeNode>): PartTable {
  const numbers = new Map(objects.flatMap((id, number) => (id === null ? [] : [[id, number] as const])));
  const own = objects.map((id) => nodes.get(id ?? ""));
  return {
    ids: objects.map((id) => id ?? ""),
    parents: own.map((node) => numbers.get(node?.parent ?? "") ?? -1),
    names: own.map((node) => node?.name ?? ""),
  };
}

/** The size and the fineness of a shape in one line. */
export function shapeFacts({ box, unit, faces, triangles }: PreviewShape): string {
  const lengths = lengthsOf(box ? { box } : {});
  return [
    ...(lengths === undefined ? [] : [`${lengths} ${symbolOf(unit ?? "")}`.trim()]),
    ...(triangles > 0 ? [text.shape.triangles(triangles)] : []),
    ...(faces && faces.shown < faces.all ? [text.shape.approximate(faces.shown, faces.all)] : []),
  ].join(" · ");
}
