// A session's page: its conversation as it comes, its question, its cost, and the field for the next message.

import { useEffect } from "preact/hooks";
import { leaveSession, openSession, type OpenSession } from "../../../model/work/open-session";
import { noteChoice } from "../../../model/recent";
import { text } from "../../../text";
import { Button } from "../../../ui/button";
import { Icon } from "../../../ui/icon";
import { usePlace } from "../../../ui/place";
import { askSession } from "../../parts/ask-session";
import type { PageProps } from "../../parts/page-props";
import { PageState } from "../../parts/page-state";
import { projectPlace } from "../../parts/project-place";
import { Question } from "./approval";
import { MessageField } from "./composer";
import { SessionHead } from "./head";
import { Talk } from "./talk";
import { WithoutAgents } from "./without-agents";

export default function SessionPage({ parameters: { project = "", session = "" } }: PageProps) {
  return (
    <PageState
      read={() => openSession({ projectId: project, sessionId: session })}
      keys={[project, session]}
      close={leaveSession}
    >
      {(open) => <Opened open={open} />}
    </PageState>
  );
}

function Opened({ open }: { open: OpenSession }) {
  const { opened, session, stream } = open;
  const { projectId, sessionId } = session.path;
  const sessions = { name: text.sessions.title, href: `/projects/${projectId}/sessions` };
  const title = session.title.value || text.sessions.untitled;
  const live = session.isClosed.value ? undefined : stream.state.value;
  usePlace({ ...projectPlace(opened, "/sessions", title, sessions), ...(live ? { live } : {}) }, [open, title, live]);
  useEffect(() => {
    const href = `${sessions.href}/${sessionId}`;
    if (session.title.value) noteChoice({ name: title, href, where: opened.project.name, icon: "agent" });
  }, [open, title]);
  return (
    <div class="session">
      <SessionHead open={open} />
      <Talk open={open} />
      <div class="session-end">
        <Question open={open} />
        <Foot open={open} />
      </div>
      <p class="unseen" role="status">{session.spoken.value}</p>
    </div>
  );
}

/** The field for messages, or why it is missing. */
function Foot({ open }: { open: OpenSession }) {
  const { session, hasModels, opened } = open;
  if (session.isClosed.value) return <div class="notice-line"><p>{text.sessions.closed}</p></div>;
  if (!hasModels) {
    // An empty conversation says it in its place.
    if (session.talk.isEmpty.value) return null;
    return <div class="notice-line"><p>{text.sessions.noModel}</p><WithoutAgents path={session.path} /></div>;
  }
  if (!session.isExhausted.value) return <MessageField open={open} />;
  return (
    <div class="notice-line">
      <Icon name="warning" />
      <p>{text.sessions.exhausted}</p>
      <Button name={text.sessions.create} onClick={() => askSession(opened)} />
    </div>
  );
}
