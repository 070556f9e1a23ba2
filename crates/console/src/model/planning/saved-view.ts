// Saved views: what a page shows as a view, and a view as the address of a page.

import type { NewView, SavedView } from "../../api/planning/views";
import type { Filter, FilteredCard } from "./board-filter";
import { textOf, termsOf, type Term } from "./filter-terms";

type ViewFilter = NonNullable<NewView["filter"]>;

/** The state of a page of a team's cards. */
export interface ShownPage {
  layout: NewView["layout"];
  teamId: string;
  filter: Filter;
  /** Tests of custom fields, as the address has them. */
  fields: string | null;
  /** All cards of the board, which know the tags of a name. */
  cards: readonly Pick<FilteredCard, "tags">[];
  /** The groups of a table, or the lanes of a board. */
  groupBy?: string | undefined;
  /** Of a table: what differs from the usual. */
  columns?: readonly string[] | undefined;
  order?: { by: string; isDescending: boolean } | undefined;
}

/** A term as the service has it: without the signs by which addresses keep commas. */
const written = ({ value, isNot }: Term) => (isNot ? "!" : /^=*!/.test(value) ? "=" : "") + value;

function termOf(text: string): Term {
  if (text.startsWith("!")) return { value: text.slice(1), isNot: true };
  return { value: /^=+!/.test(text) ? text.slice(1) : text, isNot: false };
}

const listOf = (text: string | undefined) => termsOf(text).map(written);
const textOfList = (list: readonly string[] | undefined) => textOf((list ?? []).map(termOf));

/** Filters that have the same values in addresses and in views, by their names in both. */
const SAME = { assignee: "assignee", priority: "priority", type: "type", parent: "parent", due: "due", sprint: "sprint",
  column: "status" } as const;
const isSame = (name: string): name is keyof typeof SAME => name in SAME;

/** The tags of names: ids, one for each project with a tag of the name. */
function tagIds(text: string | undefined, cards: ShownPage["cards"]): string[] {
  const tags = cards.flatMap((card) => card.tags);
  return termsOf(text).flatMap(({ value, isNot }) => {
    const ids = tags.filter(({ id, name }) => name === value || id === value).map(({ id }) => id);
    return [...new Set(value === "none" ? [value] : ids)].map((id) => written({ value: id, isNot }));
  });
}

/** True or false if a text asks for one of two values alone. */
function oneOf(text: string | undefined, [yes, no]: readonly [string, string]): boolean | undefined {
  const [first, ...others] = termsOf(text);
  if (!first || others.length > 0) return undefined;
  const isYes = first.value === yes ? true : first.value === no ? false : undefined;
  return isYes === undefined || !first.isNot ? isYes : !isYes;
}

/** The view of what a page shows. */
export function viewOf(name: string, page: ShownPage, teamId: string | null): NewView {
  const { filter } = page;
  const lists = Object.fromEntries(Object.entries(SAME).flatMap(([own, its]) => {
    const list = isSame(own) ? listOf(filter[own]) : [];
    return list.length > 0 ? [[its, list]] : [];
  }));
  const tag = tagIds(filter.tag, page.cards);
  const [open, blocked] = [oneOf(filter.state, ["open", "closed"]), oneOf(filter.blocked, ["true", "false"])];
  const chosen = {
    ...lists, team: [page.teamId], ...(tag.length > 0 ? { tag } : {}), ...(filter.q ? { q: filter.q } : {}),
    ...(page.fields ? { fields: page.fields } : {}),
    ...(open === undefined ? {} : { open }), ...(blocked === undefined ? {} : { blocked }),
  } as ViewFilter;
  return {
    name, layout: page.layout, filter: chosen, ...(teamId ? { teamId } : {}),
    ...(page.groupBy ? { groupBy: page.groupBy } : {}), ...(page.columns ? { columns: [...page.columns] } : {}),
    ...(page.order ? { order: page.order } : {}),
  };
}

/** The team whose board a view shows: the only one that it names. */
export function teamOf({ filter: { team = [] } }: Pick<SavedView, "filter">): string | undefined {
  const [first, ...others] = team;
  return first && others.length === 0 && first !== "none" && !first.startsWith("!") ? first : undefined;
}

/** The parameters of the page of a team that shows a view. `tags` are the names of tags by their ids. */
export function parametersOfView({ filter, layout, groupBy, columns, order }: SavedView,
  tags: ReadonlyMap<string, string>): URLSearchParams {
  const parameters = new URLSearchParams();
  const set = (name: string, value: string | null | undefined) => { if (value) parameters.set(name, value); };
  for (const [own, its] of Object.entries(SAME)) if (isSame(own)) set(own, textOfList(filter[its]));
  const named = (filter.tag ?? []).map(termOf).map((term) => ({ ...term, value: tags.get(term.value) ?? term.value }));
  set("tag", textOf(named.filter((term, at) =>
    named.findIndex(({ value, isNot }) => value === term.value && isNot === term.isNot) === at)));
  set("q", filter.q);
  set("fields", filter.fields);
  if (typeof filter.open === "boolean") set("state", filter.open ? "open" : "closed");
  if (typeof filter.blocked === "boolean") set("blocked", String(filter.blocked));
  set("group", groupBy);
  if (layout === "board") return parameters;
  set("columns", columns.join(","));
  set("sort", order?.by);
  if (order?.isDescending) set("order", "desc");
  return parameters;
}
