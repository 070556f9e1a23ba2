// The edges of faces. A file has them as segments; those that follow one another at a common end are one edge.

import { pointAt } from "./pick";
import type { Batch } from "./shape";
import { angle, cross, distance, dot, minus, plus, times, unit } from "./vectors";
import type { Vector } from "./view";

/** A sharper turn than this many degrees ends an edge, in files whose edges share their ends. */
const SHARPEST = 60;
/** How near to each other the ends of a closed edge are. */
const CLOSED = 1e-6;
/** How far points may lie from a line or a circle, as a share of its size. */
const TOLERANCE = 2e-3;

/** The points of the edge that a segment belongs to. `segment` is the index of its first end in the batch's indices. */
export function edgeOf(batch: Batch, place: number, segment: number): Vector[] {
  const { indices } = batch;
  const point = (at: number) => pointAt(batch, place, indices[at] ?? 0);
  const joins = (one: number) => indices[one + 1] === indices[one + 2]
    && angle(minus(point(one + 1), point(one)), minus(point(one + 3), point(one + 1))) < SHARPEST;
  let [first, last] = [segment, segment];
  while (first >= 2 && joins(first - 2)) first -= 2;
  while (last + 3 < indices.length && joins(last)) last += 2;
  const points: Vector[] = [point(first)];
  for (let at = first; at <= last; at += 2) points.push(point(at + 1));
  return points;
}

export interface EdgeMeasures {
  length: number;
  /** Of a straight edge. */
  direction?: Vector;
  /** Of an edge on a circle. */
  diameter?: number;
}

/** An edge's measures. On a circle they are those of its arc, which is longer than its segments. */
export function measureEdge(points: readonly Vector[]): EdgeMeasures {
  const sum = points.slice(1).reduce((length, point, at) => length + distance(points[at] ?? point, point), 0);
  const [from, to] = [points[0], points.at(-1)];
  if (!from || !to) return { length: 0 };
  const across = distance(from, to);
  if (sum - across <= TOLERANCE * TOLERANCE * sum) return { length: across, direction: unit(minus(to, from)) };
  const circle = circleOf(points);
  if (!circle) return { length: sum };
  const turned = points.slice(1).reduce((sum, point, at) =>
    sum + angle(minus(points[at] ?? point, circle.centre), minus(point, circle.centre)), 0);
  return { length: circle.radius * turned * Math.PI / 180, diameter: 2 * circle.radius };
}

/** True for an edge that ends where it begins. */
export function isClosed(points: readonly Vector[]): boolean {
  const [from, to] = [points[0], points.at(-1)];
  return points.length > 3 && from !== undefined && to !== undefined && distance(from, to) < CLOSED;
}

/** The circle that all points lie on, if there is one. */
function circleOf(points: readonly Vector[]): { centre: Vector; radius: number } | null {
  const open = isClosed(points) ? points.slice(0, -1) : points;
  const [a, b, c] = [open[0], open[Math.floor(open.length / 3)], open[Math.floor(open.length * 2 / 3)]];
  // Three points lie on a circle always.
  if (open.length < 5 || !a || !b || !c) return null;
  const [u, v] = [minus(b, a), minus(c, a)];
  const axis = cross(u, v);
  const volume = dot(axis, axis);
  if (volume === 0) return null;
  const towards = plus(times(cross(v, axis), dot(u, u)), times(cross(axis, u), dot(v, v)));
  const centre = plus(a, times(towards, 1 / (2 * volume)));
  const radius = distance(centre, a);
  const plane = unit(axis);
  const isOn = (point: Vector) => Math.abs(distance(point, centre) - radius) <= TOLERANCE * radius
    && Math.abs(dot(minus(point, centre), plane)) <= TOLERANCE * radius;
  return open.every(isOn) ? { centre, radius } : null;
}
