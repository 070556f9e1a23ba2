// The camera of a view: orthographic, so that lengths compare and no part is ever cut by coming near it.

import { OrthographicCamera, Vector3 } from "three";
import type { Ray } from "./ray";
import type { Camera, Focus } from "./view";

/** Orthographic pictures are the same from any distance; turning is numerically best from near. */
const DISTANCE = 10;
/** Straight from above, a camera would lose which way is up in its picture. */
const STEEPEST = 89.99;
/** The radii that fill a view. */
export const [LEAST, MOST] = [1e-5, 40];

const RADIANS = Math.PI / 180;

/** Direction from the target to the camera. */
export function directionOf({ azimuth, elevation }: Pick<Camera, "azimuth" | "elevation">): Vector3 {
  const [turned, raised] = [azimuth * RADIANS, Math.max(-STEEPEST, Math.min(STEEPEST, elevation)) * RADIANS];
  return new Vector3(Math.sin(turned) * Math.cos(raised), Math.sin(raised), Math.cos(turned) * Math.cos(raised));
}

/** A camera whose focus is known. */
export type Pose = Camera & { focus: Focus };

export function takePose(camera: OrthographicCamera, pose: Pose): void {
  const target = new Vector3(...pose.focus.target);
  camera.position.copy(target).addScaledVector(directionOf(pose), DISTANCE);
  camera.lookAt(target);
  camera.zoom = 1 / Math.min(MOST, Math.max(LEAST, pose.focus.radius));
  camera.updateProjectionMatrix();
  camera.updateMatrixWorld();
}

/** The pose of a camera that a person has moved. */
export function poseOf(camera: OrthographicCamera, target: Vector3): Pose {
  const away = camera.position.clone().sub(target).normalize();
  return { azimuth: Math.atan2(away.x, away.z) / RADIANS,
    elevation: Math.asin(Math.max(-1, Math.min(1, away.y))) / RADIANS,
    focus: { target: [target.x, target.y, target.z], radius: 1 / camera.zoom } };
}

/** Gives a camera the form of its canvas: a sphere of the focus's radius is seen whole. */
export function shapeTo(camera: OrthographicCamera, width: number, height: number): void {
  const aspect = width / Math.max(1, height);
  camera.right = Math.max(1, aspect);
  camera.left = -camera.right;
  camera.top = Math.max(1, 1 / aspect);
  camera.bottom = -camera.top;
  camera.updateProjectionMatrix();
}

/** The line of sight through a point of a canvas, in pixels of the page. */
export function rayAt(camera: OrthographicCamera, canvas: HTMLElement, x: number, y: number): Ray {
  const { clientWidth, clientHeight } = canvas;
  const from = new Vector3(2 * x / clientWidth - 1, 1 - 2 * y / clientHeight, -1).unproject(camera);
  return Float64Array.of(...from.toArray(), ...camera.getWorldDirection(new Vector3()).toArray());
}

/** The length of a pixel of the page on a canvas. */
export const pixelOf = (camera: OrthographicCamera, { clientHeight }: HTMLElement) =>
  (camera.top - camera.bottom) / camera.zoom / Math.max(1, clientHeight);

/** Puts the planes of depth around what is drawn, so that depths are as fine as they can be. */
export function deepen(camera: OrthographicCamera, reach: number): void {
  const depth = -camera.position.dot(camera.getWorldDirection(new Vector3()));
  camera.near = depth - reach;
  camera.far = depth + reach;
  camera.updateProjectionMatrix();
}
