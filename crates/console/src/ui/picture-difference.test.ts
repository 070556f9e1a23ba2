import assert from "node:assert/strict";
import { test } from "node:test";
import { markedPixels, pictureDifference, type Pixels } from "./picture-difference";

const WHITE = [255, 255, 255, 255];

/** A white picture with these pixels in other colours. */
function picture(width: number, height: number, dots: readonly (readonly [number, number, number[]])[] = []): Pixels {
  const data = new Uint8ClampedArray(Array.from({ length: width * height }, () => WHITE).flat());
  for (const [x, y, color] of dots) data.set(color, (y * width + x) * 4);
  return { width, height, data };
}

const BLACK = [0, 0, 0, 255];

test("equal pictures, soft edges and transparent paper don't differ", () => {
  const plain = picture(40, 40);
  const soft = picture(40, 40, [[3, 3, [240, 250, 245, 255]], [9, 9, [0, 0, 0, 0]]]);
  assert.deepEqual(pictureDifference(plain, plain), { differing: new Uint8Array(1600), share: 0, regions: [] });
  assert.deepEqual(pictureDifference(plain, soft).regions, []);
  assert.deepEqual(pictureDifference(picture(0, 0), picture(0, 0)).share, 0);
});

test("pixels near each other are one region, and far ones are another", () => {
  const { regions, share, differing } = pictureDifference(picture(100, 70),
    picture(100, 70, [[2, 2, BLACK], [18, 18, BLACK], [99, 69, BLACK]]));
  // The last squares of the picture are cut.
  assert.deepEqual(regions, [{ x: 0, y: 0, width: 32, height: 32 }, { x: 96, y: 64, width: 4, height: 6 }]);
  assert.equal(share, 3 / 7000);
  assert.equal(differing[2 * 100 + 2], 1);
});

test("the right edge doesn't touch the left one of the next row", () => {
  const { regions } = pictureDifference(picture(64, 64), picture(64, 64, [[63, 0, BLACK], [0, 20, BLACK]]));
  assert.equal(regions.length, 2);
});

test("more regions than anybody reads are the whole picture", () => {
  const dots = Array.from({ length: 400 }, (_, at): [number, number, number[]] =>
    [(at % 20) * 32, Math.floor(at / 20) * 32, BLACK]);
  const { regions } = pictureDifference(picture(640, 640), picture(640, 640, dots));
  assert.deepEqual(regions, [{ x: 0, y: 0, width: 640, height: 640 }]);
});

test("what differs is marked, and the rest is pale", () => {
  const after = picture(2, 1, [[1, 0, BLACK]]);
  const marked = markedPixels(after, pictureDifference(picture(2, 1), after), [200, 0, 50]);
  assert.deepEqual([...marked], [255, 255, 255, 255, 200, 0, 50, 255]);
});
