// Times as people say them, with the exact one on hover, and days.

import { signal, useComputed, useSignal } from "@preact/signals";

const UNITS: [Intl.RelativeTimeFormatUnit, number][] =
  [["year", 31_557_600], ["month", 2_629_800], ["day", 86_400], ["hour", 3600], ["minute", 60]];

/** A time relative to `now`, in words. */
export function relative(iso: string, now = Date.now()): string {
  const seconds = (new Date(iso).getTime() - now) / 1000;
  const format = new Intl.RelativeTimeFormat(undefined, { numeric: "auto" });
  const unit = UNITS.find(([, length]) => Math.abs(seconds) >= length);
  return unit ? format.format(Math.round(seconds / unit[1]), unit[0]) : format.format(0, "second");
}

const TICK_MS = 30_000;
const now = signal(0);
let clock: ReturnType<typeof setInterval> | undefined;

/** A time in words that stay true while the page is open. */
export function Time({ iso }: { iso: string }) {
  if (!clock) {
    const tick = () => { now.value = Date.now(); };
    clock = setInterval(tick, TICK_MS);
    tick();
  }
  const at = useSignal(iso);
  at.value = iso;
  const words = useComputed(() => relative(at.value, now.value));
  return <time dateTime={iso} title={new Date(iso).toLocaleString()}>{words}</time>;
}

/** A day, the same in every time zone; with the year where it is another. */
export function dayOf(iso: string, now = new Date()): string {
  const at = new Date(iso);
  const year = at.getUTCFullYear() === now.getFullYear() ? undefined : "numeric";
  return at.toLocaleDateString(undefined, { day: "numeric", month: "short", year, timeZone: "UTC" });
}

export function Day({ iso, late = false }: { iso: string; late?: boolean }) {
  return <time class={late ? "late" : undefined} dateTime={iso}>{dayOf(iso)}</time>;
}
