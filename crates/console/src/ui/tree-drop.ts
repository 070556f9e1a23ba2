// Drops on a tree: files on a folder, and rows on other ones. The row that takes them lights up.

import type { Signal } from "@preact/signals";
import { hasFiles } from "./dropped";
import { rowIdOf, type TreeProps } from "./tree-rows";

const ROW = "application/x-atelier-object";

export function treeDrop({ dropsOn, moved, dropped }: TreeProps, lit: Signal<string | null>) {
  const isRow = (event: DragEvent) => event.dataTransfer?.types.includes(ROW) ?? false;
  return {
    onDragStart: (event: DragEvent) => event.dataTransfer?.setData(ROW, rowIdOf(event) ?? ""),
    onDragOver: (event: DragEvent) => {
      if (!isRow(event) && !hasFiles(event)) return;
      event.preventDefault();
      lit.value = dropsOn(rowIdOf(event), isRow(event));
    },
    onDragLeave: (event: DragEvent) => {
      const to = event.relatedTarget;
      if (!(to instanceof Node && (event.currentTarget as Element).contains(to))) lit.value = null;
    },
    onDragEnd: () => { lit.value = null; },
    onDrop: (event: DragEvent) => {
      const [row, on] = [event.dataTransfer?.getData(ROW), dropsOn(rowIdOf(event), isRow(event))];
      lit.value = null;
      if (!row && !hasFiles(event)) return;
      event.preventDefault();
      if (row) moved(row, on);
      else if (event.dataTransfer) dropped(event.dataTransfer, on);
    },
  };
}
