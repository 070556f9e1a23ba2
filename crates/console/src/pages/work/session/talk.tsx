// The column of a conversation. It follows its end while the reader is near it.

import { useEffect } from "preact/hooks";
import type { OpenSession } from "../../../model/work/open-session";
import type { OpenedSession } from "../../../model/work/session";
import { text } from "../../../text";
import { Button } from "../../../ui/button";
import { Icon } from "../../../ui/icon";
import { useFollowEnd } from "../../../ui/follow-end";
import { Pending, TalkEntry, Writing } from "./entries";
import { WithoutAgents } from "./without-agents";

export function Talk({ open }: { open: OpenSession }) {
  const { talk } = open.session;
  const { scroller, isBehind, toEnd, follow, onScroll } =
    useFollowEnd([talk.entries.value, talk.pending.value, open.session.question.value, open.session.pause.value]);
  return (
    <div class="session-middle">
      {talk.isEmpty.value && <Beginning open={open} />}
      <div class="talk-place">
        <div ref={scroller} class="talk" tabIndex={0} role="log" aria-label={text.sessions.conversation}
          onScroll={onScroll}>
          <div class="talk-column">
            {talk.entries.value.map((entry) => <TalkEntry key={entry.key} entry={entry} open={open} />)}
            <Pausing session={open.session} />
            <Writing open={open} grown={follow} />
            <Pending open={open} />
          </div>
        </div>
        <Button name={text.sessions.latest} kind="latest" hidden={!isBehind.value} onClick={toEnd} />
      </div>
    </div>
  );
}

/** A pause for which the model's server asks, until it is over. */
function Pausing({ session }: { session: OpenedSession }) {
  const pause = session.pause.value;
  useEffect(() => {
    if (!pause) return;
    const timer = setTimeout(() => session.resumed(), pause.until - Date.now());
    return () => clearTimeout(timer);
  }, [pause]);
  if (!pause) return null;
  const until = new Date(pause.until);
  return (
    <p class="note" role="status" title={pause.reason}>
      {text.sessions.pauses} <time dateTime={until.toISOString()}>{until.toLocaleTimeString()}</time>.
    </p>
  );
}

function Beginning({ open: { hasModels, session } }: { open: OpenSession }) {
  if (session.isClosed.value) return null;
  return (
    <div class="empty">
      <Icon name={hasModels ? "agent" : "code"} />
      <p>{hasModels ? text.sessions.begin : text.sessions.noModel}</p>
      {!hasModels && <WithoutAgents path={session.path} />}
    </div>
  );
}
