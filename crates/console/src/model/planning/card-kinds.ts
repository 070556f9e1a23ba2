// Priorities and types of cards.

import type { BoardCard } from "../../api/planning/boards";
import { text } from "../../text";

export type Priority = BoardCard["priority"];

/** The most urgent first. */
export const PRIORITIES = ["urgent", "high", "medium", "low", "none"] as const satisfies readonly Priority[];

/** Types that every project has. */
export const TYPES = ["task", "bug", "change"] as const;
/** The type of a card that says nothing else. */
export const TASK = "task";

export const priorityName = (priority: string) => (text.priority.names as Record<string, string>)[priority] ?? priority;

/** The name of a type; own ones are named as people have written them. */
export const typeName = (type: string) => (text.type.names as Record<string, string>)[type] ?? type;

/** The known types, then those of the cards that are given. */
export function typesOf(cards: readonly { type: string }[]): string[] {
  const own = new Set(cards.map(({ type }) => type).filter((type) => !TYPES.some((known) => known === type)));
  return [...TYPES, ...[...own].sort((one, other) => one.localeCompare(other))];
}
