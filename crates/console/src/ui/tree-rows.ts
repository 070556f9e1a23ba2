// Rows of a tree, and what it asks its page to do.

import type { ReadonlySignal } from "@preact/signals";
import type { ComponentChild, RefObject } from "preact";

export interface TreeMark {
  kind: "added" | "changed" | "deleted" | "failed" | "running";
  sign: string;
  says: string;
}

export interface TreeRowView {
  id: string;
  parent: string;
  name: string;
  /** More about it, quieter than its name. */
  beside: string | undefined;
  icon: string;
  /** Name of its picture; a row with another one is drawn again. */
  picture: string | undefined;
  level: number;
  place: number;
  of: number;
  /** Undefined for rows without others below them. */
  isUnfolded: boolean | undefined;
  marks: readonly TreeMark[];
}

/** How a person chose a row. */
export type Means = "pointer" | "enter" | "arrows";

export interface TreeProps {
  label: string;
  root: string;
  rows: readonly TreeRowView[];
  selected: ReadonlySignal<string | null>;
  element: RefObject<HTMLDivElement | null>;
  /** Draws what stands before a row's name. It stays the same. */
  lead: (row: TreeRowView) => ComponentChild;
  choose: (id: string, by: Means) => void;
  fold: (id: string, isUnfolded: boolean) => void;
  menu: (id: string | null, at: { x: number; y: number }) => void;
  /** The row that a drop on another row goes to. */
  dropsOn: (id: string | null, isRow: boolean) => string;
  moved: (id: string, on: string) => void;
  dropped: (transfer: DataTransfer, on: string) => void;
}

/** The row that an event is on. */
export function rowIdOf(event: Event): string | null {
  const row = event.target instanceof Element ? event.target.closest(".tree-row") : null;
  return row?.getAttribute("data-id") ?? null;
}
