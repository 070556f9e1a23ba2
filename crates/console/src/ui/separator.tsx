// The line between two parts of a page: it moves by the pointer and by arrow keys, and the browser remembers its place.

import { signal, type Signal } from "@preact/signals";
import { useMemo } from "preact/hooks";

const STEP_PX = 16;
const keyOf = (name: string) => `width:${name}`;

/** The width of a part that the person gave it, by the part's name. */
export function useKeptWidth(name: string, width: number): Signal<number> {
  return useMemo(() => signal(Number(localStorage.getItem(keyOf(name))) || width), [name]);
}

export interface SeparatorProps {
  label: string;
  name: string;
  width: Signal<number>;
  /** The width that a double click gives. */
  usual: number;
  least: number;
  most: number;
  /** The part is at the line's other side. */
  fromEnd?: boolean;
}

export function Separator({ label, name, width, usual, least, most, fromEnd = false }: SeparatorProps) {
  const set = (wanted: number) => { width.value = Math.round(Math.min(most, Math.max(least, wanted))); };
  const keep = (wanted: number) => {
    set(wanted);
    localStorage.setItem(keyOf(name), String(width.peek()));
  };
  const onKey = (event: KeyboardEvent) => {
    const sign = fromEnd ? -1 : 1;
    const steps: Record<string, number> =
      { ArrowLeft: width.peek() - sign * STEP_PX, ArrowRight: width.peek() + sign * STEP_PX, Home: least, End: most };
    const wanted = steps[event.key];
    if (wanted === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    keep(wanted);
  };
  const onPress = (event: PointerEvent & { currentTarget: HTMLElement }) => {
    const [line, from, before] = [event.currentTarget, event.clientX, width.peek()];
    line.setPointerCapture(event.pointerId);
    const move = (at: PointerEvent) => set(before + (fromEnd ? from - at.clientX : at.clientX - from));
    line.addEventListener("pointermove", move);
    line.addEventListener("lostpointercapture", () => {
      line.removeEventListener("pointermove", move);
      keep(width.peek());
    }, { once: true });
  };
  return (
    <div class="separator" role="separator" tabIndex={0} aria-orientation="vertical" aria-label={label}
      aria-valuemin={least} aria-valuemax={most} aria-valuenow={width.value}
      onKeyDown={onKey} onPointerDown={onPress} onDblClick={() => keep(usual)} />
  );
}
