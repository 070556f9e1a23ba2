// The list of people for a handle that is being typed.

/** A person whom texts of a project's cards can mention. */
export interface Mentionable {
  userId?: string;
  handle: string;
  name: string;
}

/** The text behind an `@` before the caret, and the place of the `@`. */
export interface TypedHandle {
  from: number;
  typed: string;
}

/** People that are offered at once. */
const MOST = 6;

/** The handle or name that is being typed at the caret; null elsewhere. */
export function typedHandle(said: string, caret: number): TypedHandle | null {
  const match = /(?<![\p{L}\p{N}@/])@(?<typed>[\p{L}\p{M}\p{N}-]*)$/u.exec(said.slice(0, caret));
  return match ? { from: match.index, typed: match.groups?.typed ?? "" } : null;
}

/** The people whose handle or one of whose names begins with what is typed, by name. */
export function peopleFor<Person extends Mentionable>(people: readonly Person[], typed: string): Person[] {
  const begin = foldOf(typed);
  const fits = ({ handle, name }: Person) =>
    handle.startsWith(begin) || foldOf(name).split(/[\s-]+/).some((word) => word.startsWith(begin));
  return people.filter(fits).sort((one, other) => one.name.localeCompare(other.name)).slice(0, MOST);
}

/** The text with a whole handle in the place of what was typed, and the caret behind it. */
export function withHandle(said: string, caret: number, { from }: TypedHandle, handle: string) {
  const rest = said.slice(caret);
  const blank = /^\s/.test(rest) ? "" : " ";
  const begin = `${said.slice(0, from)}@${handle}`;
  return { said: begin + blank + rest, caret: begin.length + 1 };
}

const foldOf = (name: string) => name.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
