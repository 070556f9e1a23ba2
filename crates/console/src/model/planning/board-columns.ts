// The columns of a board: made, changed, moved and deleted.

import { columnApi, type BoardColumn, type ColumnApi, type StatusFields } from "../../api/planning/boards";
import type { Board } from "./board";
import { withColumnAt, withoutColumn } from "./columns";
import { tellFailure } from "../messages";
import { deleteLater, record } from "../undo";

/** A column as a person describes it. */
export interface ColumnFields {
  name: string;
  color: string;
  transitionState: BoardColumn["status"]["transition_state"];
}

export type ColumnLimit = Pick<StatusFields, "wipLimit" | "wipUnit" | "wipPolicy">;

export class BoardColumns {
  readonly #board: Board;
  readonly #api: ColumnApi;

  constructor(board: Board, api: ColumnApi = columnApi) {
    this.#board = board;
    this.#api = api;
  }

  get all(): readonly BoardColumn[] {
    return this.#board.columns.value;
  }

  find(id: string): BoardColumn | undefined {
    return this.all.find(({ status }) => status.id === id);
  }

  /** Makes a column, at the end or after another. Cards are closed in one for done work. */
  async create(fields: ColumnFields, after: string | undefined, key: string): Promise<void> {
    const closeMode = fields.transitionState === "closed" ? "automatic" as const : "off" as const;
    await this.#board.send(() => this.#api.create(this.#board.path,
      { ...fields, closeMode, ...(after ? { afterStatusId: after } : {}) }, key));
    await this.#board.reload();
  }

  async change(id: string, fields: ColumnFields): Promise<void> {
    const status = this.find(id)?.status;
    if (!status) return;
    const before = { name: status.name, color: status.color, transitionState: status.transition_state,
      closeMode: status.closeMode };
    // The rule for closing stays where the column's meaning does.
    const closeMode = fields.transitionState === status.transition_state ? status.closeMode
      : fields.transitionState === "closed" ? "automatic" as const : "off" as const;
    await this.#change(id, { ...fields, closeMode }, before);
  }

  async limit(id: string, limit: ColumnLimit): Promise<void> {
    const status = this.find(id)?.status;
    if (!status) return;
    const before = { wipLimit: status.wip_limit, wipUnit: status.wip_unit, wipPolicy: status.wip_policy };
    await this.#change(id, limit, before);
  }

  /** Moves a column to an index among all. It is shown there at once. */
  async move(id: string, index: number, isUndo = false): Promise<void> {
    const from = this.all.findIndex(({ status }) => status.id === id);
    const to = Math.max(0, Math.min(this.all.length - 1, index));
    const name = this.all[from]?.status.name;
    if (name === undefined || from === to) return;
    const others = this.all.filter(({ status }) => status.id !== id);
    const [above, below] = [others[to - 1]?.status.id, others[to]?.status.id];
    const place = above ? { afterStatusId: above } : below ? { beforeStatusId: below } : {};
    this.#board.columns.value = withColumnAt(this.all, id, to);
    const forget = isUndo ? () => {} : record({ name, undo: () => this.move(id, from, true) });
    try {
      await this.#board.send(() => this.#api.change(this.#board.path, id, place));
    } catch (error) {
      forget();
      this.#board.columns.value = withColumnAt(this.all, id, from);
      tellFailure(error);
    }
    this.#board.later();
  }

  /** Deletes a column, after the time in which the person can take that back. Its cards go to the end of another. */
  delete(id: string, to: string | null): void {
    const found = this.find(id);
    if (!found) return;
    const restore = () => {
      this.#board.hiddenColumns.delete(id);
      this.#board.later();
    };
    deleteLater({
      name: found.status.name,
      hide: () => {
        this.#board.hiddenColumns.set(id, to);
        this.#board.columns.value = withoutColumn(this.all, id, to);
      },
      restore,
      send: async () => {
        await this.#board.send(() => this.#api.remove(this.#board.path, id, to));
        restore();
      },
    });
  }

  async #change(id: string, fields: StatusFields, before: StatusFields): Promise<void> {
    const name = this.find(id)?.status.name ?? "";
    const send = async (wanted: StatusFields) => {
      await this.#board.send(() => this.#api.change(this.#board.path, id, wanted));
      await this.#board.reload();
    };
    await send(fields);
    record({ name, undo: () => send(before) });
  }
}
