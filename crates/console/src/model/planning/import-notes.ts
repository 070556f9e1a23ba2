// The notes on what an import changed or left out, a page at a time.

import { signal } from "@preact/signals";
import { importApi, type ImportApi, type ImportNote } from "../../api/planning/imports";

export class ImportNotes {
  readonly notes = signal<readonly ImportNote[]>([]);
  readonly hasMore = signal(false);
  readonly #read: (after: number) => ReturnType<ImportApi["notes"]>;
  #next: number | null = 0;

  private constructor(orgId: string, importId: string, api: Pick<ImportApi, "notes">) {
    this.#read = (after) => api.notes(orgId, importId, after);
  }

  static async open(orgId: string, importId: string, api: Pick<ImportApi, "notes"> = importApi): Promise<ImportNotes> {
    const opened = new ImportNotes(orgId, importId, api);
    await opened.more();
    return opened;
  }

  /** Reads the next page. */
  async more(): Promise<void> {
    const after = this.#next;
    if (after === null) return;
    const { notes, next } = await this.#read(after);
    // A page that was asked for twice is shown once.
    if (this.#next !== after) return;
    this.#next = next;
    this.notes.value = [...this.notes.peek(), ...notes];
    this.hasMore.value = next !== null;
  }
}
