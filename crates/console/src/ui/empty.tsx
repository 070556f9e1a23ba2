// Placeholders for content: an empty state with its one action, a refusal, and a page that is still read.

import type { ComponentChildren } from "preact";
import { Button } from "./button";
import { Icon } from "./icon";

export function Empty({ icon, title, children }: { icon?: string; title?: string; children: ComponentChildren }) {
  return (
    <section class="empty">
      {icon && <Icon name={icon} />}
      {title && <h1>{title}</h1>}
      {children}
    </section>
  );
}

interface FailureProps {
  title: string;
  reason: string;
  again: { name: string; run: () => void };
  children?: ComponentChildren;
}

/** Why something can't be shown, and how to go on. */
export function Failure({ title, reason, again, children }: FailureProps) {
  return (
    <Empty title={title}>
      <p role="alert">{reason}</p>
      <div class="actions"><Button name={again.name} kind="primary" onClick={again.run} />{children}</div>
    </Empty>
  );
}

/** Rows in the place of a list that is read. Styles show them late, so that fast answers don't flicker. */
export function Skeleton({ rows = 6, label }: { rows?: number; label: string }) {
  return (
    <div class="skeleton loading" role="status" aria-label={label}>
      {Array.from({ length: rows }, (_, at) => <div key={at} class="skeleton-row" aria-hidden="true" />)}
    </div>
  );
}
