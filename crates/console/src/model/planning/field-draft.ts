// A field of a card that is typed in. What was typed stays until it is saved or dropped; where somebody else changed
// the field meanwhile, the person decides.

import { computed, signal } from "@preact/signals";
import { ApiError, reasonOf } from "../../api/errors";

/** The field as its card has it. */
export interface DraftedField {
  /** Its name in the API. */
  name: string;
  read: () => string;
  /** The head of the card's history, by which the service knows what the person saw. */
  head: () => string;
  save: (typed: string, head: string) => Promise<unknown>;
  refresh: () => Promise<unknown>;
}

export class FieldDraft {
  /** The typed text; `null` while it is as saved. */
  readonly typed = signal<string | null>(null);
  /** The text of somebody else that stands against this one. */
  readonly conflict = signal<string | null>(null);
  readonly failure = signal("");
  readonly isSaved = signal(false);
  readonly value = computed(() => this.typed.value ?? this.#field.read());
  readonly #field: DraftedField;
  #base = { head: "", value: "" };

  constructor(field: DraftedField) {
    this.#field = field;
  }

  /** The head of the text that was begun with. */
  get head(): string {
    return this.#base.head;
  }

  /** The text that was begun with. */
  get baseValue(): string {
    return this.#base.value;
  }

  type(text: string): void {
    if (this.typed.peek() === null) this.begin();
    this.isSaved.value = false;
    this.typed.value = text;
  }

  /** Begins with what the card has now, or with the head of a kept draft. */
  begin(head = this.#field.head(), value = this.#field.read()): void {
    this.#base = { head, value };
  }

  /** Forgets what was typed. */
  drop(): void {
    this.typed.value = null;
    this.conflict.value = null;
    this.failure.value = "";
  }

  /** Saves what was typed, if it differs. Answers whether nothing is left to save. */
  async leave(): Promise<boolean> {
    const sent = this.typed.peek();
    if (sent === null || sent.trim() === this.#field.read()) {
      this.drop();
      return true;
    }
    return await this.#save(sent, this.#base.head);
  }

  /** Saves the own text over that of somebody else. */
  async keepMine(): Promise<boolean> {
    const sent = this.typed.peek();
    this.conflict.value = null;
    return sent === null ? true : await this.#save(sent, this.#field.head());
  }

  async #save(sent: string, head: string): Promise<boolean> {
    this.failure.value = "";
    try {
      await this.#field.save(sent, head);
    } catch (error) {
      return await this.#refused(error, sent);
    }
    this.isSaved.value = true;
    // What was typed since then stays.
    if (this.typed.peek() === sent) this.drop();
    else this.begin();
    return this.typed.peek() === null;
  }

  async #refused(error: unknown, sent: string): Promise<boolean> {
    const theirs = theirsOf(error, this.#field.name);
    if (!theirs) {
      this.failure.value = reasonOf(error);
      return false;
    }
    // Something else of the card changed: nothing stands against this text.
    if (theirs.value === this.#base.value && theirs.head) return await this.#save(sent, theirs.head);
    // Their text is in the refusal: the conflict is shown without the rest of the card, too.
    await this.#field.refresh().catch(() => {});
    this.conflict.value = theirs.value;
    return false;
  }
}

interface Conflict {
  currentHistoryHeadId?: string;
}

/** The value of a field as somebody else has left it, if that is why a change is refused. */
function theirsOf(error: unknown, name: string): { value: string; head: string | undefined } | null {
  if (!(error instanceof ApiError) || error.code !== "CARD_HISTORY_CONFLICT") return null;
  // A custom field is one of the card's `fields`.
  const part = (of: unknown, key: string) => (of as Record<string, unknown> | undefined)?.[key];
  const [conflict] = (error.details.conflicts ?? []) as Conflict[];
  const value = name.split(".").reduce(part, error.details.fields) ?? "";
  const isDay = name === "deadline" || name === "start_date";
  const isNone = name === "effort" && value === 0;
  const said = isNone ? "" : isDay ? String(value).slice(0, 10) : String(value);
  return { value: said, head: conflict?.currentHistoryHeadId };
}
