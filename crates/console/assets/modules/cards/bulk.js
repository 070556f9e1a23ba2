// Changes of many cards at once: drawn at once, sent together, and taken back on the rows that are refused.

import { ApiError, post, put, remove } from "../../api/client.js";
import { text } from "../../text.js";
import { confirm } from "../../ui/confirm.js";
import { button, h } from "../../ui/dom.js";
import { toast } from "../../ui/toast.js";

/** @typedef {import("./cards.js").Card} Card @typedef {import("./cards.js").Around} Around */

/** Operations in one request, placements in one, and other requests on their way at a time. */
const TOGETHER = 500;
const PLACEMENTS = 100;
const LANES = 4;

/**
 * @param {{ path: string, around: Around, chosen: Set<string>, cards: () => Card[], draw: () => void, later: () => void }} options
 */
export function bulkBar({ path, around, chosen, cards, draw, later }) {
  const element = h("div", { class: "bulk-bar", role: "toolbar", "aria-label": text.cards.table, hidden: true });
  const count = h("strong", {});
  let busy = false;
  /** The cards as they were before the change. @typedef {Map<string, Card>} Before */
  /** @typedef {(cards: Card[], refuse: (card: Card, reason: string) => void, before: Before) => Promise<void>} Send */
  const selected = () => new Set(chosen);

  /** @param {string} label @param {[string, string][]} options @param {(value: string, said: string) => void} act */
  function menu(label, options, act) {
    const select = h("select", { "aria-label": label, onchange: () => {
      const { value } = select;
      const said = select.selectedOptions[0].textContent ?? "";
      select.value = "-";
      act(value, said);
    } }, h("option", { value: "-" }, label), options.map(([value, said]) => h("option", { value }, said)));
    select.disabled = options.length === 0;
    return select;
  }

  /** Sends operations of the bulk request. @param {(card: Card, was: Card) => object | object[] | string} operation or why there is none @returns {Send} */
  function together(operation) {
    return async (some, refuse, before) => {
      /** @type {Map<string, { card: Card, op: object }[]>} */
      const byProject = new Map();
      for (const card of some) {
        const op = operation(card, before.get(card.id) ?? card);
        if (typeof op === "string") refuse(card, op);
        else byProject.set(card.project_id, [...(byProject.get(card.project_id) ?? []), ...[op].flat().map((one) => ({ card, op: one }))]);
      }
      for (const [project, all] of byProject) {
        for (let at = 0; at < all.length; at += TOGETHER) {
          const part = all.slice(at, at + TOGETHER);
          try {
            const { results } = await post(`/projects/${project}/cards/bulk`, { operations: part.map(({ op }) => op) });
            part.forEach(({ card }, index) => { if (results[index].error) refuse(card, results[index].error.message); });
          } catch (error) {
            for (const { card } of part) refuse(card, error instanceof Error ? error.message : String(error));
          }
        }
      }
    };
  }

  /**
   * Places cards in their order, many in a request. Of one that is refused the others go on without it.
   * @param {(card: Card) => object} body @returns {Send}
   */
  function placed(body) {
    return async (some, refuse) => {
      for (let at = 0; at < some.length; at += PLACEMENTS) {
        let part = some.slice(at, at + PLACEMENTS);
        while (part.length > 0) {
          const placements = part.map((card) => ({ cardId: card.id, ...body(card) }));
          try {
            await put(`${path}/cards`, { placements });
            break;
          } catch (error) {
            const reason = error instanceof Error ? error.message : String(error);
            const refused = error instanceof ApiError ? part[error.details.placement] : undefined;
            for (const card of refused ? [refused] : part) refuse(card, reason);
            part = refused ? part.filter((card) => card !== refused) : [];
          }
        }
      }
    };
  }

  /** Puts cards back among those that they stood between. @param {Card[]} order the cards as they stood @returns {Send} */
  function putBack(order) {
    return (some, refuse, before) => {
      const rank = new Map(order.map((card, at) => [card.id, at]));
      const sorted = [...some].sort((one, next) => (rank.get(one.id) ?? 0) - (rank.get(next.id) ?? 0));
      const away = new Set(some.map(({ id }) => id));
      return placed((card) => {
        const column = order.filter((one) => one.column === card.column);
        const at = column.findIndex((one) => one.id === card.id);
        // Those above are back already; below the first one stands the next that stayed.
        const next = at === 0 ? column.find((one) => !away.has(one.id)) : undefined;
        return { statusId: card.column, afterCardId: column[at - 1]?.id, beforeCardId: next?.id };
      })(sorted, refuse, before);
    };
  }

  /** Sends a request for each card, a few at a time. @param {(card: Card) => Promise<unknown>} send @returns {Send} */
  function each(send) {
    return async (some, refuse) => {
      const rest = [...some];
      const lane = async () => {
        for (let card = rest.shift(); card; card = rest.shift()) {
          const one = card;
          await send(one).catch((error) => refuse(one, error.message));
        }
      };
      await Promise.all(Array.from({ length: LANES }, lane));
    };
  }

  /**
   * Changes cards: what is refused is taken back. What is done can be undone where `undo` makes a sender for cards that are
   * drawn as they were, of all cards as they stood.
   * @param {Set<string>} ids @param {(card: Card) => void} change @param {Send} send @param {(order: Card[]) => Send} [undo]
   */
  async function act(ids, change, send, undo) {
    const order = cards().map((card) => ({ ...card }));
    const some = cards().filter((card) => ids.has(card.id));
    /** @type {Before} */
    const before = new Map(some.map((card) => [card.id, { ...card }]));
    /** @type {Set<string>} */
    const failed = new Set();
    for (const card of some) {
      card.error = undefined;
      change(card);
    }
    busy = true;
    draw();
    await send(some, (card, reason) => {
      failed.add(card.id);
      Object.assign(card, before.get(card.id), { error: reason });
    }, before);
    busy = false;
    draw();
    const done = new Set(some.map(({ id }) => id).filter((id) => !failed.has(id)));
    toast(text.cards.changed(done.size, failed.size), { bad: failed.size > 0,
      act: undo && done.size > 0 ? { name: text.cards.undo,
        run: () => act(done, (card) => Object.assign(card, before.get(card.id)), undo(order)) } : undefined });
    later();
  }

  const toSprint = placed((card) => ({ sprintId: card.sprint_id }));
  const toState = together((card) => ({ op: "update", cardId: card.id, isOpen: card.is_open }));
  const open = [...around.sprints.values()].filter((one) => one.status !== "completed");
  const controls = [
    menu(text.cards.toColumn, around.columns.map(({ id, name }) => [id, name]), (id) =>
      void act(selected(), (card) => { card.column = id; }, placed((card) => ({ statusId: card.column })), putBack)),
    menu(text.cards.assign, [["", text.cards.nobody], ...around.people], (id, name) => void act(selected(), (card) => {
      if (!id) card.assignees = [];
      else if (!card.assignees.some((one) => one.id === id)) card.assignees = [...card.assignees, { id, display_name: name }];
    }, together((card, was) => (id ? { op: "assign", cardId: card.id, userId: id }
      : was.assignees.map((one) => ({ op: "unassign", cardId: card.id, userId: one.id })))))),
    menu(text.cards.tag, [...around.tags.keys()].map((name) => [name, name]), (name) => void act(selected(), (card) => {
      const tag = around.tags.get(name)?.get(card.project_id);
      if (tag && !card.tags.some((one) => one.id === tag.id)) card.tags = [...card.tags, tag];
    }, together((card) => {
      const tag = around.tags.get(name)?.get(card.project_id);
      return tag ? { op: "tag", cardId: card.id, tagId: tag.id } : text.cards.noTag;
    }))),
    menu(text.cards.toSprint, [["", text.cards.noSprint], ...open.map((one) => /** @type {[string, string]} */ ([one.id, one.name]))], (id) =>
      void act(selected(), (card) => { card.sprint_id = id || null; }, toSprint, () => toSprint)),
    ...[[text.cards.close, false], [text.cards.reopen, true]].map(([name, isOpen]) => button({ name: String(name),
      onclick: () => void act(selected(), (card) => { card.is_open = Boolean(isOpen); },
        toState, () => toState) })),
    menu(text.cards.removes, [["board", text.card.takeOff], ["delete", text.cards.deletes]], (what) => {
      if (what === "board") void act(selected(), () => {}, each((card) => remove(`${path}/cards/${card.id}`)));
      else confirm({ title: text.cards.deletesCards(chosen.size), says: text.cards.deleteSays, action: text.cards.delete,
        async send() { void act(selected(), () => {}, together((card) => ({ op: "delete", cardId: card.id }))); } });
    }),
  ];
  const usable = controls.filter((control) => !control.disabled);
  element.append(count, ...controls, button({ name: text.cards.unselect, icon: "close", kind: "plain", quiet: true, onclick: () => {
    chosen.clear();
    draw();
  } }));

  function drawBar() {
    element.hidden = chosen.size === 0;
    document.body.toggleAttribute("data-bulk", !element.hidden);
    count.textContent = text.cards.selected(chosen.size);
    for (const control of usable) control.disabled = busy;
  }

  return { element, draw: drawBar, isBusy: () => busy };
}
