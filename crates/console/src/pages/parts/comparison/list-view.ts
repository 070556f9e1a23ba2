// A list of changed objects, as its entries share it.

import type { Signal } from "@preact/signals";
import type { Comparison, Entry } from "../../../model/content/compared-entry";
import type { Roving } from "../../../ui/roving";

export interface EntryAction {
  name: string;
  says: (entry: Entry) => string;
  run: (entry: Entry) => void;
}

export interface ListView {
  comparison: Comparison;
  below: ReadonlyMap<string, readonly Entry[]>;
  above: (id: string) => readonly string[];
  inside: ReadonlyMap<string, number>;
  isUnfolded: boolean;
  focus: Roving;
  picked: Signal<string | null> | undefined;
  action: EntryAction | undefined;
}
