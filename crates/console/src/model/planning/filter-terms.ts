// Terms of a filter, as addresses and the service write them: `high,urgent`, `none`, and `!low` for "not low".

export interface Term {
  value: string;
  isNot: boolean;
}

/** Commas divide terms, so those of a name are written as in addresses. */
const written = (name: string) => name.replaceAll("%", "%25").replaceAll(",", "%2C");
/** A name that begins as "not" does has a sign in front, and so has one that begins as such a name does. */
const isAmbiguous = (name: string) => /^=*!/.test(name);

function read(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function termOf(text: string): Term {
  if (text.startsWith("!")) return { value: read(text.slice(1)), isNot: true };
  return { value: read(text.startsWith("=") && isAmbiguous(text) ? text.slice(1) : text), isNot: false };
}

/** The terms of a text. */
export const termsOf = (text: string | undefined): Term[] =>
  (text ?? "").split(",").filter((one) => one !== "" && one !== "!").map(termOf);

/** The text of terms. */
export const textOf = (terms: readonly Term[]): string => terms.map(({ value, isNot }) =>
  (isNot ? "!" : isAmbiguous(value) ? "=" : "") + written(value)).join(",");

/** The text of one value. */
export const textOfValue = (value: string) => textOf([{ value, isNot: false }]);

/** True if one of the values is had, and none of those behind a "not". `all` asks for each of the values. */
export function passes(text: string | undefined, has: (value: string) => boolean, { all = false } = {}): boolean {
  if (!text) return true;
  const terms = termsOf(text);
  const wanted = terms.filter(({ isNot }) => !isNot);
  const isWanted = wanted.length === 0
    || (all ? wanted.every(({ value }) => has(value)) : wanted.some(({ value }) => has(value)));
  return isWanted && !terms.some(({ value, isNot }) => isNot && has(value));
}

export const names = (text: string | undefined, value: string) => termsOf(text).some((term) => term.value === value);

/** The text with a value, or without it where it has it. */
export function toggled(text: string | undefined, value: string): string {
  const terms = termsOf(text);
  const others = terms.filter((term) => term.value !== value);
  return textOf(others.length < terms.length ? others : [...terms, { value, isNot: false }]);
}

/** The text with the opposite of a value's term. */
export const flipped = (text: string | undefined, value: string) =>
  textOf(termsOf(text).map((term) => (term.value === value ? { value, isNot: !term.isNot } : term)));

/** The value, if a text asks for one alone. */
export function onlyValue(text: string | undefined): string | undefined {
  const [first, ...others] = termsOf(text);
  return first && !first.isNot && others.length === 0 && first.value !== "none" ? first.value : undefined;
}
