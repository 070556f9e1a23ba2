// Kinds of media that the console shows: pictures that run nothing, and texts.

import { h } from "./dom.js";

const PICTURES = new Set(["image/png", "image/jpeg", "image/gif", "image/webp", "image/avif", "image/bmp"]);
const TEXTS = /^text\/|[/+](json|xml|yaml|toml|javascript|ecmascript|sql|x-sh|x-yaml|typescript)$|script$/;
const EXTENSIONS = /^\.(txt|md|csv|rs|py|m?js|tsx?|jsx|c|h|cc|cpp|hpp|cs|java|kt|go|rb|swift|sh|sql|json|ya?ml|toml|css|html?|xml|svg|scad|gcode|nc|ino|ini|cfg|log)$/;

/** @param {string} type */
const bare = (type) => type.split(";")[0].trim().toLowerCase();

/** Whether a file is a picture; SVG is one as well, since an `img` runs none of it. @param {string} type */
export function isPicture(type) {
  return PICTURES.has(bare(type)) || bare(type) === "image/svg+xml";
}

/** Whether a file is a text. @param {string} type @param {string} [extension] */
export function isText(type, extension = "") {
  return TEXTS.test(bare(type)) || (!bare(type).startsWith("image/") && EXTENSIONS.test(extension.toLowerCase()));
}

/** The words of a file in an encoding; in UTF-8 where that is unknown. @param {Blob} blob @param {unknown} [encoding] */
export async function wordsOf(blob, encoding) {
  if (typeof encoding !== "string") return blob.text();
  try {
    return new TextDecoder(encoding).decode(await blob.arrayBuffer());
  } catch (error) {
    if (error instanceof RangeError) return blob.text();
    throw error;
  }
}

/** A picture of bytes. The browser reads it as an image alone: scripts, links and fetches of an SVG are off. @param {Blob} blob @param {string} type @param {string} name */
export function picture(blob, type, name) {
  const url = URL.createObjectURL(new Blob([blob], { type: bare(type) }));
  const free = () => URL.revokeObjectURL(url);
  return h("img", { class: "picture", src: url, alt: name, onload: free, onerror: free });
}
