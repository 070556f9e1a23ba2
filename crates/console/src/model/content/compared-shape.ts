// The versions of a design while their shapes are made and read, as far as they are there.

import { computed } from "@preact/signals";
import { previewsAt, type PreviewsApi } from "../../api/content/previews";
import type { ComparedDesign } from "./compared-designs";
import type { Side } from "./compared-entry";
import { OpenShape } from "./open-shape";
import { PreviewEvents } from "./preview-events";

/** A version's shape: its bytes, and the ids of its objects by the numbers that the bytes have for them. */
export interface VersionShape {
  glb: ArrayBuffer;
  ids: readonly string[];
  unit: string;
}

/** The versions of a design, the old one first; null for one that isn't compared. */
export type Versions = readonly [VersionShape | null, VersionShape | null];

export class ComparedShape {
  readonly #sides: readonly [OpenShape | null, OpenShape | null];
  /** Null until each version is there. Faces follow edges. */
  readonly shapes = computed((): Versions | null => {
    const [before, after] = this.#sides;
    const [base, head] = [before && versionOf(before), after && versionOf(after)];
    return (before && !base) || (after && !head) ? null : [base, head];
  });
  /** Why there is no scene: a reason, or an empty text if a version has no shape. */
  readonly failure = computed((): string | null => {
    const found = this.#open.map(failureOf).filter((reason) => reason !== null);
    return found.find((reason) => reason !== "") ?? found[0] ?? null;
  });

  constructor({ owner, base, head }: ComparedDesign, apiAt: (commit: string) => PreviewsApi = previewsAt) {
    // No stream tells of old versions: pauses are as long as the service says.
    const pauses = new PreviewEvents();
    const open = (side: Side | null) =>
      side && new OpenShape(side.place, { owner, sha256: "" }, pauses, apiAt(side.commit ?? ""));
    this.#sides = [open(base), open(head)];
  }

  get #open(): OpenShape[] {
    return this.#sides.filter((side) => side !== null);
  }

  async open(): Promise<void> {
    await Promise.all(this.#open.map((side) => side.open()));
  }

  close(): void {
    for (const side of this.#open) side.close();
  }
}

function versionOf(side: OpenShape): VersionShape | null {
  const [glb, shape] = [side.glb.value, side.preview.value?.shape];
  return glb && shape ? { glb, ids: shape.objects.map((id) => id ?? ""), unit: shape.unit ?? "" } : null;
}

function failureOf(side: OpenShape): string | null {
  const preview = side.preview.value;
  if (preview?.shape) return null;
  if (side.failure.value !== null) return side.failure.value;
  if (side.isAbsent.value || preview?.status === "none") return "";
  return preview?.status === "failed" ? preview.reason ?? "" : null;
}
