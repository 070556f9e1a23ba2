// The sprint of a card that is open, and the names that its history needs.

import { placeCard, type TeamPath } from "../../api/planning/boards";
import { text } from "../../text";
import type { Names } from "./history-words";
import { tellFailure } from "../messages";
import type { OpenCard } from "./open-card";
import { record } from "../undo";

/** The sprint of the card in a team; `null` for none, `undefined` where the team doesn't have the card. */
export function sprintOf(card: OpenCard, team: string): string | null | undefined {
  return card.now.value.indexCard.team_statuses.find((one) => one.team_id === team)?.sprint_id;
}

/** Puts the card into a sprint of a team, or takes it out. */
export async function setSprint(card: OpenCard, team: TeamPath, sprint: string | null): Promise<void> {
  const before = sprintOf(card, team.teamId) ?? null;
  card.showSprint(team.teamId, sprint);
  const forget = record({ name: card.now.peek().card.name, undo: () => setSprint(card, team, before) });
  try {
    await card.send(() => placeCard(team, card.path.cardId, { sprintId: sprint }));
  } catch (error) {
    forget();
    card.showSprint(team.teamId, before);
    tellFailure(error);
  }
}

/** The names of what the card's history refers to, read while they are shown. */
export function namesOf(card: OpenCard): Omit<Names, "day"> {
  const { members, tags, fields, sprints, columns } = card.around.value;
  const { board } = card.context;
  return {
    person: (id) => members.find(({ userId }) => userId === id)?.name ?? text.card.former,
    tag: (id) => tags.find((tag) => tag.id === id)?.name ?? text.card.goneTag,
    sprint: (id) => [...sprints.values()].flat().find((one) => one.id === id)?.name ?? text.card.goneSprint,
    card: (id) => card.cardNames.value.get(id) ?? text.card.otherCard,
    field: (id) => fields.find((field) => field.id === id),
    object: (id) => card.objectNames.value.get(id) ?? text.card.goneObject,
    column: (id) => board?.columns.value.find(({ status }) => status.id === id)?.status.name
      ?? card.now.value.indexCard.team_statuses.find((one) => one.status_id === id)?.status_name
      ?? columns.get(id) ?? text.card.goneColumn,
  };
}
