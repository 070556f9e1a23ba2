// Executions of code in a session: an editor, the result beside it, and what ran before.

import { useLayoutEffect } from "preact/hooks";
import { openExecutions, type OpenExecutions } from "../../../model/work/open-executions";
import { text } from "../../../text";
import { search, setParameters } from "../../../ui/address";
import { Icon } from "../../../ui/icon";
import { usePlace } from "../../../ui/place";
import type { PageProps } from "../../parts/page-props";
import { PageState } from "../../parts/page-state";
import { projectPlace } from "../../parts/project-place";
import { Earlier } from "./earlier";
import { Editor } from "./editor";
import { Result } from "./result";

export default function ExecutionsPage({ parameters: { project = "", session = "" } }: PageProps) {
  return (
    <PageState
      read={() => openExecutions({ projectId: project, sessionId: session })}
      keys={[project, session]}
      close={({ stream }) => stream.stop()}
    >
      {(open) => <Opened open={open} />}
    </PageState>
  );
}

function Opened({ open }: { open: OpenExecutions }) {
  const { opened, path, executions, stream, isClosed } = open;
  const root = `/projects/${path.projectId}/sessions`;
  const sessions = { name: text.sessions.title, href: root };
  const live = isClosed ? undefined : stream.state.value;
  const place = projectPlace(opened, "/sessions", text.executions.title, sessions);
  usePlace({ ...place, ...(live ? { live } : {}) }, [open, live]);
  useLayoutEffect(() => {
    const [object, execution] = [search.peek().get("object"), search.peek().get("execution")];
    executions.choose(execution ?? executions.all.peek()[0]?.executionId ?? "");
    // Who comes back goes on with what ran last.
    executions.edit(object ?? executions.current.peek()?.objectId ?? "");
  }, [open]);
  const [object, execution] = [executions.object.value, executions.shown.value];
  useLayoutEffect(() => setParameters({ object, execution }), [object, execution]);
  return (
    <div class="page executions">
      <div class="heading">
        <h1>{text.executions.title}</h1>
        <a class="button" href={`${root}/${path.sessionId}`}>
          <Icon name="agent" /><span>{text.sessions.conversation}</span>
        </a>
      </div>
      <p class="lead">{text.executions.lead}</p>
      <div class="execution-place">
        <Editor executions={executions} />
        <Result executions={executions} />
      </div>
      <Earlier open={open} />
    </div>
  );
}
