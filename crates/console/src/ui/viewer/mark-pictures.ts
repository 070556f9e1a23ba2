// Lines over the shape: marks of measuring (dots, edges, the line between two of them), and the ways of parts.

import { BufferGeometry, Float32BufferAttribute, LineSegments, Points, Scene } from "three";
import type { Materials } from "./materials";
import type { PartData } from "./part-data";
import type { Mark, Vector } from "./view";

export class MarkPictures {
  readonly scene = new Scene();
  private readonly dots: Points;
  private readonly lines: LineSegments;
  private readonly ways: LineSegments;

  constructor({ dots, lines, ways }: Pick<Materials, "dots" | "lines" | "ways">) {
    this.dots = new Points(new BufferGeometry(), dots);
    this.lines = new LineSegments(new BufferGeometry(), lines);
    this.ways = new LineSegments(new BufferGeometry(), ways);
    for (const one of [this.ways, this.lines, this.dots]) {
      one.frustumCulled = false;
      this.scene.add(one);
    }
  }

  /** Shows marks where their parts are now. `hovered` is the one that a click would make. */
  show(marks: readonly Mark[], hovered: Mark | null, parts: PartData): void {
    const all = hovered ? [...marks, hovered] : marks;
    const moved = ({ object }: Mark, [x, y, z]: Vector) =>
      [x + parts.offset(object, 0), y + parts.offset(object, 1), z + parts.offset(object, 2)];
    const edges = all.flatMap((mark) => (mark.line ?? []).slice(1).flatMap((point, at) =>
      [...moved(mark, mark.line?.[at] ?? point), ...moved(mark, point)]));
    const [from, to] = marks;
    replace(this.lines, [...edges, ...(from && to ? [...moved(from, from.at), ...moved(to, to.at)] : [])]);
    replace(this.dots, all.flatMap((mark) => moved(mark, mark.at)));
  }

  /** Shows ways by their ends: six numbers each. */
  showWays(ends: number[]): void {
    replace(this.ways, ends);
  }

  dispose(): void {
    this.ways.geometry.dispose();
    this.dots.geometry.dispose();
    this.lines.geometry.dispose();
  }
}

function replace(object: Points | LineSegments, positions: number[]): void {
  object.geometry.dispose();
  object.geometry = new BufferGeometry();
  object.geometry.setAttribute("position", new Float32BufferAttribute(positions, 3));
  object.visible = positions.length > 0;
}
