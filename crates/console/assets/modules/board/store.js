// A card as its panel holds it: read, changed with the head that was seen, and told to those who show it.

import { ApiError, get, patch, put, remove } from "../../api/client.js";

/**
 * @typedef {{ card: any, indexCard: any, historyHeadId: string, objectIds: string[] }} Read
 * @typedef {{ path: string, project: string, id: string, now: () => Read, hear: (listener: () => void) => void,
 *   refresh: () => Promise<void>, change: (changes: Record<string, unknown>, head?: string) => Promise<void>,
 *   relate: (what: string, id: string, is: boolean) => Promise<void> }} Store
 */

/** @param {string} project @param {string} id @returns {Promise<Store>} */
export async function cardStore(project, id) {
  const path = `/projects/${project}/cards/${id}`;
  /** @type {Read} */
  let now = await get(path);
  /** @type {(() => void)[]} */
  const listeners = [];
  /** Heads that the panel's own changes of a field have made of others: they are no conflict. @type {Map<string, string>} */
  const own = new Map();
  /** Changes follow one another. @type {Promise<unknown>} */
  let last = Promise.resolve();
  const tell = () => listeners.forEach((listener) => listener());
  const refresh = async () => {
    now = await get(path);
    tell();
  };
  return {
    path, project, id, refresh,
    now: () => now,
    hear: (listener) => void listeners.push(listener),
    // `head` is that of the text that the person saw when they began: events go on while they type.
    change(changes, head = now.historyHeadId) {
      const field = Object.keys(changes).join();
      const send = async () => {
        let base = head;
        for (let next; (next = own.get(`${field} ${base}`)); base = next);
        const answer = await patch(path, { ...changes, expectedHistoryHeadId: base });
        if (answer.historyHeadId !== base) own.set(`${field} ${base}`, answer.historyHeadId);
        now = { ...now, ...answer };
        tell();
      };
      const done = last.then(send);
      last = done.catch(() => {});
      return done;
    },
    async relate(what, one, is) {
      await (is ? put(`${path}/${what}/${one}`, {}) : remove(`${path}/${what}/${one}`));
      await refresh();
    },
  };
}

/** The value of a field as somebody else has left it, if that is why `error` refuses. @param {unknown} error @param {string} name */
export function theirs(error, name) {
  if (!(error instanceof ApiError) || error.code !== "CARD_HISTORY_CONFLICT") return undefined;
  return { value: error.details.fields?.[name] ?? null };
}
