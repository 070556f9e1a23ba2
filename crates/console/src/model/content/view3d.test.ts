import assert from "node:assert/strict";
import { signal } from "@preact/signals";
import { test } from "node:test";
import { View3d } from "./view3d";
import { openAt, parametersOf } from "./view3d-address";
import { lengthIn, measuresOf, placeOf } from "./view3d-measure";
import type { Mark, ShapeFacts } from "./view3d";

/** A rig of a frame with two plates, and of a drive with a gear. */
const IDS = ["rig", "frame", "left", "right", "drive", "gear"].map((name) => `0190f3c2-7b1a-7000-8000-${name}`);
const objects = () => ({ ids: IDS, parents: [-1, 0, 1, 1, 0, 4],
  names: ["Rig", "Frame", "Left", "Right", "Drive", "Gear"] });
const id = (name: string) => IDS.find((one) => one.endsWith(name)) ?? null;
const viewOf = (selected = signal<string | null>(null)) => new View3d(objects(), selected);
const names = (view: View3d, state: "hidden" | "ghost" | "selected") =>
  objects().names.filter((_, at) => view.states.value[state][at] === 1).join(" ");

/** A file whose Z is up, in millimetres, with a drawn unit of 100 mm. */
const FACTS: ShapeFacts = { metres: 0.1, axes: [[1, 0, 0], [0, 0, -1], [0, 1, 0]],
  extents: [{ origin: 0.05, half: 0.5 }, { origin: 0, half: 0.2 }, { origin: 0, half: 1 }] };

test("an assembly is selected with everything below it", () => {
  const view = viewOf(signal(id("frame")));
  assert.equal(names(view, "selected"), "Frame Left Right");
  assert.equal(names(viewOf(signal("elsewhere")), "selected"), "");
});

test("a part of a hidden assembly is shown alone, and the others stay hidden", () => {
  const selected = signal(id("frame"));
  const view = viewOf(selected);
  view.toggleHidden();
  assert.equal(names(view, "hidden"), "Frame Left Right");
  selected.value = id("left");
  assert.ok(view.isCurrent("hidden"));
  view.toggleHidden();
  assert.equal(names(view, "hidden"), "Right");
  selected.value = id("rig");
  view.toggleHidden();
  assert.equal(names(view, "hidden"), "Rig Frame Left Right Drive Gear");
  selected.value = id("gear");
  view.toggleHidden();
  // The rig and the drive had no geometry of their own to hide.
  assert.equal(names(view, "hidden"), "Frame Left Right");
});

test("an isolated part hides all others, and is shown even if it was hidden", () => {
  const selected = signal(id("drive"));
  const view = viewOf(selected);
  view.toggleHidden();
  view.toggleIsolated();
  assert.equal(names(view, "hidden"), "Rig Frame Left Right");
  assert.equal(view.states.value.hidden[6], 1);
  view.toggleIsolated();
  assert.equal(names(view, "hidden"), "");
  view.toggleGhost();
  assert.equal(names(view, "ghost"), "Drive Gear");
  assert.ok(view.isPartial.value);
  view.showAll();
  assert.ok(!view.isPartial.value);
});

test("a cut opens towards the camera", () => {
  const view = viewOf();
  view.facts.value = FACTS;
  const flipped = () => [0, 1, 2].map((axis) => {
    view.cutAlong(axis);
    return view.section.value?.isFlipped;
  });
  assert.deepEqual(flipped(), [false, true, false]);
  view.look("back");
  assert.equal(flipped()[1], false);
  view.cut({ offset: 0.25 });
  assert.deepEqual(view.section.value && placeOf(view.section.value, FACTS, "millimetre"), "-50 mm");
});

test("an address holds a view, and opens it again", () => {
  const view = viewOf(signal(id("left")));
  assert.ok(Object.values(parametersOf(view)).every((value) => value === null));
  view.toggleHidden();
  view.look("top");
  view.exploded.value = 0.25;
  view.section.value = { axis: 2, offset: 0.75, isFlipped: true };
  view.isolated.value = 1;
  view.ghosts.value = new Set([3, 4]);
  const marks: Mark[] = [{ kind: "edge", object: 2, at: [0.1, 0.2, 0.3], length: 2, direction: [1, 0, 0] },
    { kind: "face", object: 3, at: [-0.5, 0, 1e-3], direction: [0, 0, -1] }];
  marks.forEach((mark) => view.mark(mark));
  const written = parametersOf(view);
  assert.equal(written.hide, "00-8000-left");
  assert.equal(written.view, "000-8000-rig_top");
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(written)) if (value) search.set(name, value);
  const opened = viewOf();
  openAt(opened, new URLSearchParams(search.toString()));
  assert.deepEqual(parametersOf(opened), written);
  assert.deepEqual(opened.marks.value, marks);
  assert.ok(opened.isMeasuring.value && opened.isExploding.value);
});

test("a moved camera is kept with what it sees", () => {
  const view = viewOf();
  view.camera.value = { azimuth: -33.123456, elevation: 12, focus: { target: [0.123456, -1, 0], radius: 0.25 } };
  const written = parametersOf(view).view ?? "";
  assert.equal(written, "000-8000-rig_-33.123_12_0.12346_-1_0_0.25");
  const opened = viewOf();
  openAt(opened, new URLSearchParams({ view: written }));
  assert.deepEqual(opened.camera.value,
    { azimuth: -33.123, elevation: 12, focus: { target: [0.12346, -1, 0], radius: 0.25 } });
});

test("parameters of another shape, and damaged ones, change nothing", () => {
  const opened = viewOf();
  openAt(opened, new URLSearchParams({ view: "another_top", hide: "00-8000-left", explode: "0.5" }));
  assert.ok(Object.values(parametersOf(opened)).every((value) => value === null));
  openAt(opened, new URLSearchParams({ view: "000-8000-rig_Infinity_x_1", hide: "nobody", only: "", explode: "-3",
    section: "w_0.5", measure: "edge_00-8000-left_1_2*face_nobody_1_2_3_4_5_6*point_00-8000-left_1_2_NaN" }));
  assert.ok(Object.values(parametersOf(opened)).every((value) => value === null));
});

const said = (marks: Mark[], unit = "mm") =>
  measuresOf(marks, FACTS, unit).map(({ name, value }) => `${name} ${value}`);

test("two points have a distance, and its parts along the file's axes", () => {
  const point = (...at: [number, number, number]): Mark => ({ kind: "point", object: 0, at });
  assert.deepEqual(said([point(0, 0, 0)]), []);
  assert.deepEqual(said([point(0, 0, 0), point(0.3, 1.2, -0.4)]),
    ["Distance 130 mm", "Δ X 30 mm", "Δ Y 40 mm", "Δ Z 120 mm"]);
  const inch = said([point(0, 0, 0), point(0.254, 0, 0)], "inch");
  assert.deepEqual(inch.slice(0, 2), ["Distance 1 in", "Δ X 1 in"]);
});

test("an edge has a length, faces an angle, and parallel faces a distance between them", () => {
  const bore: Mark = { kind: "edge", object: 0, at: [0, 0, 0], length: Math.PI * 0.08, diameter: 0.08 };
  assert.deepEqual(said([bore]), ["Length 25.133 mm", "Diameter 8 mm"]);
  const face = (at: [number, number, number], direction: [number, number, number]): Mark =>
    ({ kind: "face", object: 0, at, direction });
  assert.deepEqual(said([face([0, 0, 0], [0, 1, 0]), face([0, 1, 1], [0, 0, 1])]).slice(4), ["Angle 90°"]);
  const parallel = said([face([0, 0, 0], [0, -1, 0]), face([0.5, 0.08, 0], [0, 1, 0])]);
  assert.deepEqual(parallel.slice(4), ["Angle 180°", "Between faces 8 mm"]);
  // An edge that lies in a plane is perpendicular to the plane's normal: their angle is that to the plane.
  const edge: Mark = { kind: "edge", object: 0, at: [0, 0, 0], direction: [-1, 0, 0], length: 1 };
  assert.deepEqual(said([edge, face([0, 1, 0], [0, 1, 0])]).slice(4), ["Angle 0°"]);
  assert.deepEqual(said([edge, { ...edge, direction: [1, 0, 1e-9] }]).slice(4), ["Angle 0°"]);
});

test("lengths are written in the file's unit, and in millimetres where nobody knows it", () => {
  assert.equal(lengthIn("millimetre", 0.0123456), "12.346 mm");
  assert.equal(lengthIn("in", 0.0254 * 1.5), "1.5 in");
  assert.equal(lengthIn("furlong", 1), "1,000 mm");
  assert.equal(lengthIn("mm", -1e-9), "0 mm");
});
