// The checklist of an open card. Lines are changed one by one: shown at once, sent in turn, and taken back with the
// reason if they are refused.

import { batch, effect, signal } from "@preact/signals";
import { checklistApi, type ChecklistApi, type ChecklistItem } from "../../api/planning/card-relations";
import { reasonOf } from "../../api/errors";
import { text } from "../../text";
import { keepEqual } from "../equal";
import { tellRefusal } from "../messages";
import { deleteLater, record } from "../undo";
import type { OpenCard } from "./open-card";

export type Items = readonly ChecklistItem[];

/** The lines counted, as lists of cards show them. */
export const countOf = (items: Items) =>
  ({ total: items.length, done: items.filter(({ isDone }) => isDone).length });

/** The lines with one of them at an index among the others. */
export function withItemAt(items: Items, id: string, index: number): Items {
  const item = items.find((one) => one.id === id);
  return item ? items.filter((one) => one !== item).toSpliced(index, 0, item) : items;
}

export class Checklist {
  readonly items = signal<Items>([]);
  readonly failure = signal("");
  /** The last move in words, for screen readers. */
  readonly spoken = signal("");
  readonly #card: OpenCard;
  readonly #api: ChecklistApi;
  readonly #hidden = new Set<string>();
  #waiting = 0;
  #turn = 0;

  constructor(card: OpenCard, api: ChecklistApi = checklistApi) {
    [this.#card, this.#api] = [card, api];
  }

  /** Reads the lines now and after each change of the card. Returns the end of that. */
  follow(): () => void {
    let head = "";
    return effect(() => {
      const now = this.#card.now.value.historyHeadId;
      if (now !== head) void this.read();
      head = now;
    });
  }

  /** Reads the lines, unless they are being changed. A card without any needs no request. */
  async read(): Promise<void> {
    const own = (this.#turn += 1);
    try {
      const hasSome = this.#card.now.peek().indexCard.checklist.total > 0;
      const read = hasSome ? await this.#api.read(this.#card.path) : [];
      if (own !== this.#turn || this.#waiting > 0) return;
      this.items.value = keepEqual(this.items.peek(), read.filter(({ id }) => !this.#hidden.has(id)));
      this.failure.value = "";
    } catch (error) {
      this.failure.value = reasonOf(error);
    }
  }

  /** Adds a line at the end. A refusal is thrown, for it is shown at the field. */
  async add(said: string, key: string): Promise<void> {
    const item = await this.#send(() => this.#api.add(this.#card.path, said, key));
    this.#show([...this.items.peek().filter(({ id }) => id !== item.id), item]);
    record({ name: said, undo: () => this.#remove(item.id) });
  }

  tick(item: ChecklistItem, isDone: boolean): Promise<boolean> {
    return this.#change(item, { isDone });
  }

  rename(item: ChecklistItem, said: string): Promise<boolean> {
    return this.#change(item, { text: said });
  }

  /** Moves a line to an index among the others. */
  async move(id: string, index: number): Promise<void> {
    const before = this.items.peek();
    const from = before.findIndex((one) => one.id === id);
    const item = before[from];
    const to = Math.max(0, Math.min(before.length - 1, index));
    if (!item || from === to) return;
    this.#show(withItemAt(before, id, to));
    this.spoken.value = text.checklist.moved(item.text, to + 1, before.length);
    const afterItemId = this.items.peek()[to - 1]?.id ?? null;
    const forget = record({ name: item.text, undo: () => this.move(id, from) });
    try {
      await this.#send(() => this.#api.change(this.#card.path, id, { afterItemId }));
    } catch (error) {
      forget();
      this.#show(withItemAt(this.items.peek(), id, from));
      tellRefusal(text.card.unchanged(item.text, reasonOf(error)), error);
    }
  }

  /** Deletes a line, after the time in which the person can take that back. */
  delete(item: ChecklistItem): void {
    const at = this.items.peek().indexOf(item);
    deleteLater({
      name: item.text,
      hide: () => {
        this.#hidden.add(item.id);
        this.#show(this.items.peek().filter(({ id }) => id !== item.id));
      },
      restore: () => {
        this.#hidden.delete(item.id);
        this.#show(this.items.peek().filter(({ id }) => id !== item.id).toSpliced(at, 0, item));
      },
      send: () => this.#remove(item.id),
    });
  }

  async #remove(id: string): Promise<void> {
    await this.#send(() => this.#api.remove(this.#card.path, id));
    this.#hidden.delete(id);
    this.#show(this.items.peek().filter((one) => one.id !== id));
  }

  async #change(item: ChecklistItem, changes: { text: string } | { isDone: boolean }): Promise<boolean> {
    const before = this.items.peek().find(({ id }) => id === item.id) ?? item;
    this.#showItem(item.id, changes);
    const back = "text" in changes ? { text: before.text } : { isDone: before.isDone };
    const forget = record({ name: before.text, undo: () => this.#change(item, back) });
    try {
      await this.#send(() => this.#api.change(this.#card.path, item.id, changes));
      return true;
    } catch (error) {
      forget();
      this.#showItem(item.id, back);
      tellRefusal(text.card.unchanged(before.text, reasonOf(error)), error);
      return false;
    }
  }

  #showItem(id: string, changes: Partial<ChecklistItem>): void {
    this.#show(this.items.peek().map((one) => (one.id === id ? { ...one, ...changes } : one)));
  }

  #show(items: Items): void {
    batch(() => {
      this.items.value = items;
      this.#card.showChecklist(countOf(items));
    });
  }

  async #send<Answer>(send: () => Promise<Answer>): Promise<Answer> {
    this.#waiting += 1;
    this.#turn += 1;
    return await this.#card.send(send).finally(() => { this.#waiting -= 1; });
  }
}
