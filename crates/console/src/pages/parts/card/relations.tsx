// What a card is related to: its column, sprints, people, tags and objects.

import { useRef } from "preact/hooks";
import { findCard } from "../../../model/planning/columns";
import { setSprint, sprintOf } from "../../../model/planning/card-sprint";
import { tellFailure } from "../../../model/messages";
import type { OpenCard } from "../../../model/planning/open-card";
import { text } from "../../../text";
import { Avatar } from "../../../ui/avatar";
import { Button } from "../../../ui/button";
import { Dot } from "../../../ui/icon";
import { MenuButton } from "../../../ui/menu";
import { Thumbnail } from "../thumbnail";
import { columnMenu } from "./menus";
import { pickAssignees, pickObject, pickSprint, pickTags } from "./pickers";

/** The column on the board that the card is seen on, or the columns of all boards. */
export function ColumnValue({ card }: { card: OpenCard }) {
  const { board, teamOf } = card.context;
  const column = board && findCard(board.columns.value, card.path.cardId)?.column;
  if (board && column) {
    return (
      <MenuButton name={column.status.name} label={`${text.card.column}: ${column.status.name}`}
        lead={<Dot color={column.status.color} />} kind="plain small chooser"
        options={() => columnMenu(board, card.path.cardId)} />
    );
  }
  const statuses = card.now.value.indexCard.team_statuses;
  if (statuses.length === 0) return <span class="soft">{text.card.noBoard}</span>;
  return (
    <>
      {statuses.map(({ team_id: team, status_name: name, status_color: color }) => (
        <span key={team} class="tag">
          <Dot color={color} />
          <a href={`/orgs/${teamOf(team).orgId}/teams/${team}?card=${card.path.cardId}`} dir="auto">{name}</a>
        </span>
      ))}
    </>
  );
}

/** The sprint in each team that has the card. */
export function SprintValue({ card }: { card: OpenCard }) {
  const teams = [...card.around.value.sprints].filter(([team]) => sprintOf(card, team) !== undefined);
  if (teams.length === 0) return <span class="soft">{text.card.noSprint}</span>;
  return (
    <>
      {teams.map(([team, sprints]) => {
        const at = sprintOf(card, team) ?? null;
        const name = sprints.find(({ id }) => id === at)?.name ?? text.card.noSprint;
        return (
          <Button key={team} name={name} label={`${text.card.sprint}: ${name}`} kind="plain small chooser" popup="menu"
            onClick={(event) => pickSprint(event.currentTarget, sprints, at, (to) =>
              setSprint(card, card.context.teamOf(team), to))} />
        );
      })}
    </>
  );
}

export function AssigneesValue({ card }: { card: OpenCard }) {
  return (
    <>
      {card.summary.value.assignees.map(({ id, display_name: name }) => (
        <span key={id} class="tag"><Avatar name={name} decorative /><span dir="auto">{name}</span></span>
      ))}
      <Add name={text.card.assign} pick={(anchor) => pickAssignees(anchor, card.edits, card.path.cardId)} />
    </>
  );
}

export function TagsValue({ card }: { card: OpenCard }) {
  return (
    <>
      {card.summary.value.tags.map(({ id, name, color }) => (
        <span key={id} class="tag"><Dot color={color} /><span dir="auto">{name}</span></span>
      ))}
      <Add name={text.card.tag} pick={(anchor) => pickTags(anchor, card.edits, card.path.cardId)} />
    </>
  );
}

export function ObjectsValue({ card }: { card: OpenCard }) {
  const { projectId } = card.path;
  return (
    <>
      {card.now.value.objectIds.map((id) => {
        const name = card.objectNames.value.get(id) ?? text.card.object;
        return (
          <span key={id} class="tag">
            <Thumbnail of={card.pictured.value.get(id)} icon="file" px={20} />
            <a href={`/projects/${projectId}?object=${id}`} dir="auto">{name}</a>
            <Button name={text.card.unlink(name)} icon="close" kind="plain small" quiet
              onClick={() => card.link({ id, name }, false)} />
          </span>
        );
      })}
      <Add name={text.card.link} pick={async (anchor) => pickObject(anchor, card)} />
    </>
  );
}

function Add({ name, pick }: { name: string; pick: (anchor: Element) => Promise<void> }) {
  const control = useRef<HTMLButtonElement>(null);
  const show = () => { if (control.current) void pick(control.current).catch(tellFailure); };
  return <Button name={name} icon="plus" kind="plain small" quiet popup="menu" controlRef={control} onClick={show} />;
}
