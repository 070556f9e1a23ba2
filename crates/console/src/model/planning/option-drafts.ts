// The options of a choice while its field is made or changed.

import { signal } from "@preact/signals";
import type { FieldOption, OptionChange } from "../../api/planning/custom-fields";

export interface OptionDraft {
  /** Names the row on the page: options that are new have no id yet. */
  key: string;
  id: string | null;
  name: string;
  isArchived: boolean;
}

export class OptionDrafts {
  readonly rows = signal<readonly OptionDraft[]>([]);
  #made = 0;

  constructor(options: readonly FieldOption[] = []) {
    this.rows.value = options.map(({ id, name, is_archived: isArchived }) => ({ key: id, id, name, isArchived }));
    if (options.length === 0) this.add();
  }

  /** Adds an empty row below another one, or as the last. Returns its key. */
  add(above?: string): string {
    const key = `new-${this.#made += 1}`;
    const at = this.rows.value.findIndex((row) => row.key === above) + 1 || this.rows.value.length;
    this.rows.value = this.rows.value.toSpliced(at, 0, { key, id: null, name: "", isArchived: false });
    return key;
  }

  change(key: string, changes: Partial<Pick<OptionDraft, "name" | "isArchived">>): void {
    this.rows.value = this.rows.value.map((row) => (row.key === key ? { ...row, ...changes } : row));
  }

  /** Moves a row to an index among the others. */
  move(key: string, at: number): void {
    const row = this.rows.value.find((one) => one.key === key);
    const others = this.rows.value.filter((one) => one !== row);
    if (row) this.rows.value = others.toSpliced(Math.max(0, Math.min(others.length, at)), 0, row);
  }

  remove(key: string): void {
    this.rows.value = this.rows.value.filter((row) => row.key !== key);
  }

  /** The rows that name an option; one that was named and is empty now is for the service to refuse. */
  get named(): OptionDraft[] {
    return this.rows.value.filter(({ id, name }) => id !== null || name.trim() !== "");
  }

  /** All options in their order, as a request has them. */
  get changes(): OptionChange[] {
    return this.named.map(({ id, name, isArchived }) => ({ ...(id ? { id } : {}), name: name.trim(), isArchived }));
  }
}
