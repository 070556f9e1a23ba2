// Dragging rows of lists by the mouse: the place in a list that a height means, and the drop that moves a row there.

import { draggable, dropTargetForElements } from "@atlaskit/pragmatic-drag-and-drop/element/adapter";
import { useSignal, type Signal } from "@preact/signals";
import type { RefObject } from "preact";
import { useEffect } from "preact/hooks";

/** Makes a row draggable; true while it is dragged. */
export function useRowDrag(element: RefObject<HTMLElement | null>, id: string, name: string): Signal<boolean> {
  const isDragged = useSignal(false);
  useEffect(() => {
    if (!element.current) return;
    return draggable({
      element: element.current,
      getInitialData: () => ({ row: id }),
      getInitialDataForExternal: () => ({ "text/plain": name }),
      onDragStart: () => { isDragged.value = true; },
      onDrop: () => { isDragged.value = false; },
    });
  }, [id, name]);
  return isDragged;
}

/** The place in a list at which a dragged row would land. */
export interface Landing {
  at: number;
  /** The height of the line that marks it, within the list; null where rows have no order. */
  top: number | null;
}

interface ListDropOptions {
  /** The list of rows, with `data-item` each. */
  list: RefObject<HTMLElement | null>;
  drop: (row: string, at: number) => void;
}

/** Takes dropped rows into an element that holds a list; where a dragged one would land, or null. */
export function useListDrop(place: RefObject<HTMLElement | null>, { list, drop }: ListDropOptions) {
  const landing = useSignal<Landing | null>(null);
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    return dropTargetForElements({
      element,
      canDrop: ({ source }) => typeof source.data.row === "string",
      onDrag: ({ location, source }) => {
        const now = landingIn(list.current, location.current.input.clientY, source.data.row);
        const before = landing.peek();
        if (before?.at !== now.at || before.top !== now.top) landing.value = now;
      },
      onDragLeave: () => { landing.value = null; },
      onDrop: ({ location, source }) => {
        landing.value = null;
        const { row } = source.data;
        if (typeof row === "string") drop(row, landingIn(list.current, location.current.input.clientY, row).at);
      },
    });
  }, [drop]);
  return landing;
}

function landingIn(list: HTMLElement | null, y: number, dragged: unknown): Landing {
  const rows = [...list?.querySelectorAll<HTMLElement>("[data-item]") ?? []]
    .filter((row) => row.dataset.item !== dragged);
  const below = rows.findIndex((row) => {
    const { top, height } = row.getBoundingClientRect();
    return y < top + height / 2;
  });
  const at = below < 0 ? rows.length : below;
  if (!list || rows.length === 0) return { at, top: null };
  const [next, above] = [rows[at], rows[at - 1]];
  const edge = next?.getBoundingClientRect().top ?? above?.getBoundingClientRect().bottom ?? 0;
  return { at, top: Math.round(edge - list.getBoundingClientRect().top + list.scrollTop) };
}
