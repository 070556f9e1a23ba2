// Draws a shape. Nothing is drawn unless it is asked for, and all memory of the graphics card is given back.

import { LineSegments, Mesh, PlaneGeometry, Scene, Vector3, WebGLRenderer, type BufferGeometry, type Camera,
  type Material, type Object3D } from "three";
import type { ViewColors } from "./colors";
import { geometriesOf } from "./geometry";
import { materialsOf, NO_SECTION, uniforms } from "./materials";
import { MarkPictures } from "./mark-pictures";
import { PartData } from "./part-data";
import type { Shape } from "./shape";

/** Pixels of the screen in one of the page; more cost time, and nobody sees them. */
const MOST_PIXELS = 2;
/** Index of the tone of parts that have moved, which is that of their ways. */
const MOVED = 1;
/** Diameter of a mark, in pixels of the page. */
const MARK_PX = 11;

/** A plane of a section: its direction, and its distance from the origin. */
export interface Plane {
  normal: Vector3;
  distance: number;
}

export class Stage {
  private readonly renderer: WebGLRenderer;
  private readonly shared = uniforms();
  private readonly materials = materialsOf(this.shared);
  private readonly faces = new Scene();
  private readonly edges = new Scene();
  private readonly cap = new Mesh(new PlaneGeometry(4, 4), this.materials.cap);
  readonly marks = new MarkPictures(this.materials);
  private geometries: BufferGeometry[] = [];
  private plane: Plane | null = null;
  private hasClear = false;
  parts = new PartData(0);

  constructor(canvas: HTMLCanvasElement, context: WebGL2RenderingContext) {
    this.renderer = new WebGLRenderer({ canvas, context });
    this.renderer.autoClear = false;
    this.renderer.sortObjects = false;
    for (const scene of [this.faces, this.edges]) scene.matrixWorldAutoUpdate = false;
  }

  /** Takes another shape, of `count` objects. */
  take({ faces, edges }: Shape, count: number): void {
    this.drop();
    this.parts = new PartData(count);
    this.shared.parts.value = this.parts.texture;
    const [ofFaces, ofEdges] = [geometriesOf(faces), geometriesOf(edges)];
    this.geometries = [...ofFaces, ...ofEdges];
    for (const geometry of ofFaces) this.faces.add(drawn(new Mesh(geometry, this.materials.solid)));
    for (const geometry of ofEdges) this.edges.add(drawn(new LineSegments(geometry, this.materials.edges)));
    this.hasClear = faces.some(({ color }) => color !== null && (color[3] ?? 1) < 1);
  }

  paint({ ground, plain, edge, accent, tones }: ViewColors): void {
    this.renderer.setClearColor(ground);
    this.shared.ground.value = ground;
    this.shared.plain.value = plain;
    this.shared.edge.value = edge;
    this.shared.accent.value = accent;
    this.shared.tones.value = tones;
    this.shared.way.value = tones[MOVED] ?? accent;
  }

  cut(plane: Plane | null): void {
    this.plane = plane;
    this.shared.section.value.set(...(plane ? [...plane.normal.toArray(), plane.distance] as const : NO_SECTION));
    if (!plane) return;
    this.cap.position.copy(plane.normal).multiplyScalar(plane.distance);
    this.cap.quaternion.setFromUnitVectors(new Vector3(0, 0, 1), plane.normal);
  }

  resize(width: number, height: number): void {
    const pixels = Math.min(MOST_PIXELS, devicePixelRatio || 1);
    this.renderer.setPixelRatio(pixels);
    this.renderer.setSize(width, height, false);
    this.shared.pixels.value = pixels;
    this.shared.size.value = MARK_PX * pixels;
  }

  draw(camera: Camera): void {
    const { materials } = this;
    this.renderer.clear();
    this.pass(this.faces, materials.solid, camera);
    // From behind, the shape hides its cut.
    if (this.plane && camera.getWorldDirection(new Vector3()).dot(this.plane.normal) < 0) {
      this.pass(this.faces, materials.count, camera);
      this.cap.scale.setScalar(this.parts.reach);
      this.renderer.render(this.cap, camera);
      this.renderer.clearStencil();
    }
    this.pass(this.edges, materials.edges, camera);
    if (this.hasClear || this.parts.hasGhosts) {
      this.pass(this.faces, materials.clear, camera);
      this.pass(this.edges, materials.clearEdges, camera);
    }
    if (this.parts.hasSelected) this.pass(this.edges, materials.selectedEdges, camera);
    this.renderer.render(this.marks.scene, camera);
  }

  private pass(scene: Scene, material: Material, camera: Camera): void {
    scene.overrideMaterial = material;
    this.renderer.render(scene, camera);
  }

  /** Gives back the shape's memory. */
  private drop(): void {
    for (const geometry of this.geometries) geometry.dispose();
    for (const scene of [this.faces, this.edges]) scene.clear();
    this.parts.dispose();
  }

  /** Gives back everything, the browser's context too. */
  close(): void {
    this.drop();
    this.marks.dispose();
    this.cap.geometry.dispose();
    for (const material of Object.values(this.materials)) material.dispose();
    this.renderer.dispose();
    this.renderer.forceContextLoss();
  }
}

/** Shaders place corners, so there is nothing that three could leave out or compute. */
function drawn<Drawn extends Object3D>(object: Drawn): Drawn {
  object.frustumCulled = false;
  object.matrixAutoUpdate = false;
  return object;
}
