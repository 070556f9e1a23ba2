// Code as lines of pieces, each with the class of its colour.

import { highlightCode, tagHighlighter, tags } from "@lezer/highlight";
import { parserOf } from "./code-languages";

export interface Piece {
  text: string;
  /** A class of `code.css`, or nothing. */
  kind: string;
}

export type Line = readonly Piece[];

const highlighter = tagHighlighter([
  { tag: tags.comment, class: "t-comment" },
  { tag: [tags.string, tags.character, tags.attributeValue, tags.regexp], class: "t-string" },
  { tag: [tags.number, tags.bool, tags.null, tags.atom], class: "t-number" },
  { tag: [tags.keyword, tags.tagName, tags.heading], class: "t-keyword" },
  { tag: [tags.propertyName, tags.attributeName], class: "t-name" },
]);

export const plainLines = (content: string): Line[] => content.split("\n").map((text) => [{ text, kind: "" }]);

/** The lines of a content in the colours of its language. */
export async function highlight(content: string, language: string): Promise<Line[]> {
  if (!language) return plainLines(content);
  const tree = (await parserOf(language)).parse(content);
  const lines: Piece[][] = [[]];
  const put = (text: string, kind: string) => void lines.at(-1)?.push({ text, kind });
  highlightCode(content, tree, highlighter, put, () => void lines.push([]));
  return lines;
}
