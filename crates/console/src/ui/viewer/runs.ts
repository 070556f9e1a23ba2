// Boxes around runs of a batch's triangles or segments. Neighbours in a file are mostly neighbours in space, so few
// runs are near a line of sight, and nothing better than these boxes is needed to find them.

import { emptyBoxes, widen } from "./boxes";
import type { Batch } from "./shape";

/** Indices of a run: 64 triangles, or 96 segments. */
export const RUN = 192;

const known = new WeakMap<Uint32Array, Float64Array>();

/** The boxes of a batch's runs in its own coordinates, made when they are first needed. */
export function runsOf({ positions, indices }: Batch): Float64Array {
  const before = known.get(indices);
  if (before) return before;
  const runs = emptyBoxes(Math.ceil(indices.length / RUN));
  for (let at = 0; at < indices.length; at += 1) {
    const corner = (indices[at] ?? 0) * 3;
    const run = Math.floor(at / RUN);
    widen(runs, run, positions[corner] ?? 0, positions[corner + 1] ?? 0, positions[corner + 2] ?? 0);
  }
  known.set(indices, runs);
  return runs;
}
