// Builds `dist`: one module for the start and one for each page, with hashed names, one style sheet, the icons, the
// licences of what is bundled, and a manifest by which the service finds them. `--watch` builds again after each edit, and
// pages of such a build load themselves again.

import { createHash } from "node:crypto";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { context } from "esbuild";
import { licences } from "./licences.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const dist = join(root, "dist");
/** Files that are served as they are, below a name with their hash. */
const PICTURES = ["icons.svg", "icon.svg"];
const HASH_DIGITS = 8;
const LICENCES = "licences.txt";
const MANIFEST = "manifest.json";
const isWatching = process.argv.includes("--watch");

/** Copies a file below a name with the hash of its content, and returns the name. */
function copyHashed(name) {
  const content = readFileSync(join(root, "src", name));
  const hash = createHash("sha256").update(content).digest("hex").slice(0, HASH_DIGITS);
  const hashed = name.replace(".", `-${hash}.`);
  copyFileSync(join(root, "src", name), join(dist, hashed));
  return hashed;
}

/** Removes the files of earlier builds, which nobody names any longer. */
function removeOthers(metafile) {
  const own = new Set(Object.keys(metafile.outputs).map((path) => path.replace(/^dist\//, "")));
  const kept = [...PICTURES.map(copyHashed), LICENCES, MANIFEST];
  for (const name of readdirSync(dist)) {
    if (!own.has(name) && !kept.includes(name)) rmSync(join(dist, name), { recursive: true });
  }
}

/** The names of the files that the page names: the start with its static imports, the style sheet and the pictures. */
function manifestOf(metafile) {
  const outputs = Object.entries(metafile.outputs).map(([path, output]) => [path.replace(/^dist\//, ""), output]);
  const named = (entry, end) => outputs.find(([name, output]) => output.entryPoint === entry && name.endsWith(end))?.[0];
  const main = named("src/main.tsx", ".js");
  const modules = outputs.find(([name]) => name === main)[1].imports
    .filter(({ kind }) => kind === "import-statement").map(({ path }) => path.replace(/^dist\//, ""));
  const [icons, icon] = PICTURES.map(copyHashed);
  return { main, modules: modules.sort(), style: named("src/styles/main.css", ".css"), icons, icon,
    pages: Object.fromEntries(outputs.filter(([, output]) => output.entryPoint?.startsWith("src/pages/"))
      .map(([name, output]) => [output.entryPoint.slice("src/pages/".length), name])) };
}

const finish = {
  name: "finish",
  setup(build) {
    build.onStart(() => void mkdirSync(dist, { recursive: true }));
    build.onEnd(({ errors, metafile }) => {
      if (errors.length > 0) return;
      writeFileSync(join(dist, LICENCES), licences(root, metafile));
      // The manifest comes last and whole: with it, the build is complete. Until then the earlier build is.
      const manifest = join(dist, MANIFEST);
      writeFileSync(`${manifest}.new`, JSON.stringify(manifestOf(metafile), null, 1));
      // What watches itself is for nobody else: to the next build its manifest is older than any source.
      if (isWatching) utimesSync(`${manifest}.new`, 0, 0);
      renameSync(`${manifest}.new`, manifest);
      removeOthers(metafile);
      console.log(`console: built ${Object.keys(metafile.outputs).length} files`);
    });
  },
};

const builder = await context({
  absWorkingDir: root,
  entryPoints: ["src/main.tsx", "src/styles/main.css"],
  outdir: "dist",
  entryNames: "[name]-[hash]",
  chunkNames: "[name]-[hash]",
  bundle: true,
  splitting: true,
  format: "esm",
  target: "es2022",
  minify: true,
  metafile: true,
  legalComments: "none",
  define: { "process.env.NODE_ENV": "\"production\"" },
  logLevel: "warning",
  inject: isWatching ? ["build/reload.mjs"] : [],
  plugins: [finish],
});
if (isWatching) {
  await builder.watch();
} else {
  try {
    await builder.rebuild();
  } catch {
    process.exitCode = 1;
  }
  await builder.dispose();
}
