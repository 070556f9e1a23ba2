// A month to choose a day from, by the mouse, by arrow keys, or by typing it.

import { useSignal, type Signal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { Button } from "./button";
import { addDays, addMonths, firstWeekday, parseDay, sayDay, weekdayOf, weeksOf, type DayText } from "./calendar";
import { isComposing } from "./keys";

export interface DateWords {
  type: string;
  notDay: string;
  previous: string;
  next: string;
  today: string;
  clear: string;
  none: string;
}

export interface MonthProps {
  value: DayText;
  today: DayText;
  words: DateWords;
  /** Without it the day can't be removed. */
  clear?: (() => void) | undefined;
  choose: (day: DayText) => void;
}

export function Month({ value, today, words, clear, choose }: MonthProps) {
  const shown = useSignal(value || today);
  const grid = useRef<HTMLTableElement>(null);
  const isMoved = useRef(false);
  const onKey = (event: KeyboardEvent) => {
    const to = dayOfKey(event.key, shown.value);
    if (!to) return;
    event.preventDefault();
    isMoved.current = true;
    shown.value = to;
  };
  // The day that had the focus may be in the page no more.
  useLayoutEffect(() => {
    if (isMoved.current) grid.current?.querySelector<HTMLElement>("[tabindex='0']")?.focus();
    isMoved.current = false;
  }, [shown.value]);
  const title = sayDay(shown.value, { day: undefined, month: "long" });
  return (
    <div class="month">
      <TypedDay today={today} words={words} shown={shown} choose={choose} />
      <div class="month-head">
        <Turn name={words.previous} icon="back" by={-1} shown={shown} />
        <strong aria-live="polite">{title}</strong>
        <Turn name={words.next} icon="open" by={1} shown={shown} />
      </div>
      <table ref={grid} role="grid" aria-label={title} onKeyDown={onKey}>
        <Weekdays />
        <tbody>
          {weeksOf(shown.value, firstWeekday()).map((week) => (
            <tr key={week[0]}>
              {week.map((day) => (
                <DayCell key={day} {...{ day, value, today, choose }} shown={shown.value} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <div class="month-foot">
        <Button name={words.today} kind="plain small" onClick={() => choose(today)} />
        {clear && <Button name={words.clear} kind="plain small" onClick={clear} />}
      </div>
    </div>
  );
}

/** The day to which a key goes. */
function dayOfKey(key: string, day: DayText): DayText | undefined {
  const inWeek = (weekdayOf(day) - firstWeekday() + 7) % 7;
  const moves: Record<string, () => DayText> = {
    ArrowLeft: () => addDays(day, -1),
    ArrowRight: () => addDays(day, 1),
    ArrowUp: () => addDays(day, -7),
    ArrowDown: () => addDays(day, 7),
    PageUp: () => addMonths(day, -1),
    PageDown: () => addMonths(day, 1),
    Home: () => addDays(day, -inWeek),
    End: () => addDays(day, 6 - inWeek),
  };
  return moves[key]?.();
}

function Turn({ name, icon, by, shown }: { name: string; icon: string; by: number; shown: Signal<DayText> }) {
  const turn = () => {
    shown.value = addMonths(shown.value, by);
  };
  return <Button name={name} icon={icon} kind="plain small" quiet onClick={turn} />;
}

function Weekdays() {
  const [week = []] = weeksOf("2026-11-27", firstWeekday());
  const name = (day: DayText, weekday: "short" | "long") =>
    new Date(day).toLocaleDateString(undefined, { weekday, timeZone: "UTC" });
  return (
    <thead>
      <tr>
        {week.map((day) => (
          <th key={day} scope="col" abbr={name(day, "long")}>
            {name(day, "short").slice(0, 2)}
          </th>
        ))}
      </tr>
    </thead>
  );
}

interface DayCellProps extends Pick<MonthProps, "value" | "today" | "choose"> {
  day: DayText;
  shown: DayText;
}

function DayCell({ day, value, today, shown, choose }: DayCellProps) {
  const kind = `day${day.slice(0, 7) === shown.slice(0, 7) ? "" : " other"}${day === today ? " today" : ""}`;
  return (
    <td aria-selected={day === value}>
      <button
        type="button"
        class={kind}
        tabIndex={day === shown ? 0 : -1}
        aria-label={sayDay(day, { weekday: "long", month: "long" })}
        aria-current={day === today ? "date" : undefined}
        onClick={() => choose(day)}
      >
        {Number(day.slice(8))}
      </button>
    </td>
  );
}

function TypedDay({ today, words, shown, choose }: Pick<MonthProps, "today" | "words" | "choose"> & {
  shown: Signal<DayText>;
}) {
  const isWrong = useSignal(false);
  const input = (typed: string) => {
    const day = parseDay(typed, today);
    isWrong.value = false;
    if (day) shown.value = day;
  };
  const onKey = (event: KeyboardEvent & { currentTarget: HTMLInputElement }) => {
    if (event.key !== "Enter" || isComposing(event)) return;
    event.preventDefault();
    const day = parseDay(event.currentTarget.value, today);
    if (day) choose(day);
    isWrong.value = !day;
  };
  return (
    <>
      <input
        type="text"
        autocomplete="off"
        aria-label={words.type}
        placeholder={sayDay(today)}
        aria-invalid={isWrong.value || undefined}
        onInput={(event) => input(event.currentTarget.value)}
        onKeyDown={onKey}
      />
      {isWrong.value && <p class="failure" role="alert">{words.notDay}</p>}
    </>
  );
}
