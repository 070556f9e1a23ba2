// Changes of many cards at once: shown at once, sent together, and taken back on the cards that are refused.

import { batch, signal } from "@preact/signals";
import { takeCardOff, placeCard, type BoardCard } from "../../api/planning/boards";
import { changeCards, placeCards, type CardOperation, type CardPlacement } from "../../api/planning/cards";
import { ApiError, reasonOf } from "../../api/errors";
import { text } from "../../text";
import type { Board } from "./board";
import { operationsOf } from "./card-operations";
import { findCard, withMoved, type Columns } from "./columns";
import { tell } from "../messages";
import { deleteLater, record, undoStep } from "../undo";

/** Operations in one request, placements in one, and other requests on their way at a time. */
const TOGETHER = 500;
const PLACEMENTS = 100;
const LANES = 4;

/** Requests that tests replace. */
export const bulkApi = { change: changeCards, place: placeCards, takeOff: takeCardOff, putBack: placeCard };
export type BulkApi = typeof bulkApi;

type Refuse = (id: string, reason: string) => void;
type Send = (ids: readonly string[], refuse: Refuse) => Promise<void>;

export class Bulk {
  readonly isBusy = signal(false);
  /** Why cards were refused, by their ids. */
  readonly errors = signal<ReadonlyMap<string, string>>(new Map());
  readonly #board: Board;
  readonly #api: BulkApi;

  constructor(board: Board, api: BulkApi = bulkApi) {
    this.#board = board;
    this.#api = api;
  }

  /** Changes fields, people and tags. `change` answers a text for a card that can't be changed so. */
  async change(ids: readonly string[], change: (card: BoardCard) => Partial<BoardCard> | string): Promise<void> {
    const before = this.#board.columns.value;
    const reasons = new Map<string, string>();
    const show = () => batch(() => ids.forEach((id) => {
      const card = this.#board.card(id);
      const changes = card && change(card);
      if (typeof changes === "string") reasons.set(id, changes);
      else if (changes) this.#board.update(id, changes);
    }));
    const undo = () => this.#together(this.#board.columns.value);
    await this.#act(ids, show, this.#together(before, reasons), before, undo);
  }

  /** Moves cards to the end of a column. */
  async toColumn(ids: readonly string[], column: string): Promise<void> {
    const before = this.#board.columns.value;
    const show = () => batch(() => ids.forEach((id) => {
      const found = findCard(this.#board.columns.value, id);
      const end = this.#board.columns.value.find(({ status }) => status.id === column)?.cards.length ?? 0;
      const at = found?.column.status.id === column ? end - 1 : end;
      if (found) this.#board.columns.value = withMoved(this.#board.columns.value, found, column, at);
    }));
    await this.#act(ids, show, this.#placed(() => ({ statusId: column })), before, () => this.#putBack(before, ids));
  }

  /** Puts cards into a sprint, or takes them out. */
  async toSprint(ids: readonly string[], sprint: string | null): Promise<void> {
    const before = this.#board.columns.value;
    const show = () => batch(() => ids.forEach((id) => this.#board.update(id, { sprint_id: sprint })));
    await this.#act(ids, show, this.#placed(() => ({ sprintId: sprint })), before,
      () => this.#placed((id) => ({ sprintId: findCard(before, id)?.card.sprint_id ?? null })));
  }

  /** Takes cards off the board, back into the backlog. */
  async takeOff(ids: readonly string[]): Promise<void> {
    const { path } = this.#board;
    let show: ReturnType<Board["hide"]> = () => {};
    const failed = await this.#act(ids, () => { show = this.#board.hide(ids); },
      this.#each((id) => this.#api.takeOff(path, id)), [], () => this.#each((id) => this.#api.putBack(path, id, {})));
    show(failed);
  }

  /** Deletes cards, after the time in which the person can take that back. */
  delete(ids: readonly string[]): void {
    const projects = new Map<string, string[]>();
    for (const id of ids) {
      const project = this.#board.card(id)?.project_id ?? "";
      projects.set(project, [...(projects.get(project) ?? []), id]);
    }
    let show: ReturnType<Board["hide"]> = () => {};
    deleteLater({
      name: text.cards.some(ids.length),
      hide: () => { show = this.#board.hide(ids); },
      restore: () => show(),
      send: async () => {
        const failed = new Map<string, string>();
        for (const [project, own] of projects) {
          const operations = own.map((cardId): CardOperation => ({ op: "delete", cardId }));
          await this.#send(project, operations, (id, reason) => failed.set(id, reason));
        }
        this.errors.value = failed;
        show([...failed.keys()]);
        if (failed.size > 0) tell(text.cards.changed(ids.length - failed.size, failed.size), { bad: true });
      },
    });
  }

  /** The way of all: shown, sent, taken back where refused, and undone by `undo`. */
  async #act(ids: readonly string[], show: () => void, send: Send, before: Columns, undo: () => Send, isUndo = false):
    Promise<readonly string[]> {
    const failed = new Map<string, string>();
    this.errors.value = new Map([...this.errors.value].filter(([id]) => !ids.includes(id)));
    show();
    this.isBusy.value = true;
    await this.#board.send(() => send(ids, (id, reason) => failed.set(id, reason)));
    const done = ids.filter((id) => !failed.has(id));
    batch(() => {
      this.isBusy.value = false;
      this.errors.value = new Map([...this.errors.value, ...failed]);
      this.#restore(before, [...failed.keys()]);
    });
    const back = () => {
      const now = this.#board.columns.value;
      return this.#act(done, () => this.#restore(before, done), undo(), now, () => async () => {}, true);
    };
    const step = { name: text.cards.some(done.length), undo: back };
    const isRecorded = !isUndo && done.length > 0;
    if (isRecorded) record(step);
    tell(text.cards.changed(done.length, failed.size), { bad: failed.size > 0,
      ...(isRecorded ? { act: { name: text.cards.undo, run: () => undoStep(step) } } : {}) });
    this.#board.later();
    return [...failed.keys()];
  }

  /** Shows cards as they were. */
  #restore(before: Columns, ids: readonly string[]): void {
    for (const id of ids) {
      const [was, now] = [findCard(before, id), findCard(this.#board.columns.value, id)];
      if (!was || !now) continue;
      const to = was.column.status.id;
      if (to !== now.column.status.id) {
        // Before the card that stood below it, of those that are there.
        const there = this.#board.columns.value.find(({ status }) => status.id === to)?.cards ?? [];
        const below = was.column.cards.slice(was.index + 1).map((card) => there.findIndex((one) => one.id === card.id));
        const at = below.find((index) => index >= 0) ?? there.length;
        this.#board.columns.value = withMoved(this.#board.columns.value, now, to, at);
      }
      this.#board.update(id, was.card);
    }
  }

  /** Sends what makes the cards of `from` to those that are shown. */
  #together(from: Columns, reasons = new Map<string, string>()): Send {
    return async (ids, refuse) => {
      const byProject = new Map<string, CardOperation[]>();
      for (const id of ids) {
        const [was, now] = [findCard(from, id)?.card, this.#board.card(id)];
        const reason = reasons.get(id);
        if (reason !== undefined) refuse(id, reason);
        if (!was || !now) continue;
        byProject.set(now.project_id, [...(byProject.get(now.project_id) ?? []), ...operationsOf(was, now)]);
      }
      for (const [project, operations] of byProject) await this.#send(project, operations, refuse);
    };
  }

  async #send(project: string, operations: readonly CardOperation[], refuse: Refuse): Promise<void> {
    const cardOf = (operation: CardOperation | undefined) =>
      (operation && "cardId" in operation ? operation.cardId : "");
    for (let at = 0; at < operations.length; at += TOGETHER) {
      const part = operations.slice(at, at + TOGETHER);
      try {
        const results = await this.#api.change(project, part);
        results.forEach(({ error }, index) => { if (error) refuse(cardOf(part[index]), error.message); });
      } catch (error) {
        for (const one of part) refuse(cardOf(one), reasonOf(error));
      }
    }
  }

  /** Places cards in their order, many in a request. Of one that is refused the others go on without it. */
  #placed(body: (id: string) => Omit<CardPlacement, "cardId">): Send {
    return async (ids, refuse) => {
      for (let at = 0; at < ids.length; at += PLACEMENTS) {
        let part = ids.slice(at, at + PLACEMENTS);
        while (part.length > 0) {
          try {
            await this.#api.place(this.#board.path, part.map((cardId) => ({ cardId, ...body(cardId) })));
            break;
          } catch (error) {
            const index = error instanceof ApiError ? error.details.placement : undefined;
            const refused = typeof index === "number" ? part[index] : undefined;
            for (const id of refused ? [refused] : part) refuse(id, reasonOf(error));
            part = refused ? part.filter((id) => id !== refused) : [];
          }
        }
      }
    };
  }

  /** Puts cards back among those that they stood between. */
  #putBack(before: Columns, moved: readonly string[]): Send {
    const away = new Set(moved);
    const rank = new Map(before.flatMap(({ cards }) => cards).map(({ id }, at) => [id, at]));
    const send = this.#placed((id) => {
      const found = findCard(before, id);
      if (!found) return {};
      const { column, index } = found;
      const above = column.cards[index - 1]?.id;
      // Those above are back already; below the first one stands the next that stayed.
      const next = index === 0 ? column.cards.find((one) => !away.has(one.id))?.id : undefined;
      return { statusId: column.status.id, ...(above ? { afterCardId: above } : next ? { beforeCardId: next } : {}) };
    });
    return (ids, refuse) => send(ids.toSorted((one, other) => (rank.get(one) ?? 0) - (rank.get(other) ?? 0)), refuse);
  }

  /** Sends a request for each card, a few at a time. */
  #each(send: (id: string) => Promise<unknown>): Send {
    return async (ids, refuse) => {
      const rest = [...ids];
      const lane = async () => {
        for (let id = rest.shift(); id; id = rest.shift()) {
          const own = id;
          await send(own).catch((error: unknown) => refuse(own, reasonOf(error)));
        }
      };
      await Promise.all(Array.from({ length: LANES }, lane));
    };
  }
}
