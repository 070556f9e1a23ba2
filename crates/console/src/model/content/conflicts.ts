// Conflicts of a merge or of a revert, and which side of each holds.

import { computed, signal } from "@preact/signals";
import { ApiError } from "../../api/errors";
import type { Conflict, Resolution } from "../../api/content/versions";

export class Decision {
  readonly conflicts: readonly Conflict[];
  readonly #taken = signal<ReadonlyMap<number, Resolution>>(new Map());
  readonly resolutions = computed(() => [...this.#taken.value.values()]);
  readonly isWhole = computed(() => this.#taken.value.size === this.conflicts.length);

  constructor(conflicts: readonly Conflict[]) {
    this.conflicts = conflicts;
  }

  take(at: number, side: Resolution["take"]): void {
    const conflict = this.conflicts[at];
    if (!conflict) return;
    const { objectId, field } = conflict;
    this.#taken.value = new Map(this.#taken.value).set(at, { objectId, field, take: side });
  }

  isTaken(at: number, side: Resolution["take"]): boolean {
    return this.#taken.value.get(at)?.take === side;
  }
}

/** The conflicts for which a merge was refused, or null where it was for something else. */
export function conflictsOf(error: unknown): Conflict[] | null {
  if (!(error instanceof ApiError) || error.code !== "MERGE_CONFLICT") return null;
  return error.details.conflicts as Conflict[];
}
