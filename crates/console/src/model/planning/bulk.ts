// Changes of many cards at once: shown at once, sent together, and taken back on the cards that are refused.

import { batch, signal } from "@preact/signals";
import type { BoardCard } from "../../api/planning/boards";
import type { CardOperation, CardPlacement } from "../../api/planning/cards";
import { text } from "../../text";
import type { Board } from "./board";
import { bulkApi, each, placed, putBack, sendOperations, type BulkApi, type Send } from "./bulk-requests";
import { operationsOf } from "./card-operations";
import { findCard, withMoved, type Columns } from "./columns";
import { tell } from "../messages";
import { deleteLater, record, undoStep } from "../undo";

/** A change of many cards. */
export interface BulkChange {
  show: () => void;
  send: Send;
  /** Keeps what is shown now; the answer shows some cards as they are then. */
  keep: () => (ids: readonly string[]) => void;
  /** The requests that take the change back, of cards that are shown as they are now. */
  undo: () => Send;
}

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
    await this.act(ids, { show, send: this.#together(before, reasons), keep: this.#keep, undo });
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
    const send = this.#placed(() => ({ statusId: column }));
    const undo = () => putBack(this.#api, this.#board.path, before, ids);
    await this.act(ids, { show, send, keep: this.#keep, undo });
  }

  /** Puts cards into a sprint, or takes them out. */
  async toSprint(ids: readonly string[], sprint: string | null): Promise<void> {
    const before = this.#board.columns.value;
    const show = () => batch(() => ids.forEach((id) => this.#board.update(id, { sprint_id: sprint })));
    await this.act(ids, { show, send: this.#placed(() => ({ sprintId: sprint })), keep: this.#keep,
      undo: () => this.#placed((id) => ({ sprintId: findCard(before, id)?.card.sprint_id ?? null })) });
  }

  /** Takes cards off the board, back into the backlog. */
  async takeOff(ids: readonly string[]): Promise<void> {
    const { path } = this.#board;
    let show: ReturnType<Board["hide"]> = () => {};
    const failed = await this.act(ids, { show: () => { show = this.#board.hide(ids); },
      send: each((id) => this.#api.takeOff(path, id)), keep: () => () => {},
      undo: () => each((id) => this.#api.putBack(path, id, {})) });
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
          await sendOperations(this.#api, project, operations, (id, reason) => failed.set(id, reason));
        }
        this.errors.value = failed;
        show([...failed.keys()]);
        if (failed.size > 0) tell(text.cards.changed(ids.length - failed.size, failed.size), { bad: true });
      },
    });
  }

  /** The way of all: shown, sent, taken back where refused, and undone. Returns the refused cards. */
  async act(ids: readonly string[], { show, send, keep, undo }: BulkChange, isUndo = false):
    Promise<readonly string[]> {
    const restore = keep();
    const failed = new Map<string, string>();
    this.errors.value = new Map([...this.errors.value].filter(([id]) => !ids.includes(id)));
    show();
    this.isBusy.value = true;
    await this.#board.send(() => send(ids, (id, reason) => failed.set(id, reason)));
    const done = ids.filter((id) => !failed.has(id));
    batch(() => {
      this.isBusy.value = false;
      this.errors.value = new Map([...this.errors.value, ...failed]);
      restore([...failed.keys()]);
    });
    const back = () =>
      this.act(done, { show: () => restore(done), send: undo(), keep, undo: () => async () => {} }, true);
    const step = { name: text.cards.some(done.length), undo: back };
    const isRecorded = !isUndo && done.length > 0;
    if (isRecorded) record(step);
    tell(text.cards.changed(done.length, failed.size), { bad: failed.size > 0,
      ...(isRecorded ? { act: { name: text.cards.undo, run: () => undoStep(step) } } : {}) });
    this.#board.later();
    return [...failed.keys()];
  }

  /** Keeps the cards of the board. */
  readonly #keep: BulkChange["keep"] = () => {
    const before = this.#board.columns.value;
    return (ids) => this.#restore(before, ids);
  };

  #placed(body: (id: string) => Omit<CardPlacement, "cardId">): Send {
    return placed(this.#api, this.#board.path, body);
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
      for (const [project, operations] of byProject) await sendOperations(this.#api, project, operations, refuse);
    };
  }
}
