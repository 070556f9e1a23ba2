// Keys of cards and handles of people in texts. Each is a whole word by the rule of the service
// (domain/src/key/mentions.rs, domain/src/planning/mention.rs), and stands neither in code nor in an address.

/** A part of a text: words, or the key of a card or the handle of a person as it is written there. */
export type Piece = string | { key: string } | { handle: string };

/** Codes and addresses, in which nothing is named; and what may be a name. */
const WORDS = new RegExp([/`[^`\n]+`/, /(?<!\S)\S*:\/\/\S*/, /@(?<handle>[a-z0-9]+(?:-[a-z0-9]+)*)/,
  /(?<key>[a-z]{2,6}-[1-9][0-9]{0,18})/].map(({ source }) => source).join("|"), "gi");
const GREATEST = 2n ** 63n - 1n;

/** The text in pieces, in their order. Empty ones are left out. */
export function piecesOf(said: string): Piece[] {
  const pieces: Piece[] = [];
  let end = 0;
  for (const match of said.matchAll(WORDS)) {
    const piece = pieceOf(said, match);
    if (!piece) continue;
    pieces.push(said.slice(end, match.index), piece);
    end = match.index + match[0].length;
  }
  return [...pieces, said.slice(end)].filter((piece) => piece !== "");
}

/** The different keys of a text, in capitals. */
export function keysIn(said: string): string[] {
  const keys = piecesOf(said).flatMap((piece) => (isKey(piece) ? [piece.key.toUpperCase()] : []));
  return [...new Set(keys)];
}

export const isKey = (piece: Piece): piece is { key: string } => typeof piece !== "string" && "key" in piece;

/** The project's part of a card's key, in capitals. */
export const projectPart = (key: string) => key.slice(0, key.indexOf("-")).toUpperCase();

function pieceOf(said: string, { 0: match, index, groups }: RegExpExecArray): Piece | undefined {
  const { key, handle } = groups ?? {};
  const before = /.$/su.exec(said.slice(Math.max(0, index - 2), index))?.[0];
  const rest = said.slice(index + match.length);
  const after = /^./su.exec(rest)?.[0];
  if (isOfWord(before) || isOfWord(after)) return undefined;
  if (key) return BigInt(key.slice(key.indexOf("-") + 1)) <= GREATEST ? { key } : undefined;
  // A longer name, as those of other services.
  const isPart = before === "/" || before === "@" || /^-+[a-z0-9]/i.test(rest)
    || (/^[._/@]/.test(rest) && isOfWord(/^.(.)/su.exec(rest)?.[1]));
  return handle && !isPart ? { handle } : undefined;
}

/** True for an ASCII letter or digit, also with an accent or of another width. Other scripts may touch a key. */
const isOfWord = (sign = "") => /[\p{Alphabetic}\p{N}]/u.test(sign) && /[a-z0-9]/i.test(sign.normalize("NFKD"));
