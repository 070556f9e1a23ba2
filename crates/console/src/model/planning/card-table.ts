// The cards of a board as a table: sorted, grouped, filtered, with some of them selected.

import { computed, effect, signal, type ReadonlySignal } from "@preact/signals";
import { placeCard, type BoardCard, type BoardColumn } from "../../api/planning/boards";
import type { Sprint } from "../../api/planning/cards";
import { text } from "../../text";
import type { Board } from "./board";
import { rowsOf, type Grouping, type TableCard } from "./card-groups";
import { PRIORITIES, typeName } from "./card-kinds";
import { isFieldColumn, sortKeyIn, type FieldColumn, type FieldColumnName } from "./field-columns";
import type { ValueNames } from "./custom-fields";
import { fitsFields, isUnfiltered, type FieldFilter } from "./field-filter";
import { fieldGroups, type FieldGroup } from "./field-groups";
import { TeamValues } from "./team-values";
import { tellFailure } from "../messages";
import { record } from "../undo";

export const FIELDS = ["key", "name", "column", "priority", "type", "assignees", "tags", "sprint", "effort", "due",
  "project"] as const;
export type CardField = (typeof FIELDS)[number];
/** A field that each card has, or a custom one. */
export type ColumnName = CardField | FieldColumnName;

const LAST = "\uffff";

export class CardTable {
  readonly board: Board;
  readonly sort = signal<ColumnName>("column");
  readonly isDescending = signal(false);
  readonly grouping = signal<Grouping>("");
  readonly hidden = signal<ReadonlySet<CardField>>(new Set());
  /** Custom fields are hidden until they are chosen. */
  readonly chosenColumns = signal<ReadonlySet<FieldColumnName>>(new Set());
  readonly fieldFilter = signal<FieldFilter>({});
  /** Ids of the selected cards. What isn't shown can't be seen to change, so it is not selected. */
  readonly chosen = signal<ReadonlySet<string>>(new Set());
  /** The card and the field that keys act on. */
  readonly active = signal("");
  readonly field = signal<ColumnName>("name");
  /** The custom fields that are shown; those by which cards are sorted are. */
  readonly columns = computed(() => this.values.columns.value.filter(({ key }) =>
    this.chosenColumns.value.has(key) || this.sort.value === key));
  readonly fields = computed((): ColumnName[] => [...FIELDS.filter((field) => !this.hidden.value.has(field)),
    ...this.columns.value.map(({ key }) => key)]);
  readonly all = computed(() => this.board.columns.value.flatMap(entriesOf));
  readonly shown = computed(() => this.#sorted(this.board.shown.value.flatMap(entriesOf).filter((entry) =>
    this.#fits(entry))));
  readonly #groupColumn = computed(() => {
    const grouping = this.grouping.value;
    return isFieldColumn(grouping) ? this.column(grouping) : undefined;
  });
  readonly rows = computed(() => rowsOf(this.shown.value, this.grouping.value, {
    columns: this.board.columns.value.map(({ status }) => status.id), sprintName: (id) => this.sprintName(id),
    column: this.#groupColumn.value, ofField: (card) => this.#groupsOf(card) }));
  /** The cards in the order of the rows. A card that is in two groups comes twice in rows, and once here. */
  readonly order = computed(() => [...new Set(this.rows.value.flatMap((row) =>
    (row.kind === "card" ? [row.entry.card.id] : [])))]);
  readonly values: TeamValues;
  readonly #sprints: ReadonlySignal<readonly Sprint[]>;
  readonly #stops: readonly (() => void)[];
  #anchor = "";

  constructor(board: Board, sprints: ReadonlySignal<readonly Sprint[]>, values = new TeamValues(board)) {
    [this.board, this.values, this.#sprints] = [board, values, sprints];
    const isNeeded = computed(() => this.columns.value.length > 0 || !isUnfiltered(this.fieldFilter.value)
      || this.#groupColumn.value !== undefined);
    this.#stops = [values.follow(isNeeded), effect(() => {
      const shown = new Set(this.order.value);
      const kept = [...this.chosen.peek()].filter((id) => shown.has(id));
      if (kept.length < this.chosen.peek().size) this.chosen.value = new Set(kept);
    })];
  }

  close(): void {
    for (const stop of this.#stops) stop();
  }

  /** The custom field of a column's name. */
  column(name: ColumnName): FieldColumn | undefined {
    return this.values.columns.value.find(({ key }) => key === name);
  }

  /** The name of a column for people. */
  nameOf(name: ColumnName): string {
    return isFieldColumn(name) ? this.column(name)?.name ?? text.fields.gone : text.cards.columns[name];
  }

  /** Sorts by a field; by the same one the other way round. */
  sortBy(field: ColumnName): void {
    this.isDescending.value = this.sort.peek() === field && !this.isDescending.peek();
    this.sort.value = field;
  }

  toggleField(field: ColumnName): void {
    if (isFieldColumn(field)) this.chosenColumns.value = toggled(this.chosenColumns.value, field);
    else this.hidden.value = toggled(this.hidden.value, field);
  }

  /** Goes to a card by its index, and selects all between with `extend`. */
  go(index: number, extend = false): void {
    const order = this.order.peek();
    const id = order[Math.max(0, Math.min(order.length - 1, index))];
    if (!id) return;
    this.active.value = id;
    if (extend) this.select(id);
    else this.#anchor = id;
  }

  step(by: number, extend = false): void {
    const at = this.order.peek().indexOf(this.active.peek());
    this.go(at < 0 ? (by < 0 ? -1 : 0) : at + by, extend);
  }

  /** Goes to the next or the previous field of the card. */
  stepField(by: number): void {
    const fields = this.fields.peek();
    const at = fields.indexOf(this.field.peek()) + by;
    this.field.value = fields[Math.max(0, Math.min(fields.length - 1, at))] ?? "name";
  }

  toggle(id: string): void {
    this.chosen.value = toggled(this.chosen.value, id);
    this.#anchor = id;
  }

  /** Selects all cards from where the selection began to this one. */
  select(id: string): void {
    const order = this.order.peek();
    const to = order.indexOf(id);
    const from = this.#anchor ? order.indexOf(this.#anchor) : to;
    const between = order.slice(Math.min(from, to), Math.max(from, to) + 1);
    this.chosen.value = new Set([...this.chosen.value, ...between]);
  }

  selectAll(): void {
    this.chosen.value = new Set(this.order.peek());
  }

  unselect(): void {
    this.chosen.value = new Set();
  }

  /** Puts a card into a sprint, or takes it out. */
  async setSprint(id: string, sprint: string | null): Promise<void> {
    const card = this.board.card(id);
    if (!card || card.sprint_id === sprint) return;
    const before = card.sprint_id;
    this.board.update(id, { sprint_id: sprint });
    const forget = record({ name: card.name, undo: () => this.setSprint(id, before) });
    try {
      await this.board.send(() => placeCard(this.board.path, id, { sprintId: sprint }));
    } catch (error) {
      forget();
      this.board.update(id, { sprint_id: before });
      tellFailure(error);
    }
  }

  sprintName(id: string | null): string {
    return this.#sprints.value.find((sprint) => sprint.id === id)?.name ?? "";
  }

  /** True if a card passes the filter of custom fields. One whose values are not read yet does. */
  #fits({ card }: TableCard): boolean {
    const filter = this.fieldFilter.value;
    const values = isUnfiltered(filter) ? undefined : this.values.of(card.id);
    return !values || fitsFields(filter, this.values.columns.value, values);
  }

  /** By what cards are sorted in a custom field. */
  #valueKey(column: FieldColumn | undefined): (entry: TableCard) => string | number {
    const names = this.#names();
    return ({ card }) => (column ? sortKeyIn(column, this.values.of(card.id) ?? {}, names) : "");
  }

  /** The groups of a card by a custom field. */
  #groupsOf({ id }: BoardCard): FieldGroup[] {
    const column = this.#groupColumn.value;
    return column ? fieldGroups(column, this.values.of(id) ?? {}, this.#names()) : [];
  }

  #names(): ValueNames {
    return { person: (id) => this.values.people.value.get(id) ?? "", day: (iso) => iso };
  }

  #sorted(entries: TableCard[]): TableCard[] {
    const ranks = new Map(this.board.columns.value.map(({ status }, at) => [status.id, at]));
    const keys: Record<CardField, (entry: TableCard) => string | number> = {
      key: ({ card }) => card.key ?? LAST,
      name: ({ card }) => card.name,
      priority: ({ card }) => PRIORITIES.indexOf(card.priority),
      type: ({ card }) => typeName(card.type),
      column: ({ status }) => ranks.get(status.id) ?? 0,
      assignees: ({ card }) => card.assignees[0]?.display_name ?? LAST,
      tags: ({ card }) => card.tags[0]?.name ?? LAST,
      sprint: ({ card }) => this.sprintName(card.sprint_id) || LAST,
      effort: ({ card }) => card.effort,
      due: ({ card }) => card.deadline ?? "9",
      project: ({ card }) => card.project_name,
    };
    const sort = this.sort.value;
    const key = isFieldColumn(sort) ? this.#valueKey(this.column(sort)) : keys[sort];
    const collator = new Intl.Collator(undefined, { numeric: true });
    const compare = (a: TableCard, b: TableCard) => {
      const [one, other] = [key(a), key(b)];
      return typeof one === "number" ? one - Number(other) : collator.compare(one, String(other));
    };
    return entries.sort((a, b) => (this.isDescending.value ? compare(b, a) : compare(a, b)));
  }
}

/** The set with a member, or without it where it has it. */
function toggled<Member>(set: ReadonlySet<Member>, member: Member): ReadonlySet<Member> {
  const now = new Set(set);
  if (!now.delete(member)) now.add(member);
  return now;
}

const entriesOf = ({ cards, status }: BoardColumn): TableCard[] => cards.map((card) => ({ card, status }));
