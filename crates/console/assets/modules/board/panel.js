// The panel of a card: its fields, changed in place.

import { get, patch } from "../../api/client.js";
import { text } from "../../text.js";
import { field } from "../../ui/dialog.js";
import { button, fill, h } from "../../ui/dom.js";
import { toast } from "../../ui/toast.js";

/**
 * @param {string} project @param {string} id @param {{ close: () => void, changed: () => void }} options
 */
export async function cardPanel(project, id, { close, changed }) {
  const path = `/projects/${project}/cards/${id}`;
  let { card, historyHeadId } = await get(path);
  const failure = h("p", { class: "failure", role: "alert" });
  const open = h("input", { type: "checkbox", name: "closed", id: "card-closed" });
  open.checked = !card.is_open;
  const form = h("form", { class: "form" },
    field({ label: text.board.name, name: "card-name", value: card.name, required: true }),
    field({ label: text.board.description, name: "card-description", value: card.description, rows: 8 }),
    field({ label: text.board.effort, name: "card-effort", type: "number", value: String(card.effort) }),
    field({ label: text.board.due, name: "card-due", type: "date", value: card.deadline?.slice(0, 10) ?? "" }),
    h("label", { class: "check" }, open, text.board.closed), failure,
    h("div", { class: "actions" }, button({ name: text.board.save, kind: "primary", type: "submit" })));
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const said = new FormData(form);
    const wanted = {
      name: said.get("card-name"), description: said.get("card-description"),
      effort: Number(said.get("card-effort")), isOpen: !open.checked,
    };
    const due = String(said.get("card-due"));
    const before = { name: card.name, description: card.description, effort: card.effort, isOpen: card.is_open };
    const changes = Object.entries(wanted).filter(([name, value]) => value !== /** @type {any} */ (before)[name]);
    if (due !== (card.deadline?.slice(0, 10) ?? "")) changes.push(["deadline", due ? `${due}T00:00:00Z` : /** @type {any} */ (null)]);
    if (changes.length === 0) return close();
    fill(failure);
    try {
      ({ card, historyHeadId } =
        await patch(path, { ...Object.fromEntries(changes), expectedHistoryHeadId: historyHeadId }));
      toast(text.board.saved);
      changed();
    } catch (error) {
      fill(failure, error instanceof Error ? error.message : String(error));
    }
  });
  return [h("div", { class: "heading" }, h("h2", { tabindex: "-1", dir: "auto" }, card.name),
    button({ name: text.close, icon: "close", kind: "plain", quiet: true, onclick: close })), form];
}
