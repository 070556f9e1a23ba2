import assert from "node:assert/strict";
import { test } from "node:test";
import { OrthographicCamera, Vector3 } from "three";
import { poseOf, shapeTo, takePose, type Pose } from "./camera";
import { colorOf } from "./colors";
import { fit } from "./fit";
import { between } from "./glide";
import { PartData } from "./part-data";
import { readShape } from "./shape";
import { cube, glbOf } from "./testing";

const rounded = ({ azimuth, elevation, focus }: Pose) => [azimuth, elevation, ...focus.target, focus.radius]
  .map((value) => Number(value.toFixed(3)) + 0);

test("a camera tells what it was told", () => {
  const [camera, pose] = [new OrthographicCamera(), { azimuth: 120, elevation: -35,
    focus: { target: [0.1, -0.2, 0.3], radius: 0.5 } } satisfies Pose];
  takePose(camera, pose);
  assert.deepEqual(rounded(poseOf(camera, new Vector3(0.1, -0.2, 0.3))), [120, -35, 0.1, -0.2, 0.3, 0.5]);
});

test("parts fill the narrower side of a view, of any form", () => {
  const shape = readShape(glbOf([cube(10)], [{ mesh: 0, extras: { object: 0 } },
    { mesh: 0, translation: [30, 0, 0], extras: { object: 1 } }]), 2);
  const unit = shape.facts.metres * 1000;
  const radius = (width: number, height: number, only?: number) => {
    const camera = new OrthographicCamera();
    shapeTo(camera, width, height);
    const focus = fit(shape.faces, new PartData(2), camera, { azimuth: 0, elevation: 0 },
      (object) => only === undefined || object === only);
    return focus && [Number((focus.radius * unit / 1.12).toFixed(3)), Number((focus.target[0] * unit).toFixed(3))];
  };
  // 40 mm wide and 10 mm high, as seen from the front.
  assert.deepEqual(radius(100, 100), [20, 0]);
  assert.deepEqual(radius(400, 100), [5, 0]);
  assert.deepEqual(radius(100, 400), [20, 0]);
  assert.deepEqual(radius(100, 100, 1), [5, 15]);
  assert.equal(radius(100, 100, 2), null);
});

test("a camera turns the shorter way round", () => {
  const at = (azimuth: number): Pose => ({ azimuth, elevation: 0, focus: { target: [0, 0, 0], radius: 1 } });
  assert.equal(between(at(170), at(-170), 0.5).azimuth, 180);
  assert.equal(between(at(-30), at(30), 0.5).azimuth, 0);
});

test("colours of the page are read as browsers write them", () => {
  assert.deepEqual(colorOf("oklch(0.628 0.2577 29.23)").getHexString(), "ff0000");
  assert.deepEqual(colorOf("oklch(1 0 none)").getHexString(), "ffffff");
  assert.deepEqual(colorOf("rgb(255, 128, 0)").getHexString(), "ff8000");
});
