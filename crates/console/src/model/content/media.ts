// Kinds of media that the console shows: pictures that run nothing, and texts.

import type { FileRef } from "../../api/content/objects";

const PICTURES = new Set(["image/png", "image/jpeg", "image/gif", "image/webp", "image/avif", "image/bmp",
  // An `img` runs nothing of it.
  "image/svg+xml"]);
const TEXTS = /^text\/|[/+](json|xml|yaml|toml|javascript|ecmascript|sql|x-sh|x-yaml|typescript)$|script$/;
const EXTENSIONS = new RegExp(String.raw`^\.(txt|md|csv|rs|py|m?js|tsx?|jsx|c|h|cc|cpp|hpp|cs|java|kt|go|rb|swift|sh|`
  + String.raw`sql|json|ya?ml|toml|css|html?|xml|svg|scad|gcode|nc|ino|ini|cfg|log)$`);

const bare = (type: string) => (type.split(";")[0] ?? "").trim().toLowerCase();

export const isPicture = (type: string) => PICTURES.has(bare(type));

export const isText = ({ mimeType, extension = "" }: Pick<FileRef, "mimeType" | "extension">) =>
  TEXTS.test(bare(mimeType)) || (!bare(mimeType).startsWith("image/") && EXTENSIONS.test(extension.toLowerCase()));

/** The words of a file in an encoding; in UTF-8 where that is unknown. */
export async function wordsOf(blob: Blob, encoding: unknown): Promise<string> {
  if (typeof encoding !== "string") return blob.text();
  try {
    return new TextDecoder(encoding).decode(await blob.arrayBuffer());
  } catch (error) {
    if (error instanceof RangeError) return blob.text();
    throw error;
  }
}

const UNITS = ["byte", "kilobyte", "megabyte", "gigabyte"] as const;

/** A size in bytes as people read it. */
export function sizeOf(bytes: number): string {
  const step = bytes < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(bytes) / 3));
  return new Intl.NumberFormat(undefined, { style: "unit", unit: UNITS[step] ?? "byte",
    unitDisplay: step ? "short" : "long", maximumFractionDigits: 1 }).format(bytes / 1000 ** step);
}

/** The name of an object's file: that of its upload, or else that of the object with the extension. */
export function fileNameOf({ name, file }: { name: string; file: FileRef }): string {
  const extension = file.extension ?? "";
  return file.name ?? (name.toLowerCase().endsWith(extension.toLowerCase()) ? name : name + extension);
}
