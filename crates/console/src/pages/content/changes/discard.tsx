// Taking back uncommitted changes, one or all, with what depends on them.

import type { RefObject } from "preact";
import type { Changes } from "../../../model/content/changes";
import type { Entry } from "../../../model/content/compared-entry";
import { tell } from "../../../model/messages";
import { text } from "../../../text";
import { ask } from "../../../ui/dialog";
import type { Roving } from "../../../ui/roving";

export interface ChangesView {
  changes: Changes;
  /** The focus among the changes, and the link that an empty list leads to. */
  focus: Roving;
  toFiles: RefObject<HTMLAnchorElement | null>;
}

/** Asks before changes are discarded: all, or one with those that depend on it. */
export function askDiscard({ changes, focus, toFiles }: ChangesView, one?: Entry): void {
  const some = one ? changes.together(one) : undefined;
  const gone = new Set(some?.map(({ objectId }) => objectId));
  const staying = () => changes.comparison.peek().entries.filter(({ objectId }) => !gone.has(objectId));
  const at = one ? staying().filter((other) => isBefore(changes, other, one)).length : 0;
  ask({
    title: one ? text.versions.discards : text.versions.discardsAll,
    action: text.versions.discard,
    cancel: text.cancel,
    danger: true,
    fields: <p dir="auto">{one ? costOf(one, (some?.length ?? 1) - 1) : text.versions.goes(changes.total.peek())}</p>,
    async send() {
      await changes.discard(some);
      tell(text.versions.discarded);
      // What was pressed is gone; the change that took its place goes on, after the dialog has closed.
      requestAnimationFrame(() => {
        // The list may not have been read again yet.
        const now = staying();
        const next = now[Math.min(at, now.length - 1)];
        if (next) focus.focus(next.objectId);
        else toFiles.current?.focus();
      });
    },
  });
}

function isBefore(changes: Changes, other: Entry, one: Entry): boolean {
  const { entries } = changes.comparison.peek();
  return entries.indexOf(other) < entries.indexOf(one);
}

function costOf({ change, name }: Entry, more: number): string {
  if (change === "added") return text.versions.removes(name, more);
  return change === "deleted" ? text.versions.comesBack(name, more) : text.versions.goesOne(name);
}
