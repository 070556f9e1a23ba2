// Due dates: days, which are the same for people in every time zone.

/** A due day; with the year where it is another. @param {string} iso */
export function dueDay(iso) {
  const year = new Date(iso).getUTCFullYear() === new Date().getFullYear() ? undefined : "numeric";
  return new Date(iso).toLocaleDateString(undefined, { day: "numeric", month: "short", year, timeZone: "UTC" });
}

/** True if the person's day is behind the due day. @param {string} iso */
export function isLate(iso) {
  const now = new Date();
  const today = new Date(Date.UTC(now.getFullYear(), now.getMonth(), now.getDate()));
  return iso.slice(0, 10) < today.toISOString().slice(0, 10);
}
