// The list of people at a field in which a handle is being typed: arrows choose, Enter and Tab take, Escape closes.

import { useSignal } from "@preact/signals";
import type { RefObject } from "preact";
import { useId } from "preact/hooks";
import { peopleFor, typedHandle, withHandle, type Mentionable,
  type TypedHandle } from "../../../model/planning/mention-list";
import { text } from "../../../text";
import { Avatar } from "../../../ui/avatar";
import { isComposing } from "../../../ui/keys";

interface MentionField {
  input: RefObject<HTMLTextAreaElement | null>;
  people: readonly Mentionable[];
  /** Takes the text with a chosen handle. */
  type: (said: string) => void;
}

/** The props of a field that offers people: its attributes, its keys, and the list to show behind it. */
export function useMentionList({ input, people, type }: MentionField) {
  const id = useId();
  const typed = useSignal<TypedHandle | null>(null);
  const chosen = useSignal(0);
  const found = typed.value ? peopleFor(people, typed.value.typed) : [];
  const read = () => {
    const field = input.current;
    const now = field && field.selectionStart === field.selectionEnd
      ? typedHandle(field.value, field.selectionStart) : null;
    if (now?.typed !== typed.peek()?.typed) chosen.value = 0;
    typed.value = now;
  };
  const close = () => { typed.value = null; };
  const take = (person: Mentionable | undefined) => {
    const [field, now] = [input.current, typed.peek()];
    if (!field || !now || !person) return;
    const { said, caret } = withHandle(field.value, field.selectionStart, now, person.handle);
    close();
    type(said);
    // The caret is set in the new text, which the page draws later.
    field.value = said;
    field.setSelectionRange(caret, caret);
    field.focus();
  };
  /** True if the list took the key. */
  const onKey = (event: KeyboardEvent): boolean => {
    if (found.length === 0 || isComposing(event) || event.ctrlKey || event.metaKey || event.altKey) return false;
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step) chosen.value = (chosen.peek() + step + found.length) % found.length;
    else if (event.key === "Enter" || (event.key === "Tab" && !event.shiftKey)) take(found[chosen.peek()]);
    else if (event.key === "Escape") close();
    else return false;
    event.preventDefault();
    event.stopPropagation();
    return true;
  };
  const shown = found.length > 0 ? { "aria-autocomplete": "list", "aria-controls": id,
    "aria-activedescendant": `${id}-${chosen.value}` } as const : {};
  // The caret may leave the handle by its own keys.
  const attributes = { ...shown, onKeyUp: () => { if (typed.peek()) read(); } };
  return { attributes, onKey, read, close,
    list: found.length > 0 && <People id={id} people={found} chosen={chosen.value} take={take} /> };
}

interface PeopleProps {
  id: string;
  people: readonly Mentionable[];
  chosen: number;
  take: (person: Mentionable) => void;
}

function People({ id, people, chosen, take }: PeopleProps) {
  return (
    <ul class="mention-list" id={id} role="listbox" aria-label={text.card.mention}>
      {people.map((person, at) => (
        // The field keeps the focus.
        <li key={person.handle} id={`${id}-${at}`} role="option" aria-selected={at === chosen}
          onMouseDown={(event) => event.preventDefault()} onClick={() => take(person)}>
          <Avatar name={person.name} of={person.userId} decorative />
          <span class="name" dir="auto">{person.name}</span>
          <span class="soft">@{person.handle}</span>
        </li>
      ))}
    </ul>
  );
}
