// Measures between marked places, in the unit of the file.

import { text } from "../../text";
import { symbolOf } from "./properties";
import type { Mark, Section, ShapeFacts, Vector } from "./view3d";

export interface Measure {
  name: string;
  value: string;
}

/** Metres in a unit, and digits after the point that are worth showing: about a micrometre. */
const UNITS: Record<string, readonly [number, number]> = { "µm": [1e-6, 1], mm: [1e-3, 3], cm: [1e-2, 4], dm: [0.1, 5],
  m: [1, 6], km: [1000, 6], in: [0.0254, 4], ft: [0.3048, 5] };
const MILLIMETRES = UNITS.mm ?? [1e-3, 3];
/** Degrees by which parallel faces may differ. */
const PARALLEL = 0.01;

/** A length in a unit, which is written as a symbol or as a file has it. */
export function lengthIn(unit: string, metres: number): string {
  const symbol = symbolOf(unit);
  const [size, digits] = UNITS[symbol] ?? MILLIMETRES;
  return `${number(metres / size, digits)} ${symbol in UNITS ? symbol : "mm"}`;
}

const number = (value: number, digits: number) => {
  const shown = value.toLocaleString(undefined, { maximumFractionDigits: digits });
  return /^-0([.,]0*)?$/.test(shown) ? shown.slice(1) : shown;
};
const degrees = (value: number) => `${number(value, 2)}°`;

/** The measures of one marked place, or between two. */
export function measuresOf(marks: readonly Mark[], { metres, axes }: ShapeFacts, unit: string): Measure[] {
  const [from, to] = marks;
  const length = (drawn: number) => lengthIn(unit, drawn * metres);
  if (!from) return [];
  if (!to) return edgeMeasures(from, length);
  const way = minus(to.at, from.at);
  const angle = angleOf(from, to);
  const isParallel = angle !== undefined && (angle < PARALLEL || angle > 180 - PARALLEL);
  return [
    { name: text.view3d.distance, value: length(Math.hypot(...way)) },
    ...axes.map((axis, at) => ({ name: text.view3d.along(AXES[at] ?? ""), value: length(Math.abs(dot(way, axis))) })),
    ...(angle === undefined ? [] : [{ name: text.view3d.angle, value: degrees(angle) }]),
    ...(isParallel && from.kind === "face" && to.kind === "face"
      ? [{ name: text.view3d.gap, value: length(Math.abs(dot(way, from.direction ?? [0, 0, 0]))) }] : []),
  ];
}

/** Names of the file's axes. */
export const AXES = ["X", "Y", "Z"];

function edgeMeasures({ length, diameter }: Mark, say: (drawn: number) => string): Measure[] {
  return [...(length === undefined ? [] : [{ name: text.view3d.length, value: say(length) }]),
    ...(diameter === undefined ? [] : [{ name: text.view3d.diameter, value: say(diameter) }])];
}

/** Degrees between two directions; edges have no ends, so theirs are at most 90. */
function angleOf({ kind, direction: one }: Mark, { kind: other, direction: two }: Mark): number | undefined {
  if (!one || !two) return undefined;
  const angle = Math.acos(Math.min(1, Math.max(-1, dot(one, two) / (Math.hypot(...one) * Math.hypot(...two))))) * 180
    / Math.PI;
  if (kind === "face" && other === "face") return angle;
  const between = Math.min(angle, 180 - angle);
  return kind === other ? between : 90 - between;
}

/** Where a cut is on its axis. */
export function placeOf({ axis, offset }: Section, { metres, extents }: ShapeFacts, unit: string): string {
  const { origin, half } = extents[axis] ?? { origin: 0, half: 0 };
  return lengthIn(unit, origin + half * metres * (2 * offset - 1));
}

const minus = (one: Vector, other: Vector): Vector => [one[0] - other[0], one[1] - other[1], one[2] - other[2]];
const dot = (one: Vector, other: Vector) => one[0] * other[0] + one[1] * other[1] + one[2] * other[2];
