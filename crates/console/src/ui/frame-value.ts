// A signal that changes at most once a frame, for what grows faster than it can be drawn.

import { useSignal, type ReadonlySignal } from "@preact/signals";
import { useEffect } from "preact/hooks";

export function useFrameValue<Value>(source: ReadonlySignal<Value>): ReadonlySignal<Value> {
  const shown = useSignal(source.peek());
  useEffect(() => {
    let frame = 0;
    const stop = source.subscribe(() => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(() => { shown.value = source.peek(); });
    });
    return () => {
      stop();
      cancelAnimationFrame(frame);
    };
  }, [source]);
  return shown;
}
