// Properties that are edited: rows of name and value, or JSON.

import { signal } from "@preact/signals";
import type { Data } from "../../api/content/objects";
import { text } from "../../text";
import { kindOf, prettyJson } from "./properties";

export interface DraftRow {
  id: number;
  name: string;
  value: unknown;
}

export class PropertyDraft {
  readonly rows = signal<readonly DraftRow[]>([]);
  /** The JSON that is edited; null while rows are. */
  readonly json = signal<string | null>(null);
  #last = 0;

  constructor(data: Data) {
    this.#show(data);
  }

  /** Adds a row, and returns its id. */
  add(): number {
    const row = this.#row("", "");
    this.rows.value = [...this.rows.value, row];
    return row.id;
  }

  remove(id: number): void {
    this.rows.value = this.rows.value.filter((row) => row.id !== id);
  }

  change(id: number, changes: Partial<Omit<DraftRow, "id">>): void {
    this.rows.value = this.rows.value.map((row) => (row.id === id ? { ...row, ...changes } : row));
  }

  /** Gives a row another kind of value; what fits stays. */
  setKind(id: number, kind: string): void {
    const row = this.rows.value.find((one) => one.id === id);
    if (!row || kindOf(row.value) === kind) return;
    const before = String(row.value);
    this.change(id, { value: kind === "number" ? Number(before) || 0 : kind === "truth" ? before === "true" : before });
  }

  /** Goes on as JSON, or as rows. Throws where the present one can't be read. */
  toggle(): void {
    const now = this.values();
    if (this.json.value === null) this.json.value = prettyJson(now);
    else {
      this.json.value = null;
      this.#show(now);
    }
  }

  /** The properties as they are edited. Throws the reason for the person. */
  values(): Data {
    if (this.json.value !== null) return parsed(this.json.value);
    const found = new Map<string, unknown>();
    for (const { name, value } of this.rows.value) {
      const own = name.trim();
      if (!own) throw new Error(text.properties.noName);
      if (found.has(own)) throw new Error(text.properties.twice(own));
      found.set(own, value);
    }
    return Object.fromEntries(found);
  }

  #show(data: Data): void {
    this.rows.value = Object.entries(data).map(([name, value]) => this.#row(name, value));
  }

  #row(name: string, value: unknown): DraftRow {
    this.#last += 1;
    return { id: this.#last, name, value };
  }
}

function parsed(json: string): Data {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    throw new Error(`${text.files.notJson} ${error instanceof Error ? error.message : ""}`);
  }
  if (!value || typeof value !== "object" || Array.isArray(value)) throw new Error(text.files.notJson);
  return value as Data;
}
