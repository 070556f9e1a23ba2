// Parts that move apart, assembly by assembly: first those of the whole, last those of the innermost assemblies.

import { BOX, join } from "./boxes";
import type { Hierarchy } from "./view";

/** How far a part goes at most, as a multiple of its distance from the centre of its assembly. */
const SPREAD = 1.4;

/** The boxes of all objects with everything below them. */
export function wholeBoxes(boxes: Float64Array, { order, parents }: Hierarchy): Float64Array {
  const whole = boxes.slice();
  for (let at = order.length - 1; at >= 0; at -= 1) {
    const object = order[at] ?? 0;
    const parent = parents[object] ?? -1;
    if (parent >= 0) join(whole, parent, whole, object);
  }
  return whole;
}

/** Directions in which objects move apart, each from its parent's centre, and the stage in which it does. */
export interface Explosion {
  /** Three numbers for each object. */
  moves: Float64Array;
  /** From 1; 0 for objects that stay in their parent. */
  stages: Int32Array;
  /** How many stages there are. */
  count: number;
}

/** The explosion of a tree. Objects that are alone in their parent move with it, and take no stage. */
export function explosionOf(boxes: Float64Array, hierarchy: Hierarchy): Explosion {
  const whole = wholeBoxes(boxes, hierarchy);
  const { order, parents } = hierarchy;
  const [moves, stages] = [new Float64Array(boxes.length / 2), new Int32Array(boxes.length / BOX)];
  const siblings = new Int32Array(stages.length + 1);
  const isEmpty = (object: number) => !((whole[object * BOX] ?? 0) <= (whole[object * BOX + 3] ?? 0));
  // The parts of several roots move apart as those of one do. Its box is -1's, the last.
  const all = stages.length - 1;
  for (const object of Array.from(order)) {
    if (isEmpty(object)) continue;
    const parent = parents[object] ?? -1;
    siblings[parent + 1] = (siblings[parent + 1] ?? 0) + 1;
    if (parent < 0) join(whole, all, whole, object);
  }
  const reached = new Int32Array(stages.length);
  let count = 0;
  for (const object of Array.from(order)) {
    const parent = parents[object] ?? -1;
    const isMoved = !isEmpty(object) && (siblings[parent + 1] ?? 0) > 1;
    const stage = (parent < 0 ? 0 : reached[parent] ?? 0) + (isMoved ? 1 : 0);
    reached[object] = stage;
    if (!isMoved) continue;
    stages[object] = stage;
    count = Math.max(count, stage);
    const around = parent < 0 ? all : parent;
    for (const side of [0, 1, 2]) {
      moves[object * 3 + side] = SPREAD * (middle(whole, object, side) - middle(whole, around, side));
    }
  }
  return { moves, stages, count };
}

/** How far each object is moved at an amount from 0 to 1: three numbers for each, those of its parents included. */
export function offsetsAt({ moves, stages, count }: Explosion, hierarchy: Hierarchy, amount: number): Float32Array {
  const offsets = new Float32Array(moves.length);
  if (amount <= 0) return offsets;
  const { order, parents } = hierarchy;
  for (let at = 0; at < order.length; at += 1) {
    const object = order[at] ?? 0;
    const [parent, stage] = [parents[object] ?? -1, stages[object] ?? 0];
    const share = stage === 0 ? 0 : Math.min(1, Math.max(0, amount * count - (stage - 1)));
    for (let side = 0; side < 3; side += 1) {
      const around = parent < 0 ? 0 : offsets[parent * 3 + side] ?? 0;
      offsets[object * 3 + side] = around + share * (moves[object * 3 + side] ?? 0);
    }
  }
  return offsets;
}

function middle(boxes: Float64Array, object: number, side: number): number {
  return ((boxes[object * BOX + side] ?? 0) + (boxes[object * BOX + side + 3] ?? 0)) / 2;
}
