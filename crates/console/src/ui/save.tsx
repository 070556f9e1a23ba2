// Files that are saved on the person's disk.

import { signal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";

const KEPT_MS = 60_000;
const saved = signal<{ url: string; name: string } | null>(null);

/** Saves bytes below a name. */
export function saveBlob(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  setTimeout(() => URL.revokeObjectURL(url), KEPT_MS);
  saved.value = { url, name };
}

/** The link by which files are saved. A page that saves files has it once. */
export function SaveHost() {
  const link = useRef<HTMLAnchorElement>(null);
  const now = saved.value;
  useLayoutEffect(() => {
    if (now) link.current?.click();
    saved.value = null;
  }, [now]);
  return now && <a ref={link} hidden href={now.url} download={now.name}>{now.name}</a>;
}
