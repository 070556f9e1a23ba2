// Text to take elsewhere: shown whole, selected by a click, copied by a button.

import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { Button } from "./button";

/** Time for which a copy is said. */
const SAID_MS = 4000;

/** Copies a text; false if the browser refuses. Pages without TLS have no clipboard: there the copy event holds it. */
export async function copyText(text: string): Promise<boolean> {
  const written = await navigator.clipboard?.writeText(text).then(() => true, () => false);
  if (written) return true;
  let isCopied = false;
  const fill = (event: ClipboardEvent) => {
    event.clipboardData?.setData("text/plain", text);
    event.preventDefault();
    isCopied = true;
  };
  document.addEventListener("copy", fill, { once: true });
  try {
    return document.execCommand("copy") && isCopied;
  } finally {
    document.removeEventListener("copy", fill);
  }
}

/** True if the browser puts pictures on the clipboard. */
export const canCopyPictures = () =>
  typeof ClipboardItem !== "undefined" && navigator.clipboard !== undefined && "write" in navigator.clipboard;

/** Copies a picture; false if the browser refuses. */
export function copyPicture(picture: Blob): Promise<boolean> {
  return navigator.clipboard.write([new ClipboardItem({ [picture.type]: picture })]).then(() => true, () => false);
}

interface CopyableProps {
  label: string;
  value: string;
  /** Name of the button. */
  copy: string;
  /** Said once the text is copied. */
  copied: string;
}

/** A text with a button that copies it. Where the browser refuses, it is selected, to be copied by hand. */
export function Copyable({ label, value, copy, copied }: CopyableProps) {
  const shown = useRef<HTMLInputElement>(null);
  const isCopied = useSignal(false);
  const run = async () => {
    shown.current?.select();
    isCopied.value = await copyText(value);
    if (isCopied.peek()) setTimeout(() => { isCopied.value = false; }, SAID_MS);
  };
  return (
    <div class="copyable">
      <span class="soft">{label}</span>
      <div>
        <input ref={shown} type="text" readOnly value={value} aria-label={label} class="copied-text"
          onFocus={(event) => event.currentTarget.select()} />
        <Button name={copy} icon={isCopied.value ? "tick" : "copy"} quiet onClick={run} />
      </div>
      <span class="soft" role="status">{isCopied.value ? copied : ""}</span>
    </div>
  );
}
