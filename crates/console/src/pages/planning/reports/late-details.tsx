// Details that are drawn when they are first opened: a year on a wide board has thousands of cells.

import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";

export function LateDetails({ summary, children }: { summary: string; children: () => ComponentChildren }) {
  const wasOpened = useSignal(false);
  return (
    <details onToggle={(event) => { if (event.currentTarget.open) wasOpened.value = true; }}>
      <summary>{summary}</summary>
      {wasOpened.value && children()}
    </details>
  );
}
