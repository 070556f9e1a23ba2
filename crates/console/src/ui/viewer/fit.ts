// The focus with which a camera sees parts as large as they can be.

import { Vector3, type OrthographicCamera } from "three";
import { BOX } from "./boxes";
import { directionOf, LEAST } from "./camera";
import type { PartData } from "./part-data";
import type { Batch } from "./shape";
import type { Camera, Focus } from "./view";

/** Room around the parts. */
const ROOM = 1.12;

/** The focus that fits the parts that are meant, as they are seen from a direction; null without any. */
export function fit(batches: readonly Batch[], parts: PartData, camera: OrthographicCamera,
  from: Pick<Camera, "azimuth" | "elevation">, isMeant: (object: number) => boolean): Focus | null {
  const away = directionOf(from);
  const right = new Vector3(0, 1, 0).cross(away).normalize();
  const axes = [right, away.clone().cross(right), away];
  const spans = axes.map((axis) => spanOf(batches, parts, axis, isMeant));
  const [across, up] = spans;
  if (!across || !up || across.from > across.to) return null;
  const target = new Vector3();
  axes.forEach((axis, at) => target.addScaledVector(axis, ((spans[at]?.from ?? 0) + (spans[at]?.to ?? 0)) / 2));
  const radius = Math.max((across.to - across.from) / (camera.right - camera.left),
    (up.to - up.from) / (camera.top - camera.bottom));
  return { target: [target.x, target.y, target.z], radius: Math.max(LEAST, radius * ROOM) };
}

/** Where the parts begin and end along an axis. */
function spanOf(batches: readonly Batch[], parts: PartData, axis: Vector3, isMeant: (object: number) => boolean) {
  const span = { from: Infinity, to: -Infinity };
  for (const { bounds, objects } of batches) {
    for (let index = 0; index < objects.length; index += 1) {
      const object = objects[index] ?? 0;
      if (!isMeant(object)) continue;
      let [middle, half] = [0, 0];
      for (let side = 0; side < 3; side += 1) {
        const [min, max] = [bounds[index * BOX + side] ?? 0, bounds[index * BOX + side + 3] ?? 0];
        middle += axis.getComponent(side) * ((min + max) / 2 + parts.offset(object, side));
        half += Math.abs(axis.getComponent(side)) * (max - min) / 2;
      }
      span.from = Math.min(span.from, middle - half);
      span.to = Math.max(span.to, middle + half);
    }
  }
  return span;
}
