// Finds the part under the pointer: by the boxes of places, then by those of runs of triangles.

import { BOX } from "./boxes";
import { GHOST, HIDDEN, type PartData } from "./part-data";
import { enters, meets, within, type Ray } from "./ray";
import { RUN, runsOf } from "./runs";
import { PLACE, type Batch } from "./shape";
import type { Vector } from "./view";

export interface Hit {
  object: number;
  batch: Batch;
  /** Index of the place. */
  place: number;
  /** Multiple of the ray's direction. */
  distance: number;
  /** Index of the triangle's first corner in the batch's indices. */
  triangle: number;
}

/** A plane beyond which nothing is hit, because it is cut off. */
export interface Cut {
  normal: Vector;
  distance: number;
}

/** A place whose box a ray meets, and where. */
export interface Candidate {
  batch: Batch;
  place: number;
  from: number;
}

/** The first face that a ray meets: a ghost's only if nothing else is there. */
export function pick(batches: readonly Batch[], parts: PartData, ray: Ray, cut: Cut | null): Hit | null {
  return nearest(batches, parts, ray, cut, 0) ?? nearest(batches, parts, ray, cut, GHOST);
}

function nearest(batches: readonly Batch[], parts: PartData, ray: Ray, cut: Cut | null, state: number): Hit | null {
  const [first, last] = keptBy(cut, ray);
  const candidates = candidatesOf(batches, parts, ray, state).sort((one, other) => one.from - other.from);
  let hit: Hit | null = null;
  for (const { batch, place, from } of candidates) {
    if (hit && from > hit.distance) break;
    const object = batch.objects[place] ?? 0;
    const own = within(movedRay(ray, parts, object), batch.places, place * PLACE);
    const found = meetsBatch(batch, own, first, Math.min(last, hit?.distance ?? Infinity));
    if (found) hit = { object, batch, place, ...found };
  }
  return hit;
}

/** The visible places with this state, `GHOST` or none, whose boxes a ray meets within a margin. */
export function candidatesOf(batches: readonly Batch[], parts: PartData, ray: Ray, state: number,
  margin = 0): Candidate[] {
  const found: Candidate[] = [];
  for (const batch of batches) {
    const { objects, bounds } = batch;
    for (let place = 0; place < objects.length; place += 1) {
      const object = objects[place] ?? 0;
      if (parts.bits(object, HIDDEN | GHOST) !== state) continue;
      const from = enters(movedRay(ray, parts, object), bounds, place, margin);
      if (from < Infinity) found.push({ batch, place, from });
    }
  }
  return found;
}

const moved = new Float64Array(BOX);
/** A ray as a moved object meets it. Valid until the next call. */
function movedRay(ray: Ray, parts: PartData, object: number): Ray {
  if (parts.reach === 1) return ray;
  moved.set(ray);
  for (let side = 0; side < 3; side += 1) moved[side] = (ray[side] ?? 0) - parts.offset(object, side);
  return moved;
}

/** The part of a ray that a cut leaves. */
export function keptBy(cut: Cut | null, ray: Ray): [number, number] {
  if (!cut) return [-Infinity, Infinity];
  const along = (from: number) => cut.normal.reduce((sum, value, side) => sum + value * (ray[from + side] ?? 0), 0);
  const [start, step] = [along(0), along(3)];
  if (Math.abs(step) < 1e-9) return start <= cut.distance ? [-Infinity, Infinity] : [Infinity, -Infinity];
  const at = (cut.distance - start) / step;
  return step > 0 ? [-Infinity, at] : [at, Infinity];
}

function meetsBatch(batch: Batch, ray: Ray, first: number, last: number) {
  const { positions, indices } = batch;
  const runs = runsOf(batch);
  let [nearest, triangle] = [last, -1];
  for (let run = 0; run * BOX < runs.length; run += 1) {
    if (enters(ray, runs, run) > nearest) continue;
    const end = Math.min(indices.length, (run + 1) * RUN);
    for (let at = run * RUN; at < end; at += 3) {
      const distance = meets(ray, positions, indices[at] ?? 0, indices[at + 1] ?? 0, indices[at + 2] ?? 0);
      if (distance >= first && distance < nearest) [nearest, triangle] = [distance, at];
    }
  }
  return triangle < 0 ? null : { distance: nearest, triangle };
}

/** The direction of a hit face towards the beginning of the ray. */
export function normalOf({ batch, place, triangle }: Hit, ray: Ray): Vector {
  const corner = (at: number) => pointAt(batch, place, batch.indices[triangle + at] ?? 0);
  const [a, b, c] = [corner(0), corner(1), corner(2)];
  const [ux, uy, uz, vx, vy, vz] = [b[0] - a[0], b[1] - a[1], b[2] - a[2], c[0] - a[0], c[1] - a[1], c[2] - a[2]];
  const [x, y, z] = [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx];
  const isAway = x * (ray[3] ?? 0) + y * (ray[4] ?? 0) + z * (ray[5] ?? 0) > 0;
  const length = (Math.hypot(x, y, z) || 1) * (isAway ? -1 : 1);
  return [x / length, y / length, z / length];
}

/** A corner where it is drawn while all is in place. */
export function pointAt({ positions, places }: Batch, place: number, corner: number): Vector {
  const [x, y, z] = [positions[corner * 3] ?? 0, positions[corner * 3 + 1] ?? 0, positions[corner * 3 + 2] ?? 0];
  const row = (from: number) => (places[from] ?? 0) * x + (places[from + 1] ?? 0) * y + (places[from + 2] ?? 0) * z
    + (places[from + 3] ?? 0);
  return [row(place * PLACE), row(place * PLACE + 4), row(place * PLACE + 8)];
}
