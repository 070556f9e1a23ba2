// Rays against boxes and triangles, in plain numbers and without garbage: a pick looks at a million of them.

/** Six numbers: where a ray begins, and its direction. */
export type Ray = Float64Array;

/** Where a ray enters the box at an index, as a multiple of its direction; infinite if it misses. */
export function enters(ray: Ray, boxes: ArrayLike<number>, index: number, margin = 0): number {
  let from = -Infinity;
  let to = Infinity;
  for (let side = 0; side < 3; side += 1) {
    const start = ray[side] ?? 0;
    const step = ray[side + 3] ?? 0;
    const least = (boxes[index * 6 + side] ?? 0) - margin;
    const greatest = (boxes[index * 6 + side + 3] ?? 0) + margin;
    if (step === 0) {
      if (start < least || start > greatest) return Infinity;
      continue;
    }
    const one = (least - start) / step;
    const other = (greatest - start) / step;
    if (one < other) {
      if (one > from) from = one;
      if (other < to) to = other;
    } else {
      if (other > from) from = other;
      if (one < to) to = one;
    }
    if (from > to) return Infinity;
  }
  return from;
}

/** Where a ray meets the triangle of three corners, from either side; infinite if it misses. */
export function meets(ray: Ray, points: ArrayLike<number>, one: number, two: number, three: number): number {
  const ax = points[one * 3] ?? 0;
  const ay = points[one * 3 + 1] ?? 0;
  const az = points[one * 3 + 2] ?? 0;
  const ux = (points[two * 3] ?? 0) - ax;
  const uy = (points[two * 3 + 1] ?? 0) - ay;
  const uz = (points[two * 3 + 2] ?? 0) - az;
  const vx = (points[three * 3] ?? 0) - ax;
  const vy = (points[three * 3 + 1] ?? 0) - ay;
  const vz = (points[three * 3 + 2] ?? 0) - az;
  const dx = ray[3] ?? 0;
  const dy = ray[4] ?? 0;
  const dz = ray[5] ?? 0;
  const px = dy * vz - dz * vy;
  const py = dz * vx - dx * vz;
  const pz = dx * vy - dy * vx;
  const volume = ux * px + uy * py + uz * pz;
  if (volume === 0) return Infinity;
  const sx = (ray[0] ?? 0) - ax;
  const sy = (ray[1] ?? 0) - ay;
  const sz = (ray[2] ?? 0) - az;
  const along = (sx * px + sy * py + sz * pz) / volume;
  if (along < 0 || along > 1) return Infinity;
  const qx = sy * uz - sz * uy;
  const qy = sz * ux - sx * uz;
  const qz = sx * uy - sy * ux;
  const across = (dx * qx + dy * qy + dz * qz) / volume;
  if (across < 0 || along + across > 1) return Infinity;
  return (vx * qx + vy * qy + vz * qz) / volume;
}

/** A ray in the coordinates of a place, whose matrix has three rows. Multiples of its direction stay the same. */
export function within(ray: Ray, place: ArrayLike<number>, from: number): Ray {
  const m = (row: number, column: number) => place[from + row * 4 + column] ?? 0;
  const cofactor = (row: number, column: number) => {
    const [r, s, c, d] = [(row + 1) % 3, (row + 2) % 3, (column + 1) % 3, (column + 2) % 3];
    return m(r, c) * m(s, d) - m(r, d) * m(s, c);
  };
  const volume = m(0, 0) * cofactor(0, 0) + m(0, 1) * cofactor(0, 1) + m(0, 2) * cofactor(0, 2);
  const turned = new Float64Array(6);
  for (let side = 0; side < 3; side += 1) {
    for (let row = 0; row < 3; row += 1) {
      const factor = cofactor(row, side) / volume;
      turned[side] = (turned[side] ?? 0) + factor * ((ray[row] ?? 0) - m(row, 3));
      turned[side + 3] = (turned[side + 3] ?? 0) + factor * (ray[row + 3] ?? 0);
    }
  }
  return turned;
}
