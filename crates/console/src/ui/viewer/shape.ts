// The shape of a file, ready to be drawn and picked: batches of equal geometry with their places, around the origin and
// with a radius of 1. Numbers of a file can be large (millimetres far from its origin), those of graphics cards are
// short.

import { Vector3, type Matrix4 } from "three";
import { BOX, emptyBoxes, join, widen } from "./boxes";
import { indices, readGlb, UnreadableShape, vectors, type Glb, type GltfPrimitive } from "./glb";
import { axesOf, occurrencesOf, type Occurrences } from "./occurrences";
import type { ShapeFacts, Vector } from "./view";

/** Geometry of one colour, and all places where it stands; its mesh's other colours have the same places. */
export interface Batch {
  /** Three numbers for each corner. */
  positions: Float32Array;
  /** Empty if the file has none. */
  normals: Float32Array;
  /** Three for a triangle, two for a segment. */
  indices: Uint32Array;
  /** Red, green, blue and opacity in linear light; null where the file gives none. */
  color: readonly number[] | null;
  /** The first three rows of each place's matrix: twelve numbers. */
  places: Float32Array;
  /** The object of each place. */
  objects: Int32Array;
  /** The box around each place, as `boxes` has it. */
  bounds: Float32Array;
}

export interface Shape {
  faces: Batch[];
  edges: Batch[];
  facts: ShapeFacts;
  /** The box around each object: its least coordinates, then its greatest; infinite for an object without geometry. */
  boxes: Float64Array;
}

const [LINES, TRIANGLES] = [1, 4];
/** Numbers of a place. */
export const PLACE = 12;

interface Primitive extends Pick<Batch, "positions" | "normals" | "indices" | "color"> {
  mode: number;
  /** The box of the geometry alone. */
  own: Float64Array;
}

interface Mesh {
  primitives: Primitive[];
  occurrences: Occurrences;
}

/** The shape of a file whose objects are `count`. */
export function readShape(bytes: ArrayBuffer, count: number): Shape {
  const glb = readGlb(bytes);
  const meshes = [...occurrencesOf(glb.json, count)].map(([mesh, occurrences]): Mesh => ({ occurrences,
    primitives: (glb.json.meshes?.[mesh]?.primitives ?? []).flatMap((one) => readPrimitive(glb, one) ?? []) }));
  const whole = wholeBox(meshes);
  const size = sizeOf(whole);
  if (!(size.radius > 0 && size.radius < Infinity)) throw new UnreadableShape("nothing to show");
  const axes = axesOf(glb.json);
  const boxes = emptyBoxes(count + 1);
  const placed = meshes.flatMap(({ primitives, occurrences: { matrices, objects } }) => {
    const [places, numbers] = [placesOf(matrices, size), Int32Array.from(objects)];
    return primitives.map(({ mode, own, ...primitive }) =>
      ({ mode, batch: { ...primitive, places, objects: numbers, bounds: boundsOf(own, places, numbers, boxes) } }));
  });
  const drawnBy = (mode: number) => placed.filter((one) => one.mode === mode).map(({ batch }) => batch);
  return { faces: drawnBy(TRIANGLES), edges: drawnBy(LINES), boxes, facts: { metres: size.radius,
    axes: axes.map((axis): Vector => [axis.x, axis.y, axis.z]),
    extents: axes.map((axis) => ({ origin: size.centre.dot(axis), half: lengthAlong(whole, axis) / 2 / size.radius })),
  } };
}

function readPrimitive(glb: Glb, primitive: GltfPrimitive): Primitive | null {
  const { attributes, mode = TRIANGLES, material } = primitive;
  if ((mode !== LINES && mode !== TRIANGLES) || attributes.POSITION === undefined) return null;
  const positions = vectors(glb, attributes.POSITION);
  const normals = attributes.NORMAL === undefined ? new Float32Array() : vectors(glb, attributes.NORMAL);
  if (normals.length > 0 && normals.length !== positions.length) throw new UnreadableShape("corners without normals");
  const found = indices(glb, primitive.indices, positions.length / 3);
  if (found.length === 0) return null;
  const color = glb.json.materials?.[material ?? -1]?.pbrMetallicRoughness?.baseColorFactor;
  return { mode, positions, normals, indices: found, own: ownBox(positions),
    color: color?.length === 4 ? color : null };
}

/** The rows of matrices, moved and scaled to what is drawn. */
function placesOf(matrices: readonly Matrix4[], { centre, radius }: Size): Float32Array {
  const places = new Float32Array(matrices.length * PLACE);
  const shift = [centre.x, centre.y, centre.z];
  matrices.forEach(({ elements }, at) => {
    for (let row = 0; row < 3; row += 1) {
      for (let column = 0; column < 4; column += 1) {
        const moved = (elements[column * 4 + row] ?? 0) - (column === 3 ? shift[row] ?? 0 : 0);
        places[at * PLACE + row * 4 + column] = moved / radius;
      }
    }
  });
  return places;
}

/** The boxes around a geometry's places. Those of their objects grow with them. */
function boundsOf(own: Float64Array, places: Float32Array, objects: Int32Array, boxes: Float64Array): Float32Array {
  const bounds = new Float32Array(objects.length * BOX);
  for (let at = 0; at < objects.length; at += 1) {
    for (let row = 0; row < 3; row += 1) {
      let middle = places[at * PLACE + row * 4 + 3] ?? 0;
      let half = 0;
      for (let column = 0; column < 3; column += 1) {
        const factor = places[at * PLACE + row * 4 + column] ?? 0;
        middle += factor * ((own[column] ?? 0) + (own[column + 3] ?? 0)) / 2;
        half += Math.abs(factor) * ((own[column + 3] ?? 0) - (own[column] ?? 0)) / 2;
      }
      bounds[at * BOX + row] = middle - half;
      bounds[at * BOX + row + 3] = middle + half;
    }
    join(boxes, objects[at] ?? 0, bounds, at);
  }
  return bounds;
}

/** The box around everything, in the file's own numbers. */
function wholeBox(meshes: readonly Mesh[]): Float64Array {
  const whole = emptyBoxes(1);
  const corner = new Vector3();
  for (const { primitives, occurrences } of meshes) {
    if (primitives.length === 0) continue;
    const own = emptyBoxes(1);
    for (const primitive of primitives) join(own, 0, primitive.own);
    const corners = Array.from({ length: 8 }, (_, at) =>
      [own[at & 1 ? 3 : 0], own[at & 2 ? 4 : 1], own[at & 4 ? 5 : 2]]);
    for (const matrix of occurrences.matrices) {
      for (const [x, y, z] of corners) {
        corner.set(x ?? 0, y ?? 0, z ?? 0).applyMatrix4(matrix);
        widen(whole, 0, corner.x, corner.y, corner.z);
      }
    }
  }
  return whole;
}

interface Size {
  centre: Vector3;
  radius: number;
}

function sizeOf(box: Float64Array): Size {
  const [min, max] = [new Vector3().fromArray(box), new Vector3().fromArray(box, 3)];
  return { centre: min.clone().add(max).multiplyScalar(0.5), radius: min.distanceTo(max) / 2 };
}

/** The length of a box in a direction. */
function lengthAlong(box: Float64Array, axis: Vector3): number {
  return [0, 1, 2].reduce((sum, side) => sum
    + ((box[side + 3] ?? 0) - (box[side] ?? 0)) * Math.abs(axis.getComponent(side)), 0);
}

function ownBox(positions: Float32Array): Float64Array {
  const box = emptyBoxes(1);
  for (let at = 0; at < positions.length; at += 3) {
    widen(box, 0, positions[at] ?? 0, positions[at + 1] ?? 0, positions[at + 2] ?? 0);
  }
  return box;
}
