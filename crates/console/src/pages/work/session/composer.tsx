// The field for messages to the agent.

import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import type { OpenSession } from "../../../model/work/open-session";
import { tellFailure } from "../../../model/messages";
import { text } from "../../../text";
import { BusyButton } from "../../../ui/busy-button";
import { Button } from "../../../ui/button";
import { isComposing } from "../../../ui/keys";

const MOST_PX = 240;

export function MessageField({ open: { session, composer } }: { open: OpenSession }) {
  const input = useRef<HTMLTextAreaElement>(null);
  const [typed, isBusy, question] = [composer.text.value, session.isBusy.value, session.question.value];
  useLayoutEffect(() => {
    const field = input.current;
    if (!field) return;
    field.style.height = "auto";
    field.style.height = `${Math.min(field.scrollHeight + 2, MOST_PX)}px`;
  }, [typed]);
  useEffect(() => {
    // Who has answered a question goes on here.
    if (!question && document.activeElement === document.body) input.current?.focus();
  }, [question]);
  const send = () => {
    if (!session.isBusy.peek()) void composer.send();
  };
  return (
    <form class="composer" onSubmit={(event) => { event.preventDefault(); send(); }}>
      <p class="failure" role="alert">{composer.failure.value}</p>
      <div class="composer-field">
        <textarea ref={input} name="prompt" rows={1} value={typed} dir="auto" aria-label={text.sessions.say}
          placeholder={text.sessions.say} aria-describedby="say-hint"
          onInput={(event) => composer.type(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || event.shiftKey || isComposing(event)) return;
            event.preventDefault();
            send();
          }} />
        <BusyButton name={text.sessions.stop} icon="stop" kind="halt" hidden={!isBusy}
          run={() => session.stop().catch(tellFailure)} />
        <Button name={text.sessions.send} icon="send" kind="primary" quiet type="submit" hidden={isBusy}
          disabled={composer.isSending.value} />
      </div>
      <p class="soft" id="say-hint">{text.sessions.sayHint}</p>
    </form>
  );
}
