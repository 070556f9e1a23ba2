// Dragging columns by their heads: a column lands before or after the one that it is over.

import { draggable, dropTargetForElements } from "@atlaskit/pragmatic-drag-and-drop/element/adapter";
import { useSignal, type Signal } from "@preact/signals";
import type { RefObject } from "preact";
import { useEffect } from "preact/hooks";
import type { BoardColumns } from "../../../model/planning/board-columns";

export type Edge = "start" | "end" | null;

/** Makes a column move by its head. Tells the edge at which a dragged column would land. */
export function useColumnDrag(
  head: RefObject<HTMLElement | null>, place: RefObject<HTMLElement | null>, id: string, columns: BoardColumns,
): Signal<Edge> {
  const edge = useSignal<Edge>(null);
  useEffect(() => {
    const [handle, element] = [head.current, place.current];
    if (!handle || !element) return;
    const edgeAt = (x: number): Edge => {
      const { left, width } = element.getBoundingClientRect();
      const isFirst = x < left + width / 2;
      return isFirst === (getComputedStyle(element).direction === "ltr") ? "start" : "end";
    };
    const stop = [
      draggable({ element: handle, getInitialData: () => ({ column: id }) }),
      dropTargetForElements({
        element,
        canDrop: ({ source }) => typeof source.data.column === "string" && source.data.column !== id,
        onDrag: ({ location }) => { edge.value = edgeAt(location.current.input.clientX); },
        onDragLeave: () => { edge.value = null; },
        onDrop: ({ location, source }) => {
          const isAfter = edgeAt(location.current.input.clientX) === "end";
          edge.value = null;
          const others = columns.all.filter(({ status }) => status.id !== source.data.column);
          const at = others.findIndex(({ status }) => status.id === id);
          if (typeof source.data.column === "string") void columns.move(source.data.column, at + (isAfter ? 1 : 0));
        },
      }),
    ];
    return () => stop.forEach((end) => end());
  }, [id, columns]);
  return edge;
}
