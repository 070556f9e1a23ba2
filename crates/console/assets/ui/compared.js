// Two commits of a project compared, page by page.

import { get } from "../api/client.js";
import { text } from "../text.js";
import { comparison } from "./comparison.js";
import { button, fill, h } from "./dom.js";

/**
 * The objects in which two branches or commits differ. The first page has arrived when it is there.
 * @param {string} project @param {string} base @param {string} head
 */
export async function compared(project, base, head) {
  const place = h("div", { class: "compared" });
  const more = button({ name: text.files.more, onclick: () => void add() });
  /** @type {import("./comparison.js").Entry[]} */
  const entries = [];
  let next = "";
  async function add() {
    const query = new URLSearchParams({ base, head, limit: "100" });
    if (next) query.set("cursor", next);
    const page = await get(`/projects/${project}/compare?${query}`);
    entries.push(...page.objects.map((/** @type {any} */ one) => ({ ...one, fields: async () => one.fields })));
    next = page.meta.nextCursor ?? "";
    more.hidden = !page.meta.hasMore;
    const names = new Map(entries.map((one) => [one.objectId, one.name]));
    fill(place, entries.length === 0 ? h("p", { class: "soft" }, text.versions.same)
      : comparison(entries, { base: { place: project, commit: page.baseHash }, head: { place: project, commit: page.headHash },
        nameOf: (id) => names.get(id) ?? (id === project ? text.versions.top : undefined) }), more);
  }
  await add();
  return place;
}
