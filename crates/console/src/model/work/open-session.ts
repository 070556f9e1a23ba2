// A session that is open: its model with the project and the people around it, followed live.

import { follow, type Stream } from "../../api/events";
import { readCard } from "../../api/planning/cards";
import { readObject } from "../../api/content/objects";
import { readMembers } from "../../api/content/projects";
import {
  readMessages,
  readModels,
  readQuestions,
  readSession,
  sessionEvents,
  type SessionEvent,
  type SessionPath,
} from "../../api/work/sessions";
import { draftOf } from "../../api/storage";
import { Composer } from "./composer";
import { openProject, placeOf, type OpenedProject } from "../content/project";
import { OpenedSession } from "./session";
import type { Made, ToolCall } from "./tool-call";

export interface OpenSession {
  opened: OpenedProject;
  session: OpenedSession;
  composer: Composer;
  stream: Stream;
  /** False where no agent is set up. */
  hasModels: boolean;
  /** Names of the project's people. */
  people: ReadonlyMap<string, string>;
  /** The project with the session's branch, as the API names it. */
  place: string;
}

/** The card or the object that a call is about, as it is named now; null without one that the reader can see. */
export async function readSubject(open: OpenSession, params: ToolCall["params"]): Promise<Made | null> {
  const { objectId, cardId } = params;
  const [projectId, place] = [open.opened.project.id, open.place];
  const read = typeof objectId === "string"
    ? readObject(place, objectId).then(({ name }): Made => ({ kind: "object", id: objectId, name }))
    : typeof cardId === "string"
      ? readCard({ projectId, cardId }).then(({ card }): Made => ({ kind: "card", id: cardId, name: card.name }))
      : Promise.resolve(null);
  return read.catch(() => null);
}

/** Names of a project's people by their ids; none for readers who may not list them. */
export async function peopleOf(projectId: string): Promise<Map<string, string>> {
  const members = await readMembers(projectId).catch(() => []);
  return new Map(members.map(({ userId, name }) => [userId, name]));
}

export async function openSession(path: SessionPath): Promise<OpenSession> {
  const [project, found, models, people, messages, questions] = await Promise.all([
    openProject(path.projectId, null),
    readSession(path),
    readModels(),
    peopleOf(path.projectId),
    readMessages(path),
    readQuestions(path).catch(() => []),
  ]);
  const { caller } = project;
  people.set(caller.id, caller.name);
  const opened = { ...project, branch: found.branch };
  const session = new OpenedSession(found, messages);
  if (questions[0]) session.ask(questions[0]);
  void session.cost.read();
  const composer = new Composer({
    draft: draftOf(caller.id, `prompt:${path.sessionId}`),
    send: (words, key) => session.prompt(words, key),
    sending: (words) => session.talk.expect(words),
    refused: (error) => session.refused(error),
  });
  const stream = follow(sessionEvents(path), {
    heard: ({ type, data }) => session.heard({ ...data, type } as unknown as SessionEvent),
  });
  const place = placeOf(opened.project, found.branch);
  return { opened, session, composer, stream, hasModels: models.length > 0, people, place };
}

export function leaveSession({ session, stream }: OpenSession): void {
  stream.stop();
  session.cost.close();
}
