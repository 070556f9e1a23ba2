import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError } from "../../api/errors";
import type { Made, Preview, PreviewShape, PreviewsApi } from "../../api/content/previews";
import { OpenShape } from "./open-shape";

const SHAPE: PreviewShape = { sizeBytes: 10, unit: "mm", triangles: 0, box: { min: [0, 0, 0], max: [1, 1, 1] },
  objects: ["gear"] };
const making = (sizeBytes?: number): Made<Preview> => ({ againMs: 1000, value: { sha256: "file", status: "making",
  ...(sizeBytes === undefined ? {} : { shape: { ...SHAPE, sizeBytes } }) } });
const ready = (sizeBytes: number): Made<Preview> =>
  ({ value: { sha256: "file", status: "ready", shape: { ...SHAPE, sizeBytes } } });

function fake(answers: (Made<Preview> | Error | null)[], changes: Partial<PreviewsApi> = {}) {
  const [read, waits] = [[] as number[], [] as (number | string)[]];
  const api: PreviewsApi = {
    preview: async () => {
      const answer = answers.shift() ?? null;
      if (answer instanceof Error) throw answer;
      return answer;
    },
    glb: async () => {
      read.push(read.length);
      return new ArrayBuffer(read.length);
    },
    thumbnail: async () => ({ value: new Blob(["x"]) }),
    ...changes,
  };
  const pauses = {
    seen: () => 0,
    pause: async (ms: number) => { waits.push(ms); },
    untilFinished: async (sha256: string) => { waits.push(sha256); },
  };
  const shape = new OpenShape("p", { owner: "gear", sha256: "file" }, pauses, api);
  return { shape, read, waits };
}

test("edges are asked for again and again; with them, the event tells when the faces have come", async () => {
  const { shape, read, waits } = fake([making(), making(10), making(10), ready(20)]);
  await shape.open();
  assert.equal(read.length, 2);
  assert.deepEqual(waits, [1000, "file", "file"]);
  assert.equal(shape.glb.value?.byteLength, 2);
  assert.equal(shape.preview.value?.status, "ready");
  assert.ok(shape.thumbnail.value);
  assert.equal(shape.isAbsent.value, false);
});

test("a service without previews is no failure, and neither is a missing thumbnail", async () => {
  const { shape } = fake([null], { thumbnail: async () => { throw new ApiError(403, { message: "no" }); } });
  await shape.open();
  assert.equal(shape.isAbsent.value, true);
  assert.equal(shape.failure.value, null);
});

test("a passing failure is asked again with growing pauses, a refusal is told", async () => {
  const away = new ApiError(503, { message: "away" });
  const { shape, waits } = fake([away, away, ready(10)]);
  await shape.open();
  assert.deepEqual(waits, [1000, 2000]);
  assert.equal(shape.failure.value, null);
  const gone = fake(Array.from({ length: 9 }, () => away)).shape;
  await gone.open();
  assert.equal(gone.failure.value, "away");
  const refused = fake([new ApiError(403, { message: "You may not." })]).shape;
  await refused.open();
  assert.equal(refused.failure.value, "You may not.");
});

test("a GLB that has grown since its size was told is not read again", async () => {
  const { shape, read } = fake([making(0), making(10), ready(1)]);
  await shape.open();
  assert.equal(read.length, 1);
  assert.equal(shape.glb.value?.byteLength, 1);
});

test("a GLB that is not there yet is read with the next answer", async () => {
  let count = 0;
  const { shape } = fake([making(10), ready(10)], { glb: async () => {
    count += 1;
    if (count === 1) throw new ApiError(404, { message: "not yet" });
    return new ArrayBuffer(7);
  } });
  await shape.open();
  assert.equal(shape.glb.value?.byteLength, 7);
});

test("after closing nothing is asked or told", async () => {
  const { shape, waits } = fake([making(10), ready(20)]);
  const opened = shape.open();
  shape.close();
  await opened;
  assert.equal(waits.length, 0);
  assert.equal(shape.glb.value, null);
});
