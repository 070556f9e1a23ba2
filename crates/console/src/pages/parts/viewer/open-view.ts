// A view that is open, as its parts share it.

import type { Signal } from "@preact/signals";
import type { View3d } from "../../../model/content/view3d";
import type { ViewFailure } from "../../../ui/viewer/view";

/** `waiting` until the shape is drawn. */
export type ViewerState = "waiting" | "shown" | ViewFailure;

/** The state that the parts of a view share. */
export interface OpenView {
  view: View3d;
  state: Signal<ViewerState>;
  unit: string;
  select: (id: string | null) => void;
  /** Makes a picture and gives it away, if somebody takes it. */
  picture: (() => Promise<void>) | undefined;
}
