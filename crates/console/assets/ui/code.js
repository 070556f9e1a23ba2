// Code with the colours of its language and line numbers: comments, strings, numbers and keywords of a dozen languages.

import { button, fill, h } from "./dom.js";
import { text } from "../text.js";

/** @typedef {{ kind: string, said: string }} Token */

/** Characters that are shown at once; more come on demand. */
const PART = 60_000;

const C = String.raw`\/\/[^\n]*|\/\*[^]*?(?:\*\/|$)`;
const HASH = String.raw`#[^\n]*`;
const DOUBLE = String.raw`"(?:\\.|[^"\\\n])*"?`;
const SINGLE = String.raw`'(?:\\.|[^'\\\n])*'?`;
const TEMPLATE = "`(?:\\\\[^]|[^`\\\\])*`?";
const TRIPLE = String.raw`"""[^]*?(?:"""|$)|'''[^]*?(?:'''|$)`;
const LETTER = String.raw`'(?:\\[^'\n]*|[^'\\\n])'`;
const NUMBER = String.raw`\b(?:0[xXbBoO][\da-fA-F_]+|\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?)\w*`;
const WORD = String.raw`[A-Za-z_$@][\w$]*`;

const SHARED = "break case const continue default do else enum false for if return static switch true while";
const SCRIPT = `${SHARED} async await catch class delete export extends finally from function import in instanceof let new null of super this throw try typeof undefined var void yield`;
const CLASSES = `${SHARED} abstract boolean byte catch char class double extends final finally float implements import instanceof int interface long new null override package private protected public short super this throw throws try void`;

/** @type {Record<string, { comments: string, strings: string, words: string }>} */
const languages = {
  rust: { comments: C, strings: `${DOUBLE}|${LETTER}`, words: "as async await break const continue crate dyn else enum extern false fn for if impl in let loop match mod move mut pub ref return self Self static struct super trait true type unsafe use where while" },
  javascript: { comments: C, strings: `${DOUBLE}|${SINGLE}|${TEMPLATE}`, words: SCRIPT },
  typescript: { comments: C, strings: `${DOUBLE}|${SINGLE}|${TEMPLATE}`, words: `${SCRIPT} abstract any as boolean declare implements interface keyof namespace never number private protected public readonly string type unknown` },
  python: { comments: HASH, strings: `${TRIPLE}|${DOUBLE}|${SINGLE}`, words: "and as assert async await break class continue def del elif else except False finally for from global if import in is lambda match None nonlocal not or pass raise return self True try while with yield" },
  c: { comments: C, strings: `${DOUBLE}|${LETTER}`, words: `${SHARED} auto bool char class constexpr delete double explicit extern float friend goto inline int long namespace new nullptr operator private protected public register short signed sizeof struct template this throw try typedef typename union unsigned using virtual void volatile` },
  java: { comments: C, strings: `${TRIPLE}|${DOUBLE}|${LETTER}`, words: CLASSES },
  csharp: { comments: C, strings: `${DOUBLE}|${LETTER}`, words: `${CLASSES} as async await base bool decimal delegate event foreach get internal is namespace object out readonly ref sealed set string struct using var virtual` },
  kotlin: { comments: C, strings: `${TRIPLE}|${DOUBLE}|${LETTER}`, words: "as break class companion continue data do else false for fun if import in interface internal is null object override package private protected public return sealed super suspend this throw true try typealias val var when while" },
  swift: { comments: C, strings: `${TRIPLE}|${DOUBLE}`, words: `${SHARED} as async await class deinit extension fileprivate func guard import in init inout internal is let nil override private protocol public self struct super throw throws try var where` },
  go: { comments: C, strings: `${DOUBLE}|${TEMPLATE}|${LETTER}`, words: `${SHARED} chan defer fallthrough func go goto import interface map nil package range select struct type var` },
  ruby: { comments: HASH, strings: `${DOUBLE}|${SINGLE}`, words: "and begin break case class def do else elsif end ensure false for if in module next nil not or raise rescue return self super then true unless until when while yield" },
  shell: { comments: String.raw`(?<=^|\s)#[^\n]*`, strings: `${DOUBLE}|${SINGLE}`, words: "case do done elif else esac exit export fi for function if in local return set then until while" },
  sql: { comments: String.raw`--[^\n]*|\/\*[^]*?(?:\*\/|$)`, strings: String.raw`'(?:''|[^'])*'?`, words: "add all alter and as asc between by case create cross default delete desc distinct drop else end exists foreign from full group having in index inner insert into is join key left like limit not null offset on or order outer primary references right select set table then union unique update using values view when where with" },
  json: { comments: C, strings: DOUBLE, words: "true false null" },
  yaml: { comments: String.raw`(?<=^|\s)#[^\n]*`, strings: `${DOUBLE}|${SINGLE}`, words: "true false null yes no" },
  toml: { comments: HASH, strings: `${TRIPLE}|${DOUBLE}|${SINGLE}`, words: "true false" },
  css: { comments: String.raw`\/\*[^]*?(?:\*\/|$)`, strings: `${DOUBLE}|${SINGLE}`, words: "@media @layer @import @keyframes @supports important" },
  markup: { comments: String.raw`<!--[^]*?(?:-->|$)`, strings: `${DOUBLE}|${SINGLE}`, words: "" },
  scad: { comments: C, strings: DOUBLE, words: "assert difference each else false for function hull if include intersection let linear_extrude minkowski mirror module rotate rotate_extrude scale translate true undef union use" },
};

/** Names and extensions of languages that differ from the name above. */
/** @type {Record<string, string>} */
const called = {
  rs: "rust", js: "javascript", mjs: "javascript", cjs: "javascript", jsx: "javascript", ts: "typescript", tsx: "typescript",
  py: "python", ipynb: "json", h: "c", cc: "c", cpp: "c", hpp: "c", "c++": "c", ino: "c", cs: "csharp", "c#": "csharp", kt: "kotlin",
  rb: "ruby", sh: "shell", bash: "shell", zsh: "shell", yml: "yaml", html: "markup", xml: "markup", svg: "markup", scss: "css",
  less: "css", openscad: "scad", jsonc: "json", geojson: "json", golang: "go",
};

/** The language of a name or an extension with or without its dot; empty for plain text. @param {string} name */
export function languageOf(name) {
  const wanted = name.toLowerCase().replace(/^\./, "");
  const language = called[wanted] ?? wanted;
  return Object.hasOwn(languages, language) ? language : "";
}

/** @param {string} content @param {string} language @returns {Generator<Token>} */
function* tokens(content, language) {
  const { comments, strings, words } = languages[language];
  const known = new Set(words.split(" "));
  const pattern = new RegExp(`(${comments})|(${strings})|(${NUMBER})|(${WORD})`, language === "sql" ? "gim" : "gm");
  let end = 0;
  for (const found of content.matchAll(pattern)) {
    const [said, comment, string, number] = found;
    const isKeyword = known.has(language === "sql" ? said.toLowerCase() : said);
    const kind = comment !== undefined ? "comment" : string !== undefined ? "string" : number !== undefined ? "number" : isKeyword ? "keyword" : "";
    if (!kind) continue;
    if (found.index > end) yield { kind: "", said: content.slice(end, found.index) };
    yield { kind, said };
    end = found.index + said.length;
  }
  if (end < content.length) yield { kind: "", said: content.slice(end) };
}

/** The lines of a content, each a list of words and coloured parts. @param {string} content @param {string} language */
export function lines(content, language) {
  if (!language) return content.split("\n").map((line) => [/** @type {Node | string} */ (line)]);
  /** @type {(Node | string)[][]} */
  const made = [[]];
  for (const { kind, said } of tokens(content, language)) {
    said.split("\n").forEach((part, at) => {
      if (at > 0) made.push([]);
      if (part) made[made.length - 1].push(kind ? h("span", { class: `t-${kind}` }, part) : part);
    });
  }
  return made;
}

/** Code with line numbers; of long ones the beginning, and the rest on demand. @param {string} content @param {string} language @param {string} [label] */
export function codeView(content, language, label = text.files.preview) {
  const shown = h("pre", { class: "code", tabindex: "0", role: "region", "aria-label": label });
  const rest = h("p", { class: "soft rest" });
  let from = 0;
  const more = () => {
    const newline = content.indexOf("\n", from + PART);
    const to = newline < 0 || newline > from + 2 * PART ? Math.min(content.length, from + PART) : newline + 1;
    const part = content.slice(from, to).replace(/\n$/, "");
    shown.append(...lines(part, language).map((line) => h("span", { class: "line" }, line, "\n")));
    from = to;
    fill(rest, from < content.length ? [text.files.cut, " ",
      button({ name: text.files.more, onclick: more })] : null);
  };
  more();
  return h("div", { class: "code-place" }, shown, rest);
}
