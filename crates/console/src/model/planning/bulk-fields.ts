// A custom field of many cards at once, in the projects that have one of its name: set or cleared, and undone.

import { batch } from "@preact/signals";
import type { CardOperation } from "../../api/planning/cards";
import type { CustomField, FieldValue } from "../../api/planning/custom-fields";
import { text } from "../../text";
import type { Board } from "./board";
import type { Bulk } from "./bulk";
import { bulkApi, sendOperations, type BulkApi, type Send } from "./bulk-requests";
import { chosenOf, hasOptions } from "./custom-fields";
import { fieldIn, type FieldColumn } from "./field-columns";
import { isEqual } from "../equal";
import { groupBy } from "../group";
import type { TeamValues } from "./team-values";

/** A new value of a card. */
interface Change {
  field: CustomField;
  before: FieldValue | null;
  after: FieldValue | null;
}

export class BulkFields {
  readonly #board: Board;
  readonly #bulk: Bulk;
  readonly #values: TeamValues;
  readonly #api: Pick<BulkApi, "change">;

  constructor(board: Board, bulk: Bulk, values: TeamValues, api: Pick<BulkApi, "change"> = bulkApi) {
    [this.#board, this.#bulk, this.#values, this.#api] = [board, bulk, values, api];
  }

  /** Sets the column's field of cards, or clears it. Options are named by ids of any of the column's projects. */
  async set(ids: readonly string[], column: FieldColumn, value: FieldValue | null): Promise<void> {
    // Undo needs the values before, which are known only once they are read.
    await this.#values.readAll();
    const all = new Map(ids.map((id) => [id, this.#changeOf(id, column, value)]));
    const changeOf = (id: string) => {
      const change = all.get(id);
      return typeof change === "string" ? undefined : change;
    };
    const show = () => batch(() => ids.forEach((id) => {
      const change = changeOf(id);
      if (change) this.#values.show(id, change.field.id, change.after);
    }));
    const send: Send = async (own, refuse) => {
      for (const id of own) {
        const reason = all.get(id);
        if (typeof reason === "string") refuse(id, reason);
      }
      await this.#send("after", changeOf)(own, refuse);
    };
    const keep = () => {
      const shown = new Map(ids.map((id) => [id, this.#values.of(id)]));
      return (own: readonly string[]) => batch(() => own.forEach((id) => {
        const field = changeOf(id)?.field.id;
        if (field) this.#values.show(id, field, shown.get(id)?.[field] ?? null);
      }));
    };
    await this.#bulk.act(ids, { show, send, keep, undo: () => this.#send("before", changeOf) });
  }

  /** The change of a card, or why it has none. */
  #changeOf(id: string, column: FieldColumn, value: FieldValue | null): Change | string {
    const card = this.#board.card(id);
    const field = card && fieldIn(column, card.project_id);
    if (!field) return text.fields.notIn(column.name);
    const values = this.#values.of(id);
    if (!values) return text.fields.unread;
    const after = valueIn(field, column, value);
    return after === undefined ? text.fields.noOption(column.name, namesOf(column, value))
      : { field, before: values[field.id] ?? null, after };
  }

  /** Sends the values of one side of the changes, together for each project. */
  #send(side: "before" | "after", changeOf: (id: string) => Change | undefined): Send {
    return (ids, refuse) => this.#values.during(async () => {
      const changed = ids.flatMap((cardId) => {
        const change = changeOf(cardId);
        return change && !isEqual(change.before, change.after) ? [{ cardId, ...change }] : [];
      });
      for (const [project, own] of groupBy(changed, ({ field }) => field.project_id)) {
        const operations = own.map(({ cardId, field, [side]: value }): CardOperation =>
          ({ op: "update", cardId, fields: { [field.id]: value } }));
        await sendOperations(this.#api, project, operations, refuse, own.map(({ field }) => field));
      }
    });
  }
}

/** The value as a field of one project has it; `undefined` where the field lacks an option. */
function valueIn(field: CustomField, column: FieldColumn, value: FieldValue | null): FieldValue | null | undefined {
  if (value === null || !hasOptions(field.type)) return value;
  const ids = chosenOf(value).map((chosen) => {
    const option = column.options.find((one) => one.ids.has(chosen));
    return field.options.find(({ id, is_archived: isArchived }) => !isArchived && option?.ids.has(id))?.id;
  });
  const known = ids.filter((id) => id !== undefined);
  if (known.length < ids.length) return undefined;
  return field.type === "choice" ? known[0] : known;
}

/** The options of a value, as people read them. */
const namesOf = ({ options }: FieldColumn, value: FieldValue | null) =>
  chosenOf(value ?? undefined).map((id) => options.find(({ ids }) => ids.has(id))?.name ?? "").join(", ");
