// Where files go that are dropped on a page.

import { signal } from "@preact/signals";
import type { Target } from "./uploads";

export interface DropTarget {
  target: Target;
  /** The object below which files are put: always a folder or the project. */
  parent: string;
  name: string;
}

/** The target of the page that is shown; without one the person is asked for a project. */
export const dropTarget = signal<DropTarget | null>(null);
