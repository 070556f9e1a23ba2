// The question whether the agent may call a tool: a card above the composer, answered by click or by keys.

import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { reasonOf } from "../../../api/errors";
import type { Approval, Decision, ToolEffect } from "../../../api/work/sessions";
import { prettyJson } from "../../../model/content/json";
import { readSubject, type OpenSession } from "../../../model/work/open-session";
import type { OpenedSession } from "../../../model/work/session";
import { toolName } from "../../../model/work/tool-call";
import { text } from "../../../text";
import { useActions } from "../../../ui/actions";
import { Block } from "../../../ui/block";
import { Button } from "../../../ui/button";
import { Icon } from "../../../ui/icon";
import { useLoaded } from "../../../ui/loaded";
import { Time } from "../../../ui/time";
import { hrefOf } from "./address";

export function Question({ open }: { open: OpenSession }) {
  const { session } = open;
  const question = session.question.value;
  return (
    <div class="approval-place" aria-live="assertive">
      {question && <QuestionCard key={question.approvalId} open={open} question={question} />}
    </div>
  );
}

function QuestionCard({ open, question }: { open: OpenSession; question: Approval }) {
  const { name, params, reason, requestedAt } = question;
  const card = useRef<HTMLElement>(null);
  useEffect(() => {
    // Who is typing goes on typing; everybody else has the question at hand.
    if (!document.activeElement?.closest("textarea, input, dialog")) card.current?.focus({ preventScroll: true });
  }, []);
  const reasons = text.sessions.reasons as Record<string, string>;
  return (
    <section ref={card} class="approval" tabIndex={-1} aria-labelledby="approval-title">
      <h2 id="approval-title"><Icon name="warning" /><span>{text.sessions.question}</span></h2>
      <p class="soft">{text.sessions.questionAsked} <Time iso={requestedAt} /></p>
      <p>
        <strong title={name}>{toolName(name)}</strong> {effectsOf(question)}.{" "}
        <span class="soft">{reasons[reason] ?? reason}</span>
      </p>
      {params !== null && <Subject open={open} params={params} />}
      {params === null ? <p>{text.sessions.noAnswer}</p>
        : <Block content={prettyJson(params)} label={text.sessions.asked} />}
      {params !== null && <Answers session={open.session} />}
    </section>
  );
}

/** The subject of the call, by its name: ids say nothing to people. */
function Subject({ open, params }: { open: OpenSession; params: NonNullable<Approval["params"]> }) {
  const read = useLoaded(() => readSubject(open, params), [params]).state.value;
  const subject = read.state === "there" ? read.value : null;
  if (!subject) return null;
  return (
    <p class="approval-subject">
      <Icon name={subject.kind === "card" ? "page" : "part"} />
      <a href={hrefOf(open, subject)} dir="auto">{subject.name}</a>
    </p>
  );
}

function Answers({ session }: { session: OpenedSession }) {
  const [failure, isBusy] = [useSignal(""), useSignal(false)];
  const decide = async (decision: Decision) => {
    if (isBusy.peek()) return;
    [failure.value, isBusy.value] = ["", true];
    try {
      await session.decide(decision);
    } catch (error) {
      failure.value = reasonOf(error);
    } finally {
      isBusy.value = false;
    }
  };
  const group = text.sessions.title;
  useActions(() => [
    { name: text.sessions.allow, key: "y", group, run: () => decide("approve") },
    { name: text.sessions.deny, key: "n", group, run: () => decide("deny") },
  ]);
  return (
    <>
      <p class="failure" role="alert">{failure.value}</p>
      <div class="actions">
        <Button name={text.sessions.deny} disabled={isBusy.value} onClick={() => decide("deny")}>
          <kbd aria-hidden="true">N</kbd>
        </Button>
        <Button name={text.sessions.allow} kind="primary" disabled={isBusy.value} onClick={() => decide("approve")}>
          <kbd aria-hidden="true">Y</kbd>
        </Button>
      </div>
    </>
  );
}

/** The tool's effect, in words. Reading is not said where it also writes, nor writing where it deletes. */
function effectsOf({ effects }: Approval): string {
  const isSaid = (one: ToolEffect) =>
    !(one === "showUntrusted" && effects.length > 1) && !(one === "write" && effects.includes("destroy"));
  return effects
    .filter(isSaid)
    .map((one) => text.sessions.does[one] ?? one)
    .join(", ");
}
