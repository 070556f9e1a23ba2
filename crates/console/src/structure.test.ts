// The rules of the layers, read from the sources.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { test } from "node:test";

const MOST_LINES = 250;
const MOST_COLUMNS = 120;
/** Layers that each layer may import beside itself. Words are everybody's. */
const MAY_IMPORT: Record<string, readonly string[]> = { api: ["text"], model: ["api", "text"], ui: [],
  pages: ["model", "ui", "api", "text"], routes: ["pages", "model", "ui", "api", "text"], text: [], structure: [],
  main: ["routes", "pages", "model", "ui", "api", "text"] };

const files = readdirSync("src", { recursive: true }).map(String)
  .filter((path) => /\.tsx?$/.test(path) && !path.includes("generated") && !path.endsWith(".d.ts"));
const textOf = (path: string) => readFileSync(join("src", path), "utf8");
const layerOf = (path: string) => path.split("/")[0]?.replace(/\.test\.tsx?$|\.tsx?$/, "") ?? "";
/** The page that a file belongs to. `pages/parts` are what several pages share. */
const pageOf = (path: string) => (/^pages\/(?!parts\/)([^/]+)/.exec(path)?.[1]);
const importsOf = (path: string) => [...textOf(path).matchAll(/(?:from|import\() ?"(\.[^"]+)"/g)]
  .map(([, target]) => normalize(join(dirname(path), target ?? "")));

test("each layer imports those below it alone", () => {
  for (const path of files) {
    const [layer, page] = [layerOf(path), pageOf(path)];
    for (const target of importsOf(path)) {
      const other = layerOf(target);
      assert.ok(other === layer || MAY_IMPORT[layer]?.includes(other), `${path} imports ${target}`);
      if (page) assert.ok(!pageOf(target) || pageOf(target) === page, `${path} imports another page: ${target}`);
    }
  }
});

test("no file is long, and no line is wide", () => {
  for (const path of files) {
    const lines = textOf(path).split("\n");
    assert.ok(path === "text.ts" || lines.length <= MOST_LINES + 1, `${path}: ${lines.length} lines`);
    // The words of one sentence stay on one line.
    const wide = path === "text.ts" ? -1 : lines.findIndex((line) => line.length > MOST_COLUMNS);
    assert.equal(wide, -1, `${path}:${wide + 1} is wider than ${MOST_COLUMNS} columns`);
  }
});

test("models know no DOM, and nothing is drawn by hand", () => {
  for (const path of files.filter((one) => !one.startsWith("structure"))) {
    const source = textOf(path);
    const knowsDom = path.startsWith("model/") && /\b(document|window|HTMLElement)\b\./.test(source);
    assert.ok(!knowsDom, `${path} knows the DOM`);
    const drawn = /\.(innerHTML|outerHTML|insertAdjacentHTML)\b|dangerouslySetInnerHTML|document\.createElement/;
    assert.ok(!drawn.test(source), `${path} draws by hand`);
    assert.ok(!/[:<,|] ?any\b|as any\b/.test(source), `${path} says any`);
  }
});
