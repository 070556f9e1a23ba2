// A text of several lines that is sent: a comment, or its change.

import { useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { reasonOf } from "../../../api/errors";
import type { Draft } from "../../../api/storage";
import type { CardAttachments } from "../../../model/planning/card-attachments";
import type { Mentionable } from "../../../model/planning/mention-list";
import { text } from "../../../text";
import { Button } from "../../../ui/button";
import { isComposing, isSend } from "../../../ui/keys";
import { useTextField } from "./text-field";

interface EditorProps {
  label: string;
  action: string;
  value?: string;
  draft: Draft;
  /** The people whom the text can mention. */
  people: readonly Mentionable[];
  /** The files of the card, among them those that are put into the text. */
  attachments: CardAttachments;
  /** Closes the editor; without it the editor stays, and is emptied once its text is sent. */
  close?: () => void;
  send: (said: string) => Promise<unknown>;
}

export function Editor({ label, action, value = "", draft, people, attachments, close, send }: EditorProps) {
  const said = useSignal(draft.read() ?? value);
  const failure = useSignal("");
  const isSending = useSignal(false);
  const input = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => { if (close) input.current?.focus(); }, []);
  const type = (typed: string) => {
    said.value = typed;
    draft.keep(typed);
  };
  const mentions = useTextField({ input, people, attachments, type });
  const end = () => {
    draft.end();
    close?.();
  };
  const go = async () => {
    const typed = said.peek();
    if (isSending.peek()) return;
    if (typed.trim() === "") return input.current?.focus();
    [isSending.value, failure.value] = [true, ""];
    try {
      if (typed !== value) await send(typed);
      if (said.peek() === typed) said.value = "";
      end();
    } catch (error) {
      failure.value = reasonOf(error);
    } finally {
      isSending.value = false;
    }
  };
  const onKey = (event: KeyboardEvent) => {
    if (mentions.onKey(event)) return;
    if (isSend(event)) {
      event.preventDefault();
      void go();
    } else if (event.key === "Escape" && !isComposing(event)) {
      event.stopPropagation();
      if (close) end();
      else input.current?.blur();
    }
  };
  return (
    <div class="editor">
      <textarea ref={input} rows={3} aria-label={label} placeholder={label} dir="auto" value={said.value}
        onInput={(event) => {
          type(event.currentTarget.value);
          mentions.read();
        }} onKeyDown={onKey} onBlur={mentions.close} {...mentions.attributes} />
      {mentions.list}
      <p class="failure" role="alert">{failure.value}</p>
      <div class="actions">
        {close && <Button name={text.cancel} onClick={end} />}
        <Button name={action} disabled={isSending.value} onClick={go} />
      </div>
    </div>
  );
}
