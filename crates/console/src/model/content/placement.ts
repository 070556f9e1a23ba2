// The placement of a part in its assembly, in words: position, and rotation about an axis.

import type { Data } from "../../api/content/objects";
import { text } from "../../text";
import { numberOf, symbolOf, type PropertyRow } from "./properties";

type Vector = [number, number, number];

const AXES = ["X", "Y", "Z"];
/** Rounding errors of files: of lengths in their unit, of directions, and of angles in degrees. */
const LENGTH = 1e-7;
const RATIO = 1e-5;
const DEGREES = 5e-4;

/** Rows for a part's place. None if it has none, and no rotation where the map is not rigid. */
export function placementRows({ placement, units }: Data): PropertyRow[] {
  const rows = matrixOf(placement);
  if (!rows) return [];
  const [x, y, z] = [0, 1, 2].map((at): Vector => [rows[0][at] ?? 0, rows[1][at] ?? 0, rows[2][at] ?? 0]);
  if (!x || !y || !z) return [];
  const determinant = dot(x, cross(y, z));
  const scale = Math.cbrt(Math.abs(determinant));
  const hasScale = Math.abs(scale - 1) > RATIO;
  const { name } = ((units as Data | undefined)?.length ?? {}) as { name?: unknown };
  // Part and assembly have different units where the map has a scale.
  const unit = typeof name === "string" && !hasScale ? ` ${symbolOf(name)}` : "";
  const origin = rows.map((row, at) => `${AXES[at]} ${numberOf(tidy(row[3] ?? 0, LENGTH))}`);
  const rotation = rotationOf([x, y, z].map((axis) => times(axis, 1 / scale)) as [Vector, Vector, Vector],
    determinant < 0);
  return [
    { name: text.placement.position, value: `${origin.join(" · ")}${unit}` },
    ...(rotation === undefined ? [] : [{ name: text.placement.rotation, value: rotation }]),
    ...(hasScale ? [{ name: text.placement.scale, value: numberOf(scale) }] : []),
  ];
}

type Rows = [number[], number[], number[]];

/** The upper three rows of a matrix of four. */
function matrixOf(value: unknown): Rows | null {
  if (!Array.isArray(value) || value.length !== 4) return null;
  const isRow = (row: unknown): row is number[] =>
    Array.isArray(row) && row.length === 4 && row.every((one) => Number.isFinite(one));
  const [first, second, third] = value as unknown[];
  return isRow(first) && isRow(second) && isRow(third) ? [first, second, third] : null;
}

/** A rotation by the axes that it makes of X, Y and Z. */
function rotationOf(axes: [Vector, Vector, Vector], isMirrored: boolean): string | undefined {
  const [x, y, z] = axes;
  const isRigid = axes.every((axis) => Math.abs(dot(axis, axis) - 1) < RATIO)
    && [dot(x, y), dot(y, z), dot(z, x)].every((one) => Math.abs(one) < RATIO);
  if (!isRigid) return undefined;
  if (isMirrored) return text.placement.mirrored;
  const turn: Vector = [y[2] - z[1], z[0] - x[2], x[1] - y[0]];
  const angle = Math.atan2(Math.hypot(...turn), x[0] + y[1] + z[2] - 1) * 180 / Math.PI;
  if (angle < DEGREES) return text.placement.none;
  return about(angle, angle > 180 - DEGREES ? halfTurnAxis(axes) : times(turn, 1 / Math.hypot(...turn)));
}

/** The axis of half a turn, by which `turn` is nothing: points on it stay, so a point and its image give it. */
function halfTurnAxis([x, y, z]: [Vector, Vector, Vector]): Vector {
  const sums: Vector[] = [[x[0] + 1, x[1], x[2]], [y[0], y[1] + 1, y[2]], [z[0], z[1], z[2] + 1]];
  const longest = sums.reduce((best, one) => (dot(one, one) > dot(best, best) ? one : best));
  const first = longest.find((one) => Math.abs(one) > RATIO) ?? 1;
  return times(longest, Math.sign(first) / Math.hypot(...longest));
}

function about(angle: number, axis: Vector): string {
  const main = axis.findIndex((one) => Math.abs(Math.abs(one) - 1) < RATIO);
  const signed = main >= 0 && (axis[main] ?? 0) < 0 ? -angle : angle;
  const degrees = `${signed.toLocaleString(undefined, { maximumFractionDigits: 2 })}°`;
  const written = axis.map((one) => tidy(one, RATIO).toLocaleString(undefined, { maximumFractionDigits: 3 }));
  return text.placement.about(degrees, AXES[main] ?? `(${written.join("; ")})`);
}

const tidy = (value: number, least: number) => (Math.abs(value) < least ? 0 : value);
const dot = (one: Vector, other: Vector) => one[0] * other[0] + one[1] * other[1] + one[2] * other[2];
const times = ([x, y, z]: Vector, by: number): Vector => [x * by, y * by, z * by];
const cross = ([a, b, c]: Vector, [x, y, z]: Vector): Vector => [b * z - c * y, c * x - a * z, a * y - b * x];
