// A filter of cards with all that its bar shows of it, and the chips that it becomes.

import type { ReadonlySignal, Signal } from "@preact/signals";
import type { ComponentChild } from "preact";
import type { Sprint } from "../../api/planning/cards";
import type { Filter, FilteredCard } from "../../model/planning/board-filter";
import type { FieldColumn } from "../../model/planning/field-columns";
import type { FieldFilter } from "../../model/planning/field-filter";

export interface FilterSource {
  filter: Signal<Filter>;
  /** All cards, whose people and tags can be chosen. */
  cards: ReadonlySignal<readonly FilteredCard[]>;
  /** The number of cards that the filter shows. */
  shown: ReadonlySignal<number>;
  sprints?: ReadonlySignal<readonly Sprint[]>;
  /** Columns to choose from, where they are not seen as such. */
  columns?: ReadonlySignal<readonly { id: string; name: string; color: string }[]>;
  /** The caller, whose cards are found first. */
  me?: string;
  /** Custom fields, where their values are known. */
  fields?: FieldFilterSource;
}

export interface FieldFilterSource {
  filter: ReadonlySignal<FieldFilter>;
  columns: ReadonlySignal<readonly FieldColumn[]>;
  people: ReadonlySignal<ReadonlyMap<string, string>>;
  set: (filter: FieldFilter) => void;
}

export interface Chip {
  key: string;
  value: string;
  lead?: ComponentChild;
  /** Turns it round to its opposite, if it has one. */
  flip?: () => void;
  remove: () => void;
}
