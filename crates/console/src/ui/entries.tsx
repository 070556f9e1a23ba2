// A list of people, keys, or other entries: a mark, a name with facts below it, and what can be done at the end.

import type { ComponentChildren } from "preact";
import { Avatar } from "./avatar";
import { Icon } from "./icon";

/** Entries, or the words that stand in their place. */
export function Entries({ label, empty, children }: { label: string; empty?: string; children: ComponentChildren[] }) {
  if (children.length === 0) return empty ? <p class="soft none">{empty}</p> : null;
  return <ul class="entries" aria-label={label}>{children}</ul>;
}

export interface EntryProps {
  name: string;
  /** Id of the person whom the entry is about. */
  of?: string | undefined;
  /** Icon in place of the person's letters. */
  icon?: string | undefined;
  /** Stands after the name. */
  note?: string | undefined;
  below?: ComponentChildren;
  /** The actions of an entry. */
  children?: ComponentChildren;
}

export function Entry({ name, of, icon, note, below, children }: EntryProps) {
  return (
    <li class="entry">
      {icon ? <Icon name={icon} /> : <Avatar name={name} of={of} decorative />}
      <div class="who">
        <span class="name" dir="auto">{name}{note && <span class="soft"> {note}</span>}</span>
        <span class="soft">{below}</span>
      </div>
      <div class="acts">{children}</div>
    </li>
  );
}
