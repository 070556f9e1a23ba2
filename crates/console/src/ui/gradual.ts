// Long lists drawn a part at a time: the first frame shows what is seen, later ones the rest.

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";

/** How many of `total` items to draw now. It grows with each frame until all are drawn. */
export function useGradual(total: number, first: number, step: number): number {
  const budget = useSignal(first);
  const isDone = budget.value >= total;
  useEffect(() => {
    if (isDone) return;
    // Until the frame after the items' own, the processor is for showing them.
    let timer = 0;
    const frame = requestAnimationFrame(() => { timer = window.setTimeout(() => { budget.value += step; }); });
    return () => {
      cancelAnimationFrame(frame);
      clearTimeout(timer);
    };
  }, [budget.value, isDone]);
  return budget.value;
}
