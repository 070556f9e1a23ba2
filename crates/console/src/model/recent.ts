// The memory of places and actions that were chosen, last first. It is the tab's, and is forgotten by signing out.

import { signal } from "@preact/signals";
import { readStored, store } from "../api/storage";
import type { MarkedPart } from "./content/excerpt";
import type { Pictured } from "./content/shape-kinds";

export interface RecentPlace {
  name: string;
  href: string;
  where: string;
  icon: string;
  /** The key of the card that it is. */
  cardKey?: string | null;
  /** The object that it is, if that has a picture. */
  pictured?: Pictured | undefined;
  /** The words of a search in its text, if it was found by them. */
  excerpt?: MarkedPart[] | undefined;
}

/** A place, or the name of an action. */
export type Choice = RecentPlace | string;

const KEY = "recent";
const MOST = 30;
const keyOf = (choice: Choice) => (typeof choice === "string" ? choice : choice.href);

const choices = signal<readonly Choice[] | null>(null);

export function recent(): readonly Choice[] {
  return choices.value ?? readStored<Choice[]>(KEY) ?? [];
}

export const recentPlaces = () => recent().filter((choice) => typeof choice !== "string");

/** Notes a choice. */
export function noteChoice(choice: Choice): void {
  const now = [choice, ...recent().filter((one) => keyOf(one) !== keyOf(choice))].slice(0, MOST);
  store(KEY, now);
  choices.value = now;
}

/** The rank of a choice by use: less is more recent. */
export function rankOf(key: string): number {
  const at = recent().findIndex((one) => keyOf(one) === key);
  return at < 0 ? MOST : at;
}

export function forgetChoices(): void {
  choices.value = null;
}
