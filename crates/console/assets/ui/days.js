// Days of a team, which run by its time zone: the same days for everybody who looks at its sprints.

let zone = "UTC";

/** Shows days as those of a team from now on. @param {string} name of its time zone */
export const useZone = (name) => { zone = name; };

/** The zone of the days, and whether the person lives by other ones. */
export const dayZone = () => ({ zone, isOther: zone !== Intl.DateTimeFormat().resolvedOptions().timeZone });

/** A day as people say it. @param {string | number} at @param {Intl.DateTimeFormatOptions} [more] */
export const dayOf = (at, more = { year: "numeric" }) =>
  new Date(at).toLocaleDateString(undefined, { day: "numeric", month: "short", ...more, timeZone: zone });

/** A day as the value of a field for dates: this is how Canada writes it. @param {string | number} at */
export const dayInput = (at) =>
  new Intl.DateTimeFormat("en-CA", { year: "numeric", month: "2-digit", day: "2-digit", timeZone: zone }).format(new Date(at));
