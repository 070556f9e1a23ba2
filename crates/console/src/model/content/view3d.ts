// A view of a shape in space: the parts that are selected, hidden and seen through, how far they are apart, the cut,
// the measured places, and the camera. All of it is plain data, so an address can hold it.

import { computed, signal, type ReadonlySignal } from "@preact/signals";
import { PartTree, type PartTable } from "./view3d-tree";

export type Vector = readonly [number, number, number];

/** A direction of sight in degrees, and what is seen: a place, or all or the selected parts as large as they can be. */
export interface Camera {
  azimuth: number;
  elevation: number;
  focus: { target: Vector; radius: number } | "all" | "selected";
}

/** A cut through the shape, perpendicular to one of the file's axes; its offset is from 0 to 1. */
export interface Section {
  axis: number;
  offset: number;
  isFlipped: boolean;
}

/** A place that is measured from; lengths are in the view's own unit. */
export interface Mark {
  kind: "point" | "edge" | "face";
  object: number;
  at: Vector;
  direction?: Vector;
  length?: number;
  diameter?: number;
  line?: readonly Vector[];
}

/** The shape's own measures: metres in the view's unit, the file's axes, and where the shape is along them. */
export interface ShapeFacts {
  metres: number;
  axes: readonly Vector[];
  extents: readonly { origin: number; half: number }[];
}

/** How a comparison shows all objects, beside what the person does with them: 1 where it holds, or a tone's number. */
export interface Shades {
  hidden: Uint8Array;
  ghost: Uint8Array;
  tone: Uint8Array;
}

/** A line between two objects, by their numbers. */
export interface Way {
  from: number;
  to: number;
}

/** Directions of sight, by their names. */
export const DIRECTIONS = { front: [0, 0], back: [180, 0], left: [-90, 0], right: [90, 0], top: [0, 90],
  bottom: [0, -90], corner: [45, 35.264] } as const;
export type Direction = keyof typeof DIRECTIONS;

export const HOME: Camera = { azimuth: DIRECTIONS.corner[0], elevation: DIRECTIONS.corner[1], focus: "all" };
/** How far parts are apart at first. */
const APART = 0.6;

export class View3d {
  readonly tree: PartTree;
  readonly hidden = signal<ReadonlySet<number>>(new Set());
  readonly ghosts = signal<ReadonlySet<number>>(new Set());
  /** The object that alone is shown, with all below it. */
  readonly isolated = signal<number | null>(null);
  readonly isExploding = signal(false);
  /** How far parts are apart, up to 1. */
  readonly exploded = signal(0);
  readonly section = signal<Section | null>(null);
  readonly isMeasuring = signal(false);
  readonly marks = signal<readonly Mark[]>([]);
  readonly camera = signal<Camera>(HOME);
  readonly shades = signal<Shades | null>(null);
  readonly ways = signal<readonly Way[]>([]);
  /** Known once the shape is drawn. */
  readonly facts = signal<ShapeFacts | null>(null);
  /** The number of the selected object, if the shape has it. */
  readonly current = computed(() => this.tree.numberOf(this.selected.value));
  /** The states of all objects, each with those of its parents. */
  readonly states = computed(() => {
    const [hidden, ghost] = [this.tree.below(this.hidden.value), this.tree.below(this.ghosts.value)];
    const [isolated, current] = [this.isolated.value, this.current.value];
    if (isolated !== null) this.tree.below([isolated]).forEach((isInside, at) => { if (!isInside) hidden[at] = 1; });
    const shades = this.shades.value;
    shades?.hidden.forEach((isHidden, at) => { if (isHidden) hidden[at] = 1; });
    shades?.ghost.forEach((isGhost, at) => { if (isGhost) ghost[at] = 1; });
    return { hidden, ghost, selected: this.tree.below(current === undefined ? [] : [current]),
      ...(shades ? { tone: shades.tone } : {}) };
  });
  /** True if the shape is not shown as a whole. */
  readonly isPartial = computed(() => this.hidden.value.size > 0 || this.ghosts.value.size > 0
    || this.isolated.value !== null);

  constructor(table: PartTable, readonly selected: ReadonlySignal<string | null>) {
    this.tree = new PartTree(table);
  }

  /** True if the selected object has a state. */
  isCurrent(state: "hidden" | "ghost"): boolean {
    const current = this.current.value;
    return current !== undefined && this.states.value[state][current] === 1;
  }

  /** Hides the selected object, or shows it again. */
  toggleHidden(): void {
    const current = this.current.peek();
    if (current === undefined) return;
    if (!this.isCurrent("hidden")) this.hidden.value = new Set([...this.hidden.peek(), current]);
    else this.show(current);
  }

  /** Makes the selected object a ghost, or solid again. */
  toggleGhost(): void {
    const current = this.current.peek();
    if (current === undefined) return;
    const ghosts = this.ghosts.peek();
    this.ghosts.value = this.isCurrent("ghost") ? this.tree.without(ghosts, current) : new Set([...ghosts, current]);
  }

  /** Shows the selected object alone, or all others again. */
  toggleIsolated(): void {
    const current = this.current.peek();
    if (current === undefined) return;
    if (this.isolated.peek() === current) this.isolated.value = null;
    else {
      this.show(current);
      this.isolated.value = current;
    }
    this.fit();
  }

  /** Shows every object, and none as a ghost. */
  showAll(): void {
    this.hidden.value = new Set();
    this.ghosts.value = new Set();
    this.isolated.value = null;
  }

  private show(number: number): void {
    this.hidden.value = this.tree.without(this.hidden.peek(), number);
    const isolated = this.isolated.peek();
    if (isolated !== null && !this.tree.below([isolated])[number]) this.isolated.value = null;
  }

  /** Looks at all visible parts from a direction. */
  look(direction: Direction): void {
    const [azimuth, elevation] = DIRECTIONS[direction];
    this.camera.value = { azimuth, elevation, focus: "all" };
  }

  /** Shows all visible parts, or the selected ones, as large as they can be. */
  fit(focus: "all" | "selected" = "all"): void {
    this.camera.value = { ...this.camera.peek(), focus };
  }

  /** Moves parts apart, or back into place. */
  toggleExploded(): void {
    this.isExploding.value = !this.isExploding.peek();
    this.exploded.value = this.isExploding.peek() ? APART : 0;
  }

  /** Begins or ends a cut. */
  toggleSection(): void {
    if (this.section.peek()) this.section.value = null;
    else this.cutAlong(0);
  }

  /** Cuts in the middle of an axis, from the side that the camera sees. */
  cutAlong(axis: number): void {
    const [x, y, z] = this.facts.peek()?.axes[axis] ?? [0, 0, 0];
    const { azimuth, elevation } = this.camera.peek();
    const [turned, raised] = [azimuth * Math.PI / 180, elevation * Math.PI / 180];
    const towards = x * Math.sin(turned) * Math.cos(raised) + y * Math.sin(raised)
      + z * Math.cos(turned) * Math.cos(raised);
    this.section.value = { axis, offset: 0.5, isFlipped: towards < 0 };
  }

  cut(change: Pick<Section, "offset"> | Pick<Section, "isFlipped">): void {
    const before = this.section.peek();
    if (before) this.section.value = { ...before, ...change };
  }

  /** Begins or ends measuring. */
  toggleMeasuring(): void {
    this.isMeasuring.value = !this.isMeasuring.peek();
    this.marks.value = [];
  }

  /** Takes a measured place: the second one ends a measurement, the next begins another. */
  mark(mark: Mark): void {
    const marks = this.marks.peek();
    this.marks.value = marks.length < 2 ? [...marks, mark] : [mark];
  }
}
