// Two GLB files as one: a file's new version with some parts of the old one. It stands in one scene, and the parts of
// the old version have numbers of their own.

import { readGlb, type Glb, type Gltf, type GltfNode } from "./glb";

/** The objects of a file as its nodes tell them: the number of each one's parent, or -1, and its name. */
export interface NodeParts {
  parents: number[];
  names: string[];
}

/** The objects of a file of `count`. */
export function partsIn(bytes: ArrayBuffer, count: number): NodeParts {
  const { json } = readGlb(bytes);
  const found: NodeParts = { parents: Array.from({ length: count }, () => -1),
    names: Array.from({ length: count }, () => "") };
  for (const { node, own, around } of walk(json, count)) {
    if (own === undefined) continue;
    found.parents[own] = around ?? -1;
    found.names[own] = node.name ?? "";
  }
  return found;
}

/** How a part of the old version comes into the file. */
export interface JoinedParts {
  /** Numbers of objects of the new version; those of the old one follow them. */
  heads: number;
  bases: number;
  /** 1 for an object of the old version whose geometry is taken along. */
  isKept: ArrayLike<number>;
}

/** The new version with the parts of the old one that are kept. */
export function joined(head: ArrayBuffer, base: ArrayBuffer, { heads, bases, isKept }: JoinedParts): ArrayBuffer {
  const [one, other] = [readGlb(head), readGlb(base)];
  const [first, second] = [withoutStrangers(one.json, heads), keptOnly(other.json, bases, isKept)];
  const start = Math.ceil(one.length / 4) * 4;
  const moved = shifted(second, first, start, heads);
  const both = (key: "nodes" | "meshes" | "materials" | "accessors" | "bufferViews"): unknown[] =>
    [...first[key] ?? [], ...moved[key] ?? []];
  return packed({ asset: { version: "2.0" }, scene: 0, scenes: [{ nodes: [...rootsOf(first), ...rootsOf(moved)] }],
    nodes: both("nodes"), meshes: both("meshes"), materials: both("materials"), accessors: both("accessors"),
    bufferViews: both("bufferViews"), buffers: [{ byteLength: start + other.length }],
  }, [padded(one, start), padded(other, other.length)]);
}

const rootsOf = ({ scenes, scene = 0 }: Gltf) => scenes?.[scene]?.nodes ?? [];
const padded = ({ binary, from, length }: Glb, size: number) => {
  const bytes = new Uint8Array(size);
  bytes.set(new Uint8Array(binary, from, length));
  return bytes.buffer;
};

interface Step {
  index: number;
  node: GltfNode;
  /** The object that the node is; undefined for one that belongs to the object around it. */
  own: number | undefined;
  around: number | undefined;
}

/** The nodes of a file, parents before children. One that is reached twice is passed over: readers refuse it. */
function walk({ nodes = [], ...json }: Gltf, count: number): Step[] {
  const steps: Step[] = [];
  const isSeen = new Uint8Array(nodes.length);
  const waiting = rootsOf(json).map((index): [number, number | undefined] => [index, undefined]);
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const [index, around] = next;
    const node = nodes[index];
    if (!node || isSeen[index]) continue;
    isSeen[index] = 1;
    const object = node.extras?.object;
    const own = typeof object === "number" && Number.isInteger(object) && object >= 0 && object < count
      ? object : undefined;
    steps.push({ index, node, own, around });
    for (const child of node.children ?? []) waiting.push([child, own ?? around]);
  }
  return steps;
}

/** The file without numbers that would be those of the other one. */
function withoutStrangers(json: Gltf, count: number): Gltf {
  const nodes = [...json.nodes ?? []];
  for (const { index, node, own } of walk(json, count)) {
    if (own === undefined && node.extras) {
      const { extras: _, ...rest } = node;
      nodes[index] = rest;
    }
  }
  return { ...json, nodes };
}

/** The file without the geometry of objects that aren't kept. */
function keptOnly(json: Gltf, count: number, isKept: ArrayLike<number>): Gltf {
  const nodes = [...json.nodes ?? []];
  for (const { index, node, own, around } of walk(json, count)) {
    const [object, { mesh, extras: _, ...rest }] = [own ?? around, node];
    const isDrawn = mesh !== undefined && object !== undefined && isKept[object];
    nodes[index] = { ...rest, ...(isDrawn ? { mesh } : {}), ...(own === undefined ? {} : { extras: { object: own } }) };
  }
  return { ...json, nodes };
}

/** The file with its indices after those of another one. */
function shifted(json: Gltf, after: Gltf, bytes: number, objects: number): Gltf {
  const [node, mesh, material, accessor, view] =
    [after.nodes, after.meshes, after.materials, after.accessors, after.bufferViews].map((list) => list?.length ?? 0) as
      [number, number, number, number, number];
  const numbers = (all: Record<string, number>) =>
    Object.fromEntries(Object.entries(all).map(([name, index]) => [name, index + accessor]));
  return { scene: 0, scenes: [{ nodes: rootsOf(json).map((index) => index + node) }],
    nodes: (json.nodes ?? []).map(({ children, mesh: own, extras, ...rest }) => ({ ...rest,
      ...(children ? { children: children.map((index) => index + node) } : {}),
      ...(own === undefined ? {} : { mesh: own + mesh }),
      ...(extras ? { extras: { object: Number(extras.object) + objects } } : {}) })),
    meshes: (json.meshes ?? []).map(({ primitives }) => ({ primitives: primitives.map((one) => ({ ...one,
      attributes: numbers(one.attributes),
      ...(one.indices === undefined ? {} : { indices: one.indices + accessor }),
      ...(one.material === undefined ? {} : { material: one.material + material }) })) })),
    materials: json.materials ?? [],
    accessors: (json.accessors ?? []).map(({ bufferView, ...rest }) => ({ ...rest,
      ...(bufferView === undefined ? {} : { bufferView: bufferView + view }) })),
    bufferViews: (json.bufferViews ?? []).map((one) => ({ ...one, byteOffset: (one.byteOffset ?? 0) + bytes })) };
}

/** A container with a chunk of JSON and one of bytes. */
export function packed(json: object, bytes: readonly ArrayBuffer[]): ArrayBuffer {
  const text = new TextEncoder().encode(JSON.stringify(json));
  const words = Math.ceil(text.length / 4) * 4;
  const length = bytes.reduce((sum, { byteLength }) => sum + byteLength, 0);
  const file = new Uint8Array(12 + 8 + words + 8 + length).fill(32, 20, 20 + words);
  const view = new DataView(file.buffer);
  [0x46546c67, 2, file.length, words, 0x4e4f534a].forEach((word, at) => view.setUint32(at * 4, word, true));
  file.set(text, 20);
  view.setUint32(20 + words, length, true);
  view.setUint32(24 + words, 0x004e4942, true);
  let at = 28 + words;
  for (const part of bytes) {
    file.set(new Uint8Array(part), at);
    at += part.byteLength;
  }
  return file.buffer;
}
