// The custom fields of a team's projects, and the values of the cards on its board. Values are read when a column, the
// order or a filter needs them, and again for cards whose history went on.

import { computed, effect, signal, type ReadonlySignal } from "@preact/signals";
import type { BoardCard } from "../../api/planning/boards";
import { changeCard, readCard } from "../../api/planning/cards";
import { readFields, readTeamValues, type CustomField, type FieldValue, type FieldValues, type ValuedCard }
  from "../../api/planning/custom-fields";
import { reasonOf } from "../../api/errors";
import { text } from "../../text";
import type { Board } from "./board";
import { namedRefusal } from "./custom-fields";
import { columnsOf } from "./field-columns";
import { keepEqual } from "../equal";
import { groupBy } from "../group";
import { tellRefusal } from "../messages";
import { readTeamPeople } from "./team-people";
import { record } from "../undo";

/** Causes to read that come together make one reading. */
const TOGETHER_MS = 60;
/** Cards that are read one by one; more of a project are read as its list. */
const FEW = 10;

const read = async (projectId: string, cardId: string): Promise<ValuedCard> =>
  (await readCard({ projectId, cardId })).card;

/** Requests that tests replace. */
export const valuesApi = { fields: readFields, list: readTeamValues, people: readTeamPeople, change: changeCard, read };
export type ValuesApi = typeof valuesApi;

export class TeamValues {
  readonly #fields = signal<readonly CustomField[]>([]);
  readonly columns = computed(() => columnsOf(this.#fields.value));
  /** Names of people whom values name. */
  readonly people = signal<ReadonlyMap<string, string>>(new Map());
  readonly #values = signal<ReadonlyMap<string, FieldValues>>(new Map());
  readonly #board: Board;
  readonly #projects: readonly string[];
  readonly #api: ValuesApi;
  /** The heads of cards whose values are read. */
  readonly #heads = new Map<string, string>();
  #timer: unknown = 0;
  #reading: Promise<void> = Promise.resolve();
  #waiting = 0;
  #edits = 0;

  constructor(board: Board, projects: readonly string[] = [], api: ValuesApi = valuesApi) {
    [this.#board, this.#projects, this.#api] = [board, projects, api];
  }

  /** The values of a card; `undefined` until they are read. */
  of(card: string): FieldValues | undefined {
    return this.#values.value.get(card);
  }

  /** Reads the definitions. A project whose fields can't be read keeps those that are known. */
  async readFields(): Promise<void> {
    const fields = await Promise.all(this.#projects.map((project) => this.#api.fields(project).catch(() =>
      this.#fields.peek().filter(({ project_id: own }) => own === project))));
    this.#fields.value = keepEqual(this.#fields.peek(), fields.flat());
    if (this.people.peek().size > 0 || !this.#fields.peek().some(({ type }) => type === "user")) return;
    const people = await this.#api.people(this.#board.path);
    this.people.value = new Map(people.map(({ id, name }) => [id, name]));
  }

  /** Reads values while they are needed. Returns the end of that. */
  follow(isNeeded: ReadonlySignal<boolean>): () => void {
    const stop = effect(() => {
      void this.#board.cards.value;
      void this.columns.value;
      if (isNeeded.value && this.#stale().length > 0) this.#later();
    });
    return () => {
      stop();
      clearTimeout(this.#timer as number);
    };
  }

  /** Sets the value of a card, or clears it: shown at once, and taken back with the reason if it is refused. */
  async set(card: BoardCard, field: CustomField, value: FieldValue | null): Promise<void> {
    const before = this.#values.peek().get(card.id)?.[field.id] ?? null;
    this.show(card.id, field.id, value);
    const forget = record({ name: card.name, undo: () => this.set(card, field, before) });
    try {
      await this.during(() => this.#board.send(() => this.#api.change({ projectId: card.project_id, cardId: card.id },
        { fields: { [field.id]: value } })));
    } catch (error) {
      forget();
      this.show(card.id, field.id, before);
      const named = namedRefusal(error, [field]);
      tellRefusal(text.card.unchanged(card.name, reasonOf(named)), error);
    }
  }

  /** Does a change of values. A reading that began before its end is older, and dropped. */
  async during<Answer>(change: () => Promise<Answer>): Promise<Answer> {
    this.#waiting += 1;
    try {
      return await change();
    } finally {
      this.#waiting -= 1;
    }
  }

  /** Reads the values that are not read yet, or are older than the board's. */
  async readAll(): Promise<void> {
    const reading = this.#reading.then(() => this.#readStale());
    this.#reading = reading.catch(() => {});
    await reading;
  }

  /** Shows another value of a card; null for none. */
  show(card: string, field: string, value: FieldValue | null): void {
    this.#edits += 1;
    const { [field]: _, ...others } = this.#values.peek().get(card) ?? {};
    const now = value === null ? others : { ...others, [field]: value };
    this.#values.value = new Map([...this.#values.peek(), [card, now]]);
  }

  /** The cards whose values are not read, or older than the board's. */
  #stale(): BoardCard[] {
    const valued = new Set(this.columns.peek().flatMap(({ fields }) => fields.map((field) => field.project_id)));
    return this.#board.cards.peek().filter(({ id, project_id: project, history_head_id: head }) =>
      valued.has(project) && this.#heads.get(id) !== head);
  }

  #later(): void {
    clearTimeout(this.#timer as number);
    this.#timer = setTimeout(() => {
      this.#reading = this.#reading.then(() => this.#readStale()).catch(() => {});
    }, TOGETHER_MS);
  }

  async #readStale(): Promise<void> {
    const [stale, edits] = [this.#stale(), this.#edits];
    const projects = groupBy(stale, ({ project_id: project }) => project);
    const lists = await Promise.all([...projects].map(([project, cards]) => (cards.length > FEW
      ? this.#api.list(project, this.#board.path.teamId)
      : Promise.all(cards.map(({ id }) => this.#api.read(project, id))))));
    // Older than an edit.
    if (this.#waiting > 0 || edits !== this.#edits) return this.#later();
    const before = this.#values.peek();
    const now = lists.flat().map(({ id, fields }) => [id, keepEqual(before.get(id), fields)] as const);
    for (const { id, history_head_id: head } of stale) this.#heads.set(id, head);
    this.#values.value = new Map([...before, ...now]);
  }
}
