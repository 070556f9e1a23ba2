// Code and differing lines in the console's words.

import { text } from "../../text";
import { CodeView } from "../../ui/code-view";
import { LineView } from "../../ui/line-view";

interface CodeProps {
  content: string;
  language?: string;
  label?: string;
}

export function Code({ content, language = "", label = text.files.preview }: CodeProps) {
  return (
    <CodeView content={content} language={language} label={label}
      rest={{ cut: text.files.cut, more: text.files.more }} />
  );
}

/** The lines in which two texts differ; `name` says of what. */
export function Lines({ before, after, name }: { before: string; after: string; name: string }) {
  const label = `${text.versions.lines}: ${name}`;
  return <LineView before={before} after={after} label={label} equal={text.versions.equal} />;
}
