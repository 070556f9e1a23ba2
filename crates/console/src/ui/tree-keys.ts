// Keys of a tree: arrows and letters go through it, fold it, and open what is selected.

import { isComposing, letterOf } from "./keys";
import type { TreeProps } from "./tree-rows";

export function treeKeys(event: KeyboardEvent, { rows, selected, choose, fold, menu }: TreeProps, rowPx: number): void {
  if (isComposing(event)) return;
  const element = event.currentTarget as HTMLElement;
  const at = rows.findIndex(({ id }) => id === selected.peek());
  const row = rows[at];
  if (event.key === "ContextMenu" || (event.key === "F10" && event.shiftKey)) {
    event.preventDefault();
    const box = (element.querySelector("[aria-selected=true]") ?? element).getBoundingClientRect();
    return menu(selected.peek(), { x: box.left + 24, y: box.top + rowPx });
  }
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const page = Math.floor(element.clientHeight / rowPx);
  const go = (to: number) => {
    const next = rows[Math.max(0, Math.min(rows.length - 1, to))];
    if (next) choose(next.id, "arrows");
  };
  const moves: Record<string, (() => void) | undefined> = {
    ArrowDown: () => go(at + 1),
    ArrowUp: () => go(at - 1),
    j: () => go(at + 1),
    k: () => go(at - 1),
    PageDown: () => go(at + page),
    PageUp: () => go(at - page),
    Home: () => go(0),
    End: () => go(rows.length - 1),
    Enter: () => { if (row) choose(row.id, "enter"); },
    ArrowRight: () => {
      if (row?.isUnfolded) go(at + 1);
      else if (row?.isUnfolded === false) fold(row.id, true);
    },
    ArrowLeft: () => {
      if (row?.isUnfolded) fold(row.id, false);
      else if (row && rows.some(({ id }) => id === row.parent)) choose(row.parent, "arrows");
    },
  };
  const move = moves[letterOf(event)];
  if (!move) return;
  event.preventDefault();
  move();
}
