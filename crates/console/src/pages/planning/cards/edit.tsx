// Editing in the cells of the table: a menu at the cell for what is chosen, a field for what is typed.

import { useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { BoardCard } from "../../../api/boards";
import type { CardFields } from "../../../model/planning/card-edits";
import type { CardField } from "../../../model/planning/card-table";
import { today } from "../../../model/planning/due";
import { tellFailure } from "../../../model/messages";
import { text } from "../../../text";
import { MonthPopover } from "../../../ui/date-picker";
import { isComposing } from "../../../ui/keys";
import { openMenu } from "../../../ui/menu-state";
import { columnMenu } from "../../parts/card/menus";
import { pickPriority, pickType } from "../../parts/card/kind-pickers";
import { pickAssignees, pickSprint, pickTags } from "../../parts/card/pickers";
import { openCard } from "../../parts/card/side";
import type { TableView } from "./view";

/** Edits a field of a card at its cell. */
export function editField(view: TableView, id: string, field: CardField, cell: Element): void {
  const { table: { board }, table, sprints } = view;
  const card = board.card(id);
  if (!card) return;
  const edit: Record<CardField, () => unknown> = {
    name: () => { view.editing.value = { id, field }; },
    effort: () => { view.editing.value = { id, field }; },
    due: () => { view.editing.value = { id, field }; },
    column: () => openMenu(cell, columnMenu(board, id)),
    assignees: () => pickAssignees(cell, board.edits, id).catch(tellFailure),
    tags: () => pickTags(cell, board.edits, id).catch(tellFailure),
    sprint: () => pickSprint(cell, sprints.peek(), card.sprint_id, (to) => table.setSprint(id, to)),
    priority: () => pickPriority(cell, board.edits, id),
    type: () => pickType(cell, board.edits, id, board.cards.peek()),
    key: () => openCardOf(view, id),
    project: () => openCardOf(view, id),
  };
  void edit[field]();
}

/** Opens a card beside the table. */
export function openCardOf({ table: { board } }: TableView, id: string): void {
  const card = board.card(id);
  if (card) openCard(card);
}

interface CellInputProps {
  view: TableView;
  card: BoardCard;
  field: "name" | "effort";
}

/** A cell while it is typed in. Enter and leaving it save, Escape drops. */
export function CellInput({ view, card, field }: CellInputProps) {
  const before = field === "name" ? card.name : card.effort ? String(card.effort) : "";
  const typed = useSignal(before);
  const input = useRef<HTMLInputElement>(null);
  const isDone = useRef(false);
  useLayoutEffect(() => {
    input.current?.focus();
    input.current?.select();
  }, []);
  const end = (isSaved: boolean) => {
    if (isDone.current) return;
    isDone.current = true;
    const now = typed.peek().trim();
    const changes: CardFields = field === "name" ? { name: now } : { effort: Number(now) };
    if (isSaved && now !== before && (field !== "name" || now)) void view.table.board.edits.change(card.id, changes);
    view.editing.value = null;
  };
  const onKey = (event: KeyboardEvent) => {
    event.stopPropagation();
    if (isComposing(event) || (event.key !== "Enter" && event.key !== "Escape")) return;
    event.preventDefault();
    const grid = input.current?.closest<HTMLElement>("[role=grid]");
    end(event.key === "Enter");
    grid?.focus({ preventScroll: true });
  };
  const label = text.cards.editOf(text.cards.columns[field], card.name);
  return (
    <input ref={input} class="cell-input" inputMode={field === "name" ? "text" : "decimal"} maxLength={255} dir="auto"
      aria-label={label} value={typed.value} onInput={(event) => { typed.value = event.currentTarget.value; }}
      onClick={(event) => event.stopPropagation()} onKeyDown={onKey} onBlur={() => end(true)} />
  );
}

/** The month at a cell, to choose a due date from. */
export function CellMonth({ view, card, anchor }: { view: TableView; card: BoardCard; anchor: () => Element | null }) {
  const close = () => { view.editing.value = null; };
  const choose = (day: string) => {
    close();
    void view.table.board.edits.change(card.id, { deadline: day ? `${day}T00:00:00Z` : null });
  };
  return (
    <MonthPopover label={text.board.due} anchor={anchor} close={close} value={card.deadline?.slice(0, 10) ?? ""}
      today={today()} words={text.dates} choose={choose} clear={card.deadline ? () => choose("") : undefined} />
  );
}
