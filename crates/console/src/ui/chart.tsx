// Parts of all charts: the place that they fill, an axis of values with a grid, a legend, and the numbers as a table.

import { useSignal, type ReadonlySignal } from "@preact/signals";
import type { ComponentChildren, RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

/** The width of an element as it is shown, so that words in a drawing keep their size. */
export function useWidth(usual: number): [RefObject<HTMLDivElement | null>, ReadonlySignal<number>] {
  const element = useRef<HTMLDivElement>(null);
  const width = useSignal(usual);
  useLayoutEffect(() => {
    const shown = element.current;
    if (!shown) return;
    const measure = () => { width.value = Math.max(240, Math.round(shown.clientWidth)) || usual; };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(shown);
    return () => observer.disconnect();
  }, []);
  return [element, width];
}

interface GridProps {
  marks: readonly number[];
  left: number;
  right: number;
  y: (value: number) => number;
  say?: (value: number) => string;
}

/** Lines across a drawing with their values at the left. */
export function Grid({ marks, left, right, y, say = String }: GridProps) {
  return (
    <>
      {marks.map((value) => (
        <g key={value}>
          <line class="grid" x1={left} x2={right} y1={y(value)} y2={y(value)} />
          <text x={left - 8} y={y(value) + 4} text-anchor="end">{say(value)}</text>
        </g>
      ))}
    </>
  );
}

interface LegendProps {
  /** The class and the name of each key. */
  keys: readonly (readonly [string, string])[];
  children?: ComponentChildren;
}

export function Legend({ keys, children }: LegendProps) {
  return (
    <figcaption class="legend">
      {keys.map(([kind, name]) => <span key={kind} class={`key ${kind}`}>{name}</span>)}
      {children}
    </figcaption>
  );
}

interface NumbersProps {
  caption: string;
  heads: readonly string[];
  rows: readonly (readonly ComponentChildren[])[];
}

/** A table with a head for each column; the first cell of a row names it. */
export function Numbers({ caption, heads, rows }: NumbersProps) {
  return (
    <div class="numbers-place" tabIndex={0} role="group" aria-label={caption}>
      <table class="numbers">
        <caption class="unseen">{caption}</caption>
        <thead><tr>{heads.map((head, at) => <th key={at} scope="col" dir="auto">{head}</th>)}</tr></thead>
        <tbody>
          {rows.map(([first, ...others], row) => (
            <tr key={row}>
              <th scope="row" dir="auto">{first}</th>
              {others.map((value, at) => <td key={at}>{value}</td>)}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
