// Values as bars, in groups that are named at the axis.

import { Grid, useWidth } from "./chart";
import { halves, shortened, steps } from "./scale";

export interface BarGroup {
  name: string;
  bars: readonly { kind: string; value: number; says: string }[];
}

export interface BarChartProps {
  groups: readonly BarGroup[];
  /** A description of the drawing; without it a table says the same, and it is hidden from screen readers. */
  label?: string;
  class?: string;
  /** Values are whole, and so is the axis. */
  whole?: boolean;
  say?: (value: number) => string;
  /** A value that is marked by a line across. */
  average?: number;
}

const [HEIGHT, LEFT, TOP, BOTTOM] = [240, 56, 12, 28];
const [LETTER_PX, LEAST_NAME_PX, WIDEST_PX, LEAST_GROUPS] = [7, 56, 36, 4];

export function BarChart({ groups, label, class: kind = "", whole = false, say = String, average }: BarChartProps) {
  const [element, { value: width }] = useWidth(720);
  const highest = Math.max(0, ...groups.flatMap(({ bars }) => bars.map(({ value }) => value)));
  const axis = whole ? steps(highest) : halves(highest);
  const most = axis.at(-1) ?? 1;
  const y = (value: number) => TOP + (1 - value / most) * (HEIGHT - TOP - BOTTOM);
  const step = (width - LEFT) / Math.max(groups.length, LEAST_GROUPS);
  const every = Math.max(1, Math.ceil(LEAST_NAME_PX / step));
  const letters = Math.max(4, Math.floor((step * every) / LETTER_PX) - 1);
  const accessible = label ? { role: "img" as const, "aria-label": label } : { "aria-hidden": "true" as const };
  return (
    <div ref={element} class="chart-place">
      <svg class={`chart ${kind}`} width={width} height={HEIGHT} viewBox={`0 0 ${width} ${HEIGHT}`} {...accessible}>
        <Grid marks={axis} left={LEFT} right={width} y={y} say={say} />
        {groups.map((group, at) => (
          <Group key={at} group={group} middle={LEFT + step * (at + 0.5)} step={step} y={y}
            name={at % every === 0 ? shortened(group.name, letters) : ""} />
        ))}
        {average !== undefined && <line class="ideal" x1={LEFT} x2={width} y1={y(average)} y2={y(average)} />}
      </svg>
    </div>
  );
}

interface GroupProps {
  group: BarGroup;
  middle: number;
  step: number;
  name: string;
  y: (value: number) => number;
}

function Group({ group: { bars }, middle, step, name, y }: GroupProps) {
  const width = Math.max(1, Math.min(WIDEST_PX, (step * 0.72) / Math.max(1, bars.length)));
  const left = middle - (width * bars.length + (bars.length - 1) * 2) / 2;
  return (
    <g>
      {bars.map(({ kind, value, says }, at) => (
        <rect key={kind} class={`bar ${kind}`} x={left + at * (width + 2)} y={y(value)} width={width}
          height={y(0) - y(value)} rx={Math.min(2, width / 2)}><title>{says}</title></rect>
      ))}
      {name && <text x={middle} y={HEIGHT - 8} text-anchor="middle">{name}</text>}
    </g>
  );
}
