// Which of many rows of one height are near the viewport of the element that scrolls them.

import { elementScroll, observeElementOffset, observeElementRect, Virtualizer } from "@tanstack/virtual-core";
import { useSignal } from "@preact/signals";
import type { RefObject } from "preact";
import { useLayoutEffect, useMemo } from "preact/hooks";

interface VirtualRowsProps {
  count: number;
  rowHeight: number;
  /** Rows that are drawn beyond the viewport. */
  overscan: number;
  /** Height of a head that stands above the rows, and over those that are scrolled below it. */
  head?: number;
  scroller: RefObject<HTMLDivElement | null>;
  /** The row that is scrolled into view when `current` changes; below 0 for none. */
  current: string | undefined;
  placeOf: (current: string) => number;
}

export function useVirtualRows(props: VirtualRowsProps): Virtualizer<HTMLDivElement, HTMLElement> {
  const { count, rowHeight, overscan, head = 0, scroller, current, placeOf } = props;
  const drawn = useSignal(0);
  const virtual = useMemo(() => new Virtualizer<HTMLDivElement, HTMLElement>({
    count: 0, getScrollElement: () => scroller.current, estimateSize: () => rowHeight, observeElementRect,
    observeElementOffset, scrollToFn: elementScroll,
  }), []);
  virtual.setOptions({
    ...virtual.options,
    count,
    overscan,
    estimateSize: () => rowHeight,
    scrollMargin: head,
    scrollPaddingStart: head,
    onChange: () => { drawn.value += 1; },
  });
  void drawn.value;
  useLayoutEffect(() => virtual._didMount(), []);
  useLayoutEffect(() => virtual._willUpdate());
  useLayoutEffect(() => {
    const at = current ? placeOf(current) : -1;
    if (at >= 0) virtual.scrollToIndex(at, { align: "auto" });
  }, [current]);
  return virtual;
}
