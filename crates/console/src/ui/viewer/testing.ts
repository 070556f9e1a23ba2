// GLB files for unit tests, as the service writes them: a root that turns the file's axes and scales it to metres, a
// node for each occurrence, meshes with a primitive for each colour and one for edges.

import type { GltfNode, GltfPrimitive } from "./glb";
import { packed } from "./glb-join";

export interface TestPrimitive {
  positions: readonly number[];
  normals?: readonly number[];
  indices?: readonly number[];
  color?: readonly number[];
  isEdges?: boolean;
}

export interface TestNode extends Omit<GltfNode, "children"> {
  children?: readonly TestNode[];
}

/** The turn of a file whose Z is up, in millimetres. */
export const MILLIMETRES = [0.001, 0, 0, 0, 0, 0, -0.001, 0, 0, 0.001, 0, 0, 0, 0, 0, 1];

/** A file with these meshes, whose root has the nodes below it. */
export function glbOf(meshes: readonly (readonly TestPrimitive[])[], nodes: readonly TestNode[],
  root: readonly number[] = MILLIMETRES): ArrayBuffer {
  const parts: { bytes: ArrayBuffer; componentType: number; type: string; count: number }[] = [];
  const add = (numbers: Float32Array<ArrayBuffer> | Uint32Array<ArrayBuffer>, componentType: number, type: string) =>
    parts.push({ bytes: numbers.buffer, componentType, type, count: numbers.length / (type === "VEC3" ? 3 : 1) }) - 1;
  const materials: object[] = [];
  const written = meshes.map((primitives) => ({ primitives: primitives.map(
    ({ positions, normals, indices, color, isEdges }): GltfPrimitive => ({
      mode: isEdges ? 1 : 4,
      attributes: { POSITION: add(Float32Array.from(positions), 5126, "VEC3"),
        ...(normals ? { NORMAL: add(Float32Array.from(normals), 5126, "VEC3") } : {}) },
      ...(indices ? { indices: add(Uint32Array.from(indices), 5125, "SCALAR") } : {}),
      ...(color ? { material: materials.push({ pbrMetallicRoughness: { baseColorFactor: color } }) - 1 } : {}),
    })) }));
  const flat: GltfNode[] = [{ matrix: [...root] }];
  const place = ({ children, ...node }: TestNode): number => {
    const at = flat.push(node) - 1;
    if (children) flat[at] = { ...node, children: children.map(place) };
    return at;
  };
  flat[0] = { matrix: [...root], children: nodes.map(place) };
  let length = 0;
  const bufferViews = parts.map(({ bytes }) => {
    length += bytes.byteLength;
    return { byteOffset: length - bytes.byteLength, byteLength: bytes.byteLength };
  });
  return packed({ scene: 0, scenes: [{ nodes: [0] }], nodes: flat, meshes: written, materials,
    accessors: parts.map(({ componentType, type, count }, bufferView) => ({ bufferView, componentType, type, count })),
    bufferViews, buffers: [{ byteLength: length }] }, parts.map(({ bytes }) => bytes));
}

/** A cube of an edge length around the origin: two colours, and its twelve edges. */
export function cube(size: number): TestPrimitive[] {
  const half = size / 2;
  const sides = [0, 1, 2].flatMap((axis) => [1, -1].map((sign) => {
    const normal = [0, 1, 2].map((at) => (at === axis ? sign : 0));
    const corner = (u: number, v: number) => [0, 1, 2].map((at) => half
      * (at === axis ? sign : at === (axis + 1) % 3 ? u : v));
    return { normal, corners: [corner(-1, -1), corner(1, -1), corner(1, 1), corner(-1, 1)].flat() };
  }));
  const faces = (chosen: typeof sides, color?: number[]): TestPrimitive => ({
    positions: chosen.flatMap(({ corners }) => corners),
    normals: chosen.flatMap(({ normal }) => [normal, normal, normal, normal].flat()),
    indices: chosen.flatMap((_, at) => [0, 1, 2, 0, 2, 3].map((corner) => at * 4 + corner)),
    ...(color ? { color } : {}) });
  const signs = [-1, 1];
  const edges = [0, 1, 2].flatMap((axis) => signs.flatMap((u) => signs.flatMap((v) => signs.map((end) =>
    [0, 1, 2].map((at) => half * (at === axis ? end : at === (axis + 1) % 3 ? u : v)))))).flat();
  return [faces(sides.slice(0, 4)), faces(sides.slice(4), [0.8, 0.1, 0.1, 1]), { positions: edges, isEdges: true }];
}

/** The segments of a circle around Z. */
export function circle(radius: number, segments: number): TestPrimitive {
  const angle = (at: number) => at / segments * 2 * Math.PI;
  return { isEdges: true,
    positions: Array.from({ length: segments + 1 }, (_, at) =>
      [radius * Math.cos(angle(at % segments)), radius * Math.sin(angle(at % segments)), 0]).flat(),
    indices: Array.from({ length: segments }, (_, at) => [at, at + 1]).flat() };
}
