// Both versions of a design while their shapes are made and read: the scene of both, as far as they are there.

import { computed } from "@preact/signals";
import { previewsAt, type PreviewsApi } from "../../api/content/previews";
import type { ComparedDesign } from "./compared-designs";
import { OpenShape } from "./open-shape";
import { PreviewEvents } from "./preview-events";

/** A version's shape: its bytes, and the ids of its objects by the numbers that the bytes have for them. */
export interface VersionShape {
  glb: ArrayBuffer;
  ids: readonly string[];
  unit: string;
}

export class ComparedShape {
  readonly #sides: readonly [OpenShape, OpenShape];
  /** Both versions, the old one first; null until both are there. Faces follow edges. */
  readonly shapes = computed((): [VersionShape, VersionShape] | null => {
    const [base, head] = this.#sides.map(versionOf);
    return base && head ? [base, head] : null;
  });
  /** Why there is no scene: a reason, or an empty text if a version has no shape. */
  readonly failure = computed((): string | null => {
    const found = this.#sides.map(failureOf).filter((reason) => reason !== null);
    return found.find((reason) => reason !== "") ?? found[0] ?? null;
  });

  constructor({ owner, base, head }: ComparedDesign, apiAt: (commit: string) => PreviewsApi = previewsAt) {
    // No stream tells of old versions: pauses are as long as the service says.
    const pauses = new PreviewEvents();
    const open = ({ place, commit = "" }: ComparedDesign["base"]) =>
      new OpenShape(place, { owner, sha256: "" }, pauses, apiAt(commit));
    this.#sides = [open(base), open(head)];
  }

  async open(): Promise<void> {
    await Promise.all(this.#sides.map((side) => side.open()));
  }

  close(): void {
    for (const side of this.#sides) side.close();
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
