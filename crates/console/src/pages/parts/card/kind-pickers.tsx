// Menus that choose a card's priority, its type, and other cards.

import { findCards, ownersCards, type RelatedCard } from "../../../api/planning/card-relations";
import { readCardTypes } from "../../../api/planning/card-types";
import { tellFailure } from "../../../model/messages";
import type { CardEdits } from "../../../model/planning/card-edits";
import type { CardFamily } from "../../../model/planning/card-family";
import { PRIORITIES, priorityName, typeName, typesOf } from "../../../model/planning/card-kinds";
import { cardHref, isNamed, nameOf, titleOf, type NamedCard } from "../../../model/planning/card-name";
import { SIDES, type CardRelations, type Side } from "../../../model/planning/card-relations";
import { projectPart } from "../../../model/planning/mentions";
import type { OpenCard } from "../../../model/planning/open-card";
import { text } from "../../../text";
import { Icon } from "../../../ui/icon";
import { openMenu, type MenuEntry } from "../../../ui/menu-state";
import { PriorityIcon, TypeIcon } from "../card-marks";
import type { MentionPlace } from "../mentions";

export function pickPriority(anchor: Element, edits: CardEdits, id: string): void {
  openMenu(anchor, {
    label: text.card.priority,
    entries: () => PRIORITIES.map((priority): MenuEntry => {
      const isChosen = edits.card(id)?.priority === priority;
      return { name: priorityName(priority), lead: <PriorityIcon priority={priority} />, checked: isChosen,
        run: () => { if (!isChosen) void edits.change(id, { priority }); } };
    }),
  });
}

/** Chooses a known type, one that the project defines or that other cards have, or a new one by its name. */
export async function pickType(anchor: Element, edits: CardEdits, id: string, others: readonly { type: string }[]) {
  const project = edits.card(id)?.project_id;
  const defined = project === undefined ? [] : await readCardTypes(project).catch(() => []);
  const known = [...others, ...defined.map(({ name }) => ({ type: name }))];
  const own = () => edits.card(id)?.type ?? "";
  const set = (type: string) => { if (type !== own()) void edits.change(id, { type }); };
  openMenu(anchor, {
    label: text.card.type, find: text.type.find,
    entries: () => typesOf([...known, { type: own() }]).map((type): MenuEntry => ({
      name: typeName(type), lead: <TypeIcon type={type} />, checked: type === own(), run: () => set(type),
    })),
    create: (query) => ({ name: text.type.create(query.toLowerCase()), lead: <Icon name="plus" />,
      run: () => set(query.toLowerCase()) }),
  });
}

/** Chooses the kind of a relation, then the other card. */
export function pickRelation(anchor: Element, card: OpenCard, relations: CardRelations): void {
  const pick = (side: Side) => pickCard(anchor, {
    label: text.card.sides[side], project: card.path.projectId,
    hides: ({ id }) => id === card.path.cardId || relations.has(side, id),
    choose: (other) => relations.set(side, other, true),
  }).catch(tellFailure);
  openMenu(anchor, { label: text.card.addRelation,
    entries: () => SIDES.map((side): MenuEntry => ({ name: text.card.sides[side], run: () => pick(side) })) });
}

/** Chooses the card above this one, or none. */
export function pickParent(anchor: Element, card: OpenCard, family: CardFamily): Promise<void> {
  const parent = () => card.now.peek().card.parent_id;
  const none: MenuEntry = { name: text.card.noParent, lead: <Icon name="close" />, run: () => family.setParent(null) };
  const below = new Set(family.children.peek().map(({ id }) => id));
  return pickCard(anchor, {
    label: text.card.parent, project: card.path.projectId, first: parent() ? [none] : [],
    findAll: ownersCards(card.path.projectId),
    hides: ({ id }) => id === card.path.cardId || id === parent() || below.has(id),
    choose: (other) => family.setParent(other),
  });
}

/** The address of another card: beside the board that shows both, else its page. */
export function hrefOf(
  { context: { board, teamOf }, path }: OpenCard, other: NamedCard & { projectId?: string },
): string {
  if (!board?.card(other.id)) return cardHref(other.projectId ?? path.projectId, other);
  const { orgId, teamId } = teamOf(board.path.teamId);
  return `/orgs/${orgId}/teams/${teamId}?card=${nameOf(other)}`;
}

/** Where keys in the texts of a card lead to, beside the board that shows the card, else to their pages; its people. */
export function mentionsOf(card: OpenCard): MentionPlace {
  const { card: { key: own }, mentions } = card.now.value;
  const { board } = card.context;
  const names = new Map(card.around.value.members.map(({ userId, name }) => [userId, name]));
  return {
    project: { id: card.path.projectId, key: own && projectPart(own) },
    people: new Map(mentions.map(({ userId, handle }) => [handle, names.get(userId) ?? handle])),
    near: (key) => {
      const named = board?.cards.value.filter((one) => isNamed(one, key)) ?? [];
      const other = named.find((one) => one.project_id === card.path.projectId) ?? named[0];
      return other && hrefOf(card, other);
    },
  };
}

interface CardPicker {
  label: string;
  project: string;
  /** Entries before the cards. */
  first?: readonly MenuEntry[];
  /** Finds cards, in place of those of the project alone. */
  findAll?: (query: string) => Promise<RelatedCard[]>;
  /** Cards that can't be chosen. */
  hides: (card: RelatedCard) => boolean;
  choose: (card: RelatedCard) => unknown;
}

/** Chooses another card, by its name or key. */
export async function pickCard(anchor: Element, picker: CardPicker) {
  const { label, project, first = [], findAll = (query) => findCards(project, query), hides, choose } = picker;
  const find = async (query: string): Promise<MenuEntry[]> =>
    (await findAll(query)).filter((card) => !hides(card)).map((card) => ({
      name: titleOf(card), lead: <Icon name={card.isOpen ? "page" : "check"} />, run: () => choose(card),
    }));
  const newest = await find("");
  openMenu(anchor, { label, find: text.card.findCard, empty: text.card.noCard,
    entries: () => [...first, ...newest], search: find });
}
