// A tool call as one line, which unfolds to what was asked and answered.

import { useSignal, type ReadonlySignal } from "@preact/signals";
import { prettyJson, prettyText } from "../../../model/content/json";
import type { OpenSession } from "../../../model/work/open-session";
import { toolName, type ToolCall } from "../../../model/work/tool-call";
import { text } from "../../../text";
import { Block } from "../../../ui/block";
import { Icon } from "../../../ui/icon";
import { hrefOf } from "./address";

const ICONS = { running: "wait", waiting: "warning", done: "tick", failed: "close" };

export function ToolLine({ open, call }: { open: OpenSession; call: ReadonlySignal<ToolCall> }) {
  const { name, state, subject, made, seconds } = call.value;
  const isOpen = useSignal(false);
  const outcome = text.sessions.calls[state];
  return (
    <div class="tool-line">
      <details class="tool" data-state={state} onToggle={(event) => { isOpen.value = event.currentTarget.open; }}>
        <summary>
          <span class="tool-sign"><Icon name={ICONS[state]} /></span>
          <span class="name">{toolName(name)}</span>
          <span class="tool-subject" dir="auto">{subject}</span>
          <span class="soft tool-outcome">
            {seconds === null ? outcome : `${outcome}, ${text.sessions.seconds(seconds)}`}
          </span>
        </summary>
        {isOpen.value && <Inside call={call.value} />}
      </details>
      {made && <span class="tool-link"><a href={hrefOf(open, made)} dir="auto">{made.name || made.id}</a></span>}
    </div>
  );
}

function Inside({ call: { name, params, answer } }: { call: ToolCall }) {
  return (
    <div class="tool-inside">
      <p class="soft">{name}</p>
      <p class="part">{text.sessions.asked}</p>
      <Block content={prettyJson(params)} label={text.sessions.asked} />
      <p class="part">{text.sessions.answered}</p>
      {answer === null ? <p class="soft">{text.sessions.noAnswerYet}</p>
        : <Block content={prettyText(answer)} label={text.sessions.answered} />}
    </div>
  );
}
