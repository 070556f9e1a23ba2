// Reads GLB files: the container, the JSON, and the numbers of its accessors. Three's loader makes an object of each
// node and renames it; a hundred thousand occurrences need arrays instead.

/** A file that isn't the GLB that the service writes. */
export class UnreadableShape extends Error {}

export interface GltfNode {
  name?: string;
  children?: number[];
  mesh?: number;
  matrix?: number[];
  translation?: [number, number, number];
  rotation?: [number, number, number, number];
  scale?: [number, number, number];
  extras?: { object?: unknown };
}

export interface GltfPrimitive {
  attributes: Record<string, number>;
  indices?: number;
  material?: number;
  mode?: number;
}

/** The parts of the JSON that are read. */
export interface Gltf {
  scene?: number;
  scenes?: { nodes?: number[] }[];
  nodes?: GltfNode[];
  meshes?: { primitives: GltfPrimitive[] }[];
  materials?: { pbrMetallicRoughness?: { baseColorFactor?: number[] } }[];
  accessors?: { bufferView?: number; byteOffset?: number; componentType: number; count: number; type: string }[];
  bufferViews?: { byteOffset?: number; byteLength: number; byteStride?: number }[];
}

export interface Glb {
  json: Gltf;
  binary: ArrayBuffer;
  /** Place and length of the binary chunk. */
  from: number;
  length: number;
}

const [MAGIC, JSON_CHUNK, BINARY_CHUNK] = [0x46546c67, 0x4e4f534a, 0x004e4942];
const [HEADER, CHUNK_HEADER] = [12, 8];
const [U8, U16, U32, F32] = [5121, 5123, 5125, 5126];
const SIZES: Record<number, number> = { [U8]: 1, [U16]: 2, [U32]: 4, [F32]: 4 };
const NUMBERS: Record<string, number> = { SCALAR: 1, VEC3: 3 };

export function readGlb(binary: ArrayBuffer): Glb {
  const view = new DataView(binary);
  if (binary.byteLength < HEADER || view.getUint32(0, true) !== MAGIC || view.getUint32(4, true) !== 2) {
    throw new UnreadableShape("not a GLB file of version 2");
  }
  const chunks = new Map<number, { from: number; length: number }>();
  for (let at = HEADER; at + CHUNK_HEADER <= binary.byteLength;) {
    const [length, from] = [view.getUint32(at, true), at + CHUNK_HEADER];
    if (length > binary.byteLength - from) throw new UnreadableShape("the file ends within a chunk");
    chunks.set(view.getUint32(at + 4, true), { from, length });
    at = from + length;
  }
  const json = chunks.get(JSON_CHUNK);
  if (!json) throw new UnreadableShape("no JSON");
  const parsed = JSON.parse(new TextDecoder().decode(new Uint8Array(binary, json.from, json.length))) as Gltf;
  return { json: parsed, binary, ...(chunks.get(BINARY_CHUNK) ?? { from: 0, length: 0 }) };
}

/** The bytes of an accessor, checked against the file: its array has the file's memory, or a copy where that is odd. */
function bytesOf({ json, binary, from, length }: Glb, index: number, type: string, types: readonly number[]) {
  const accessor = json.accessors?.[index];
  const view = json.bufferViews?.[accessor?.bufferView ?? -1];
  if (!accessor || !view || accessor.type !== type || !types.includes(accessor.componentType)) {
    throw new UnreadableShape(`accessor ${index} has no numbers of a known type`);
  }
  const size = SIZES[accessor.componentType] ?? 0;
  const whole = accessor.count * size * (NUMBERS[type] ?? 0);
  const [inView, begin] = [accessor.byteOffset ?? 0, view.byteOffset ?? 0];
  const isInside = inView >= 0 && begin >= 0 && whole >= 0 && inView + whole <= view.byteLength
    && begin + view.byteLength <= length;
  const isPacked = !view.byteStride || view.byteStride === size * (NUMBERS[type] ?? 0);
  if (!isInside || !isPacked) throw new UnreadableShape(`accessor ${index} leads out of the file`);
  const at = from + begin + inView;
  const [buffer, offset] = at % size === 0 ? [binary, at] : [binary.slice(at, at + whole), 0];
  return { buffer, offset, count: whole / size, componentType: accessor.componentType };
}

/** Three numbers for each corner. */
export function vectors(glb: Glb, index: number): Float32Array {
  const { buffer, offset, count } = bytesOf(glb, index, "VEC3", [F32]);
  return new Float32Array(buffer, offset, count);
}

/** Indices, all below `corners`. */
export function indices(glb: Glb, index: number | undefined, corners: number): Uint32Array {
  if (index === undefined) return Uint32Array.from({ length: corners }, (_, at) => at);
  const { buffer, offset, count, componentType } = bytesOf(glb, index, "SCALAR", [U8, U16, U32]);
  const found = componentType === U32 ? new Uint32Array(buffer, offset, count)
    : Uint32Array.from(componentType === U16 ? new Uint16Array(buffer, offset, count)
      : new Uint8Array(buffer, offset, count));
  if (found.some((corner) => corner >= corners)) throw new UnreadableShape(`accessor ${index} names no corner`);
  return found;
}
