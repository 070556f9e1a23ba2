// Geometry for the graphics card. A batch that stands in many places is drawn by instancing. All others are merged: a
// draw call for each of ten thousand different parts would take longer than their triangles.

import { BufferAttribute, Color, InstancedBufferAttribute, InstancedBufferGeometry, InterleavedBufferAttribute,
  InstancedInterleavedBuffer } from "three";
import { PLACE, type Batch } from "./shape";

/** Corners that merging may repeat for batches that stand in several places. */
const MOST_REPEATED = 1_000_000;

/** The geometries that draw batches. Both kinds have the same attributes, so one shader draws them. */
export function geometriesOf(batches: readonly Batch[], most = MOST_REPEATED): InstancedBufferGeometry[] {
  const repeated = ({ positions, objects }: Batch) => positions.length / 3 * (objects.length - 1);
  const sorted = [...batches].sort((one, other) => repeated(one) - repeated(other));
  let corners = 0;
  const merged = sorted.filter((batch) => (corners += repeated(batch)) <= most);
  return [...(merged.length > 0 ? [mergedOf(merged)] : []), ...sorted.slice(merged.length).map(instancedOf)];
}

function instancedOf(batch: Batch): InstancedBufferGeometry {
  const { positions, normals, places, objects } = batch;
  const tints = new Uint32Array(objects.length).fill(tintOf(batch.color));
  return geometryOf({ positions, index: batch.indices, places,
    normals: normals.length > 0 ? normals : new Float32Array(positions.length),
    tint: new InstancedBufferAttribute(new Uint8Array(tints.buffer), 4, true),
    object: new InstancedBufferAttribute(Float32Array.from(objects), 1) });
}

/** All batches as one geometry, whose corners stand where they are drawn. */
function mergedOf(batches: readonly Batch[]): InstancedBufferGeometry {
  const total = (of: (batch: Batch) => number) =>
    batches.reduce((sum, batch) => sum + of(batch) * batch.objects.length, 0);
  const corners = total(({ positions }) => positions.length / 3);
  const [positions, normals] = [new Float32Array(corners * 3), new Float32Array(corners * 3)];
  const [tints, objects] = [new Uint32Array(corners), new Float32Array(corners)];
  const index = new Uint32Array(total((batch) => batch.indices.length));
  let [corner, next] = [0, 0];
  for (const batch of batches) {
    const [own, tint] = [batch.positions.length / 3, tintOf(batch.color)];
    for (let at = 0; at < batch.objects.length; at += 1) {
      const place = batch.places.subarray(at * PLACE, at * PLACE + PLACE);
      placePoints(batch.positions, place, positions, corner * 3);
      placeNormals(batch.normals, place, normals, corner * 3);
      objects.fill(batch.objects[at] ?? 0, corner, corner + own);
      tints.fill(tint, corner, corner + own);
      for (let one = 0; one < batch.indices.length; one += 1) index[next + one] = corner + (batch.indices[one] ?? 0);
      next += batch.indices.length;
      corner += own;
    }
  }
  return geometryOf({ positions, normals, index, places: Float32Array.of(1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0),
    tint: new BufferAttribute(new Uint8Array(tints.buffer), 4, true), object: new BufferAttribute(objects, 1) });
}

interface Attributes extends Pick<Batch, "positions" | "normals" | "places"> {
  index: Uint32Array;
  /** Colour and object, of a corner or of a place. */
  tint: BufferAttribute;
  object: BufferAttribute;
}

function geometryOf({ positions, normals, index, places, tint, object }: Attributes): InstancedBufferGeometry {
  const geometry = new InstancedBufferGeometry();
  geometry.instanceCount = places.length / PLACE;
  geometry.setIndex(new BufferAttribute(index, 1));
  geometry.setAttribute("position", new BufferAttribute(positions, 3));
  geometry.setAttribute("normal", new BufferAttribute(normals, 3));
  geometry.setAttribute("tint", tint);
  geometry.setAttribute("object", object);
  const rows = new InstancedInterleavedBuffer(places, PLACE, 1);
  for (const row of [0, 1, 2]) geometry.setAttribute(`row${row}`, new InterleavedBufferAttribute(rows, 4, row * 4));
  return geometry;
}

/** Writes points as they stand at a place. */
function placePoints(points: Float32Array, place: Float32Array, to: Float32Array, from: number): void {
  for (let at = 0; at < points.length; at += 3) {
    const x = points[at] ?? 0;
    const y = points[at + 1] ?? 0;
    const z = points[at + 2] ?? 0;
    for (let row = 0; row < 3; row += 1) {
      to[from + at + row] = (place[row * 4] ?? 0) * x + (place[row * 4 + 1] ?? 0) * y + (place[row * 4 + 2] ?? 0) * z
        + (place[row * 4 + 3] ?? 0);
    }
  }
}

/** Normals turn as areas do: by the cofactors of the matrix, which hold for any scale. */
function placeNormals(normals: Float32Array, place: Float32Array, to: Float32Array, from: number): void {
  const cofactors = cofactorsOf(place);
  for (let at = 0; at < normals.length; at += 3) {
    const x = normals[at] ?? 0;
    const y = normals[at + 1] ?? 0;
    const z = normals[at + 2] ?? 0;
    for (let row = 0; row < 3; row += 1) {
      to[from + at + row] = (cofactors[row * 3] ?? 0) * x + (cofactors[row * 3 + 1] ?? 0) * y
        + (cofactors[row * 3 + 2] ?? 0) * z;
    }
  }
}

function cofactorsOf(place: Float32Array): number[] {
  const cell = (row: number, column: number) => place[(row % 3) * 4 + (column % 3)] ?? 0;
  return [0, 1, 2].flatMap((row) => [0, 1, 2].map((column) =>
    cell(row + 1, column + 1) * cell(row + 2, column + 2) - cell(row + 1, column + 2) * cell(row + 2, column + 1)));
}

/** A colour as four bytes of a screen's colour; no opacity stands for no colour. */
function tintOf(color: readonly number[] | null): number {
  if (!color) return 0;
  const [red = 0, green = 0, blue = 0, opacity = 1] = color;
  const screen = new Color(red, green, blue).convertLinearToSRGB();
  const bytes = Uint8Array.from([...screen.toArray(), Math.max(opacity, 1 / 255)],
    (value) => Math.round(Math.min(1, Math.max(0, value)) * 255));
  return new Uint32Array(bytes.buffer)[0] ?? 0;
}
