// A person's letters, and the hue on which they stand.

/** Hues of marks, in `styles/components.css`. */
export const HUES = 12;

/** The first letters of the first two words; signs around a word are passed over. */
export function lettersOf(name: string): string {
  const letters = name.split(/\s+/).flatMap((word) => /[\p{L}\p{N}]/u.exec(word)?.[0] ?? []);
  return letters.slice(0, 2).join("").toLocaleUpperCase() || "?";
}

/** The number of a hue that stays the same for a person, and differs between most. */
export function hueOf(person: string): number {
  let hue = 0;
  for (const letter of person) hue = (hue * 31 + (letter.codePointAt(0) ?? 0)) % 4_294_967_291;
  return hue % HUES;
}
