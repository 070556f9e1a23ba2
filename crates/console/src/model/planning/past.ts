// Moments of the past: cards and boards as they were at a time that the address has as `at`.

import { readPastBoard, type BoardColumn, type TeamPath } from "../../api/planning/boards";
import { cardApi, readPastCard, type CardPath, type CardRead } from "../../api/planning/cards";
import { fits, isShown, type Filter } from "./board-filter";
import { projectAround, summaryOf, type Around } from "./card-around";
import type { CardSummary } from "./card-edits";
import { openTeam, type OpenedTeam } from "./team";

/** The moment of an address, as it stands there; null for now. */
export const momentOf = (search: URLSearchParams): string | null => search.get("at");

/** An address with a moment. */
export const pastHref = (href: string, at: string): string =>
  `${href}${href.includes("?") ? "&" : "?"}at=${encodeURIComponent(at)}`;

/** A moment as the field for a day and a time has it: in the person's own zone, to the second. */
export function typedMoment(at: string): string {
  const time = new Date(at);
  if (Number.isNaN(time.getTime())) return "";
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}

/** The moment that a typed day and time mean in the person's zone; null for another text. */
export function momentTyped(typed: string): string | null {
  const time = new Date(typed);
  return Number.isNaN(time.getTime()) ? null : time.toISOString();
}

/** A moment in words; another text as it is written. */
export function sayMoment(at: string): string {
  const time = new Date(at);
  if (Number.isNaN(time.getTime())) return at;
  return time.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "medium" });
}

/** The person's day of a moment, for what was late then. */
export const dayOfMoment = (at: string): string => typedMoment(at).slice(0, 10);

/** A card of the past. People, tags and fields have their names of today. */
export interface PastCard {
  at: string;
  read: CardRead;
  summary: CardSummary;
  around: Around;
}

export async function openPastCard(path: CardPath, at: string, api = { read: readPastCard, around: cardApi }) {
  const [read, known] = await Promise.all([api.read(path, at), projectAround(path.projectId, api.around)]);
  const around: Around = { ...known, sprints: new Map(), columns: new Map() };
  return { at, read, around, summary: summaryOf(read, around, new Map()) } satisfies PastCard;
}

/** A board of the past. */
export interface PastBoard {
  at: string;
  opened: OpenedTeam;
  columns: BoardColumn[];
}

export async function openPastBoard(path: TeamPath, at: string): Promise<PastBoard> {
  const [opened, columns] = await Promise.all([openTeam(path), readPastBoard(path, at)]);
  return { at, opened, columns };
}

/** The columns with the cards that a filter shows, on the day of the moment. */
export function shownThen({ at, columns, opened }: PastBoard, filter: Filter): BoardColumn[] {
  const context = { day: dayOfMoment(at), me: opened.caller.id };
  return columns.filter(({ status }) => isShown(status.id, filter)).map((column) =>
    ({ ...column, cards: column.cards.filter((card) => fits(card, filter, context)) }));
}
