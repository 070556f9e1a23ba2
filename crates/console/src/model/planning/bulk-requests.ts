// The requests that change many cards, in parts of a size that the service takes, with the reason for each card that is
// refused.

import { placeCard, takeCardOff, type TeamPath } from "../../api/planning/boards";
import { changeCards, placeCards, type CardOperation, type CardPlacement } from "../../api/planning/cards";
import type { CustomField } from "../../api/planning/custom-fields";
import { ApiError, reasonOf } from "../../api/errors";
import { findCard, type Columns } from "./columns";
import { namedRefusal } from "./custom-fields";

/** Operations in one request, placements in one, and other requests on their way at a time. */
const TOGETHER = 500;
const PLACEMENTS = 100;
const LANES = 4;

/** Requests that tests replace. */
export const bulkApi = { change: changeCards, place: placeCards, takeOff: takeCardOff, putBack: placeCard };
export type BulkApi = typeof bulkApi;

export type Refuse = (id: string, reason: string) => void;
export type Send = (ids: readonly string[], refuse: Refuse) => Promise<void>;

/** Sends operations on cards of a project. Refusals name `fields` by their names. */
export async function sendOperations(api: Pick<BulkApi, "change">, project: string,
  operations: readonly CardOperation[], refuse: Refuse, fields: readonly CustomField[] = []): Promise<void> {
  const cardOf = (operation: CardOperation | undefined) =>
    (operation && "cardId" in operation ? operation.cardId : "");
  for (let at = 0; at < operations.length; at += TOGETHER) {
    const part = operations.slice(at, at + TOGETHER);
    try {
      const results = await api.change(project, part);
      results.forEach(({ status, error }, index) => {
        if (error) refuse(cardOf(part[index]), reasonOf(namedRefusal(new ApiError(status, error), fields)));
      });
    } catch (error) {
      for (const one of part) refuse(cardOf(one), reasonOf(error));
    }
  }
}

/** Places cards in their order, many in a request. Of one that is refused the others go on without it. */
export function placed(api: Pick<BulkApi, "place">, path: TeamPath,
  body: (id: string) => Omit<CardPlacement, "cardId">): Send {
  return async (ids, refuse) => {
    for (let at = 0; at < ids.length; at += PLACEMENTS) {
      let part = ids.slice(at, at + PLACEMENTS);
      while (part.length > 0) {
        try {
          await api.place(path, part.map((cardId) => ({ cardId, ...body(cardId) })));
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
export function putBack(api: Pick<BulkApi, "place">, path: TeamPath, before: Columns, moved: readonly string[]): Send {
  const away = new Set(moved);
  const rank = new Map(before.flatMap(({ cards }) => cards).map(({ id }, at) => [id, at]));
  const send = placed(api, path, (id) => {
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
export function each(send: (id: string) => Promise<unknown>): Send {
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
