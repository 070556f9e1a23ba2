// A project's sessions: who works with an agent on what, in which state, and at what cost.

import type { Watch } from "../../../api/watch";
import { watch } from "../../../api/watch";
import { projectEvents } from "../../../api/content/projects";
import { readModels } from "../../../api/work/sessions";
import { sessionOf } from "../../../api/content/grants";
import { tellFailure } from "../../../model/messages";
import { peopleOf } from "../../../model/work/open-session";
import { openProject, type OpenedProject } from "../../../model/content/project";
import { Sessions } from "../../../model/work/sessions";
import { text } from "../../../text";
import { useActions } from "../../../ui/actions";
import { open, search } from "../../../ui/address";
import { BusyButton } from "../../../ui/busy-button";
import { Button } from "../../../ui/button";
import { Empty } from "../../../ui/empty";
import { usePlace } from "../../../ui/place";
import { askSession } from "../../parts/ask-session";
import type { PageProps } from "../../parts/page-props";
import { PageState } from "../../parts/page-state";
import { projectPlace } from "../../parts/project-place";
import { SessionRow } from "./row";

interface OpenSessions {
  opened: OpenedProject;
  sessions: Sessions;
  people: ReadonlyMap<string, string>;
  hasModels: boolean;
  live: Watch;
}

async function openSessions(id: string): Promise<OpenSessions> {
  const sessions = new Sessions(id);
  const [opened, people, models] =
    await Promise.all([openProject(id, null), peopleOf(id), readModels(), sessions.reload()]);
  const live = watch(projectEvents(id), () => sessions.reload(), ({ type }) => type.startsWith("session."));
  return { opened, sessions, people, hasModels: models.length > 0, live };
}

export default function SessionsPage({ parameters: { project = "" } }: PageProps) {
  return (
    <PageState read={() => openSessions(project)} keys={[project]} close={({ live }) => live.stop()}>
      {(page) => <Opened {...page} />}
    </PageState>
  );
}

function Opened({ opened, sessions, people, hasModels, live }: OpenSessions) {
  const state = live.state.value;
  usePlace({ ...projectPlace(opened, "/sessions", text.sessions.title), live: state }, [opened, state]);
  const create = () => askSession(opened);
  const run = () => runCode(opened.project.id);
  const group = text.sessions.title;
  useActions(() => [
    ...(hasModels ? [{ name: text.sessions.create, icon: "plus", group, run: create }] : []),
    { name: text.sessions.execute, icon: "run", group, run },
  ]);
  const begin = hasModels ? <Button name={text.sessions.create} icon="plus" kind="primary" onClick={create} />
    : <BusyButton name={text.sessions.execute} icon="run" kind="primary" run={run} />;
  const isAll = search.value.has("all");
  const shown = isAll ? sessions.all.value : sessions.withTask.value;
  const empty = hasModels ? text.sessions.empty : text.sessions.emptyCode;
  return (
    <div class="page">
      <div class="heading">
        <h1>{text.sessions.title}</h1>
        {hasModels && <BusyButton name={text.sessions.execute} icon="run" run={run} />}
        {shown.length > 0 && begin}
      </div>
      <p class="lead">{hasModels ? text.sessions.lead : <>{text.sessions.leadCode} <AboutModels /></>}</p>
      <ul class="rows">
        {shown.map((session) => <SessionRow key={session.sessionId} session={session} sessions={sessions}
          owner={people.get(session.createdBy)} />)}
      </ul>
      {shown.length === 0 && <Empty icon={hasModels ? "agent" : "code"}><p>{empty}</p>{begin}</Empty>}
      <Others sessions={sessions} isAll={isAll} root={`/projects/${opened.project.id}/sessions`} />
    </div>
  );
}

const AboutModels = () => <a href="/docs/guide/agents" target="_blank">{text.sessions.aboutModels}</a>;

function Others({ sessions, isAll, root }: { sessions: Sessions; isAll: boolean; root: string }) {
  const count = sessions.othersCount.value;
  if (isAll) return <p class="soft"><a href={root}>{text.sessions.onlyTasks}</a></p>;
  if (count === 0) return null;
  return <p class="soft">{text.sessions.others(count)} <a href={`${root}?all=`}>{text.sessions.all}</a></p>;
}

/** Opens this tab's session on the project, where code runs. */
async function runCode(project: string): Promise<void> {
  try {
    open(`/projects/${project}/sessions/${await sessionOf(project)}/executions`);
  } catch (error) {
    tellFailure(error);
  }
}
