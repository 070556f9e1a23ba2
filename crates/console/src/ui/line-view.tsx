// The differing lines of two texts, with a few equal ones around them.

import { useMemo } from "preact/hooks";
import { differences, nearChanges, type DiffLine } from "./differences";
import { memo } from "./memo";

/** Equal lines that are shown around a change. */
const AROUND = 3;
const SIGNS = { added: "+", deleted: "−", same: " " };

export interface LineViewProps {
  before: string;
  after: string;
  label: string;
  /** Words for a number of equal lines that are left out. */
  equal: (count: number) => string;
}

export const LineView = memo(({ before, after, label, equal }: LineViewProps) => {
  const { rows, digits } = useMemo(() => {
    const lines = differences(before, after);
    const last = lines.at(-1);
    return { rows: nearChanges(lines, AROUND), digits: String(Math.max(last?.old ?? 0, last?.now ?? 0)).length };
  }, [before, after]);
  return (
    <pre class="code by-lines" tabIndex={0} role="region" aria-label={label}>
      {rows.map((row, at) => (row.kind === "gap" ? <span key={at} class="gap">{`${equal(row.count)}\n`}</span>
        : <ChangedLine key={at} line={row} digits={digits} />))}
    </pre>
  );
});

function ChangedLine({ line: { kind, text, old, now }, digits }: { line: DiffLine; digits: number }) {
  const Tag = kind === "added" ? "ins" : kind === "deleted" ? "del" : "span";
  return (
    <Tag
      class="change-line"
      data-old={(kind === "added" ? "" : String(old)).padStart(digits)}
      data-now={(kind === "deleted" ? "" : String(now)).padStart(digits)}
      data-sign={SIGNS[kind]}
    >
      {`${text}\n`}
    </Tag>
  );
}
