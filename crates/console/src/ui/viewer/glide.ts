// The camera's way from one pose to another, for people who want to see it move.

import type { Pose } from "./camera";

const TIME_MS = 260;

/** Moves by `set` until `to` is reached. The returned function stops it there. */
export function glide(from: Pose, to: Pose, set: (pose: Pose) => void): () => void {
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) {
    set(to);
    return () => {};
  }
  const begin = performance.now();
  let frame = 0;
  const step = () => {
    const share = Math.min(1, (performance.now() - begin) / TIME_MS);
    set(share < 1 ? between(from, to, share * share * (3 - 2 * share)) : to);
    if (share < 1) frame = requestAnimationFrame(step);
  };
  frame = requestAnimationFrame(step);
  return () => cancelAnimationFrame(frame);
}

/** The pose at a share of the way. The camera turns the shorter way round. */
export function between(from: Pose, to: Pose, share: number): Pose {
  const mix = (one: number, other: number) => one + (other - one) * share;
  const turn = ((to.azimuth - from.azimuth + 540) % 360 + 360) % 360 - 180;
  const [one, other] = [from.focus.target, to.focus.target];
  return { azimuth: from.azimuth + turn * share, elevation: mix(from.elevation, to.elevation), focus: {
    target: [mix(one[0], other[0]), mix(one[1], other[1]), mix(one[2], other[2])],
    radius: from.focus.radius * (to.focus.radius / from.focus.radius) ** share } };
}
