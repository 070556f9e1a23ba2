// Runs the unit tests beside the models: esbuild bundles them, node's runner runs them.

import { spawnSync } from "node:child_process";
import { readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const outdir = join(root, "node_modules/.cache/tests");

const entryPoints = readdirSync(join(root, "src"), { recursive: true }).map(String)
  .filter((path) => /\.test\.tsx?$/.test(path)).map((path) => join("src", path));
rmSync(outdir, { recursive: true, force: true });
await build({ absWorkingDir: root, entryPoints, outdir, outbase: "src", bundle: true, format: "esm", platform: "node",
  outExtension: { ".js": ".mjs" }, sourcemap: "inline", logLevel: "warning", conditions: ["module"],
  // It is no module, and reads files of its own.
  external: ["typescript"] });
const files = entryPoints.map((path) => join(outdir, path.replace(/^src\//, "").replace(/\.tsx?$/, ".mjs")));
const run = spawnSync(process.execPath, ["--enable-source-maps", "--test", ...files], { stdio: "inherit", cwd: root });
process.exitCode = run.status ?? 1;
