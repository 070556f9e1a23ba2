// Boxes along the axes, many of them in one array: the least coordinates of each, then its greatest.

/** Numbers of a box. */
export const BOX = 6;

/** Boxes that hold nothing yet. */
export function emptyBoxes(count: number): Float64Array {
  const boxes = new Float64Array(count * BOX).fill(Infinity);
  for (let at = 0; at < count; at += 1) boxes.fill(-Infinity, at * BOX + 3, at * BOX + BOX);
  return boxes;
}

/** Makes the box at an index hold a point. */
export function widen(boxes: Float64Array, index: number, x: number, y: number, z: number): void {
  const at = index * BOX;
  if (x < (boxes[at] ?? 0)) boxes[at] = x;
  if (y < (boxes[at + 1] ?? 0)) boxes[at + 1] = y;
  if (z < (boxes[at + 2] ?? 0)) boxes[at + 2] = z;
  if (x > (boxes[at + 3] ?? 0)) boxes[at + 3] = x;
  if (y > (boxes[at + 4] ?? 0)) boxes[at + 4] = y;
  if (z > (boxes[at + 5] ?? 0)) boxes[at + 5] = z;
}

/** Makes the box at an index hold another one, too. */
export function join(boxes: Float64Array, index: number, others: ArrayLike<number>, other = 0): void {
  const at = other * BOX;
  widen(boxes, index, others[at] ?? 0, others[at + 1] ?? 0, others[at + 2] ?? 0);
  widen(boxes, index, others[at + 3] ?? 0, others[at + 4] ?? 0, others[at + 5] ?? 0);
}
