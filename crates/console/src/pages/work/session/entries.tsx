// The entries of a conversation: messages with their tool calls, and notes between them.

import type { ComponentChildren } from "preact";
import { useLayoutEffect } from "preact/hooks";
import type { Message, MessagePart } from "../../../api/work/sessions";
import type { Entry, Note } from "../../../model/work/conversation";
import type { OpenSession } from "../../../model/work/open-session";
import { text } from "../../../text";
import { Avatar } from "../../../ui/avatar";
import { useFrameValue } from "../../../ui/frame-value";
import { Icon } from "../../../ui/icon";
import { Markdown } from "../../../ui/markdown";
import { memo } from "../../../ui/memo";
import { Time } from "../../../ui/time";
import { objectHref } from "./address";
import { ToolLine } from "./tool";

export const TalkEntry = memo(({ entry, open }: { entry: Entry; open: OpenSession }) => (
  entry.kind === "note" ? <NoteLine note={entry} open={open} /> : <SaidMessage message={entry.message} open={open} />
));

function NoteLine({ note: { look, text: words, object }, open }: { note: Note; open: OpenSession }) {
  return (
    <p class={`note ${look === "plain" ? "" : look}`}>
      {object ? <a href={objectHref(open, object)}>{words}</a> : words}
    </p>
  );
}

function SaidMessage({ message, open }: { message: Message; open: OpenSession }) {
  const { role, parts, promptedBy, createdAt } = message;
  // Results are shown with their calls.
  if (role === "tool") return null;
  const isOwn = role === "user";
  const name = isOwn ? open.people.get(promptedBy ?? "") ?? text.sessions.somebody : text.sessions.agent;
  return (
    <SaidBy name={name} of={promptedBy ?? undefined} isPerson={isOwn} at={createdAt}>
      {parts.map((part, at) => <Part key={at} part={part} open={open} />)}
    </SaidBy>
  );
}

function Part({ part, open }: { part: MessagePart; open: OpenSession }) {
  if (part.type === "text") return <Markdown source={part.text} under={1} />;
  const call = part.type === "tool_call" ? open.session.talk.call(part.callId) : undefined;
  return call ? <ToolLine open={open} call={call} /> : null;
}

interface SaidByProps {
  name: string;
  /** Id of the person. */
  of?: string | undefined;
  isPerson: boolean;
  at?: string;
  busy?: boolean;
  pending?: boolean;
  children: ComponentChildren;
}

function SaidBy({ name, of, isPerson, at, busy, pending, children }: SaidByProps) {
  return (
    <article class={`said ${isPerson ? "user" : "assistant"}${pending ? " pending" : ""}`} aria-label={name}
      aria-busy={busy}>
      <header>
        {isPerson ? <Avatar name={name} of={of} decorative /> : <Icon name="agent" />}
        <span class="name" dir="auto">{name}</span>
        {at && <span class="soft"><Time iso={at} /></span>}
      </header>
      <div class="prose">{children}</div>
    </article>
  );
}

/** The message that the model is writing. */
export function Writing({ open, grown }: { open: OpenSession; grown: () => void }) {
  const words = useFrameValue(open.session.talk.writing).value;
  useLayoutEffect(grown, [words]);
  if (words === null) return null;
  return (
    <SaidBy name={text.sessions.agent} isPerson={false} busy>
      <div class="writing"><Markdown source={words} under={1} /></div>
    </SaidBy>
  );
}

/** A message that the service doesn't have yet. */
export function Pending({ open }: { open: OpenSession }) {
  const words = open.session.talk.pending.value;
  if (words === null) return null;
  const { caller } = open.opened;
  return (
    <SaidBy name={caller.name} of={caller.id} isPerson pending><Markdown source={words} under={1} /></SaidBy>
  );
}
