// The custom fields of a project, as its settings show and change them.

import { computed, signal } from "@preact/signals";
import { fieldApi, type CustomField, type FieldApi, type FieldChanges,
  type NewField } from "../../api/planning/custom-fields";
import { ApiError } from "../../api/errors";
import { text } from "../../text";
import { isActive } from "./custom-fields";
import { keepEqual } from "../equal";
import { inverseOf } from "./field-form";
import { tell, tellFailure } from "../messages";
import { record, undoStep } from "../undo";

export class ProjectFields {
  readonly #all = signal<readonly CustomField[]>([]);
  /** Active fields, then archived ones. */
  readonly all = computed(() => this.#all.value.toSorted((one, other) =>
    Number(isActive(other)) - Number(isActive(one))));
  readonly #project: string;
  readonly #api: FieldApi;

  constructor(project: string, api: FieldApi = fieldApi) {
    [this.#project, this.#api] = [project, api];
  }

  async load(): Promise<void> {
    this.#all.value = keepEqual(this.#all.peek(), await this.#api.list(this.#project));
  }

  async create(field: NewField, key: string): Promise<void> {
    this.#put(await this.#api.create(this.#project, field, key));
  }

  async change(field: CustomField, changes: FieldChanges): Promise<void> {
    this.#put(await this.#api.change(this.#project, field.id, changes));
    const inverse = inverseOf(field, changes);
    if (inverse) record({ name: field.name, undo: () => this.#change(field.id, inverse) });
  }

  /** Archives a field, or restores it: shown at once, and taken back if that is refused. */
  async setStatus(field: CustomField, status: CustomField["status"]): Promise<void> {
    this.#put({ ...field, status });
    const step = { name: field.name, undo: () => this.#change(field.id, { status: field.status }) };
    const forget = record(step);
    try {
      await this.#change(field.id, { status });
    } catch (error) {
      forget();
      this.#put(field);
      return tellFailure(error);
    }
    if (status === "archived") {
      tell(text.fields.isArchived(field.name), { act: { name: text.undo.title, run: () => undoStep(step) } });
    }
  }

  /** Deletes a field. One that cards have values of stays, and the person may archive it instead. */
  async remove(field: CustomField): Promise<void> {
    try {
      await this.#api.remove(this.#project, field.id);
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== "FIELD_IN_USE") throw error;
      const archive = { name: text.fields.archive, run: () => this.setStatus(field, "archived") };
      tell(text.fields.inUse(field.name), { bad: true, ...(isActive(field) ? { act: archive } : {}) });
      return;
    }
    this.#all.value = this.#all.peek().filter(({ id }) => id !== field.id);
  }

  async #change(id: string, changes: FieldChanges): Promise<void> {
    this.#put(await this.#api.change(this.#project, id, changes));
  }

  #put(field: CustomField): void {
    const isKnown = this.#all.peek().some(({ id }) => id === field.id);
    this.#all.value = isKnown ? this.#all.peek().map((one) => (one.id === field.id ? field : one))
      : [...this.#all.peek(), field];
  }
}
