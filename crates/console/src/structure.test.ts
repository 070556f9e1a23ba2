// The rules of the layers, read from the sources.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { test } from "node:test";
import ts from "typescript";

const MOST_LINES = 250;
const MOST_LINES_OF_TEXT = 400;
const MOST_COLUMNS = 120;
const MOST_LINES_OF_FUNCTION = 60;
/** Layers that each layer may import beside itself. Words are everybody's. */
const MAY_IMPORT: Record<string, readonly string[]> = { api: ["text"], model: ["api", "text"], ui: [],
  pages: ["model", "ui", "api", "text"], routes: ["pages", "model", "ui", "api", "text"], text: [], structure: [],
  main: ["routes", "pages", "model", "ui", "api", "text"] };

/** Handlers of buttons, separators and grids: nobody composes there. */
const WITHOUT_TEXT = ["pages/content/project-settings/options-editor.tsx move", "pages/parts/card/checklist.tsx move",
  "ui/month.tsx onKey", "ui/separator.tsx onKey"];

const files = readdirSync("src", { recursive: true }).map(String)
  .filter((path) => /\.tsx?$/.test(path) && !path.includes("generated") && !path.endsWith(".d.ts"));
const textOf = (path: string) => readFileSync(join("src", path), "utf8");
const layerOf = (path: string) => path.split("/")[0]?.replace(/\.test\.tsx?$|\.tsx?$/, "") ?? "";
/** The folder of the page that a file belongs to. `pages/parts` are what several pages share. */
const pageOf = (path: string) => (/^pages\/(?!parts\/)/.test(path) ? dirname(path) : undefined);
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
    const [lines, isText] = [textOf(path).split("\n"), layerOf(path) === "text"];
    assert.ok(lines.length <= (isText ? MOST_LINES_OF_TEXT : MOST_LINES) + 1, `${path}: ${lines.length} lines`);
    // The words of one sentence stay on one line.
    const wide = isText ? -1 : lines.findIndex((line) => line.length > MOST_COLUMNS);
    assert.equal(wide, -1, `${path}:${wide + 1} is wider than ${MOST_COLUMNS} columns`);
  }
});

test("no area's words hide those of another", () => {
  const texts = files.filter((path) => layerOf(path) === "text");
  const keys = texts.flatMap((path) => [...textOf(path).matchAll(/^ {2}(\w+)[:(]/gm)].map(([, key]) => key));
  assert.ok(keys.length > 50, `${keys.length} groups of words`);
  assert.deepEqual(keys.filter((key, at) => keys.indexOf(key) !== at), []);
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

test("no function is long", () => {
  for (const path of files.filter((one) => !one.includes(".test."))) {
    const source = ts.createSourceFile(path, textOf(path), ts.ScriptTarget.Latest, true);
    const lineOf = (position: number) => source.getLineAndCharacterOfPosition(position).line + 1;
    const visit = (node: ts.Node): void => {
      const [first, last] = [lineOf(node.getStart(source)), lineOf(node.getEnd())];
      const isLong = ts.isFunctionLike(node) && last - first >= MOST_LINES_OF_FUNCTION;
      assert.ok(!isLong, `${path}:${first} has a function of ${last - first + 1} lines`);
      node.forEachChild(visit);
    };
    visit(source);
  }
});

test("keys with which an input method composes mean nothing else in a field", () => {
  const careless = new Set<string>();
  for (const path of files.filter((one) => !one.includes(".test."))) {
    const source = ts.createSourceFile(path, textOf(path), ts.ScriptTarget.Latest, true);
    const nameOf = (node: ts.Node) => (ts.isVariableDeclaration(node.parent) ? node.parent.name.getText(source) : "");
    const visit = (node: ts.Node, within: ts.Node): void => {
      const isKey = ts.isPropertyAccessExpression(node) && node.getText(source) === "event.key";
      const isCareless = isKey && !/\b(isComposing|isSend|draftKeys)\(/.test(within.getText(source));
      if (isCareless) careless.add(`${path} ${nameOf(within)}`.trim());
      const next = ts.isFunctionLike(node) ? node : within;
      node.forEachChild((child) => visit(child, next));
    };
    visit(source, source);
  }
  assert.deepEqual([...careless].sort(), WITHOUT_TEXT);
});

test("no module leads back to itself", () => {
  const exists = (target: string) => ["", ".ts", ".tsx"].map((end) => target + end).find((one) => files.includes(one));
  // Types count: a reader follows them as well. A page that is loaded when it is opened doesn't.
  const imported = (path: string) => [...textOf(path).matchAll(/^import [^;]*?"(\.[^"]+)"/gms)]
    .flatMap(([, target]) => exists(normalize(join(dirname(path), target ?? ""))) ?? []);
  const done = new Set<string>();
  const walk = (path: string, way: readonly string[]): void => {
    assert.ok(!way.includes(path), `${[...way, path].join(" → ")}`);
    if (done.has(path)) return;
    for (const next of imported(path)) walk(next, [...way, path]);
    done.add(path);
  };
  for (const path of files) walk(path, []);
});
