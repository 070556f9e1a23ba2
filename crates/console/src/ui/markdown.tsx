// Markdown as elements, by the tokens of markdown-it: text is always text, so nothing in it becomes markup. Links have
// safe schemes alone, and pictures are links, because the page loads nothing from outside. `attachment:` with an id
// names a file of the place, which the place shows.

import MarkdownIt, { type Token } from "markdown-it";
import { createElement, type ComponentChild } from "preact";

const SCHEMES = new Set(["http:", "https:", "mailto:"]);
const parser = new MarkdownIt({ html: false, linkify: true, breaks: true, maxNesting: 20 });
// Every scheme is parsed; unsafe ones are shown as text.
parser.validateLink = () => true;

/** The address of a file of the place, and the id in one. */
const ATTACHMENT = /^attachment:([\da-f-]{36})$/i;
const idIn = (target: string) => ATTACHMENT.exec(target)?.[1]?.toLowerCase();

/** A reference to a file of the place. */
export interface FileReference {
  id: string;
  /** The words of the text for it. */
  said: ComponentChild;
  /** True if the text shows the file, rather than leads to it. */
  isPicture: boolean;
}

interface MarkdownProps {
  source: string;
  /** The level of the heading that the text stands below. */
  under?: number;
  /** Shows words that stand neither in code nor in a link; as they are unless given. */
  words?: (said: string) => ComponentChild;
  /** Shows a file of the place; its words unless given. */
  files?: (file: FileReference) => ComponentChild;
}

export function Markdown({ source, under = 2, words = (said) => said, files = ({ said }) => said }: MarkdownProps) {
  return <div class="markdown">{childrenOf(parser.parse(source, {}), { under, last: under, words, files })}</div>;
}

interface Levels extends Required<Pick<MarkdownProps, "under" | "words" | "files">> {
  last: number;
}

/** An element whose end has not come. */
interface Open {
  token: Token | null;
  children: ComponentChild[];
}

function childrenOf(tokens: readonly Token[], levels: Levels): ComponentChild[] {
  const stack: Open[] = [{ token: null, children: [] }];
  const add = (child: ComponentChild) => stack.at(-1)?.children.push(child);
  for (const token of tokens) {
    if (token.nesting === 1) stack.push({ token, children: [] });
    else if (token.nesting === -1) {
      const open = stack.length > 1 ? stack.pop() : undefined;
      if (open?.token) add(elementOf(open.token, open.children, levels));
    } else {
      const isLinked = stack.some((open) => open.token?.type === "link_open");
      if (token.type === "image") add(isLinked ? plainOf(token) : pictureOf(token, levels));
      else add(leafOf(token, isLinked ? { ...levels, words: (said) => said } : levels));
    }
  }
  return stack[0]?.children ?? [];
}

function elementOf(token: Token, children: ComponentChild[], levels: Levels): ComponentChild {
  if (token.type === "link_open") return link(String(token.attrGet("href") ?? ""), children, levels.files);
  if (token.hidden) return children;
  if (token.type === "table_open") {
    return <div class="table-place" tabIndex={0}><table>{children}</table></div>;
  }
  if (token.type === "heading_open") {
    // Headings begin below that of the place, and leave out no level.
    levels.last = Math.min(Number(token.tag.slice(1)) + levels.under, levels.last + 1, 6);
    return createElement(`h${levels.last}`, { dir: "auto" }, children);
  }
  const start = token.attrGet("start");
  // A head without words names no column.
  const tag = token.tag === "th" && children.flat(Infinity).join("") === "" ? "td" : token.tag;
  return createElement(tag, { dir: "auto", ...(start ? { start: Number(start) } : {}) }, children);
}

function leafOf(token: Token, levels: Levels): ComponentChild {
  switch (token.type) {
    case "inline": return taskOf(token, levels);
    case "text": case "text_special": return levels.words(token.content);
    case "softbreak": case "hardbreak": return <br />;
    case "hr": return <hr />;
    case "code_inline": return <code>{token.content}</code>;
    case "fence": case "code_block": return <pre tabIndex={0}><code>{token.content.replace(/\n$/, "")}</code></pre>;
    default: return token.content;
  }
}

/** The text of a block; one that begins with a box is a task. */
function taskOf(token: Token, levels: Levels): ComponentChild {
  const [first, ...rest] = token.children ?? [];
  const [, box, after] = first?.type === "text" ? /^\[([ xX])\] (.*)$/.exec(first.content) ?? [] : [];
  if (box === undefined) return childrenOf(token.children ?? [], levels);
  const mark = box === " " ? "☐" : "☑";
  return [<span role="img" aria-label={mark}>{`${mark} `}</span>, levels.words(after ?? ""), childrenOf(rest, levels)];
}

/** The words of a picture. */
const plainOf = ({ children, content }: Token) => children?.map((token) => token.content).join("") || content;

/** A picture of the place; one from elsewhere is a link. */
function pictureOf(token: Token, { files }: Levels): ComponentChild {
  const [target, said] = [String(token.attrGet("src") ?? ""), plainOf(token)];
  const id = idIn(target);
  return id ? files({ id, said, isPicture: true }) : link(target, [said || target], files);
}

/** A link, or its text where its scheme isn't safe. */
function link(target: string, children: ComponentChild[], files: Levels["files"]): ComponentChild {
  const id = idIn(target);
  if (id) return files({ id, said: children, isPicture: false });
  const url = URL.canParse(target, location.origin) ? new URL(target, location.origin) : null;
  if (!url || !SCHEMES.has(url.protocol)) return <span>{children}</span>;
  if (url.origin === location.origin) return <a href={url.pathname + url.search + url.hash} dir="auto">{children}</a>;
  return <a href={url.href} target="_blank" rel="noopener noreferrer nofollow ugc" dir="auto">{children}</a>;
}
