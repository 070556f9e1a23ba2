// The directions of the file's axes, as they are seen: a small drawing in a corner of a view.

import { AXES } from "../../../model/content/view3d-measure";
import type { View3d } from "../../../model/content/view3d";

const [MIDDLE, LENGTH, NAME] = [32, 20, 27];
const RADIANS = Math.PI / 180;

export function Axes({ view }: { view: View3d }) {
  const { azimuth, elevation } = view.camera.value;
  const [sin, cos] = [Math.sin(azimuth * RADIANS), Math.cos(azimuth * RADIANS)];
  const [up, level] = [Math.sin(elevation * RADIANS), Math.cos(elevation * RADIANS)];
  const drawn = (view.facts.value?.axes ?? []).map(([x, y, z], at) => ({ name: AXES[at] ?? "",
    right: x * cos - z * sin, down: up * (x * sin + z * cos) - y * level,
    near: level * (x * sin + z * cos) + y * up })).sort((one, other) => one.near - other.near);
  return (
    <svg class="viewer-axes" width={2 * MIDDLE} height={2 * MIDDLE} aria-hidden="true">
      {drawn.map(({ name, right, down }) => (
        <g key={name} class={`axis ${name}`}>
          <line x1={MIDDLE} y1={MIDDLE} x2={MIDDLE + LENGTH * right} y2={MIDDLE + LENGTH * down} />
          <text x={MIDDLE + NAME * right} y={MIDDLE + NAME * down + 4} text-anchor="middle">{name}</text>
        </g>
      ))}
    </svg>
  );
}
