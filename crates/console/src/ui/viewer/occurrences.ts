// The occurrences of a file's meshes: where each stands, and to which object it belongs.

import { Matrix4, Quaternion, Vector3 } from "three";
import { UnreadableShape, type Gltf, type GltfNode } from "./glb";

export interface Occurrences {
  /** To the scene, in the order of `objects`. */
  matrices: Matrix4[];
  /** Numbers of objects. */
  objects: number[];
}

/**
 * The occurrences of the meshes that are used. A node belongs to the object of its `extras`, or to that of the node
 * around it; `count`, the number of objects, stands for those without one.
 */
export function occurrencesOf(json: Gltf, count: number): Map<number, Occurrences> {
  const nodes = json.nodes ?? [];
  const found = new Map<number, Occurrences>();
  const isSeen = new Uint8Array(nodes.length);
  const waiting = rootsOf(json).map((index) => ({ index, around: new Matrix4(), object: count }));
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const node = nodes[next.index];
    // A node has one parent; a circle would never end.
    if (!node || isSeen[next.index]) throw new UnreadableShape(`node ${next.index} has no place`);
    isSeen[next.index] = 1;
    const matrix = new Matrix4().multiplyMatrices(next.around, matrixOf(node));
    const object = objectOf(node, count) ?? next.object;
    if (node.mesh !== undefined) {
      const own = found.get(node.mesh) ?? { matrices: [], objects: [] };
      own.matrices.push(matrix);
      own.objects.push(object);
      found.set(node.mesh, own);
    }
    for (const index of node.children ?? []) waiting.push({ index, around: matrix, object });
  }
  return found;
}

/** The directions of the file's own axes: the root turns them so that Y is up. */
export function axesOf(json: Gltf): Vector3[] {
  const root = json.nodes?.[rootsOf(json)[0] ?? -1];
  const axes = [new Vector3(), new Vector3(), new Vector3()] as const;
  (root ? matrixOf(root) : new Matrix4()).extractBasis(...axes);
  return axes.map((axis) => axis.normalize());
}

const rootsOf = (json: Gltf) => json.scenes?.[json.scene ?? 0]?.nodes ?? [];

function objectOf({ extras }: GltfNode, count: number): number | undefined {
  const object = extras?.object;
  return typeof object === "number" && Number.isInteger(object) && object >= 0 && object < count ? object : undefined;
}

function matrixOf({ matrix, translation, rotation, scale }: GltfNode): Matrix4 {
  if (matrix?.length === 16) return new Matrix4().fromArray(matrix);
  return new Matrix4().compose(new Vector3(...translation ?? [0, 0, 0]), new Quaternion(...rotation ?? [0, 0, 0, 1]),
    new Vector3(...scale ?? [1, 1, 1]));
}
