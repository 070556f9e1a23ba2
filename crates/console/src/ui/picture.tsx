// A picture of bytes. The browser reads it as an image alone: scripts, links and fetches of an SVG are off.

import { useSignal } from "@preact/signals";
import { useLayoutEffect } from "preact/hooks";

/** One of several versions of a picture, with the words below it. */
export interface PictureVersion {
  blob: Blob;
  type: string;
  says: string;
}

export function Picture({ blob, type, name }: { blob: Blob; type: string; name: string }) {
  const url = useSignal("");
  useLayoutEffect(() => {
    const made = URL.createObjectURL(new Blob([blob], { type: type.split(";")[0]?.trim() ?? "" }));
    url.value = made;
    return () => URL.revokeObjectURL(made);
  }, [blob, type]);
  return url.value ? <img class="picture" src={url.value} alt={name} /> : null;
}
