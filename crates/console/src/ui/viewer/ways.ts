// The ways of objects that stand elsewhere than before: lines between the middles of what they were and are.

import { BOX } from "./boxes";
import type { PartData } from "./part-data";
import type { Way } from "./view";

/** The ends of ways, six numbers each. Objects without geometry have none. `whole` has the boxes of all objects. */
export function waysBetween(ways: readonly Way[], whole: Float64Array, parts: Pick<PartData, "offset">): number[] {
  return ways.flatMap(({ from, to }) => {
    const ends = [...middleOf(from, whole, parts), ...middleOf(to, whole, parts)];
    return ends.every((one) => Number.isFinite(one)) ? ends : [];
  });
}

/** The middle of an object where it is shown. An empty box has none. */
const middleOf = (object: number, whole: Float64Array, parts: Pick<PartData, "offset">) => [0, 1, 2].map((side) =>
  ((whole[object * BOX + side] ?? NaN) + (whole[object * BOX + side + 3] ?? NaN)) / 2 + parts.offset(object, side));
