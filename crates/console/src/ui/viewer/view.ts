// The plain data between an application and a view of a shape. Lengths are in drawn units: the shape is drawn around
// the origin with a radius of 1, and Y is up.

import type { ReadonlySignal, Signal } from "@preact/signals";

export type Vector = readonly [number, number, number];

/** The place that a camera looks at, and the radius of the sphere that it shows whole. */
export interface Focus {
  target: Vector;
  radius: number;
}

/** A camera without roll: its direction, and what it shows. */
export interface Camera {
  /** Degrees from the front to the right. */
  azimuth: number;
  /** Degrees above the ground. */
  elevation: number;
  /** `all` and `selected` fit the visible or the selected parts to the view. */
  focus: Focus | "all" | "selected";
}

/** A plane that cuts parts off. */
export interface Section {
  /** Index of the file's axis that is perpendicular to it. */
  axis: number;
  /** From 0 to 1 along the shape. */
  offset: number;
  /** Keeps the side that the axis points to. */
  isFlipped: boolean;
}

export type MarkKind = "point" | "edge" | "face";

/** A place on the shape that is measured from. */
export interface Mark {
  kind: MarkKind;
  /** Number of its object, which carries it along when parts move apart. */
  object: number;
  at: Vector;
  /** Of a straight edge; of a face its normal. */
  direction?: Vector;
  length?: number;
  /** Of an edge on a circle. */
  diameter?: number;
  /** Points of an edge. */
  line?: readonly Vector[];
}

/** The states of all objects, and of occurrences without an object, which are the last: 1 where it holds, else 0. */
export interface PartStates {
  hidden: Uint8Array;
  /** Shown as a ghost: transparent, and in nobody's way. */
  ghost: Uint8Array;
  selected: Uint8Array;
  /** Colours of the view in place of the file's: 0 for the file's own, else the tone's number from 1. */
  tone?: Uint8Array;
}

/** A line from an object to another one, in the colour of a tone. */
export interface Way {
  from: number;
  to: number;
}

/** The tree of objects, by their numbers. */
export interface Hierarchy {
  /** The parent of each object; -1 without one. */
  parents: ArrayLike<number>;
  /** All objects, parents before children. */
  order: ArrayLike<number>;
}

/** The parts of a shape that a view shows, and how. */
export interface ViewSignals {
  camera: Signal<Camera>;
  states: ReadonlySignal<PartStates>;
  /** From 0, all in place, to 1. */
  exploded: ReadonlySignal<number>;
  section: ReadonlySignal<Section | null>;
  marks: ReadonlySignal<readonly Mark[]>;
  isMeasuring: ReadonlySignal<boolean>;
  /** The ways of objects that stand elsewhere than before. */
  ways: ReadonlySignal<readonly Way[]>;
}

/** A shape's own facts. */
export interface ShapeFacts {
  /** Metres in a drawn unit. */
  metres: number;
  /** The directions of the file's three axes. */
  axes: readonly Vector[];
  /** Along each of the file's axes: the place of the drawn origin in metres, and half of the shape's length. */
  extents: readonly { origin: number; half: number }[];
}

/** Why nothing is shown: no WebGL, a context that the browser took away, a module or a file that can't be read. */
export type ViewFailure = "none" | "lost" | "unloaded" | "unreadable";

/** Events of a view that a person causes. */
export interface ViewEvents {
  /** An object was picked, or the ground. */
  pick: (object: number | null) => void;
  mark: (mark: Mark) => void;
  /** A shape was drawn for the first time. */
  shown: (facts: ShapeFacts) => void;
  failed: (failure: ViewFailure) => void;
  /** WebGL came back. */
  returned: () => void;
}
