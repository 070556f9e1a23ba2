// A card as its panel holds it: read, changed with the head that was seen, and told to those who show it.

import { ApiError, get, patch, put, remove } from "../../api/client.js";

/**
 * @typedef {{ card: any, indexCard: any, historyHeadId: string, objectIds: string[] }} Read
 * @typedef {{ path: string, project: string, id: string, now: () => Read, hear: (listener: () => void) => void,
 *   refresh: () => Promise<void>, change: (changes: Record<string, unknown>) => Promise<void>,
 *   relate: (what: string, id: string, is: boolean) => Promise<void> }} Store
 */

/** @param {string} project @param {string} id @returns {Promise<Store>} */
export async function cardStore(project, id) {
  const path = `/projects/${project}/cards/${id}`;
  /** @type {Read} */
  let now = await get(path);
  /** @type {(() => void)[]} */
  const listeners = [];
  const tell = () => listeners.forEach((listener) => listener());
  const refresh = async () => {
    now = await get(path);
    tell();
  };
  return {
    path, project, id, refresh,
    now: () => now,
    hear: (listener) => void listeners.push(listener),
    async change(changes) {
      now = { ...now, ...(await patch(path, { ...changes, expectedHistoryHeadId: now.historyHeadId })) };
      tell();
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
