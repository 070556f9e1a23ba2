// Runs the unit tests beside the models: esbuild bundles them to one file, which node's runner runs. A process for each
// file would read the same libraries once more.

import { spawnSync } from "node:child_process";
import { readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const outfile = join(root, "node_modules/.cache/tests/all.test.mjs");

const tests = readdirSync(join(root, "src"), { recursive: true }).map(String).filter((path) => /\.test\.tsx?$/.test(path));
rmSync(dirname(outfile), { recursive: true, force: true });
await build({ absWorkingDir: root, outfile, bundle: true, format: "esm", platform: "node", sourcemap: "inline",
  logLevel: "warning", conditions: ["module"],
  stdin: { contents: tests.map((path) => `import "./src/${path}";`).join("\n"), resolveDir: root },
  // It is no module, and reads files of its own.
  external: ["typescript"] });
const run = spawnSync(process.execPath, ["--enable-source-maps", "--test", outfile], { stdio: "inherit", cwd: root });
process.exitCode = run.status ?? 1;
