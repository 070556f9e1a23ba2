// The item of a list that has the focus. An item that moves in the page, and so is drawn in another place, keeps it.

import { signal, type Signal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";

export interface Roving {
  /** The key of the item that has the focus, or had it last. */
  current: Signal<string>;
  /** Moves the focus to an item. */
  focus: (key: string) => void;
}

const elements = new WeakMap<Roving, Map<string, HTMLElement>>();

export function roving(): Roving {
  const own = new Map<string, HTMLElement>();
  const current = signal("");
  const made: Roving = { current, focus(key) {
    current.value = key;
    own.get(key)?.focus();
  } };
  elements.set(made, own);
  return made;
}

/** The properties of an item's focusable element. */
export function useRovingItem<Item extends HTMLElement>(list: Roving, key: string) {
  const ref = useRef<Item>(null);
  useLayoutEffect(() => {
    const [own, element] = [elements.get(list), ref.current];
    if (!element || !own) return;
    const before = own.get(key);
    own.set(key, element);
    const active = document.activeElement;
    // Its element of the place before has gone, or leaves in this drawing.
    const lost = active === document.body || active === before;
    if (list.current.peek() === key && before && before !== element && lost) element.focus({ preventScroll: true });
    return () => { if (!own.get(key)?.isConnected) own.delete(key); };
  }, [key]);
  return { ref, onFocus: () => { list.current.value = key; } };
}
