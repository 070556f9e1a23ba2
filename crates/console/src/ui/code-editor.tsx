// An editor of code. CodeMirror is loaded where it is shown; until then, and without it, a plain field does.

import { useSignal } from "@preact/signals";
import { useEffect, useId, useRef } from "preact/hooks";
import type { OpenEditor } from "./code-mirror";
import { isSend } from "./keys";

export interface CodeEditorProps {
  label: string;
  /** Name of the value in the form around it. */
  name: string;
  value: string;
  language: string;
  rows?: number;
  help?: string;
  onInput?: (typed: string) => void;
}

/** A field for code; Ctrl+Enter is the form's. Another `value` from outside replaces what was typed. */
export function CodeEditor({ label, name, value, language, rows = 12, help, onInput }: CodeEditorProps) {
  const place = useRef<HTMLDivElement>(null);
  const editor = useRef<OpenEditor | null>(null);
  const [typed, isOpen, id] = [useSignal(value), useSignal(false), useId()];
  const input = (now: string) => {
    typed.value = now;
    onInput?.(now);
  };
  useEffect(() => {
    let isLeft = false;
    void import("./code-mirror").then(({ openEditor }) => {
      if (isLeft || !place.current) return;
      editor.current = openEditor(place.current, { label, content: typed.peek(), language, input });
      isOpen.value = true;
    }, () => {});
    return () => {
      isLeft = true;
      editor.current?.close();
    };
  }, []);
  useEffect(() => {
    if (value === typed.peek()) return;
    typed.value = value;
    editor.current?.replace(value);
  }, [value]);
  useEffect(() => editor.current?.speak(language), [language]);
  return (
    <div class="field">
      <label id={`${id}-label`} onClick={() => editor.current?.focus()}>{label}</label>
      <div ref={place} class="code-editor" hidden={!isOpen.value} style={{ "--rows": rows }}
        onKeyDown={(event) => {
          if (!isSend(event)) return;
          event.preventDefault();
          event.currentTarget.closest("form")?.requestSubmit();
        }} />
      <textarea name={name} aria-labelledby={`${id}-label`} hidden={isOpen.value} rows={rows} spellcheck={false}
        value={typed.value} onInput={(event) => input(event.currentTarget.value)} />
      {help && <p class="help">{help}</p>}
    </div>
  );
}
