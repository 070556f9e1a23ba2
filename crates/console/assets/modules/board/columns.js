// Columns of a board: made, changed, moved and deleted by the menu of their head.

import { newKey, patch, post, remove } from "../../api/client.js";
import { text } from "../../text.js";
import { ask, field } from "../../ui/dialog.js";
import { h } from "../../ui/dom.js";
import { menu } from "../../ui/menu.js";
import { toast } from "../../ui/toast.js";

/** @typedef {import("./column.js").Column} Column */

/** @param {string} label @param {string} name @param {[string, string][]} options @param {string} chosen */
function choice(label, name, options, chosen) {
  return h("div", { class: "field" }, h("label", { for: `field-${name}` }, label),
    h("select", { id: `field-${name}`, name },
      options.map(([value, said]) => h("option", { value, selected: value === chosen }, said))));
}

/**
 * @param {string} place the team's path @param {() => Column[]} columns @param {() => Promise<void>} reload
 */
export function columnActions(place, columns, reload) {
  const states = /** @type {[string, string][]} */ (Object.entries(text.columns.states));

  // The board may have been read again since the menu was opened.
  const othersOf = (/** @type {Column} */ column) => columns().filter((one) => one.status.id !== column.status.id);

  /** @param {FormData} form */
  const fields = (form) => ({
    name: form.get("column-name"),
    color: String(form.get("column-color")).toUpperCase(),
    transitionState: form.get("column-state"),
    closeMode: form.get("column-state") === "closed" ? "automatic" : "off",
  });

  /** @param {Column | null} column */
  const inputs = (column) => [
    field({ label: text.columns.name, name: "column-name", value: column?.status.name, required: true }),
    field({ label: text.columns.color, name: "column-color", type: "color", value: column?.status.color ?? "#808080" }),
    choice(text.columns.state, "column-state", states, column?.status.transition_state ?? "started"),
  ];

  /** Makes a column, at the end or after another. @param {Column} [after] */
  function create(after) {
    const key = newKey();
    ask({ title: text.columns.create, action: text.columns.makes, fields: inputs(null), async send(form) {
      await post(`${place}/statuses`, { ...fields(form), afterStatusId: after?.status.id }, { key });
      await reload();
    } });
  }

  /** @param {Column} column */
  function change(column) {
    ask({ title: text.columns.change, action: text.board.save, fields: inputs(column), async send(form) {
      const wanted = fields(form);
      // The rule for closing stays where the column's meaning does.
      const { closeMode: _, ...rest } = wanted;
      await patch(`${place}/statuses/${column.status.id}`,
        wanted.transitionState === column.status.transition_state ? rest : wanted);
      await reload();
    } });
  }

  /** @param {Column} column */
  function limit({ status }) {
    ask({ title: text.columns.limit, action: text.board.save, fields: [
      field({ label: text.columns.most, name: "column-limit", type: "number", value: status.wip_limit === null ? "" : String(status.wip_limit),
        help: text.columns.mostHelp }),
      choice(text.columns.unit, "column-unit", /** @type {[string, string][]} */ (Object.entries(text.columns.units)), status.wip_unit),
      choice(text.columns.policy, "column-policy", /** @type {[string, string][]} */ (Object.entries(text.columns.policies)), status.wip_policy),
    ], async send(form) {
      const most = String(form.get("column-limit"));
      await patch(`${place}/statuses/${status.id}`,
        { wipLimit: most ? Number(most) : null, wipUnit: form.get("column-unit"), wipPolicy: form.get("column-policy") });
      await reload();
    } });
  }

  /** @param {Column} column @param {number} by */
  async function shift(column, by) {
    const others = othersOf(column);
    const at = columns().findIndex((one) => one.status.id === column.status.id) + by;
    const body = at > 0 ? { afterStatusId: others[at - 1]?.status.id } : { beforeStatusId: others[0]?.status.id };
    try {
      await patch(`${place}/statuses/${column.status.id}`, body);
    } catch (error) {
      toast(error instanceof Error ? error.message : String(error), { bad: true });
    }
    await reload();
  }

  /** @param {Column} column */
  function end(column) {
    const others = othersOf(column);
    const count = column.card_count;
    ask({ title: text.columns.deleteTitle(column.status.name), action: text.columns.deletes, danger: true, fields: [
      h("p", {}, count === 0 ? text.columns.deletesNone : others.length === 0 ? text.columns.deletesLast(count) : text.columns.deletesCards(count)),
      ...(count > 0 && others.length > 0
        ? [choice(text.columns.moveTo, "column-to", others.map(({ status }) => [status.id, status.name]), others[0].status.id)] : []),
    ], async send(form) {
      const to = form.get("column-to");
      await remove(`${place}/statuses/${column.status.id}${to ? `?moveCardsTo=${to}` : ""}`);
      await reload();
    } });
  }

  /** @param {Column} column @param {Element} anchor */
  function settings(column, anchor) {
    const at = columns().findIndex((one) => one.status.id === column.status.id);
    const own = columns()[at];
    if (!own) return;
    menu(anchor, { label: text.columns.settings(column.status.name), entries: [
      { name: text.columns.change, run: () => change(own) },
      { name: text.columns.limit, run: () => limit(own) },
      ...(at > 0 ? [{ name: text.columns.left, run: () => shift(own, -1) }] : []),
      ...(at < columns().length - 1 ? [{ name: text.columns.right, run: () => shift(own, 1) }] : []),
      { name: text.columns.createAfter, run: () => create(own) },
      { name: text.columns.delete, danger: true, run: () => end(own) },
    ] });
  }

  return { create, settings };
}
