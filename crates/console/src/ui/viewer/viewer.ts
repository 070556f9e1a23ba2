// A view of a shape in a canvas. It follows the signals of its application and tells it what the person does; it draws
// when something has changed. This module brings three along, so it is loaded where a shape is shown.

import { effect } from "@preact/signals";
import { OrthographicCamera, Vector3 } from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { deepen, pixelOf, poseOf, rayAt, shapeTo, takePose, type Pose } from "./camera";
import { colorsOf } from "./colors";
import { explosionOf, offsetsAt, wholeBoxes, type Explosion } from "./explode";
import { fit } from "./fit";
import { glide } from "./glide";
import { listen } from "./input";
import { HIDDEN, SELECTED } from "./part-data";
import { pick, type Cut } from "./pick";
import { readShape, type Shape } from "./shape";
import { snap } from "./snap";
import { Stage, type Plane } from "./stage";
import { waysBetween } from "./ways";
import type { Camera, Hierarchy, Mark, Section, ViewEvents, ViewSignals } from "./view";

/** How near to an edge a pointer must be to mean it, in pixels of the page. */
const REACH_PX = 9;

export interface OpenViewer {
  /** Shows the shape of a GLB file. */
  show: (bytes: ArrayBuffer) => void;
  /** A picture of the view, as it is shown. */
  picture: () => Promise<Blob>;
  close: () => void;
}

/** Opens a view in a canvas with a context of WebGL 2. */
export function openViewer(canvas: HTMLCanvasElement, context: WebGL2RenderingContext, hierarchy: Hierarchy,
  signals: ViewSignals, events: ViewEvents): OpenViewer {
  return new Viewer(canvas, context, hierarchy, signals, events);
}

class Viewer implements OpenViewer {
  private readonly stage: Stage;
  private readonly camera = new OrthographicCamera();
  private readonly controls: OrbitControls;
  private readonly unlisten: () => void;
  private readonly leavePage: () => void;
  private unfollow = () => {};
  private shape: Shape | null = null;
  private plane: Plane | null = null;
  private hovered: Mark | null = null;
  /** The camera that this view has told last, or was told. */
  private known: Camera | null = null;
  private isPlacing = false;
  private frame = 0;
  private stop = () => {};

  constructor(private readonly canvas: HTMLCanvasElement, context: WebGL2RenderingContext,
    private readonly hierarchy: Hierarchy, private readonly signals: ViewSignals, private readonly events: ViewEvents) {
    this.stage = new Stage(canvas, context);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.zoomToCursor = true;
    this.controls.addEventListener("start", () => this.stop());
    this.controls.addEventListener("change", () => this.tell());
    this.unlisten = listen(canvas, this.controls, {
      click: (x, y) => this.click(x, y),
      hover: (at) => this.hover(at),
      enter: () => this.click(canvas.clientWidth / 2, canvas.clientHeight / 2),
      escape: () => events.pick(null),
    });
    this.leavePage = this.followPage();
  }

  show(bytes: ArrayBuffer): void {
    const count = this.hierarchy.parents.length;
    const shape = readShape(bytes, count);
    this.unfollow();
    this.stage.take(shape, count);
    this.shape = shape;
    this.known = null;
    this.unfollow = this.followSignals(explosionOf(shape.boxes, this.hierarchy),
      wholeBoxes(shape.boxes, this.hierarchy));
    this.draw();
    this.events.shown(shape.facts);
  }

  async picture(): Promise<Blob> {
    this.hover(null);
    this.draw();
    // The drawing lasts until the browser takes over again.
    const made = await new Promise<Blob | null>((done) => this.canvas.toBlob(done, "image/png"));
    if (!made) throw new Error("no picture");
    return made;
  }

  close(): void {
    for (const end of [this.unfollow, this.unlisten, this.leavePage, this.stop]) end();
    cancelAnimationFrame(this.frame);
    this.controls.dispose();
    this.stage.close();
  }

  /** Follows the size of the canvas, the colours of the page, and the loss of its context. */
  private followPage(): () => void {
    const { canvas, events } = this;
    const end = new AbortController();
    const sizes = new ResizeObserver(() => this.resize());
    sizes.observe(canvas);
    const repaint = () => {
      this.stage.paint(colorsOf(canvas));
      this.ask();
    };
    const scheme = new MutationObserver(repaint);
    scheme.observe(canvas.ownerDocument.documentElement, { attributeFilter: ["data-scheme"] });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", repaint, { signal: end.signal });
    canvas.addEventListener("webglcontextlost", () => events.failed("lost"), { signal: end.signal });
    canvas.addEventListener("webglcontextrestored", () => {
      events.returned();
      repaint();
    }, { signal: end.signal });
    repaint();
    this.resize();
    return () => {
      end.abort();
      sizes.disconnect();
      scheme.disconnect();
    };
  }

  private followSignals(explosion: Explosion, whole: Float64Array): () => void {
    const { camera, states, exploded, section, marks, isMeasuring, ways } = this.signals;
    let amount = 0;
    const ends = [effect(() => {
      this.stage.parts.write(states.value, offsetsAt(explosion, this.hierarchy, exploded.value));
      const isMoved = amount !== exploded.value && typeof camera.peek().focus === "string";
      amount = exploded.value;
      if (isMoved) this.pose(this.poseFor(camera.peek()));
      this.stage.marks.showWays(waysBetween(ways.value, whole, this.stage.parts));
      this.showMarks(marks.peek());
    }), effect(() => {
      this.plane = section.value && this.planeOf(section.value);
      this.stage.cut(this.plane);
      this.ask();
    }), effect(() => {
      if (!isMeasuring.value) this.hovered = null;
      this.showMarks(marks.value);
    }), effect(() => this.turn(camera.value))];
    return () => ends.forEach((end) => end());
  }

  private resize(): void {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    if (width === 0 || height === 0) return;
    this.stage.resize(width, height);
    shapeTo(this.camera, width, height);
    if (!this.shape) return;
    this.pose(this.poseFor(this.signals.camera.peek()));
    // A resized canvas is empty, and would flash.
    this.draw();
  }

  /** Turns to a camera of the application; the first one at once. */
  private turn(camera: Camera): void {
    if (camera === this.known) return;
    const isFirst = this.known === null;
    this.known = camera;
    this.stop();
    const to = this.poseFor(camera);
    if (isFirst) this.pose(to);
    else this.stop = glide(poseOf(this.camera, this.controls.target), to, (pose) => this.pose(pose));
  }

  private poseFor(camera: Camera): Pose {
    const { focus } = camera;
    if (typeof focus !== "string") return { ...camera, focus };
    const { stage: { parts }, shape } = this;
    const isShown = (object: number) => parts.bits(object, HIDDEN) === 0;
    const isMeant = (object: number) => parts.bits(object, HIDDEN | SELECTED) === SELECTED;
    const batches = [...shape?.faces ?? [], ...shape?.edges ?? []];
    const fitted = (meant: (object: number) => boolean) => fit(batches, parts, this.camera, camera, meant);
    return { ...camera, focus: (focus === "selected" ? fitted(isMeant) : null) ?? fitted(isShown)
      ?? { target: [0, 0, 0], radius: 1 } };
  }

  private pose(pose: Pose): void {
    this.isPlacing = true;
    takePose(this.camera, pose);
    this.controls.target.set(...pose.focus.target);
    this.controls.update();
    this.isPlacing = false;
    this.ask();
  }

  /** Tells the application where the person has moved the camera. */
  private tell(): void {
    this.ask();
    if (this.isPlacing || !this.shape) return;
    this.known = poseOf(this.camera, this.controls.target);
    this.signals.camera.value = this.known;
  }

  private planeOf({ axis, offset, isFlipped }: Section): Plane | null {
    const [direction, extent] = [this.shape?.facts.axes[axis], this.shape?.facts.extents[axis]];
    if (!direction || !extent) return null;
    const sign = isFlipped ? -1 : 1;
    return { normal: new Vector3(...direction).multiplyScalar(sign), distance: sign * extent.half * (2 * offset - 1) };
  }

  private click(x: number, y: number): void {
    const { shape, stage: { parts }, signals, events } = this;
    if (!shape) return;
    if (signals.isMeasuring.peek()) {
      const mark = this.markAt(x, y);
      if (mark) events.mark(mark);
    } else {
      const object = pick(shape.faces, parts, rayAt(this.camera, this.canvas, x, y), this.cut())?.object;
      events.pick(object === undefined || object >= this.hierarchy.parents.length ? null : object);
    }
  }

  private hover(at: { x: number; y: number } | null): void {
    if (!this.signals.isMeasuring.peek() || (!at && !this.hovered)) return;
    this.hovered = at && this.markAt(at.x, at.y);
    this.showMarks(this.signals.marks.peek());
  }

  private showMarks(marks: readonly Mark[]): void {
    this.stage.marks.show(marks, this.hovered, this.stage.parts);
    this.ask();
  }

  private markAt(x: number, y: number): Mark | null {
    const { shape, stage: { parts }, camera, canvas } = this;
    return shape && snap(shape, parts, rayAt(camera, canvas, x, y), this.cut(), REACH_PX * pixelOf(camera, canvas));
  }

  private cut(): Cut | null {
    return this.plane && { normal: this.plane.normal.toArray(), distance: this.plane.distance };
  }

  /** Asks for a drawing in the next frame. */
  private ask(): void {
    if (this.frame !== 0 || !this.shape) return;
    this.frame = requestAnimationFrame(() => this.draw());
  }

  private draw(): void {
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    deepen(this.camera, this.stage.parts.reach);
    this.stage.draw(this.camera);
  }
}
