// The values of a card that are chosen: its column, sprints, priority, type, people, tags and objects.

import { useRef } from "preact/hooks";
import { priorityName, typeName } from "../../../model/planning/card-kinds";
import { nameOf } from "../../../model/planning/card-name";
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
import { PriorityIcon, TypeIcon } from "../card-marks";
import { pickPriority, pickType } from "./kind-pickers";
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
          <a href={`/orgs/${teamOf(team).orgId}/teams/${team}?card=${nameOf(card.summary.value)}`} dir="auto">{name}</a>
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

export function PriorityValue({ card }: { card: OpenCard }) {
  const { priority } = card.summary.value;
  const name = priorityName(priority);
  return (
    <Button name={name} label={text.priority.of(name)} lead={<PriorityIcon priority={priority} />} popup="menu"
      kind={priority === "none" ? "plain small chooser unset" : "plain small chooser"}
      onClick={(event) => pickPriority(event.currentTarget, card.edits, card.path.cardId)} />
  );
}

export function TypeValue({ card }: { card: OpenCard }) {
  const { type } = card.summary.value;
  const others = card.context.board?.cards.peek() ?? [];
  return (
    <Button name={typeName(type)} label={text.type.of(typeName(type))} lead={<TypeIcon type={type} />} popup="menu"
      kind="plain small chooser"
      onClick={(event) => pickType(event.currentTarget, card.edits, card.path.cardId, others)} />
  );
}

export function AssigneesValue({ card }: { card: OpenCard }) {
  return (
    <>
      {card.summary.value.assignees.map(({ id, display_name: name }) => (
        <span key={id} class="tag"><Avatar name={name} of={id} decorative /><span dir="auto">{name}</span></span>
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

interface AddProps {
  name: string;
  icon?: string;
  pick: (anchor: Element) => Promise<void>;
  /** Shows the icon alone, which is usual for what stands beside values. */
  isQuiet?: boolean;
  describedBy?: string | undefined;
}

/** A button that opens a picker to add something. */
export function Add({ name, icon = "plus", isQuiet = true, describedBy, pick }: AddProps) {
  const control = useRef<HTMLButtonElement>(null);
  const show = () => { if (control.current) void pick(control.current).catch(tellFailure); };
  return <Button name={name} icon={icon} kind="plain small" quiet={isQuiet} popup="menu" controlRef={control}
    describedBy={describedBy} onClick={show} />;
}
