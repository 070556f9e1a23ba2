// Changed objects, one after the other. What was added or deleted with its parent is folded below it.

import type { Signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import type { Comparison } from "../../../model/content/compared-entry";
import { countsOf, nested } from "../../../model/content/comparison";
import { roving, type Roving } from "../../../ui/roving";
import { ChangedEntry } from "./entry";
import type { EntryAction, ListView } from "./list-view";

/** Entries that begin unfolded if there are no more. */
const UNFOLDED = 6;

interface ComparisonListProps {
  comparison: Comparison;
  /** Moves the focus among the entries, by their objects. */
  focus?: Roving;
  /** The object that is picked, here or in a view in space. */
  picked?: Signal<string | null>;
  /** The action on each entry. */
  action?: EntryAction;
  /** Stands in the heading, after the counts. */
  children?: ComponentChildren;
}

export function ComparisonList({ comparison, focus, picked, action }: ComparisonListProps) {
  const own = useMemo(roving, []);
  const folded = useMemo(() => nested(comparison.entries), [comparison]);
  const view: ListView = { comparison, ...folded, action, picked, focus: focus ?? own,
    isUnfolded: comparison.entries.length <= UNFOLDED };
  return (
    <section class="comparison">
      <h2>{countsOf(comparison)}</h2>
      {(folded.below.get("") ?? []).map((entry) => <ChangedEntry key={entry.objectId} entry={entry} view={view} />)}
    </section>
  );
}
