// Due dates are days: the same for people in every time zone. A day is late once the person's own day is behind it.

/** The person's day as `2026-11-27`. */
export function today(now = new Date()): string {
  return new Date(Date.UTC(now.getFullYear(), now.getMonth(), now.getDate())).toISOString().slice(0, 10);
}

/** Days from `day` to the day of a deadline; negative for one that has passed. */
export function daysLeft(deadline: string, day = today()): number {
  return Math.round((Date.parse(deadline.slice(0, 10)) - Date.parse(day)) / 86_400_000);
}

/** True for an open card whose day has passed: what the mark on a card and the filter "Overdue" mean. */
export function isLate(card: { is_open: boolean; deadline: string | null }, day = today()): boolean {
  return card.is_open && card.deadline !== null && daysLeft(card.deadline, day) < 0;
}

/** True for an open card that is due today or within seven days. */
export function isSoon(card: { is_open: boolean; deadline: string | null }, day = today()): boolean {
  if (!card.is_open || card.deadline === null) return false;
  const days = daysLeft(card.deadline, day);
  return days >= 0 && days <= 7;
}
