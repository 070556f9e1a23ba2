// The palette: every action of the page and every place, found by typing and ranked by recent use.

import { useSignal, type Signal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { Finder } from "../../model/find";
import type { MarkedPart } from "../../model/content/excerpt";
import type { Pictured } from "../../model/content/shape-kinds";
import { noteChoice, rankOf, recentPlaces, type RecentPlace } from "../../model/recent";
import { text } from "../../text";
import { actions, type Action } from "../../ui/actions";
import { open, path, search } from "../../ui/address";
import { hasDialog, openDialog } from "../../ui/dialog";
import { isComposing } from "../../ui/keys";
import { CardKey } from "../parts/card-marks";
import { Thumbnail } from "../parts/thumbnail";
import { around } from "./around";

interface Choice {
  id: string;
  name: string;
  where: string;
  icon: string;
  pictured?: Pictured | undefined;
  excerpt?: MarkedPart[] | undefined;
  cardKey?: string | null | undefined;
  key?: string | undefined;
  run: () => unknown;
}

const SEARCH_MS = 120;
const MOST = 60;

/** Opens the palette; a search finds projects, boards, cards and objects alone. */
export function openPalette({ isSearch }: { isSearch: boolean }): void {
  if (hasDialog()) return;
  // Those of the page come first; an action with the same name is the same.
  const known = isSearch
    ? []
    : [...actions(), ...around()]
        .filter(({ run, icon }) => run && icon)
        .filter((action, at, all) => all.findIndex(({ name }) => name === action.name) === at);
  openDialog((close) => <Palette known={known} isSearch={isSearch} close={close} />, {
    label: isSearch ? text.palette.search : text.palette.title,
    kind: "palette",
  });
}

function Palette({ known, isSearch, close }: { known: Action[]; isSearch: boolean; close: () => void }) {
  const [query, at] = [useSignal(""), useSignal(0)];
  const finder = useMemo(() => new Finder({ path: path.peek(), branch: search.peek().get("branch") }), []);
  const places = usePlaces(finder, query);
  const asked = query.value.trim();
  const answered = places.value;
  // An answer to what was typed before holds other places: Enter must not choose one of them.
  const found = answered?.query === asked ? answered.places : [];
  const choices = ranked(known, found, asked);
  const current = Math.max(0, Math.min(at.value, choices.length - 1));
  const choose = (choice: Choice | undefined) => {
    if (!choice) return;
    close();
    void choice.run();
  };
  const label = isSearch ? text.palette.search : text.palette.title;
  const hint = finder.findsObjects ? text.palette.searchFor : text.palette.searchOutside;
  const step = (by: number) => { at.value = (current + by + choices.length) % Math.max(1, choices.length); };
  return (
    <>
      <Query label={label} hint={isSearch ? hint : text.palette.typeTo} query={query} at={at} step={step}
        current={choices.length > 0 ? `palette-${current}` : undefined} choose={() => choose(choices[current])} />
      <ul role="listbox" id="palette-list" aria-label={label} hidden={choices.length === 0}>
        {choices.map((choice, index) => (
          <Option key={choice.id} choice={choice} index={index} isCurrent={index === current}
            choose={() => choose(choice)} />
        ))}
      </ul>
      {choices.length === 0 && (
        <p class="soft menu-none" role="status">
          {nothing(answered?.query === asked ? found : null, query.value, finder)}
        </p>
      )}
    </>
  );
}

interface QueryProps {
  label: string;
  hint: string;
  query: Signal<string>;
  at: Signal<number>;
  /** The element of the choice that Enter takes. */
  current: string | undefined;
  step: (by: number) => void;
  choose: () => void;
}

/** The field, whose keys go through the choices below it. */
function Query({ label, hint, query, at, current, step, choose }: QueryProps) {
  const moves: Record<string, (() => void) | undefined> =
    { ArrowDown: () => step(1), ArrowUp: () => step(-1), Enter: choose };
  const onKey = (event: KeyboardEvent) => {
    const move = isComposing(event) ? undefined : moves[event.key];
    if (!move) return;
    event.preventDefault();
    move();
  };
  const onInput = (event: { currentTarget: HTMLInputElement }) => {
    [query.value, at.value] = [event.currentTarget.value, 0];
  };
  return (
    <input type="text" role="combobox" aria-expanded="true" aria-controls="palette-list" aria-autocomplete="list"
      aria-label={label} placeholder={hint} autocomplete="off" spellcheck={false} aria-activedescendant={current}
      onInput={onInput} onKeyDown={onKey} />
  );
}

function Option({
  choice,
  index,
  isCurrent,
  choose,
}: {
  choice: Choice;
  index: number;
  isCurrent: boolean;
  choose: () => void;
}) {
  const element = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (isCurrent) element.current?.scrollIntoView({ block: "nearest" });
  }, [isCurrent]);
  return (
    <li ref={element} role="option" id={`palette-${index}`} class="option" aria-selected={isCurrent} onClick={choose}>
      <Thumbnail of={choice.pictured} icon={choice.icon} px={20} />
      <CardKey of={choice.cardKey} />
      <span class="name" dir="auto">
        {choice.name}
        {choice.excerpt && <Excerpt parts={choice.excerpt} />}
      </span>
      <span class="where" dir="auto">
        {choice.where}
      </span>
      {choice.key && <kbd>{choice.key}</kbd>}
    </li>
  );
}

/** The text in which the words were found. */
function Excerpt({ parts }: { parts: MarkedPart[] }) {
  return (
    <small class="excerpt" dir="auto">
      {parts.map((part) => (part.isFound ? <mark>{part.text}</mark> : part.text))}
    </small>
  );
}

interface Found {
  query: string;
  places: RecentPlace[];
}

/** The places that the service found last, with what it was asked. */
function usePlaces(finder: Finder, query: Signal<string>): Signal<Found | null> {
  const found = useSignal<Found | null>(null);
  useEffect(() => {
    let isLeft = false;
    const asked = query.value.trim();
    const take = (places: RecentPlace[]) => {
      if (!isLeft) found.value = { query: asked, places };
    };
    const timer = setTimeout(
      () => void finder.find(asked).then(take, () => take([])),
      query.value ? SEARCH_MS : 0,
    );
    return () => {
      isLeft = true;
      clearTimeout(timer);
    };
  }, [query.value]);
  return found;
}

function ranked(known: Action[], found: RecentPlace[], query: string): Choice[] {
  const folded = query.toLocaleLowerCase();
  const remembered = query ? [] : recentPlaces();
  const places = [...remembered, ...found.filter(({ href }) => !remembered.some((one) => one.href === href))];
  const all: Choice[] = [
    ...known
      .filter(({ name }) => name.toLocaleLowerCase().includes(folded))
      .map(({ name, group, icon, key, shownKey, run }) => ({
        id: name,
        name,
        where: group ?? "",
        icon: icon ?? "open",
        key: shownKey ?? key,
        run: () => {
          noteChoice(name);
          return run?.();
        },
      })),
    ...places.map((place) => ({
      ...place,
      id: place.href,
      run: () => {
        noteChoice({ ...place, excerpt: undefined });
        open(place.href);
      },
    })),
  ];
  // A key that is typed whole means its card.
  const isMeant = ({ cardKey }: Choice) => (cardKey && cardKey.toLowerCase() === query.toLowerCase() ? 0 : 1);
  const begins = ({ name }: Choice) => (name.toLocaleLowerCase().startsWith(folded) ? 0 : 1);
  return all.toSorted((one, other) => isMeant(one) - isMeant(other) || rankOf(one.id) - rankOf(other.id)
    || begins(one) - begins(other)).slice(0, MOST);
}

function nothing(places: RecentPlace[] | null, query: string, finder: Finder): string {
  if (places === null) return text.palette.searching;
  if (!query) return text.palette.begin;
  return finder.findsObjects ? text.palette.none : `${text.palette.none} ${text.palette.noObjects}`;
}
