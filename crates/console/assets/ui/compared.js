// Two commits of a project compared, page by page.

import { get } from "../api/client.js";
import { text } from "../text.js";
import { comparison, opened } from "./comparison.js";
import { button, fill, h } from "./dom.js";
import { inTreeOrder } from "./tree-order.js";

/** Objects that are read at once, so that their number is known; fewer, if they have long texts. */
const OBJECTS = 500;
const CHARACTERS = 4_000_000;

/**
 * The objects in which two branches or commits differ, in the order of the tree at `place`, and their names. What is not in
 * that tree any more is looked for in the one at `basePlace`.
 * @param {string} project @param {string} base @param {string} head @param {string} place @param {string} [basePlace]
 */
export async function compared(project, base, head, place, basePlace = place) {
  const element = h("div", { class: "compared" });
  const more = button({ name: text.files.more, onclick: () => void add() });
  // A tree that can't be read leaves the order of the service.
  const treeOf = (/** @type {string} */ at) => get(`/projects/${at}/tree`).then((found) => /** @type {any[]} */ (found.tree), () => []);
  const trees = Promise.all(place === basePlace ? [treeOf(place)] : [treeOf(place), treeOf(basePlace)]);
  /** @type {import("./comparison.js").Entry[]} */
  const found = [];
  let next = "";

  async function add() {
    let [page, characters] = [/** @type {any} */ (null), 0];
    const most = found.length + OBJECTS;
    do {
      const query = new URLSearchParams({ base, head, limit: "100" });
      if (next) query.set("cursor", next);
      page = await get(`/projects/${project}/compare?${query}`);
      found.push(...page.objects.map((/** @type {any} */ one) => ({ ...one, fields: async () => one.fields })));
      next = page.meta.nextCursor ?? "";
      characters += JSON.stringify(page.objects).length;
    } while (page.meta.hasMore && found.length < most && characters < CHARACTERS);
    const [tree, old = []] = await trees;
    const known = new Set(tree.map(({ id }) => id));
    const union = [...tree, ...old.filter(({ id }) => !known.has(id))];
    const { entries, nameOf } = inTreeOrder(found, union, { id: project, name: text.versions.top });
    more.hidden = !page.meta.hasMore;
    fill(element, entries.length === 0 ? h("p", { class: "soft" }, text.versions.same)
      : comparison(entries, { base: { place: project, commit: page.baseHash }, head: { place: project, commit: page.headHash }, nameOf },
        { isPart: page.meta.hasMore, isOpen: opened(element) }),
    more);
  }
  await add();
  const names = new Map(found.map(({ objectId, name }) => [objectId, name]));
  return { element, nameOf: (/** @type {string} */ id) => names.get(id) };
}
