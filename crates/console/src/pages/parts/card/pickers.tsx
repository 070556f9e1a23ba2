// Menus that choose a card's assignees, tags, sprint and objects.

import { createTag, findObjects, readProjectMembers, readTags, type Sprint } from "../../../api/planning/cards";
import { newKey } from "../../../api/persist";
import type { CardEdits } from "../../../model/planning/card-edits";
import type { OpenCard } from "../../../model/planning/open-card";
import { text } from "../../../text";
import { Avatar } from "../../../ui/avatar";
import { ask } from "../../../ui/dialog";
import { Field } from "../../../ui/form";
import { Dot, Icon } from "../../../ui/icon";
import { openMenu, type MenuEntry } from "../../../ui/menu-state";
import { COLORS, ColorPicker } from "../../../ui/picker";

const MOST_OBJECTS = 50;

/** Chooses assignees among the project's members. Former members who are assigned can be taken off. */
export async function pickAssignees(anchor: Element, edits: CardEdits, id: string): Promise<void> {
  const project = edits.card(id)?.project_id;
  if (!project) return;
  const members = await readProjectMembers(project);
  const known = new Set(members.map(({ userId }) => userId));
  const former = edits.card(id)?.assignees.filter((one) => !known.has(one.id)) ?? [];
  const has = (person: string) => edits.card(id)?.assignees.some((one) => one.id === person) ?? false;
  const entry = (person: string, display: string, name = display): MenuEntry => ({
    name, lead: <Avatar name={display} of={person} decorative />, checked: has(person),
    run: () => edits.assign(id, { id: person, display_name: display }, !has(person)),
  });
  openMenu(anchor, {
    label: text.card.assignees, find: text.card.findPerson, empty: text.card.nobody, stays: true,
    entries: () => [
      ...former.map((one) => entry(one.id, one.display_name, text.card.formerOne(one.display_name))),
      ...members.map(({ userId, name }) => entry(userId, name)),
    ],
  });
}

/** Chooses tags of the project, or makes one. */
export async function pickTags(anchor: Element, edits: CardEdits, id: string): Promise<void> {
  const project = edits.card(id)?.project_id;
  if (!project) return;
  const tags = await readTags(project);
  const has = (tag: string) => edits.card(id)?.tags.some((one) => one.id === tag) ?? false;
  openMenu(anchor, {
    label: text.card.tags, find: text.card.findTag, empty: text.card.noTags, stays: true,
    entries: () => tags.filter((tag) => tag.status === "active" || has(tag.id)).map((tag) => ({
      name: tag.name, lead: <Dot color={tag.color} />, checked: has(tag.id),
      run: () => edits.setTag(id, tag, !has(tag.id)),
    })),
    create: (query) => ({ name: text.card.createTag(query), lead: <Icon name="plus" />,
      run: () => askTag(project, query, (tag) => edits.setTag(id, tag, true)) }),
  });
}

function askTag(project: string, name: string, made: (tag: { id: string; name: string; color: string }) => unknown) {
  const key = newKey();
  ask({
    title: text.card.newTag, action: text.card.makesTag, cancel: text.cancel,
    fields: <>
      <Field label={text.board.name} name="tag-name" value={name} required />
      <ColorPicker label={text.card.color} name="color" value={COLORS[6] ?? ""} />
    </>,
    send: async (form) => {
      await made(await createTag(project, String(form.get("tag-name")), String(form.get("color")).toUpperCase(), key));
    },
  });
}

/** Links an object of the project's tree, found by its name. */
export function pickObject(anchor: Element, card: OpenCard): void {
  const search = async (query: string): Promise<MenuEntry[]> => {
    if (!query) return [];
    const found = await findObjects(card.path.projectId, query);
    return found.filter(({ id }) => !card.now.peek().objectIds.includes(id)).slice(0, MOST_OBJECTS).map((object) => ({
      name: object.name, lead: <Icon name="file" />, run: () => card.link(object, true),
    }));
  };
  openMenu(anchor, { label: text.card.link, find: text.card.findObject, empty: text.card.noObject,
    entries: () => [], search });
}

/** Chooses a sprint that is not completed, or none. */
export function pickSprint(anchor: Element, sprints: readonly Sprint[], at: string | null,
  put: (sprint: string | null) => unknown): void {
  openMenu(anchor, {
    label: text.card.sprint,
    entries: () => [
      ...sprints.filter(({ id, status }) => status !== "completed" || id === at).map(({ id, name }): MenuEntry => ({
        name, lead: <Icon name="sprint" />, checked: id === at, run: () => { if (id !== at) void put(id); } })),
      { name: text.card.noSprint, checked: at === null, run: () => { if (at !== null) void put(null); } },
    ],
  });
}
