// Days as texts like `2026-11-27`, which are the same for people in every time zone: arithmetic, months, and typing.

export type DayText = string;

const DAY_MS = 86_400_000;
const ISO = /^(\d{4})-(\d{1,2})-(\d{1,2})$/;

/** The day that begins at an instant of UTC. */
const textOf = (ms: number): DayText => new Date(ms).toISOString().slice(0, 10);

export function addDays(day: DayText, days: number): DayText {
  return textOf(Date.parse(day) + days * DAY_MS);
}

/** Days from one to the other; negative if `to` is earlier. */
export function daysBetween(from: DayText, to: DayText): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS);
}

/** The same day of another month, or the last one of a shorter month. */
export function addMonths(day: DayText, months: number): DayText {
  const [year = 0, month = 1, date = 1] = day.split("-").map(Number);
  const last = new Date(Date.UTC(year, month + months, 0)).getUTCDate();
  return textOf(Date.UTC(year, month - 1 + months, Math.min(date, last)));
}

/** The weeks that show a day's month. `first` is the first day of a week: 1 is Monday, 7 Sunday. */
export function weeksOf(day: DayText, first: number): DayText[][] {
  const start = `${day.slice(0, 8)}01`;
  const before = (weekdayOf(start) - first + 7) % 7;
  const from = addDays(start, -before);
  const weeks = Math.ceil((before + daysBetween(start, addMonths(start, 1))) / 7);
  return Array.from({ length: weeks }, (_, week) => Array.from({ length: 7 }, (_, at) => addDays(from, week * 7 + at)));
}

/** 1 is Monday, 7 Sunday. */
export const weekdayOf = (day: DayText) => new Date(day).getUTCDay() || 7;

/** The first day of a week where the person lives. */
export function firstWeekday(locale = globalThis.navigator?.language ?? "en-US"): number {
  const known = new Intl.Locale(locale) as Intl.Locale & { getWeekInfo?: () => { firstDay: number } };
  return known.getWeekInfo?.().firstDay ?? (locale === "en-US" ? 7 : 1);
}

/** A day in words, in the order of the person's language. */
export function sayDay(day: DayText, options: Intl.DateTimeFormatOptions = {}): string {
  const usual = { day: "numeric", month: "short", year: "numeric" } as const;
  return new Date(day).toLocaleDateString(undefined, { ...usual, ...options, timeZone: "UTC" });
}

/** The day that a person types: `2026-11-27`, `27.11.`, `11/27`, `Nov 27 2026`. Without a year the next one. */
export function parseDay(typed: string, today: DayText, locale?: string): DayText | null {
  const said = typed.trim().toLocaleLowerCase(locale);
  const [, isoYear, isoMonth, isoDate] = ISO.exec(said) ?? [];
  if (isoYear) return dayOfParts(Number(isoYear), Number(isoMonth), Number(isoDate));
  const month = monthNamed(said, locale);
  const numbers = (said.match(/\d+/g) ?? []).map(Number);
  const [one, other, year] = month ? [numbers[0], month, numbers[1]] : numbers;
  if (one === undefined || other === undefined || numbers.length > (month ? 2 : 3)) return null;
  const isMonthFirst = !month && monthIsFirst(locale) && !said.includes(".");
  return completed(isMonthFirst ? one : other, isMonthFirst ? other : one, year, today);
}

function completed(month: number, date: number, year: number | undefined, today: DayText): DayText | null {
  if (year !== undefined) return dayOfParts(year < 100 ? 2000 + year : year, month, date);
  const day = dayOfParts(Number(today.slice(0, 4)), month, date);
  return day && day < today ? dayOfParts(Number(today.slice(0, 4)) + 1, month, date) : day;
}

/** The day of a year, a month and a date; null if the calendar lacks it. */
function dayOfParts(year: number, month: number, date: number): DayText | null {
  const at = new Date(Date.UTC(year, month - 1, date));
  const isDay = at.getUTCMonth() === month - 1 && at.getUTCDate() === date && year >= 1000 && year <= 9999;
  return isDay ? textOf(at.getTime()) : null;
}

function monthNamed(said: string, locale?: string): number | undefined {
  const [letters] = /\p{L}{3,}/u.exec(said) ?? [];
  if (!letters) return undefined;
  for (let month = 1; month <= 12; month += 1) {
    const name = new Date(Date.UTC(2026, month - 1)).toLocaleDateString(locale, { month: "long", timeZone: "UTC" });
    if (name.toLocaleLowerCase(locale).startsWith(letters)) return month;
  }
  return undefined;
}

function monthIsFirst(locale?: string): boolean {
  const parts = new Intl.DateTimeFormat(locale, { month: "numeric", day: "numeric" }).formatToParts(0);
  return parts.find(({ type }) => type === "month" || type === "day")?.type === "month";
}
