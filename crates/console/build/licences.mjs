// The licences of the packages that are bundled, as their packages hold them.

import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

/** The folders of the packages whose files are in the bundle. */
function packagesOf(metafile) {
  const folders = Object.keys(metafile.inputs).map((path) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0]);
  return [...new Set(folders.filter(Boolean))].sort();
}

/** One text with the name, the version and the licence of each package. */
export function licences(root, metafile) {
  return packagesOf(metafile).map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"));
    const file = readdirSync(join(root, folder)).find((entry) => /^licen[cs]e/i.test(entry));
    const text = file && existsSync(join(root, folder, file)) ? readFileSync(join(root, folder, file), "utf8") : "";
    return `${name} ${version} (${license})\n\n${text.trim()}\n`;
  }).join(`\n${"-".repeat(80)}\n\n`);
}
