// Values that are read when a component opens: waiting, there, or refused. Late answers of earlier readings are
// dropped.

import { useComputed, useSignal, type ReadonlySignal } from "@preact/signals";
import { useEffect } from "preact/hooks";

export type Loaded<Value> =
  { state: "waiting" } | { state: "there"; value: Value } | { state: "refused"; error: unknown };

/** Reads when `keys` change. `close` is called with a value that is left. */
export function useLoaded<Value>(
  read: () => Promise<Value>,
  keys: readonly unknown[],
  close?: (value: Value) => void,
) {
  const loaded = useSignal<Loaded<Value>>({ state: "waiting" });
  const turn = useSignal(0);
  useEffect(() => {
    let [isLeft, open] = [false, undefined as { value: Value } | undefined];
    loaded.value = { state: "waiting" };
    read().then(
      (value) => {
        if (isLeft) return close?.(value);
        open = { value };
        loaded.value = { state: "there", value };
      },
      (error: unknown) => {
        if (!isLeft) loaded.value = { state: "refused", error };
      },
    );
    return () => {
      isLeft = true;
      if (open) close?.(open.value);
    };
  }, [...keys, turn.value]);
  const state: ReadonlySignal<Loaded<Value>> = useComputed(() => loaded.value);
  return {
    state,
    again: () => {
      turn.value += 1;
    },
  };
}
