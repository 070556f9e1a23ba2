// Code with the colours of its language and line numbers. Of a long text the beginning is shown, and more on demand.

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Button } from "./button";
import { highlight, plainLines, type Line } from "./highlight";
import { memo } from "./memo";

/** Characters that are shown at once. A part ends with a line, unless that is as long as a part. */
const PART = 60_000;

export interface CodeViewProps {
  content: string;
  language: string;
  label: string;
  /** Words for the rest of a long text. */
  rest: { cut: string; more: string };
}

export function CodeView({ content, language, label, rest }: CodeViewProps) {
  const count = useSignal(1);
  const parts = partsOf(content);
  return (
    <div class="code-place">
      <pre class="code" tabIndex={0} role="region" aria-label={label}>
        {parts.slice(0, count.value).map((part, at) => (
          <CodePart key={at} content={part} language={language} />
        ))}
      </pre>
      {count.value < parts.length && (
        <p class="soft rest">
          {rest.cut} <Button name={rest.more} onClick={() => { count.value += 1; }} />
        </p>
      )}
    </div>
  );
}

const CodePart = memo(({ content, language }: { content: string; language: string }) => {
  const lines = useSignal<Line[]>(plainLines(content));
  useEffect(() => {
    let isLeft = false;
    lines.value = plainLines(content);
    // A language whose parser can't be loaded leaves the text as it is.
    if (language) void highlight(content, language).then((now) => { if (!isLeft) lines.value = now; }, () => {});
    return () => { isLeft = true; };
  }, [content, language]);
  return <>{lines.value.map((line, at) => <CodeLine key={at} line={line} />)}</>;
});

const CodeLine = memo(({ line }: { line: Line }) => (
  <span class="line">
    {line.map(({ text, kind }, at) => (kind ? <span key={at} class={kind}>{text}</span> : text))}
    {"\n"}
  </span>
));

export function partsOf(content: string): string[] {
  const parts: string[] = [];
  for (let from = 0; from < content.length || parts.length === 0;) {
    const newline = content.indexOf("\n", from + PART);
    const to = newline < 0 || newline > from + 2 * PART ? Math.min(content.length, from + PART) : newline + 1;
    parts.push(content.slice(from, to).replace(/\n$/, ""));
    from = Math.max(to, 1);
  }
  return parts;
}
