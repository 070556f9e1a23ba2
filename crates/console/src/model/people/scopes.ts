// The scopes of a key: a level for each kind of thing, where a level includes those before it.

import type { Scope } from "../../api/people/keys";
import { text } from "../../text";

export type Kind = "projects" | "cards" | "teams" | "usage";
export type Level = "" | "read" | "write" | "manage";
export type Levels = Readonly<Partial<Record<Kind, Level>>>;
export type SetName = keyof typeof text.keys.sets;

/** The kinds of things with the levels that a key may have. */
export const LADDERS: readonly (readonly [Kind, readonly Level[]])[] = [
  ["projects", ["", "read", "write", "manage"]],
  ["cards", ["", "read", "write", "manage"]],
  ["teams", ["", "read", "write", "manage"]],
  ["usage", ["", "read"]],
];

/** Levels for common purposes. */
export const SETS: Readonly<Record<SetName, Levels>> = {
  read: { projects: "read", cards: "read", teams: "read" },
  upload: { projects: "write" },
  plan: { projects: "read", cards: "write", teams: "write" },
  all: { projects: "manage", cards: "manage", teams: "manage", usage: "read" },
};

export function scopesOf(levels: Levels): Scope[] {
  return LADDERS.flatMap(([kind]) => (levels[kind] ? [`${kind}:${levels[kind]}` as Scope] : []));
}

/** The set that levels are, if they are one. */
export function setOf(levels: Levels): SetName | undefined {
  const same = (one: Levels) => LADDERS.every(([kind]) => (one[kind] ?? "") === (levels[kind] ?? ""));
  return (Object.keys(SETS) as SetName[]).find((name) => same(SETS[name]));
}

/** A level in words. */
export const levelSays = (kind: Kind, level: Level) => text.keys.scopes[`${kind}:${level}`] ?? text.keys.nothing;

/** Scopes in words. */
export function scopeWords(scopes: readonly string[]): string {
  return scopes
    .map((scope) => {
      const [kind = "", level = ""] = scope.split(":");
      return `${text.keys.kinds[kind] ?? kind}: ${(text.keys.levels[level] ?? level).toLowerCase()}`;
    })
    .join(", ");
}
