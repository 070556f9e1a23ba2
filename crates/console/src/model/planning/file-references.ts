// Attachments in texts: `![name](attachment:ID)` shows one in a description or a comment of its card, and
// `[name](attachment:ID)` leads to one.

import type { CardAttachment } from "../../api/planning/attachments";

export const isImage = ({ mimeType }: Pick<CardAttachment, "mimeType">) => mimeType.startsWith("image/");

/** The Markdown that shows a picture, or leads to another file. */
export function referenceTo(file: Pick<CardAttachment, "id" | "name" | "mimeType">): string {
  // So that no name ends its own brackets, or is markup in them.
  const name = file.name.replace(/[\\`*_[\]<>&!~]/g, "\\$&");
  return `${isImage(file) ? "!" : ""}[${name}](attachment:${file.id})`;
}

/** A text with references behind the caret, apart from the words around, and the caret behind them. */
export function withReferences(said: string, caret: number, files: readonly CardAttachment[]) {
  const [before, after] = [said.slice(0, caret), said.slice(caret)];
  const space = before === "" || /\s$/.test(before) ? "" : " ";
  const begin = `${before}${space}${files.map(referenceTo).join(" ")}`;
  const end = /^\s/.test(after) ? after : ` ${after}`;
  return { said: begin + end, caret: begin.length + 1 };
}
