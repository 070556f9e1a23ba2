// A page whose value is read first: a skeleton while it is, and the reason where it is refused.

import type { ComponentChildren } from "preact";
import { ApiError, reasonOf } from "../../api/errors";
import { text } from "../../text";
import { Failure, Skeleton } from "../../ui/empty";
import { useLoaded } from "../../ui/loaded";

interface PageStateProps<Value> {
  read: () => Promise<Value>;
  /** Reads again when they change. */
  keys: readonly unknown[];
  /** Called with a value that the page leaves. */
  close?: (value: Value) => void;
  children: (value: Value) => ComponentChildren;
}

export function PageState<Value>({ read, keys, close, children }: PageStateProps<Value>) {
  const { state, again } = useLoaded(read, keys, close);
  const loaded = state.value;
  if (loaded.state === "there") return <>{children(loaded.value)}</>;
  if (loaded.state === "waiting") return <Skeleton label={text.loading} />;
  const isHidden = loaded.error instanceof ApiError && loaded.error.status === 404;
  return (
    <Failure title={text.errors.title} reason={isHidden ? text.errors.hidden : reasonOf(loaded.error)}
      again={{ name: text.errors.again, run: again }}>
      <a class="button" href="/">{text.errors.home}</a>
    </Failure>
  );
}
