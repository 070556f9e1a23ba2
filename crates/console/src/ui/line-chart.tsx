// Values over time as lines and as areas on each other, with a mark for the present and a readout of the moment under
// the pointer.

import { useSignal } from "@preact/signals";
import { useId } from "preact/hooks";
import { Grid, useWidth } from "./chart";
import { steps } from "./scale";

export type Point = readonly [at: number, value: number];

export interface Line {
  kind: string;
  points: readonly Point[];
  /** Fills what is below the line. */
  area?: boolean;
}

/** An area of a colour. */
export interface Band {
  key: string;
  color: string;
  points: readonly (readonly [at: number, low: number, high: number])[];
}

export interface LineChartProps {
  label: string;
  /** The content of the drawing in words, for screen readers. */
  description?: string;
  from: number;
  until: number;
  lines: readonly Line[];
  /** Areas below the lines, from the bottom up. */
  bands?: readonly Band[];
  /** Moments that are named at the axis; those for which there is no room are left out. */
  ticks: readonly { at: number; name: string }[];
  /** Changes worth a mark, with their text. */
  marks?: readonly { at: number; value: number; says: string }[];
  now?: { at: number; name: string } | undefined;
  /** Moments of which the pointer reads the values. */
  readouts?: readonly { at: number; says: string }[];
}

const [HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [280, 40, 12, 12, 28];
const TICK_PX = 72;

export function LineChart(props: LineChartProps) {
  const { label, description, from, until, lines, bands = [], ticks, marks = [], now, readouts = [] } = props;
  const [element, { value: width }] = useWidth(720);
  const described = useId();
  const pointed = useSignal<number | null>(null);
  const axis = steps(highest(lines, bands));
  const most = axis.at(-1) ?? 1;
  const x = (at: number) => LEFT + ((at - from) / Math.max(1, until - from)) * (width - LEFT - RIGHT);
  const y = (value: number) => TOP + (1 - value / most) * (HEIGHT - TOP - BOTTOM);
  const every = Math.max(1, Math.ceil((ticks.length * TICK_PX) / (width - LEFT - RIGHT)));
  const read = pointed.value === null ? undefined : readouts[pointed.value];
  const point = (event: PointerEvent & { currentTarget: Element }) => {
    const at = event.clientX - event.currentTarget.getBoundingClientRect().left;
    const distance = (index: number) => Math.abs(x(readouts[index]?.at ?? 0) - at);
    pointed.value = readouts.length === 0 ? null
      : readouts.reduce((near, _, index) => (distance(index) < distance(near) ? index : near), 0);
  };
  return (
    <div ref={element} class="chart-place">
      <svg class="chart" width={width} height={HEIGHT} viewBox={`0 0 ${width} ${HEIGHT}`} role="img" aria-label={label}
        aria-describedby={description ? described : undefined} onPointerMove={point}
        onPointerLeave={() => { pointed.value = null; }}>
        {description && <desc id={described}>{description}</desc>}
        <Grid marks={axis} left={LEFT} right={width - RIGHT} y={y} />
        {ticks.filter((_, at) => at % every === 0).map(({ at, name }) => (
          <text key={at} x={x(at)} y={HEIGHT - 8} text-anchor="middle">{name}</text>
        ))}
        {bands.map((band) => <Area key={band.key} band={band} x={x} y={y} />)}
        {lines.map((line) => <Drawn key={line.kind} line={line} x={x} y={y} />)}
        {marks.map(({ at, value, says }) => (
          <circle key={at} class="changed" cx={x(at)} cy={y(value)} r={4}><title>{says}</title></circle>
        ))}
        {now && <Rule at={x(now.at)} name={now.name} kind="today" width={width} />}
        {read && <Rule at={x(read.at)} name="" kind="pointed" width={width} />}
      </svg>
      {read && <p class="readout" aria-hidden="true">{read.says}</p>}
    </div>
  );
}

/** The highest value of a chart. The last band is on top of all others. */
const highest = (lines: readonly Line[], bands: readonly Band[]) => Math.max(0,
  ...lines.flatMap(({ points }) => points.map(([, value]) => value)),
  ...(bands.at(-1)?.points ?? []).map(([, , high]) => high));

interface Scales {
  x: (at: number) => number;
  y: (value: number) => number;
}

function Drawn({ line: { kind, points, area }, x, y }: Scales & { line: Line }) {
  const path = points.map(([at, value]) => `${x(at).toFixed(1)},${y(value).toFixed(1)}`).join(" ");
  const [first, last] = [points[0]?.[0] ?? 0, points.at(-1)?.[0] ?? 0];
  return (
    <>
      {area && <polygon class="area" points={`${x(first)},${y(0)} ${path} ${x(last)},${y(0)}`} />}
      <polyline class={kind} points={path} />
    </>
  );
}

function Area({ band: { color, points }, x, y }: Scales & { band: Band }) {
  const corner = (at: number, value: number) => `${x(at).toFixed(1)},${y(value).toFixed(1)}`;
  const above = points.map(([at, , high]) => corner(at, high));
  const below = points.map(([at, low]) => corner(at, low)).reverse();
  return <polygon class="band" style={{ "--band": color }} points={[...above, ...below].join(" ")} />;
}

function Rule({ at, name, kind, width }: { at: number; name: string; kind: string; width: number }) {
  const isLate = at > width - 56;
  return (
    <>
      <line class={kind} x1={at} x2={at} y1={TOP} y2={HEIGHT - BOTTOM} />
      {name && (
        <text class={`${kind}-name`} x={isLate ? at - 4 : at + 4} y={HEIGHT - BOTTOM - 6}
          text-anchor={isLate ? "end" : "start"}>{name}</text>
      )}
    </>
  );
}
