// Two texts by lines: which were deleted, added, or stayed.

import { diffArrays } from "diff";

export interface DiffLine {
  kind: "same" | "deleted" | "added";
  text: string;
  /** Numbers of the line in both texts. That of a text without it is the next one's. */
  old: number;
  now: number;
}

/** Most changed lines that are searched for; texts that differ by more are shown one after the other. */
const MOST = 1500;

const linesOf = (content: string) => content.replace(/\n$/, "").split("\n");

/** The lines of both texts in the order of the second. */
export function differences(before: string, after: string): DiffLine[] {
  const [base, head] = [linesOf(before), linesOf(after)];
  const changes = diffArrays(base, head, { maxEditLength: MOST }) ?? [
    { value: base, added: false, removed: true },
    { value: head, added: true, removed: false },
  ];
  const lines: DiffLine[] = [];
  let [old, now] = [1, 1];
  for (const { value, added, removed } of changes) {
    for (const text of value) {
      lines.push({ kind: added ? "added" : removed ? "deleted" : "same", text, old, now });
      if (!added) old += 1;
      if (!removed) now += 1;
    }
  }
  return lines;
}

/** A run of equal lines that is left out, by its length. */
export type DiffRow = DiffLine | { kind: "gap"; count: number };

/** The changed lines with some equal ones around them. */
export function nearChanges(lines: readonly DiffLine[], around: number): DiffRow[] {
  const near = new Set<number>();
  lines.forEach(({ kind }, at) => {
    if (kind === "same") return;
    for (let step = at - around; step <= at + around; step += 1) near.add(step);
  });
  const rows: DiffRow[] = [];
  lines.forEach((line, at) => {
    const last = rows.at(-1);
    if (near.has(at)) rows.push(line);
    else if (last?.kind === "gap") last.count += 1;
    else rows.push({ kind: "gap", count: 1 });
  });
  return rows;
}
