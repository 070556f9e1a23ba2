// The bar that changes the selected cards together.

import { readTags } from "../../../api/planning/cards";
import { tellFailure } from "../../../model/messages";
import { PRIORITIES, priorityName, typeName, typesOf } from "../../../model/planning/card-kinds";
import { readTeamPeople } from "../../../model/planning/team-people";
import { text } from "../../../text";
import { Avatar } from "../../../ui/avatar";
import { Button } from "../../../ui/button";
import { Dot, Icon } from "../../../ui/icon";
import { MenuButton } from "../../../ui/menu";
import type { MenuEntry, MenuOptions } from "../../../ui/menu-state";
import { PriorityIcon, TypeIcon } from "../../parts/card-marks";
import { fieldIcon } from "../../parts/field-icon";
import { askField } from "./bulk-field";
import type { TableView } from "./view";

const MANY = 8;

export function BulkBar({ view }: { view: TableView }) {
  const { table, bulk } = view;
  const count = table.chosen.value.size;
  const disabled = bulk.isBusy.value;
  const ids = () => table.order.peek().filter((id) => table.chosen.peek().has(id));
  const setOpen = (isOpen: boolean) => bulk.change(ids(), () => ({ is_open: isOpen }));
  const menu = (name: string, options: () => MenuOptions | Promise<MenuOptions>) => (
    <MenuButton name={name} disabled={disabled} options={options} failed={tellFailure}><Icon name="down" /></MenuButton>
  );
  return (
    <div class="bulk-bar" role="toolbar" aria-label={text.cards.table} hidden={count === 0}>
      <strong>{text.cards.selected(count)}</strong>
      {menu(text.cards.toColumn, () => columnsMenu(view, ids))}
      {menu(text.cards.assign, () => peopleMenu(view, ids))}
      {menu(text.cards.prioritize, () => menuOf(text.cards.prioritize, "", PRIORITIES.map((priority) => ({
        name: priorityName(priority), lead: <PriorityIcon priority={priority} />,
        run: () => bulk.change(ids(), () => ({ priority })) }))))}
      {menu(text.cards.toType, () => menuOf(text.cards.toType, text.type.find,
        typesOf(table.board.cards.peek()).map((type) => ({ name: typeName(type), lead: <TypeIcon type={type} />,
          run: () => bulk.change(ids(), () => ({ type })) }))))}
      {menu(text.cards.tag, () => tagsMenu(view, ids))}
      {menu(text.cards.toSprint, () => sprintsMenu(view, ids))}
      {table.values.columns.value.length > 0 && menu(text.fields.setMany, () => fieldsMenu(view, ids))}
      <Button name={text.cards.close} disabled={disabled} onClick={() => setOpen(false)} />
      <Button name={text.cards.reopen} disabled={disabled} onClick={() => setOpen(true)} />
      {menu(text.cards.removes, () => ({ label: text.cards.removes, entries: () => [
        { name: text.card.takeOff, lead: <Icon name="close" />, run: () => bulk.takeOff(ids()) },
        { name: text.cards.deletes, lead: <Icon name="bin" />, danger: true, run: () => bulk.delete(ids()) },
      ] }))}
      <Button name={text.cards.unselect} icon="close" kind="plain" quiet onClick={() => table.unselect()} />
    </div>
  );
}

type Ids = () => string[];

const menuOf = (label: string, find: string, entries: MenuEntry[]): MenuOptions =>
  ({ label, entries: () => entries, ...(entries.length > MANY ? { find } : {}) });

function columnsMenu({ table: { board }, bulk }: TableView, ids: Ids): MenuOptions {
  return menuOf(text.cards.toColumn, text.card.findColumn, board.columns.value.map(({ status }) => ({
    name: status.name, lead: <Dot color={status.color} />, run: () => bulk.toColumn(ids(), status.id) })));
}

async function peopleMenu({ table: { board }, bulk }: TableView, ids: Ids): Promise<MenuOptions> {
  const people = await readTeamPeople(board.path);
  return menuOf(text.cards.assign, text.card.findPerson, [
    { name: text.cards.nobody, run: () => bulk.change(ids(), () => ({ assignees: [] })) },
    ...people.map(({ id, name }): MenuEntry => ({
      name, part: "people", lead: <Avatar name={name} of={id} decorative />,
      run: () => bulk.change(ids(), ({ assignees }) => (assignees.some((one) => one.id === id) ? {}
        : { assignees: [...assignees, { id, display_name: name }] })),
    })),
  ]);
}

/** Tags by their names: each card gets that of its own project. */
async function tagsMenu({ bulk, opened: { projects } }: TableView, ids: Ids): Promise<MenuOptions> {
  const all = (await Promise.all(projects.map(({ id }) => readTags(id).catch(() => [])))).flat()
    .filter(({ status }) => status === "active");
  return menuOf(text.cards.tag, text.card.findTag, [...Map.groupBy(all, ({ name }) => name)].map(([name, own]) => ({
    name, lead: <Dot color={own[0]?.color ?? ""} />,
    run: () => bulk.change(ids(), ({ project_id: project, tags }) => {
      const tag = own.find((one) => one.project_id === project);
      if (!tag) return text.cards.noTag;
      return tags.some(({ id }) => id === tag.id) ? {} : { tags: [...tags, tag] };
    }),
  })));
}

function fieldsMenu(view: TableView, ids: Ids): MenuOptions {
  return menuOf(text.fields.setMany, text.fields.findField, view.table.values.columns.value.map((column) => ({
    name: column.name, lead: <Icon name={fieldIcon(column.type)} />,
    run: () => askField(view, column, ids()).catch(tellFailure) })));
}

function sprintsMenu({ bulk, sprints }: TableView, ids: Ids): MenuOptions {
  return menuOf(text.cards.toSprint, text.card.sprint, [
    ...sprints.value.filter(({ status }) => status !== "completed").map(({ id, name }): MenuEntry => ({
      name, lead: <Icon name="sprint" />, run: () => bulk.toSprint(ids(), id) })),
    { name: text.cards.noSprint, run: () => bulk.toSprint(ids(), null) },
  ]);
}
