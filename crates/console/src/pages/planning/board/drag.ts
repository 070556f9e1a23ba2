// Dragging cards by the mouse: the place in a column that a height means, and the drop that moves the card there.

import { draggable, dropTargetForElements } from "@atlaskit/pragmatic-drag-and-drop/element/adapter";
import { useSignal, useSignalEffect, type Signal } from "@preact/signals";
import type { RefObject } from "preact";
import { useEffect } from "preact/hooks";
import type { BoardCard } from "../../../api/planning/boards";
import type { BoardLanes } from "../../../model/planning/board-lanes";
import type { Cell } from "../../../model/planning/lanes";
import { placeIn } from "./place-in";
import { isTouched, lifted } from "./touch";

/** Half of the gap between two cards. */
const GAP_PX = 3;

/** Makes a card draggable; true while it is dragged. */
export function useCardDrag(element: RefObject<HTMLElement | null>, { id, name }: BoardCard): Signal<boolean> {
  const isDragged = useSignal(false);
  useEffect(() => {
    if (!element.current) return;
    return draggable({
      element: element.current,
      canDrag: () => !isTouched.current,
      getInitialData: () => ({ card: id }),
      getInitialDataForExternal: () => ({ "text/plain": name }),
      onDragStart: () => {
        isDragged.value = true;
      },
      onDrop: () => {
        isDragged.value = false;
      },
    });
  }, [id, name]);
  return isDragged;
}

/** Takes dropped cards into a column, or its part in a lane; the height at which a dragged one would land, or null. */
export function useColumnDrop(
  list: RefObject<HTMLElement | null>,
  { column, lane }: Cell,
  lanes: BoardLanes,
): Signal<number | null> {
  const landing = useSignal<number | null>(null);
  const light = (y: number, card: unknown) => {
    if (list.current) landing.value = landingAt(list.current, y, card);
  };
  useSignalEffect(() => {
    const now = lifted.value;
    if (now?.over?.column === column && now.over.lane === lane) light(now.over.y, now.id);
    else if (landing.peek() !== null) landing.value = null;
  });
  useEffect(() => {
    const element = list.current;
    const target = element?.closest("[data-column]");
    if (!element || !target) return;
    return dropTargetForElements({
      element: target,
      canDrop: ({ source: { data } }) => typeof data.card === "string",
      onDrag: ({ location, source }) => light(location.current.input.clientY, source.data.card),
      onDragLeave: () => {
        landing.value = null;
      },
      onDrop: ({ location, source }) => {
        landing.value = null;
        const { card } = source.data;
        if (typeof card === "string")
          lanes.move(card, { column, lane }, placeIn(element, location.current.input.clientY, card).at);
      },
    });
  }, [column, lane, lanes]);
  return landing;
}

/** The height in the list of the line at which a card would land. */
function landingAt(list: HTMLElement, y: number, card: unknown): number {
  const { others, at } = placeIn(list, y, card);
  const [next, above] = [others[at], others[at - 1]];
  const top = list.getBoundingClientRect().top;
  const edge = next ? next.getBoundingClientRect().top - GAP_PX
    : (above?.getBoundingClientRect().bottom ?? top) + GAP_PX;
  return edge - top + list.scrollTop;
}
