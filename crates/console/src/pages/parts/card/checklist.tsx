// The checklist of a card: lines that are ticked, edited in place, and moved by arrow keys or by dragging.

import { useSignal } from "@preact/signals";
import { useCallback, useEffect, useLayoutEffect, useRef } from "preact/hooks";
import type { ChecklistItem } from "../../../api/planning/card-relations";
import { countOf, type Checklist } from "../../../model/planning/checklist";
import { text } from "../../../text";
import { Button } from "../../../ui/button";
import { Icon } from "../../../ui/icon";
import { isComposing } from "../../../ui/keys";
import { useListDrop, useRowDrag } from "../list-drag";
import { LineField } from "./line-field";

/** Longest line, as the service has it. */
const MOST_LETTERS = 1000;

interface ChecklistProps {
  checklist: Checklist;
  isBegun: boolean;
  end: () => void;
}

export function ChecklistSection({ checklist, isBegun, end }: ChecklistProps) {
  const list = useRef<HTMLUListElement>(null);
  const drop = useCallback((id: string, at: number) => void checklist.move(id, at), [checklist]);
  const landing = useListDrop(list, { list, drop }).value;
  const items = checklist.items.value;
  const { done, total } = countOf(items);
  return (
    <section class="checklist" aria-labelledby="checklist">
      <div class="section-head">
        <h3 id="checklist">{text.checklist.title}</h3>
        {total > 0 && <span class="soft">{text.card.childrenDone(done, total)}</span>}
      </div>
      {total > 0 && <progress max={total} value={done} aria-label={text.checklist.counted(done, total)} />}
      <ul ref={list} class="lines" aria-labelledby="checklist">
        {items.map((item, at) => <Line key={item.id} item={item} at={at} checklist={checklist} />)}
        {landing && landing.top !== null && (
          <li class="landing" aria-hidden="true" style={{ top: `${landing.top}px` }} />
        )}
      </ul>
      <p class="failure" role="alert">{checklist.failure.value}</p>
      <LineField label={text.checklist.add} most={MOST_LETTERS} isBegun={isBegun} end={end}
        add={(said, key) => checklist.add(said, key)} />
      <p class="unseen" role="status" aria-live="assertive">{checklist.spoken.value}</p>
    </section>
  );
}

interface LineProps {
  item: ChecklistItem;
  at: number;
  checklist: Checklist;
}

function Line({ item, at, checklist }: LineProps) {
  const { id, text: said, isDone } = item;
  const row = useRef<HTMLLIElement>(null);
  const handle = useRef<HTMLButtonElement>(null);
  const isMoved = useRef(false);
  const isDragged = useRowDrag(row, id, said);
  // A line that is drawn in another place loses the focus.
  useEffect(() => { if (isMoved.current) handle.current?.focus(); isMoved.current = false; }, [at]);
  const move = (event: KeyboardEvent) => {
    const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (!by) return;
    event.preventDefault();
    event.stopPropagation();
    isMoved.current = true;
    void checklist.move(id, at + by);
  };
  return (
    <li ref={row} class={isDragged.value ? "line-row dragged" : "line-row"} data-item={id}>
      <input type="checkbox" aria-label={text.checklist.done(said)} checked={isDone}
        onChange={() => void checklist.tick(item, !isDone)} />
      <LineText item={item} checklist={checklist} />
      <button ref={handle} type="button" class="button plain small handle" aria-label={text.checklist.handle(said)}
        title={text.checklist.handle(said)} onKeyDown={move}><Icon name="handle" /></button>
      <Button name={text.checklist.delete(said)} icon="close" kind="plain small" quiet
        onClick={() => checklist.delete(item)} />
    </li>
  );
}

/** The text of a line: a press edits it, Enter and leaving it save. */
function LineText({ item, checklist }: Omit<LineProps, "at">) {
  const typed = useSignal<string | null>(null);
  const input = useRef<HTMLTextAreaElement>(null);
  const isEdited = typed.value !== null;
  useLayoutEffect(() => { if (isEdited) input.current?.focus(); }, [isEdited]);
  const end = (isSaved: boolean) => {
    const said = typed.peek()?.trim() ?? "";
    typed.value = null;
    if (isSaved && said && said !== item.text) void checklist.rename(item, said);
  };
  const onKey = (event: KeyboardEvent) => {
    if (isComposing(event) || (event.key !== "Enter" && event.key !== "Escape")) return;
    event.preventDefault();
    event.stopPropagation();
    end(event.key === "Enter");
  };
  if (typed.value === null) {
    return (
      <button type="button" class={item.isDone ? "line-text done" : "line-text"} dir="auto"
        onClick={() => { typed.value = item.text; }}>{item.text}</button>
    );
  }
  return (
    <textarea ref={input} class="line-input" rows={1} aria-label={text.checklist.edit} maxLength={MOST_LETTERS}
      dir="auto" value={typed.value} onInput={(event) => { typed.value = event.currentTarget.value; }}
      onKeyDown={onKey} onBlur={() => end(true)} />
  );
}
