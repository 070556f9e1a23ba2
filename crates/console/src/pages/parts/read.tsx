// A part of a page that is read when it is shown: waiting, there, or refused.

import type { ComponentChildren } from "preact";
import { reasonOf } from "../../api/errors";
import { text } from "../../text";
import { useLoaded } from "../../ui/loaded";

interface ReadProps<Value> {
  read: () => Promise<Value>;
  /** Reads again when they change. */
  keys: readonly unknown[];
  children: (value: Value) => ComponentChildren;
}

export function Read<Value>({ read, keys, children }: ReadProps<Value>) {
  const loaded = useLoaded(read, keys).state.value;
  if (loaded.state === "there") return <>{children(loaded.value)}</>;
  if (loaded.state === "refused") return <p class="failure" role="alert">{reasonOf(loaded.error)}</p>;
  return <p class="soft loading">{text.loading}</p>;
}
