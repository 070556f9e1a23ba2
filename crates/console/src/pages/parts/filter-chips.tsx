// The chips of a filter: one for each value, which turns round to its opposite, and goes.

import type { ComponentChild } from "preact";
import { isTag, type Filter, type FilteredCard, type FilterName } from "../../model/planning/board-filter";
import { priorityName, typeName } from "../../model/planning/card-kinds";
import { flipped, termsOf, toggled } from "../../model/planning/filter-terms";
import { text } from "../../text";
import { Avatar } from "../../ui/avatar";
import { Dot, Icon } from "../../ui/icon";
import { PriorityIcon, TypeIcon } from "./card-marks";
import type { Chip, FilterSource } from "./filter-source";

interface Said {
  value: string;
  lead?: ComponentChild;
}

/** Filters whose values are terms, in the order of their chips. */
const PARTS = ["assignee", "tag", "priority", "type", "parent", "blocked", "due", "state", "sprint", "column"] as const;
type Part = (typeof PARTS)[number];

export function without(filter: Filter, name: FilterName): Filter {
  const { [name]: _, ...others } = filter;
  return others;
}

export function chipsOf(source: FilterSource): Chip[] {
  const filter = source.filter.value;
  return PARTS.flatMap((part) => termsOf(filter[part]).flatMap(({ value, isNot }) => {
    const said = sayValue(source, part, value);
    if (!said) return [];
    const change = (terms: string) => {
      source.filter.value = { ...without(source.filter.peek(), part), ...(terms ? { [part]: terms } : {}) };
    };
    const now = () => source.filter.peek()[part];
    return [{
      key: `${part}-${value}`, lead: said.lead, value: isNot ? text.filters.not(said.value) : said.value,
      flip: () => change(flipped(now(), value)), remove: () => change(toggled(now(), value)),
    }];
  }));
}

/** A value in words, unless nobody knows it yet. */
function sayValue({ cards, sprints, columns }: FilterSource, part: Part, value: string): Said | undefined {
  switch (part) {
    case "assignee": return sayPerson(value, cards.value);
    case "tag": return sayTag(value, cards.value);
    case "priority": return { value: priorityName(value), lead: <PriorityIcon priority={value} /> };
    case "type": return { value: typeName(value), lead: <TypeIcon type={value} /> };
    case "parent": return { value: parentName(value, cards.value), lead: <Icon name="children" /> };
    case "blocked": return { value: said(text.filters.blocked, value), lead: <Icon name="blocked" /> };
    case "due": return { value: said(text.filters.due, value) };
    case "state": return { value: said(text.filters.state, value) };
    case "sprint": {
      if (value === "none") return { value: text.card.noSprint };
      const name = sprints?.value.find(({ id }) => id === value)?.name ?? text.card.sprint;
      return sprints && { value: name, lead: <Icon name="sprint" /> };
    }
    case "column": {
      const at = columns?.value.find(({ id }) => id === value);
      return columns && { value: at?.name ?? text.card.goneColumn, lead: <Dot color={at?.color ?? ""} /> };
    }
  }
}

function sayPerson(value: string, cards: readonly FilteredCard[]): Said {
  if (value === "none") return { value: text.filters.nobody };
  if (value === "me") return { value: text.filters.me };
  const person = cards.flatMap((card) => card.assignees).find(({ id }) => id === value);
  const name = person?.display_name ?? text.card.former;
  return { value: name, lead: <Avatar name={name} of={value} decorative /> };
}

function sayTag(value: string, cards: readonly FilteredCard[]): Said {
  if (value === "none") return { value: text.filters.noTag };
  const known = cards.flatMap((card) => card.tags).find((one) => isTag(one, value));
  const name = known?.name ?? (/^[0-9a-f]+-/.test(value) ? text.card.goneTag : value);
  return { value: name, lead: <Dot color={known?.color ?? ""} /> };
}

const said = (words: Record<string, string>, value: string) => words[value] ?? value;

/** The card that a filter shows the children of. */
function parentName(parent: string, cards: readonly FilteredCard[]): string {
  if (parent === "none") return text.card.noParent;
  const card = cards.find(({ id }) => id === parent);
  return text.filters.parent(card ? card.key ?? card.name : text.card.otherCard);
}
