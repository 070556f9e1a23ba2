// The resources that a card's ids refer to: people, tags, custom fields, sprints and columns.

import type { TeamPath } from "../../api/planning/boards";
import type { CardApi, CardRead, CardTag, ProjectMember, Sprint } from "../../api/planning/cards";
import type { CustomField } from "../../api/planning/custom-fields";
import { text } from "../../text";
import type { Board } from "./board";
import type { CardSummary } from "./card-edits";
import { keepEqual } from "../equal";

/** Where a card is seen: on a board that is open, or alone with the teams that it is on. */
export interface CardContext {
  board: Board | null;
  /** The path of a team by its id. */
  teamOf: (team: string) => TeamPath;
}

/** The people, tags, fields, sprints and columns that a card's ids refer to. */
export interface Around {
  members: readonly ProjectMember[];
  tags: readonly CardTag[];
  fields: readonly CustomField[];
  sprints: ReadonlyMap<string, readonly Sprint[]>;
  /** Names of columns that the card may have left. */
  columns: ReadonlyMap<string, string>;
}

/** The same for a project's cards. What can't be read again stays as it was `before`. */
export async function projectAround(project: string, api: CardApi, before?: Around) {
  const or = <Value>(asked: Promise<Value>, known: Value | undefined) =>
    (known === undefined ? asked : asked.then((now) => keepEqual(known, now), () => known));
  const [members, tags, fields] = await Promise.all([or<Around["members"]>(api.members(project), before?.members ?? []),
    or<Around["tags"]>(api.tags(project), before?.tags), or<Around["fields"]>(api.fields(project), before?.fields)]);
  return { members, tags, fields };
}

/** The sprints and columns of the teams that a card is on. */
export async function teamsAround({ indexCard }: CardRead, { board, teamOf }: CardContext, api: CardApi) {
  const teams = [...new Set([...(board ? [board.path.teamId] : indexCard.team_ids)])];
  const found = await Promise.all(teams.map((id) => Promise.all([
    api.sprints(teamOf(id)).catch(() => []), board ? [] : api.statuses(teamOf(id)).catch(() => [])])));
  return {
    sprints: new Map(teams.map((id, at): [string, readonly Sprint[]] => [id, found[at]?.[0] ?? []])),
    columns: new Map(found.flatMap(([, statuses]) => statuses).map(({ id, name }): [string, string] => [id, name])),
  };
}

/** The facts of a card that lists show. `known` are names of people who are no members any more. */
export function summaryOf({ card, indexCard }: CardRead, { members, tags }: Around,
  known: ReadonlyMap<string, string>): CardSummary {
  const nameOf = (id: string) =>
    members.find(({ userId }) => userId === id)?.name ?? known.get(id) ?? text.card.former;
  const { id, key, name, project_id, is_open, effort, deadline, priority, type, parent_id } = card;
  return {
    id, key, name, project_id, is_open, effort, deadline, priority, type, parent_id,
    assignees: indexCard.user_ids.map((user) => ({ id: user, display_name: nameOf(user) })),
    tags: indexCard.tag_ids.flatMap((tag) => tags.find((one) => one.id === tag) ?? []),
  };
}
