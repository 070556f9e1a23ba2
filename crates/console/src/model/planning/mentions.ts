// Keys of cards in texts. A key is a whole word by the rule of the service (domain/src/key/mentions.rs), and stands
// neither in code nor in an address.

/** A part of a text: words, or the key of a card as it is written there. */
export type Piece = string | { key: string };

/** Codes and addresses, in which nothing is a key; and what may be a key. */
const WORDS = /`[^`\n]+`|(?<!\S)\S*:\/\/\S*|(?<key>[a-z]{2,6}-[1-9][0-9]{0,18})/gi;
const GREATEST = 2n ** 63n - 1n;

/** The text in pieces, in their order. Empty ones are left out. */
export function piecesOf(said: string): Piece[] {
  const pieces: Piece[] = [];
  let end = 0;
  for (const match of said.matchAll(WORDS)) {
    const key = match.groups?.key;
    if (!key || !isWhole(said, match.index, key)) continue;
    pieces.push(said.slice(end, match.index), { key });
    end = match.index + key.length;
  }
  return [...pieces, said.slice(end)].filter((piece) => piece !== "");
}

/** The different keys of a text, in capitals. */
export function keysIn(said: string): string[] {
  return [...new Set(piecesOf(said).flatMap((piece) => (typeof piece === "string" ? [] : [piece.key.toUpperCase()])))];
}

/** The project's part of a card's key, in capitals. */
export const projectPart = (key: string) => key.slice(0, key.indexOf("-")).toUpperCase();

function isWhole(said: string, from: number, key: string): boolean {
  const before = /.$/su.exec(said.slice(Math.max(0, from - 2), from))?.[0];
  const after = /^./su.exec(said.slice(from + key.length))?.[0];
  return !isOfWord(before) && !isOfWord(after) && BigInt(key.slice(key.indexOf("-") + 1)) <= GREATEST;
}

/** True for an ASCII letter or digit, also with an accent or of another width. Other scripts may touch a key. */
const isOfWord = (sign = "") => /[\p{Alphabetic}\p{N}]/u.test(sign) && /[a-z0-9]/i.test(sign.normalize("NFKD"));
