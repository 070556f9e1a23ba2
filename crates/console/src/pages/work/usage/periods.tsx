// The period of a report and its grouping. Each choice is a step of the address.

import type { UsageOf } from "../../../api/work/usage";
import { GROUPINGS, lastDays, type Period } from "../../../model/work/usage";
import { text } from "../../../text";
import { setParameters } from "../../../ui/address";
import { Select } from "../../../ui/picker";
import { DateField } from "../../parts/date-field";

const PRESETS = [7, 30, 90];

const choose = (now: Partial<Period>) => setParameters({ ...now }, { push: true });

export function Periods({ of, period: { from, to, by } }: { of: UsageOf; period: Period }) {
  const today = lastDays(1).to;
  return (
    <div class="periods" role="group" aria-label={text.usage.period}>
      <DateField label={text.usage.from} name="from" value={from} today={today} required
        onChange={(day) => choose({ from: day, to: day > to ? day : to, by })} />
      <DateField label={text.usage.to} name="to" value={to} today={today} required
        onChange={(day) => choose({ from: day < from ? day : from, to: day, by })} />
      <div class="switch" role="group" aria-label={text.usage.period}>
        {PRESETS.map((days) => {
          const preset = lastDays(days);
          return (
            <button key={days} type="button" aria-pressed={preset.from === from && preset.to === to}
              onClick={() => choose({ ...preset, by })}>{text.usage.lastDays(days)}</button>
          );
        })}
      </div>
      <Select label={text.usage.by} name="by" value={by}
        choices={GROUPINGS[of.kind].map((value) => ({ value, name: text.usage.groups[value] ?? value }))}
        onChange={(value) => choose({ from, to, by: value as Period["by"] })} />
    </div>
  );
}
