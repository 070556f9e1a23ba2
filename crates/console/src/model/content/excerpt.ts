// Excerpts of texts in which a search has found words.

/** A part of a text, and whether it was searched for. */
export interface MarkedPart {
  text: string;
  isFound: boolean;
}

/** The parts of an excerpt. `ranges` have begin and end of each found word, in code points. */
export function markedParts({ excerpt, ranges }: { excerpt: string; ranges: number[][] }): MarkedPart[] {
  const signs = Array.from(excerpt);
  const parts: MarkedPart[] = [];
  const add = (from: number, to: number, isFound: boolean) => {
    if (from < to) parts.push({ text: signs.slice(from, to).join(""), isFound });
  };
  let last = 0;
  for (const [from = 0, to = from] of ranges) {
    add(last, from, false);
    add(from, to, true);
    last = to;
  }
  add(last, signs.length, false);
  return parts;
}
