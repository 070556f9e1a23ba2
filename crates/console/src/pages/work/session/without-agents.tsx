// A session where no agent is set up.

import type { SessionPath } from "../../../api/work/sessions";
import { text } from "../../../text";
import { Icon } from "../../../ui/icon";

export function WithoutAgents({ path: { projectId, sessionId } }: { path: SessionPath }) {
  return (
    <div class="actions">
      <a class="button" href="/docs/guide/agents" target="_blank">{text.sessions.aboutModels}</a>
      <a class="button primary" href={`/projects/${projectId}/sessions/${sessionId}/executions`}>
        <Icon name="run" /><span>{text.sessions.execute}</span>
      </a>
    </div>
  );
}
