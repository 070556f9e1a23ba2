// A scroller that follows its end while the reader is near it.

import { useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";

const NEAR_PX = 60;

/** Follows the end again when `keys` change and when the scroller's own size does. */
export function useFollowEnd(keys: readonly unknown[]) {
  const scroller = useRef<HTMLDivElement>(null);
  const isBehind = useSignal(false);
  const at = useRef(0);
  const toEnd = () => {
    const element = scroller.current;
    if (element) element.scrollTop = element.scrollHeight;
    isBehind.value = false;
  };
  const follow = () => {
    if (!isBehind.peek()) toEnd();
  };
  useLayoutEffect(follow, [...keys]);
  useLayoutEffect(() => {
    if (!scroller.current) return;
    const sizes = new ResizeObserver(follow);
    sizes.observe(scroller.current);
    return () => sizes.disconnect();
  }, []);
  const onScroll = () => {
    const element = scroller.current;
    if (!element) return;
    const { scrollHeight, scrollTop, clientHeight } = element;
    const isNear = scrollHeight - scrollTop - clientHeight <= NEAR_PX;
    // Only a reader goes up. A scroller that shrinks is told of an earlier scroll before its size.
    if (isNear || scrollTop < at.current) isBehind.value = !isNear;
    at.current = scrollTop;
  };
  return { scroller, isBehind, toEnd, follow, onScroll };
}
