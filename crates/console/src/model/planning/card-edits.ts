// Edits of a card: shown at once where the card is shown, then sent, and taken back with the reason if refused.

import type { BoardCard } from "../../api/planning/boards";
import { cardApi, type CardApi, type CardChanges, type CardRead } from "../../api/planning/cards";
import type { FieldInputs } from "../../api/planning/custom-fields";
import { reasonOf } from "../../api/errors";
import { text } from "../../text";
import { tellRefusal } from "../messages";
import { record } from "../undo";

/** The facts of a card that lists show. */
export type CardSummary = Pick<BoardCard,
  "id" | "key" | "name" | "project_id" | "is_open" | "effort" | "deadline" | "priority" | "type" | "parent_id"
  | "assignees" | "tags">;
export type Assignee = BoardCard["assignees"][number];
export type Tag = BoardCard["tags"][number];
/** Fields that are edited in place. */
export type CardFields = Partial<Pick<CardSummary,
  "name" | "is_open" | "effort" | "deadline" | "priority" | "type" | "parent_id">>;
/** Fields that the panel alone shows. Custom ones are changed one by one. */
export type OwnFields = { description: string } | { start_date: string | null } | { fields: FieldInputs };

/** A model that shows cards, for example a board or the panel of one card. */
export interface CardHolder {
  card: (id: string) => CardSummary | undefined;
  update: (id: string, changes: Partial<CardSummary>) => void;
  /** Sends a change after those before it. */
  send: <Answer>(send: () => Promise<Answer>) => Promise<Answer>;
}

/** The body of a request that changes fields. */
export function changesOf({ is_open: isOpen, parent_id: parentId, ...same }: CardFields): CardChanges {
  return {
    ...same,
    ...(isOpen === undefined ? {} : { isOpen }),
    ...(parentId === undefined ? {} : { parentId }),
  };
}

export const isOwn = (fields: object): fields is OwnFields =>
  "description" in fields || "start_date" in fields || "fields" in fields;

/** The body of a request that changes fields of the panel. */
export function bodyOf(fields: CardFields | OwnFields): CardChanges {
  if (!isOwn(fields)) return changesOf(fields);
  return "start_date" in fields ? { startDate: fields.start_date } : fields;
}

/** The name of the changed field in the card's history. */
export function nameOfChange(fields: CardFields | OwnFields): string {
  const [name = ""] = Object.keys("fields" in fields ? fields.fields : fields);
  return "fields" in fields ? `fields.${name}` : name;
}

/** The same fields as the card has them. */
export function fieldsBefore(card: CardRead["card"], fields: CardFields | OwnFields): CardFields | OwnFields {
  if (!("fields" in fields)) {
    return Object.fromEntries(Object.keys(fields).map((name) => [name, card[name as "name"]]));
  }
  return { fields: Object.fromEntries(Object.keys(fields.fields).map((id) => [id, card.fields[id] ?? null])) };
}

/** The card with other fields. */
export function withFields(card: CardRead["card"], changes: OwnFields): CardRead["card"] {
  if (!("fields" in changes)) return { ...card, ...changes };
  const values = Object.entries({ ...card.fields, ...changes.fields });
  const set = values.flatMap(([id, value]) => (value === null ? [] : [[id, value] as const]));
  return { ...card, fields: Object.fromEntries(set) };
}

export class CardEdits {
  readonly #holder: CardHolder;
  readonly #api: Pick<CardApi, "relate" | "change">;

  constructor(holder: CardHolder, api: Pick<CardApi, "relate" | "change"> = cardApi) {
    this.#holder = holder;
    this.#api = api;
  }

  card(id: string): CardSummary | undefined {
    return this.#holder.card(id);
  }

  /** Assigns a person, or takes them off. */
  async assign(id: string, person: Assignee, is: boolean): Promise<boolean> {
    const card = this.card(id);
    if (!card) return false;
    const others = card.assignees.filter((one) => one.id !== person.id);
    const path = { projectId: card.project_id, cardId: id };
    return this.#edit(card, { assignees: is ? [...others, person] : others },
      () => this.#api.relate(path, "assignees", person.id, is), () => this.assign(id, person, !is));
  }

  /** Adds a tag, or removes it. */
  async setTag(id: string, tag: Tag, is: boolean): Promise<boolean> {
    const card = this.card(id);
    if (!card) return false;
    const others = card.tags.filter((one) => one.id !== tag.id);
    const path = { projectId: card.project_id, cardId: id };
    return this.#edit(card, { tags: is ? [...others, tag] : others },
      () => this.#api.relate(path, "tags", tag.id, is), () => this.setTag(id, tag, !is));
  }

  /** Changes fields. Answers whether they were accepted. */
  async change(id: string, fields: CardFields): Promise<boolean> {
    const card = this.card(id);
    if (!card) return false;
    const before = Object.fromEntries(Object.keys(fields).map((name) => [name, card[name as keyof CardFields]]));
    return this.#edit(card, fields,
      () => this.#api.change({ projectId: card.project_id, cardId: id }, changesOf(fields)),
      () => this.change(id, before as CardFields));
  }

  async #edit(card: CardSummary, changes: Partial<CardSummary>, send: () => Promise<unknown>, undo: () => unknown) {
    const before = Object.fromEntries(Object.keys(changes).map((name) => [name, card[name as keyof CardSummary]]));
    this.#holder.update(card.id, changes);
    const forget = record({ name: card.name, undo });
    try {
      await this.#holder.send(send);
      return true;
    } catch (error) {
      forget();
      this.#holder.update(card.id, before as Partial<CardSummary>);
      tellRefusal(text.card.unchanged(card.name, reasonOf(error)), error);
      return false;
    }
  }
}
