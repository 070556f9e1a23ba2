// Languages of code: their names and file extensions, and their parsers, each loaded for the first text that needs it.

import type { Parser } from "@lezer/common";

type Load = () => Promise<Parser>;

/** A language that has only a tokenizer of CodeMirror 5. */
async function streamed(load: () => Promise<unknown>): Promise<Parser> {
  const [{ StreamLanguage }, mode] = await Promise.all([import("@codemirror/language"), load()]);
  return StreamLanguage.define(mode as Parameters<typeof StreamLanguage.define>[0]).parser;
}

const script = (dialect: string): Load => async () =>
  (await import("@lezer/javascript")).parser.configure({ dialect });
const clike = (name: "csharp" | "kotlin" | "c"): Load => () =>
  streamed(async () => (await import("@codemirror/legacy-modes/mode/clike"))[name]);

const PARSERS: Record<string, Load> = {
  rust: async () => (await import("@lezer/rust")).parser,
  javascript: script("jsx"),
  typescript: script("ts"),
  tsx: script("ts jsx"),
  python: async () => (await import("@lezer/python")).parser,
  c: async () => (await import("@lezer/cpp")).parser,
  java: async () => (await import("@lezer/java")).parser,
  go: async () => (await import("@lezer/go")).parser,
  json: async () => (await import("@lezer/json")).parser,
  yaml: async () => (await import("@lezer/yaml")).parser,
  css: async () => (await import("@lezer/css")).parser,
  html: async () => (await import("@lezer/html")).parser,
  xml: async () => (await import("@lezer/xml")).parser,
  csharp: clike("csharp"),
  kotlin: clike("kotlin"),
  scad: clike("c"),
  swift: () => streamed(async () => (await import("@codemirror/legacy-modes/mode/swift")).swift),
  ruby: () => streamed(async () => (await import("@codemirror/legacy-modes/mode/ruby")).ruby),
  shell: () => streamed(async () => (await import("@codemirror/legacy-modes/mode/shell")).shell),
  sql: () => streamed(async () => (await import("@codemirror/legacy-modes/mode/sql")).standardSQL),
  toml: () => streamed(async () => (await import("@codemirror/legacy-modes/mode/toml")).toml),
};

/** Names and extensions that differ from the names above. */
const CALLED: Record<string, string> = {
  rs: "rust", js: "javascript", mjs: "javascript", cjs: "javascript", jsx: "javascript", ts: "typescript",
  py: "python", ipynb: "json", h: "c", cc: "c", cpp: "c", hpp: "c", "c++": "c", ino: "c", cs: "csharp",
  "c#": "csharp", kt: "kotlin", rb: "ruby", sh: "shell", bash: "shell", zsh: "shell", yml: "yaml", htm: "html",
  markup: "html", svg: "xml", scss: "css", less: "css", openscad: "scad", jsonc: "json", geojson: "json",
  golang: "go",
};

/** The language of a name, or of an extension with or without its dot; empty for plain text. */
export function languageOf(name: string): string {
  const wanted = name.toLowerCase().replace(/^\./, "");
  const language = CALLED[wanted] ?? wanted;
  return Object.hasOwn(PARSERS, language) ? language : "";
}

const loaded = new Map<string, Promise<Parser>>();

/** The parser of a language that `languageOf` has named. */
export function parserOf(language: string): Promise<Parser> {
  const known = loaded.get(language) ?? PARSERS[language]?.() ?? Promise.reject(new Error(language));
  loaded.set(language, known);
  known.catch(() => loaded.delete(language));
  return known;
}
