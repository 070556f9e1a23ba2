// Keys of a list: `j` and `k` move the focus from row to row, and Enter opens the one that has it.

import type { RefObject } from "preact";
import { useActions } from "../../ui/actions";
import { text } from "../../text";

/** Gives the rows that `selector` finds in a list their keys; `group` is the page that the keys are listed under. */
export function useRowKeys(list: RefObject<HTMLElement | null>, selector: string, group: string): void {
  const step = (by: number) => () => {
    const rows = [...list.current?.querySelectorAll<HTMLElement>(selector) ?? []]
      .filter((row) => row.checkVisibility());
    const at = rows.findIndex((row) => row === document.activeElement);
    rows[at < 0 ? 0 : Math.max(0, Math.min(rows.length - 1, at + by))]?.focus();
  };
  useActions(() => [
    { name: text.list.next, key: "j", group, run: step(1) },
    { name: text.list.previous, key: "k", group, run: step(-1) },
    { name: text.list.opens, key: "Enter", group },
  ]);
}
