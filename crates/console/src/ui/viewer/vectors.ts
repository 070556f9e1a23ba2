// Arithmetic of vectors as plain data.

import type { Vector } from "./view";

export const plus = (one: Vector, other: Vector): Vector => [one[0] + other[0], one[1] + other[1], one[2] + other[2]];
export const minus = (one: Vector, other: Vector): Vector => [one[0] - other[0], one[1] - other[1], one[2] - other[2]];
export const times = (one: Vector, by: number): Vector => [one[0] * by, one[1] * by, one[2] * by];
export const dot = (one: Vector, other: Vector) => one[0] * other[0] + one[1] * other[1] + one[2] * other[2];
export const cross = (one: Vector, other: Vector): Vector => [one[1] * other[2] - one[2] * other[1],
  one[2] * other[0] - one[0] * other[2], one[0] * other[1] - one[1] * other[0]];
export const distance = (one: Vector, other: Vector) => Math.hypot(...minus(one, other));
export const unit = (one: Vector): Vector => times(one, 1 / (Math.hypot(...one) || 1));
/** Degrees between two directions. */
export const angle = (one: Vector, other: Vector) =>
  Math.acos(Math.min(1, Math.max(-1, dot(unit(one), unit(other))))) * 180 / Math.PI;
