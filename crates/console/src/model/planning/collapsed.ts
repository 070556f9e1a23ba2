// Columns that the person has collapsed. The browser remembers them.

import { signal } from "@preact/signals";

const KEY = "collapsed";
const MOST = 200;

function read(): ReadonlySet<string> {
  try {
    return new Set(JSON.parse(globalThis.localStorage?.getItem(KEY) ?? "[]") as string[]);
  } catch {
    return new Set();
  }
}

export const collapsed = signal(read());

export function toggleCollapsed(column: string): void {
  const now = new Set(collapsed.value);
  if (!now.delete(column)) now.add(column);
  collapsed.value = now;
  globalThis.localStorage?.setItem(KEY, JSON.stringify([...now].slice(-MOST)));
}
