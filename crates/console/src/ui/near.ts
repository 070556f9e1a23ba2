// Elements that come near the viewport, whose content is fetched then.

import { signal, type ReadonlySignal } from "@preact/signals";
import type { RefObject } from "preact";
import { useEffect, useMemo } from "preact/hooks";

/** True from the first time that an element is near the viewport. */
export function useNear(element: RefObject<Element | null>, margin = "400px"): ReadonlySignal<boolean> {
  const isNear = useMemo(() => signal(false), []);
  useEffect(() => {
    if (!element.current || isNear.peek()) return;
    const seen = new IntersectionObserver((entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      isNear.value = true;
      seen.disconnect();
    }, { rootMargin: margin });
    seen.observe(element.current);
    return () => seen.disconnect();
  }, []);
  return isNear;
}
