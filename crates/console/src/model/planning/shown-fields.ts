// The custom fields that a board shows on its cards: their definitions, and the people that values name.

import { computed, signal } from "@preact/signals";
import type { BoardCard, WholeBoard } from "../../api/planning/boards";
import type { CustomField } from "../../api/planning/custom-fields";
import { keepEqual } from "../equal";
import { columnsOf, sayIn, type FieldColumn } from "./field-columns";

type Shown = Pick<WholeBoard, "fields" | "field_users">;

/** A value on a card, in words. */
export interface ShownValue {
  key: string;
  name: string;
  said: string;
}

export class ShownFields {
  readonly #fields = signal<readonly CustomField[]>([]);
  readonly #users = signal<Shown["field_users"]>([]);
  /** Names of people by their ids. */
  readonly people = computed((): ReadonlyMap<string, string> =>
    new Map(this.#users.value.map(({ id, display_name: name }) => [id, name])));
  /** Fields of one name, type and unit in several projects are one. */
  readonly columns = computed(() => columnsOf(this.#fields.value));

  take({ fields, field_users: users }: Shown): void {
    this.#fields.value = keepEqual(this.#fields.peek(), fields);
    this.#users.value = keepEqual(this.#users.peek(), users);
  }

  /** The column of a name, for lanes and groups: of options or of people. */
  lane(key: string): FieldColumn | undefined {
    return this.laneColumns().find((column) => column.key === key);
  }

  /** The columns by which a board has lanes. */
  laneColumns(): FieldColumn[] {
    return this.columns.value.filter(({ type, options }) => type === "user" || options.length > 0);
  }

  /** The values of a card in the order of the fields. */
  of({ fields }: Pick<BoardCard, "fields">, day: (iso: string) => string): ShownValue[] {
    const names = { person: (id: string) => this.people.value.get(id) ?? "", day };
    return this.columns.value.flatMap((column) => {
      const said = sayIn(column, fields, names);
      return said ? [{ key: column.key, name: column.name, said }] : [];
    });
  }
}
