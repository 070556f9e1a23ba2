// Text to take elsewhere, in the console's words.

import { tell } from "../../model/messages";
import { text } from "../../text";
import { Copyable, copyText } from "../../ui/copy";

export function Copied({ label, value }: { label: string; value: string }) {
  const copy = `${text.files.copy}: ${label}`;
  return <Copyable label={label} value={value} copy={copy} copied={text.files.copied} />;
}

/** Copies a text, and says so. */
export async function copyAndTell(value: string): Promise<void> {
  if (await copyText(value)) tell(text.files.copied);
  else tell(text.files.notCopied, { bad: true });
}
