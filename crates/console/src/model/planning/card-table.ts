// The cards of a board as a table: sorted, grouped, filtered, with some of them selected.

import { computed, effect, signal, type ReadonlySignal } from "@preact/signals";
import { placeCard, type BoardCard, type BoardColumn } from "../../api/boards";
import type { Sprint } from "../../api/cards";
import { text } from "../../text";
import type { Board } from "./board";
import { PRIORITIES, priorityName, typeName } from "./card-kinds";
import { tellFailure } from "../messages";
import { record } from "../undo";

export const FIELDS = ["key", "name", "column", "priority", "type", "assignees", "tags", "sprint", "effort", "due",
  "project"] as const;
export type CardField = (typeof FIELDS)[number];
export const GROUPINGS = ["column", "priority", "type", "assignees", "tags", "sprint", "project"] as const;
export type Grouping = (typeof GROUPINGS)[number] | "";

export interface TableCard {
  card: BoardCard;
  status: BoardColumn["status"];
}

/** What a new card of a group begins with. */
export interface GroupKey {
  id: string;
  name: string;
}

export type TableRow =
  | { kind: "card"; key: string; at: number; entry: TableCard }
  | { kind: "group"; key: string; group: GroupKey; count: number; effort: number };

const LAST = "\uffff";

export class CardTable {
  readonly board: Board;
  readonly sort = signal<CardField>("column");
  readonly isDescending = signal(false);
  readonly grouping = signal<Grouping>("");
  readonly hidden = signal<ReadonlySet<CardField>>(new Set());
  /** Ids of the selected cards. What isn't shown can't be seen to change, so it is not selected. */
  readonly chosen = signal<ReadonlySet<string>>(new Set());
  /** The card and the field that keys act on. */
  readonly active = signal("");
  readonly field = signal<CardField>("name");
  readonly fields = computed(() => FIELDS.filter((field) => !this.hidden.value.has(field)));
  readonly all = computed(() => this.board.columns.value.flatMap(entriesOf));
  readonly shown = computed(() => this.#sorted(this.board.shown.value.flatMap(entriesOf)));
  readonly rows = computed(() => this.#rows());
  /** The cards in the order of the rows. A card that is in two groups comes twice in rows, and once here. */
  readonly order = computed(() => [...new Set(this.rows.value.flatMap((row) =>
    (row.kind === "card" ? [row.entry.card.id] : [])))]);
  readonly #sprints: ReadonlySignal<readonly Sprint[]>;
  readonly #stop: () => void;
  #anchor = "";

  constructor(board: Board, sprints: ReadonlySignal<readonly Sprint[]>) {
    this.board = board;
    this.#sprints = sprints;
    this.#stop = effect(() => {
      const shown = new Set(this.order.value);
      const kept = [...this.chosen.peek()].filter((id) => shown.has(id));
      if (kept.length < this.chosen.peek().size) this.chosen.value = new Set(kept);
    });
  }

  close(): void {
    this.#stop();
  }

  /** Sorts by a field; by the same one the other way round. */
  sortBy(field: CardField): void {
    this.isDescending.value = this.sort.peek() === field && !this.isDescending.peek();
    this.sort.value = field;
  }

  toggleField(field: CardField): void {
    const now = new Set(this.hidden.value);
    if (!now.delete(field)) now.add(field);
    this.hidden.value = now;
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
    const now = new Set(this.chosen.value);
    if (!now.delete(id)) now.add(id);
    this.chosen.value = now;
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
    const key = keys[this.sort.value];
    const collator = new Intl.Collator(undefined, { numeric: true });
    const compare = (a: TableCard, b: TableCard) => {
      const [one, other] = [key(a), key(b)];
      return typeof one === "number" ? one - Number(other) : collator.compare(one, String(other));
    };
    return entries.sort((a, b) => (this.isDescending.value ? compare(b, a) : compare(a, b)));
  }

  #rows(): TableRow[] {
    const grouping = this.grouping.value;
    let at = 0;
    const rowOf = (entry: TableCard, group = ""): TableRow =>
      ({ kind: "card", key: `${group}${entry.card.id}`, at: at++, entry });
    if (!grouping) return this.shown.value.map((entry) => rowOf(entry));
    const groups = new Map<string, { group: GroupKey; own: TableCard[] }>();
    for (const entry of this.shown.value) {
      for (const group of this.#groupsOf(entry, grouping)) {
        const known = groups.get(group.id) ?? { group, own: [] };
        known.own.push(entry);
        groups.set(group.id, known);
      }
    }
    return this.#ordered([...groups.values()], grouping).flatMap(({ group, own }): TableRow[] => [
      { kind: "group", key: `group ${group.id}`, group, count: own.length,
        effort: own.reduce((sum, { card }) => sum + card.effort, 0) },
      ...own.map((entry) => rowOf(entry, `${group.id} `)),
    ]);
  }

  #groupsOf({ card, status }: TableCard, grouping: Grouping): GroupKey[] {
    const or = (groups: GroupKey[], name: string) => (groups.length > 0 ? groups : [{ id: "", name }]);
    switch (grouping) {
      case "assignees":
        return or(card.assignees.map(({ id, display_name: name }) => ({ id, name })), text.cards.nobody);
      case "tags": return or(card.tags.map(({ name }) => ({ id: name, name })), text.cards.untagged);
      case "sprint":
        return [{ id: card.sprint_id ?? "", name: this.sprintName(card.sprint_id) || text.cards.noSprint }];
      case "priority": return [{ id: card.priority, name: priorityName(card.priority) }];
      case "type": return [{ id: card.type, name: typeName(card.type) }];
      case "project": return [{ id: card.project_id, name: card.project_name }];
      default: return [{ id: status.id, name: status.name }];
    }
  }

  /** Groups in the order of columns or of urgency, else by name; those without a value come last. */
  #ordered<Group extends { group: GroupKey }>(groups: Group[], grouping: Grouping): Group[] {
    const ids = grouping === "priority" ? PRIORITIES : this.board.columns.value.map(({ status }) => status.id);
    const ranks = new Map<string, number>(ids.map((id, at) => [id, at]));
    const collator = new Intl.Collator(undefined, { numeric: true });
    return groups.sort(({ group: one }, { group: other }) => (grouping === "column" || grouping === "priority"
      ? (ranks.get(one.id) ?? 0) - (ranks.get(other.id) ?? 0)
      : Number(!one.id) - Number(!other.id) || collator.compare(one.name, other.name)));
  }
}

const entriesOf = ({ cards, status }: BoardColumn): TableCard[] => cards.map((card) => ({ card, status }));
