// The filters of a board, a table or a backlog: a field that finds by name, a menu, and a chip for each filter. They
// stand in the address.

import { effect, useSignal, type Signal } from "@preact/signals";
import type { ComponentChild, ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { filterOf, isEmpty, parametersOf, type Filter, type FilterName } from "../../model/planning/board-filter";
import { PRIORITIES, priorityName, typeName, typesOf } from "../../model/planning/card-kinds";
import { titleOf } from "../../model/planning/card-name";
import { names, textOfValue, toggled } from "../../model/planning/filter-terms";
import { isEqual } from "../../model/equal";
import { text } from "../../text";
import { useActions } from "../../ui/actions";
import { search, setParameters } from "../../ui/address";
import { Avatar } from "../../ui/avatar";
import { Button } from "../../ui/button";
import { Dot, Icon } from "../../ui/icon";
import { isComposing } from "../../ui/keys";
import { openMenu, type MenuEntry, type MenuOptions } from "../../ui/menu-state";
import { PriorityIcon, TypeIcon } from "./card-marks";
import { fieldChips, fieldEntries } from "./field-filter";
import { chipsOf, without } from "./filter-chips";
import type { FilterSource } from "./filter-source";

const TYPING_MS = 120;

/** Keeps a filter in the address, and follows it. */
export function useFilterAddress(filter: Signal<Filter>): void {
  const parameters = search.value;
  useEffect(() => {
    // The address of this moment: the one that this was drawn for may be older.
    const now = filterOf(search.peek());
    if (!isEqual(now, filter.peek())) filter.value = now;
  }, [parameters]);
  // At once: `useSignalEffect` waits for a frame, in which the address would take the filter back.
  useEffect(() => effect(() => {
    const now = filter.value;
    if (!isEqual(now, filterOf(search.peek()))) setParameters(parametersOf(now));
  }), [filter]);
}

interface FilterBarProps {
  source: FilterSource;
  /** The name of the field that finds by name. */
  find: string;
  /** The group of its key on the page of keys. */
  group: string;
  /** False where the page itself says how many cards are shown. */
  isCounted?: boolean;
  /** Further content of the bar. */
  children?: ComponentChildren;
}

export function FilterBar({ source, find, group, isCounted = true, children }: FilterBarProps) {
  const filter = source.filter.value;
  const control = useRef<HTMLButtonElement>(null);
  const show = () => {
    if (control.current) openMenu(control.current, filterMenu(source, () => control.current));
  };
  useActions(() => [{ name: text.filters.filter, key: "f", group, icon: "filter", run: show }]);
  const chips = [...chipsOf(source), ...(source.fields ? fieldChips(source.fields) : [])];
  const clear = () => {
    source.filter.value = {};
    source.fields?.set({});
  };
  return (
    <div class="filters" role="group" aria-label={text.filters.filter}>
      <Find filter={source.filter} name={find} />
      <Button name={text.filters.filter} icon="filter" kind="plain" popup="menu" controlRef={control} onClick={show} />
      <ul class="chips">
        {chips.map(({ key, value, lead, flip, remove }) => (
          <li key={key} class="chip">
            {lead}
            {flip ? (
              <button type="button" class="chip-value" dir="auto" title={text.filters.flip} onClick={flip}>
                {value}
              </button>
            ) : <span dir="auto">{value}</span>}
            <Button name={text.filters.remove(value)} icon="close" kind="plain small" quiet
              onClick={() => {
                remove();
                control.current?.focus();
              }} />
          </li>
        ))}
      </ul>
      {(chips.length > 0 || !isEmpty(filter)) && (
        <>
          <Button name={text.filters.clear} kind="plain" onClick={clear} />
          {isCounted && (
            <span class="soft" role="status">{text.filters.shown(source.shown.value, source.cards.value.length)}</span>
          )}
        </>
      )}
      {children}
    </div>
  );
}

function Find({ filter, name }: { filter: Signal<Filter>; name: string }) {
  const q = filter.value.q ?? "";
  const typed = useSignal(q);
  // What is typed until the page is drawn with the filter is newer than the filter, and stays.
  const applied = useRef(q);
  useEffect(() => { if (q !== applied.current) typed.value = applied.current = q; }, [q]);
  useEffect(() => {
    const timer = setTimeout(() => {
      const now = typed.peek().trim();
      const filtered = filter.peek();
      applied.current = now;
      if (now !== (filtered.q ?? "")) filter.value = now ? { ...filtered, q: now } : without(filtered, "q");
    }, TYPING_MS);
    return () => clearTimeout(timer);
  }, [typed.value]);
  return (
    <label class="search">
      <Icon name="search" />
      <input type="search" aria-label={name} placeholder={name} value={typed.value}
        onInput={(event) => { typed.value = event.currentTarget.value; }}
        onKeyDown={(event) => {
          if (event.key !== "Escape" || isComposing(event)) return;
          event.stopPropagation();
          event.currentTarget.blur();
        }} />
    </label>
  );
}

const isExclusive = (part: FilterName) => part === "blocked" || part === "state";

function filterMenu(source: FilterSource, anchor: () => Element | null): MenuOptions {
  const entry = (part: FilterName, value: string, name: string, lead?: ComponentChild): MenuEntry => {
    const isChosen = names(source.filter.value[part], value);
    const run = () => {
      const now = source.filter.peek();
      // What has two values alone has one of them at a time.
      const terms = isExclusive(part) && !isChosen ? textOfValue(value) : toggled(now[part], value);
      source.filter.value = { ...without(now, part), ...(terms ? { [part]: terms } : {}) };
    };
    return { name, part, lead, checked: isChosen, run };
  };
  return {
    label: text.filters.filter,
    find: text.filters.by,
    entries: () => {
      const cards = source.cards.value;
      const people = new Map(cards.flatMap((card) => card.assignees.map(({ id, display_name: name }) => [id, name])));
      const isMe = (id: string) => Number(id === source.me);
      const tags = new Map(cards.flatMap((card) => card.tags.map((tag) => [tag.name, tag])));
      const above = new Set(cards.map((card) => card.parent_id));
      const parents = cards.filter(({ id }) => above.has(id));
      const sprints = (source.sprints?.value ?? []).filter(({ status }) => status !== "completed");
      return [
        ...[...people].sort(([one], [other]) => isMe(other) - isMe(one))
          .map(([id, name]) => entry("assignee", id, name, <Avatar name={name} of={id} decorative />)),
        ...(source.me ? [entry("assignee", "me", text.filters.me)] : []),
        entry("assignee", "none", text.filters.nobody),
        ...[...tags.values()].map(({ name, color }) => entry("tag", name, name, <Dot color={color} />)),
        ...(tags.size > 0 ? [entry("tag", "none", text.filters.noTag)] : []),
        ...PRIORITIES.map((value) =>
          entry("priority", value, priorityName(value), <PriorityIcon priority={value} />)),
        ...typesOf(cards).map((value) => entry("type", value, typeName(value), <TypeIcon type={value} />)),
        ...Object.entries(text.filters.blocked).map(([value, name]) =>
          entry("blocked", value, name, value === "true" ? <Icon name="blocked" /> : undefined)),
        ...parents.map((card) =>
          entry("parent", card.id, text.filters.parent(titleOf(card)), <Icon name="children" />)),
        ...(parents.length > 0 ? [entry("parent", "none", text.card.noParent)] : []),
        ...sprints.map(({ id, name }) => entry("sprint", id, name, <Icon name="sprint" />)),
        ...(sprints.length > 0 ? [entry("sprint", "none", text.card.noSprint)] : []),
        ...Object.entries(text.filters.due).map(([value, name]) => entry("due", value, name, <Icon name="calendar" />)),
        ...Object.entries(text.filters.state).map(([value, name]) => entry("state", value, name)),
        ...(source.columns?.value ?? []).map(({ id, name, color }) => entry("column", id, name, <Dot color={color} />)),
        ...(source.fields ? fieldEntries(source.fields, anchor) : []),
      ];
    },
  };
}
