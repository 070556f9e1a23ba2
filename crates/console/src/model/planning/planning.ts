// The plan of a team: its open cards, on the board and not yet on it, and the sprints that take them. Changes are shown
// at once, sent one after the other, and taken back with the reason if they are refused.

import { batch, computed, signal } from "@preact/signals";
import type { BoardColumn, CardPlace, KnownBoard, TeamPath } from "../../api/planning/boards";
import type { NewCardFields } from "../../api/planning/custom-fields";
import { reasonOf } from "../../api/errors";
import { planningApi, type PlanningApi, type Sprint } from "../../api/planning/sprints";
import { text } from "../../text";
import { fits, type Filter } from "./board-filter";
import { keepEqual } from "../equal";
import { tell } from "../messages";
import {
  followerOf,
  inOrder,
  landingOf,
  planCards,
  withPlaced,
  type PlanCard,
  type PlanPlace,
} from "./plan-cards";
import { record } from "../undo";

/** Cards that are on no board; more are found by searching. */
const MOST = 100;

/** A list of a plan: a column of the backlog, a sprint, or the cards that are on no board. */
export type PlanList = { kind: "column"; id: string } | { kind: "sprint"; id: string } | { kind: "loose" };

export class Planning {
  readonly path: TeamPath;
  /** The person for whom `me` stands in the filter. */
  me = "";
  readonly columns = signal<readonly BoardColumn["status"][]>([]);
  readonly cards = signal<readonly PlanCard[]>([]);
  /** Sprints that are not completed: the active ones, then the planned ones in the order of their making. */
  readonly sprints = signal<readonly Sprint[]>([]);
  readonly filter = signal<Filter>({});
  /** Cards that are found by searching alone. */
  readonly beyond = signal(0);
  readonly selected = signal<ReadonlySet<string>>(new Set());
  /** The last change in words, for screen readers. */
  readonly spoken = signal("");

  readonly #ordered = computed(() => inOrder(this.cards.value, this.columns.value.map(({ id }) => id)));
  /** Open cards in no sprint. */
  readonly unplanned = computed(() => this.#ordered.value.filter((card) => !card.sprint_id && card.is_open));
  /** Those that the filter shows. */
  readonly free = computed(() => this.unplanned.value.filter((card) => this.#fits(card)));
  readonly #api: PlanningApi;
  readonly #later: () => void;
  #queue: Promise<unknown> = Promise.resolve();
  #waiting = 0;
  /** Beginnings and ends of changes. */
  #edges = 0;
  #asked = 0;
  #answered = 0;
  /** The board as the service answered it last, of which the next reading is the changes. */
  #known: KnownBoard | undefined;

  constructor(path: TeamPath, later: () => void = () => {}, api: PlanningApi = planningApi) {
    [this.path, this.#later, this.#api] = [path, later, api];
  }

  /** Reads everything again. An answer that is older than a change or another answer is dropped. */
  async reload(): Promise<void> {
    const [edges, own] = [this.#edges, (this.#asked += 1)];
    const [board, available, sprints] = await Promise.all([
      this.#api.readBoard(this.path, this.#known),
      this.#api.readAvailable(this.path, this.filter.peek().q ?? "", MOST),
      this.#api.readOpenSprints(this.path),
    ]);
    if (own < this.#answered) return;
    [this.#answered, this.#known] = [own, board];
    if (this.#waiting > 0 || edges !== this.#edges) return this.#later();
    const { columns } = board;
    batch(() => {
      this.columns.value = keepEqual(this.columns.peek(), columns.map(({ status }) => status));
      this.cards.value = keepEqual(this.cards.peek(), planCards(columns, available.cards, this.cards.peek()));
      this.sprints.value = keepEqual(this.sprints.peek(), sprints);
      this.beyond.value = available.total - available.cards.length;
      const free = new Set(this.cards.value.filter((card) => !card.sprint_id).map(({ id }) => id));
      this.selected.value = new Set([...this.selected.peek()].filter((id) => free.has(id)));
    });
  }

  /** The cards of a list, in the order of the board. */
  listOf(list: PlanList): readonly PlanCard[] {
    if (list.kind === "sprint") return this.#ordered.value.filter((card) => card.sprint_id === list.id);
    const column = list.kind === "column" ? list.id : null;
    return this.free.value.filter((card) => card.column === column);
  }

  select(id: string): void {
    const now = new Set(this.selected.value);
    if (!now.delete(id)) now.add(id);
    this.selected.value = now;
  }

  /** The selected cards, or the one that an action is about. */
  subjects(id: string | undefined): string[] {
    const chosen = this.selected.peek();
    if (id && !chosen.has(id)) return [id];
    return this.#ordered.peek().filter((card) => chosen.has(card.id)).map((card) => card.id);
  }

  /** Drops a card, or the selected ones with it, at an index of the other cards of a list. */
  drop(id: string, list: PlanList, at: number): void {
    const ids = this.subjects(id);
    const card = this.cards.peek().find((one) => one.id === id);
    if (!card || list.kind === "loose") return;
    const own = this.listOf(list);
    if (ids.length === 1 && own[at]?.id === id) return;
    const others = own.filter((one) => !ids.includes(one.id));
    const column = list.kind === "column" ? list.id : card.column;
    const unmoved = this.cards.peek().filter((one) => !ids.includes(one.id));
    const isOrdered = ids.length === 1 || list.kind === "column";
    const before = isOrdered ? landingOf(unmoved, others, at, column) : undefined;
    this.place(ids, { sprint: list.kind === "sprint" ? list.id : null, before,
      ...(list.kind === "column" ? { column: list.id } : {}) });
  }

  /** Puts cards into a sprint, or out of theirs. */
  place(ids: readonly string[], place: PlanPlace): void {
    const before = this.cards.peek();
    const chosen = before.filter(({ id }) => ids.includes(id));
    const { cards, requests } = withPlaced(before, ids, place);
    if (requests.length === 0 || isSame(before, cards)) return;
    batch(() => {
      this.cards.value = cards;
      this.selected.value = new Set();
      this.spoken.value = this.#inWords(chosen, place.sprint);
    });
    // Noted before it is answered: who takes back the last change means this one.
    const forget = record({ name: nameOf(chosen), undo: () => this.#takeBack(before, chosen) });
    this.#send(() => this.#api.place(this.path, requests)).then(
      () => {},
      (error: unknown) => {
        forget();
        this.spoken.value = "";
        this.cards.value = restored(this.cards.peek(), before, ids);
        tell(text.backlog.refused(nameOf(chosen), reasonOf(error)), { bad: true });
      },
    ).finally(this.#later);
  }

  /** Makes a card in a sprint, or in the backlog outside of the board. */
  async add(list: PlanList, project: string, card: NewCardFields, key: string): Promise<string> {
    const place: CardPlace | null = list.kind === "loose" ? null
      : list.kind === "sprint" ? { sprintId: list.id } : { statusId: list.id };
    const id = await this.#api.create(this.path, project, card, place, key);
    await this.reload();
    return id;
  }

  /** Puts moved cards where they were: the last first, so that each finds the one that followed it. */
  async #takeBack(before: readonly PlanCard[], chosen: readonly PlanCard[]): Promise<void> {
    for (const card of chosen.toReversed()) {
      const { id, column, sprint_id: sprint } = card;
      if (column === null) await this.#send(() => this.#api.takeOff(this.path, id));
      else {
        const { cards, requests } = withPlaced(this.cards.peek(), [id],
          { sprint, column, before: followerOf(before, card) });
        this.cards.value = cards;
        await this.#send(() => this.#api.place(this.path, requests));
      }
    }
    await this.reload();
  }

  #send<Answer>(send: () => Promise<Answer>): Promise<Answer> {
    this.#waiting += 1;
    this.#edges += 1;
    const sent = this.#queue.then(send).finally(() => {
      this.#waiting -= 1;
      this.#edges += 1;
    });
    this.#queue = sent.catch(() => {});
    return sent;
  }

  #fits(card: PlanCard): boolean {
    const { q, ...others } = this.filter.value;
    // The service has searched those on no board already, by more than their name.
    return fits(card, card.column === null || !q ? others : { ...others, q }, { me: this.me });
  }

  #inWords(cards: readonly PlanCard[], sprint: string | null): string {
    const into = this.sprints.peek().find(({ id }) => id === sprint)?.name ?? text.backlog.title;
    return text.backlog.placed(nameOf(cards), into);
  }
}

const nameOf = (cards: readonly PlanCard[]) =>
  (cards.length === 1 ? cards[0]?.name ?? "" : text.backlog.cards(cards.length));

const isSame = (one: readonly PlanCard[], other: readonly PlanCard[]) =>
  one.length === other.length && one.every((card, at) => {
    const now = other[at];
    return now?.id === card.id && now.sprint_id === card.sprint_id && now.column === card.column;
  });

/** The cards with some as they were, at the places that they had. */
function restored(now: readonly PlanCard[], before: readonly PlanCard[], ids: readonly string[]): PlanCard[] {
  let cards = now.filter(({ id }) => !ids.includes(id));
  for (const card of before.filter(({ id }) => ids.includes(id)).toReversed()) {
    const follower = before.slice(before.indexOf(card) + 1).find(({ id }) => cards.some((one) => one.id === id));
    const at = follower ? cards.findIndex(({ id }) => id === follower.id) : cards.length;
    cards = cards.toSpliced(at, 0, card);
  }
  return cards;
}
