// The executions of a session that is open, with the project and people around them, followed live.

import { follow, type Stream } from "../../api/events";
import { readCodeObjects, readExecutions } from "../../api/work/executions";
import { readSession, sessionEvents, type SessionEvent, type SessionPath } from "../../api/work/sessions";
import { draftOf } from "../../api/storage";
import { Executions } from "./executions";
import { peopleOf } from "./open-session";
import { openProject, placeOf, type OpenedProject } from "../content/project";

export interface OpenExecutions {
  opened: OpenedProject;
  path: SessionPath;
  executions: Executions;
  people: ReadonlyMap<string, string>;
  stream: Stream;
  /** A closed session has no events any more. */
  isClosed: boolean;
}

export async function openExecutions(path: SessionPath): Promise<OpenExecutions> {
  const [project, session, people, known] = await Promise.all([
    openProject(path.projectId, null),
    readSession(path),
    peopleOf(path.projectId),
    readExecutions(path),
  ]);
  const { caller } = project;
  people.set(caller.id, caller.name);
  const place = placeOf(project.project, session.branch);
  const isClosed = session.closedAt !== null || session.status === "no_session";
  const draft = (object: string) => draftOf(caller.id, `code:${place}:${object}`);
  const objects = await readCodeObjects(place);
  const executions = new Executions({ path, place, draft, objects, executions: known });
  const stream = follow(sessionEvents(path), {
    heard: ({ type, data }) => executions.heard({ ...data, type } as unknown as SessionEvent),
  });
  return { opened: { ...project, branch: session.branch }, path, executions, people, stream, isClosed };
}
