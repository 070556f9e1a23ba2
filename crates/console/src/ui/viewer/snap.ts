// Finds the place that a person means when they measure: the end of an edge, an edge, or else the face.

import { BOX } from "./boxes";
import { edgeOf, isClosed, measureEdge } from "./edges";
import type { PartData } from "./part-data";
import { candidatesOf, keptBy, normalOf, pick, pointAt, type Cut, type Hit } from "./pick";
import { enters, within, type Ray } from "./ray";
import { RUN, runsOf } from "./runs";
import { PLACE, type Batch, type Shape } from "./shape";
import { distance, dot, minus, plus, times } from "./vectors";
import type { Mark, Vector } from "./view";

/** How much nearer an end must be than its edge to be meant, as a share of the reach. */
const END_SHARE = 0.7;

/** A line of sight, whose direction has the length 1. */
interface Sight {
  from: Vector;
  direction: Vector;
}

/** The mark at a ray. `reach` is how far from an edge it may pass. */
export function snap(shape: Shape, parts: PartData, ray: Ray, cut: Cut | null, reach: number): Mark | null {
  const [x = 0, y = 0, z = 0, dx = 0, dy = 0, dz = 0] = ray;
  const sight: Sight = { from: [x, y, z], direction: [dx, dy, dz] };
  const hit = pick(shape.faces, parts, ray, cut);
  const [first, last] = keptBy(cut, ray);
  const seen = { first, last: Math.min(last, (hit?.distance ?? Infinity) + 2 * reach), reach };
  const edges = candidatesOf(shape.edges, parts, ray, 0, reach).filter(({ from }) => from <= seen.last);
  let near: Near | null = null;
  for (const { batch, place } of edges) {
    const own = movedSight(sight, parts, batch.objects[place] ?? 0);
    near = nearestSegment(batch, place, own, seen, near);
  }
  if (near) return edgeMark(near, movedSight(sight, parts, near.batch.objects[near.place] ?? 0), reach);
  return hit && faceMark(shape, hit, movedSight(sight, parts, hit.object), ray, reach);
}

interface Near {
  batch: Batch;
  place: number;
  segment: number;
  at: Vector;
  away: number;
}

/** The segment of a place that passes nearest to a line of sight, or `before`, which is nearer. */
function nearestSegment(batch: Batch, place: number, sight: Sight,
  { first, last, reach }: { first: number; last: number; reach: number }, before: Near | null): Near | null {
  let near = before;
  const [runs, own] = [runsOf(batch), within(rayOf(sight), batch.places, place * PLACE)];
  const margin = reach / scaleOf(batch.places, place * PLACE);
  const end = (index: number) => pointAt(batch, place, batch.indices[index] ?? 0);
  for (let run = 0; run * BOX < runs.length; run += 1) {
    if (enters(own, runs, run, margin) > last) continue;
    for (let segment = run * RUN; segment < Math.min(batch.indices.length - 1, (run + 1) * RUN); segment += 2) {
      const at = closest(sight, end(segment), end(segment + 1));
      const [away, depth] = [distanceTo(sight, at), depthOf(sight, at)];
      if (depth >= first && depth <= last && away < (near?.away ?? reach)) near = { batch, place, segment, at, away };
    }
  }
  return near;
}

function edgeMark({ batch, place, segment, at }: Near, sight: Sight, reach: number): Mark {
  const object = batch.objects[place] ?? 0;
  const line = edgeOf(batch, place, segment);
  const end = isClosed(line) ? undefined
    : [line[0], line.at(-1)].find((point) => point && distanceTo(sight, point) < END_SHARE * reach);
  return end ? { kind: "point", object, at: end } : { kind: "edge", object, at, line, ...measureEdge(line) };
}

function faceMark({ edges }: Shape, hit: Hit, sight: Sight, ray: Ray, reach: number): Mark {
  const { object, batch, place, triangle } = hit;
  const at = plus(sight.from, times(sight.direction, hit.distance));
  // Files of meshes have no edges. Their corners are the model's.
  const corner = edges.length > 0 ? undefined
    : [0, 1, 2].map((side) => pointAt(batch, place, batch.indices[triangle + side] ?? 0))
      .find((point) => distance(point, at) < END_SHARE * reach);
  return corner ? { kind: "point", object, at: corner }
    : { kind: "face", object, at, direction: normalOf(hit, ray) };
}

/** A line of sight as a moved object is met by it. */
const movedSight = ({ from, direction }: Sight, parts: PartData, object: number): Sight => ({ direction,
  from: minus(from, [parts.offset(object, 0), parts.offset(object, 1), parts.offset(object, 2)]) });
const rayOf = ({ from, direction }: Sight): Ray => Float64Array.of(...from, ...direction);
/** How much larger a geometry is at a place. */
const scaleOf = (places: Float32Array, from: number) =>
  Math.hypot(places[from] ?? 0, places[from + 1] ?? 0, places[from + 2] ?? 0) || 1;
const depthOf = ({ from, direction }: Sight, point: Vector) => dot(minus(point, from), direction);
const footOf = (sight: Sight, point: Vector) => plus(sight.from, times(sight.direction, depthOf(sight, point)));
const distanceTo = (sight: Sight, point: Vector) => distance(point, footOf(sight, point));

/** The point of a segment that is closest to a line of sight, as they are seen along it. */
function closest(sight: Sight, one: Vector, other: Vector): Vector {
  const flat = (point: Vector) => minus(point, footOf(sight, point));
  const [from, step] = [flat(one), minus(flat(other), flat(one))];
  const share = Math.min(1, Math.max(0, -dot(from, step) / (dot(step, step) || 1)));
  return plus(one, times(minus(other, one), share));
}
