// A board: its columns and cards, and the actions on them. Each changes signals at once, then asks the API, and takes
// the change back with the reason if that is refused.

import { batch, computed, signal } from "@preact/signals";
import { boardApi, type BoardApi, type BoardCard, type CardPlace, type KnownBoard,
  type TeamPath } from "../../api/planning/boards";
import type { NewCardFields } from "../../api/planning/custom-fields";
import { reasonOf } from "../../api/errors";
import { text } from "../../text";
import { fits, isEmpty, isShown, type Filter } from "./board-filter";
import { CardEdits } from "./card-edits";
import { arrivals, findCard, indexAmong, placeOf, share, withCard, without,
  withoutColumn, withMoved, withRestored, type Columns, type Direction, type Found } from "./columns";
import { onlyValue } from "./filter-terms";
import { ShownFields } from "./shown-fields";
import { tell, tellFailure, tellRefusal } from "../messages";
import { deleteLater, record } from "../undo";

export class Board {
  readonly columns = signal<Columns>([]);
  readonly filter = signal<Filter>({});
  /** The columns with the cards that the filter shows. */
  readonly shown = computed(() => this.#filtered(this.columns.value));
  readonly cards = computed(() => this.columns.value.flatMap((column) => column.cards));
  /** The last move in words, for screen readers. */
  readonly spoken = signal("");
  /** The cards that arrived by others' moves. */
  readonly arrived = signal<ReadonlySet<string>>(new Set());

  readonly path: TeamPath;
  /** The person for whom `me` stands in the filter. */
  me = "";
  /** The board as the service answered it last, of which the next reading is the changes. */
  known: KnownBoard | undefined;
  readonly #api: BoardApi;
  /** Asks for another reading, because this one was older than a move. */
  readonly #later: () => void;
  #queue: Promise<unknown> = Promise.resolve();
  #waiting = 0;
  /** Beginnings and ends of changes. */
  #edges = 0;
  #asked = 0;
  #answered = 0;
  /** Cards whose deletion waits to be sent. */
  readonly #hidden = new Set<string>();
  /** Columns whose deletion waits, with the one that their cards go to. */
  readonly hiddenColumns = new Map<string, string | null>();
  readonly edits = new CardEdits(this);
  readonly shownFields = new ShownFields();

  constructor(path: TeamPath, columns: Columns, later: () => void = () => {}, api: BoardApi = boardApi) {
    [this.path, this.#api, this.#later] = [path, api, later];
    this.columns.value = columns;
  }

  /** Reads the board again. An answer that is older than a move or another answer is dropped. */
  async reload(): Promise<void> {
    const [edges, own] = [this.#edges, (this.#asked += 1)];
    const whole = await this.#api.read(this.path, this.known);
    if (own < this.#answered) return;
    [this.#answered, this.known] = [own, whole];
    if (this.#waiting > 0 || edges !== this.#edges) return this.#later();
    let now = share(this.columns.value, whole.columns);
    for (const id of this.#hidden) now = without(now, id);
    for (const [id, to] of this.hiddenColumns) now = withoutColumn(now, id, to);
    batch(() => {
      this.arrived.value = arrivals(this.columns.value, now);
      this.columns.value = now;
      this.shownFields.take(whole);
    });
  }

  card(id: string): BoardCard | undefined {
    return findCard(this.columns.value, id)?.card;
  }

  /** Shows other fields of a card. */
  update(id: string, changes: Partial<BoardCard>): void {
    this.columns.value = withCard(this.columns.value, id, changes);
  }

  /** Reads the board again soon. */
  later(): void {
    this.#later();
  }

  /** Moves a card to a place among the other cards that the filter shows in a column. */
  move(card: string, to: string, at: number): void {
    const found = findCard(this.columns.value, card);
    const others = this.#othersOf(to, card);
    if (!found || !others) return;
    const shown = others.filter((one) => this.#fits(one));
    this.#shift(found, to, indexAmong(others, shown, at));
  }

  /** Moves a card to the top or the bottom of the whole column, hidden cards included. */
  moveToEnd(card: string, to: string, end: "top" | "bottom"): void {
    const found = findCard(this.columns.value, card);
    const others = this.#othersOf(to, card);
    if (found && others) this.#shift(found, to, end === "top" ? 0 : others.length);
  }

  /** Moves a card by one step among the shown cards and columns. */
  moveBy(card: string, { across, down }: Direction): void {
    const shown = this.shown.value;
    const from = shown.findIndex((column) => column.cards.some(({ id }) => id === card));
    const at = shown[from]?.cards.findIndex(({ id }) => id === card) ?? -1;
    const to = shown[from + across];
    if (to && at >= 0) this.move(card, to.status.id, at + down);
  }

  /** The card to which an arrow key goes; it jumps over empty columns. */
  neighbour(card: string, { across, down }: Direction): string | undefined {
    const shown = this.shown.value;
    const from = shown.findIndex((column) => column.cards.some(({ id }) => id === card));
    const at = shown[from]?.cards.findIndex(({ id }) => id === card) ?? -1;
    let to = from + across;
    while (across !== 0 && shown[to]?.cards.length === 0) to += across;
    const cards = shown[to]?.cards;
    return cards?.[Math.max(0, Math.min(cards.length - 1, at + down))]?.id;
  }

  /** Adds a card at the end of a column, in the sprint that the filter shows. Returns its id. */
  async add(column: string, project: string, fields: NewCardFields, key: string): Promise<string> {
    const sprint = onlyValue(this.filter.value.sprint);
    const place: CardPlace = { statusId: column, ...(sprint ? { sprintId: sprint } : {}) };
    const card = await this.#api.create(this.path, project, fields, place, key);
    await this.reload();
    const made = findCard(this.columns.value, card)?.card;
    if (made && !this.#fits(made)) {
      tell(text.filters.hides, { act: { name: text.filters.clear, run: () => { this.filter.value = {}; } } });
    }
    return card;
  }

  /** Takes a card off the board, back into the backlog. */
  async takeOff(card: string): Promise<void> {
    const found = findCard(this.columns.value, card);
    if (!found) return;
    const others = this.#othersOf(found.column.status.id, card) ?? [];
    const place = placeOf(found.column.status.id, others, found.index);
    this.columns.value = without(this.columns.value, card);
    try {
      await this.send(() => this.#api.takeOff(this.path, card));
      const undo = () => this.#api.place(this.path, card, place).then(() => this.reload());
      record({ name: found.card.name, undo });
      tell(text.card.isOff(found.card.name), {
        act: { name: text.card.putBack, run: () => void undo().catch(tellFailure) },
      });
    } catch (error) {
      this.#restore(found);
      tellFailure(error);
    }
  }

  /** Deletes a card, after the time in which the person can take that back. */
  delete(card: string): void {
    const found = findCard(this.columns.value, card);
    if (!found) return;
    let show = () => {};
    deleteLater({
      name: found.card.name,
      hide: () => { show = this.hide([card]); },
      restore: () => show(),
      send: () => this.send(() => this.#api.remove(found.card.project_id, card)),
    });
  }

  /** Takes cards out of view, over readings too. The returned function shows all or some of them again. */
  hide(ids: readonly string[]): (some?: readonly string[]) => void {
    const found = ids.flatMap((id) => findCard(this.columns.value, id) ?? []);
    for (const id of ids) {
      this.#hidden.add(id);
      this.columns.value = without(this.columns.value, id);
    }
    return (some = ids) => {
      for (const id of ids) this.#hidden.delete(id);
      for (const one of found) if (some.includes(one.card.id)) this.#restore(one);
      this.#later();
    };
  }

  /** The way of every move: shown at once, sent after those before it, taken back if refused. */
  #shift(found: Found, to: string, index: number, isUndo = false): void {
    const { column: from, card } = found;
    const others = this.#othersOf(to, card.id) ?? [];
    if (from.status.id === to && found.index === index) return;
    this.columns.value = withMoved(this.columns.value, found, to, index);
    this.#speak(card, to);
    const undo = () => this.#back(card.id, from.status.id, found.index);
    const forget = isUndo ? () => {} : record({ name: card.name, undo });
    this.send(() => this.#api.place(this.path, card.id, placeOf(to, others, index))).then(
      (isOpen) => {
        if (isOpen !== card.is_open) this.columns.value = withCard(this.columns.value, card.id, { is_open: isOpen });
      },
      (error: unknown) => {
        forget();
        this.spoken.value = "";
        const now = findCard(this.columns.value, card.id);
        if (now?.column.status.id === to)
          this.columns.value = withMoved(this.columns.value, now, from.status.id, found.index);
        const again = { name: text.errors.again, run: () => this.#back(card.id, to, index, false) };
        tellRefusal(text.board.refused(card.name, reasonOf(error)), error, again);
        this.#later();
      },
    );
  }

  #back(card: string, to: string, index: number, isUndo = true): void {
    const found = findCard(this.columns.value, card);
    if (found) this.#shift(found, to, index, isUndo);
  }

  #restore(found: Found): void {
    this.columns.value = withRestored(this.columns.value, found);
  }

  /** Sends a change after those before it. A reading that began before its answer may be older. */
  send<Answer>(send: () => Promise<Answer>): Promise<Answer> {
    this.#waiting += 1;
    this.#edges += 1;
    const sent = this.#queue.then(send).finally(() => {
      this.#waiting -= 1;
      this.#edges += 1;
    });
    this.#queue = sent.catch(() => {});
    return sent;
  }

  #othersOf(column: string, card: string): BoardCard[] | undefined {
    return this.columns.value.find(({ status }) => status.id === column)?.cards.filter(({ id }) => id !== card);
  }

  #fits(card: BoardCard): boolean {
    return fits(card, this.filter.value, { me: this.me });
  }

  #filtered(columns: Columns): Columns {
    if (isEmpty(this.filter.value)) return columns;
    const shown = (column: Columns[number]) => (isShown(column.status.id, this.filter.value) ? column.cards : []);
    return columns.map((column) => ({ ...column, cards: shown(column).filter((card) => this.#fits(card)) }));
  }

  #speak(card: BoardCard, to: string): void {
    const column = this.shown.value.find(({ status }) => status.id === to);
    if (!column) return;
    const place = column.cards.findIndex(({ id }) => id === card.id) + 1;
    this.spoken.value = text.board.moved(card.name, column.status.name, place, column.cards.length);
  }
}
