// Editing in the cells of the table: a menu at the cell for what is chosen, a field for what is typed.

import { useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { BoardCard } from "../../../api/planning/boards";
import type { CardField, ColumnName } from "../../../model/planning/card-table";
import { inputOf, MOST_LETTERS, typedOf as typedValue } from "../../../model/planning/custom-fields";
import { today } from "../../../model/planning/due";
import { fieldIn, isFieldColumn, type FieldColumnName } from "../../../model/planning/field-columns";
import { tellFailure } from "../../../model/messages";
import { text } from "../../../text";
import { MonthPopover } from "../../../ui/date-picker";
import { isComposing } from "../../../ui/keys";
import { openMenu } from "../../../ui/menu-state";
import { columnMenu } from "../../parts/card/menus";
import { pickPriority, pickType } from "../../parts/card/kind-pickers";
import { pickAssignees, pickSprint, pickTags } from "../../parts/card/pickers";
import { openCard } from "../../parts/card/side";
import { pickValue } from "../../parts/card/value-pickers";
import type { TableView } from "./view";

/** Types of custom fields whose values are chosen from a menu. */
const CHOSEN: ReadonlySet<string> = new Set(["choice", "choices", "user"]);

/** Edits a field of a card at its cell. */
export function editField(view: TableView, id: string, field: ColumnName, cell: Element): void {
  const { table: { board }, table, sprints } = view;
  const card = board.card(id);
  if (!card) return;
  if (isFieldColumn(field)) return editValue(view, card, field, cell);
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

/** The custom field of a card's project in a column, with the card's value. */
function valueAt({ table }: TableView, card: BoardCard, name: FieldColumnName) {
  const column = table.column(name);
  const field = column && fieldIn(column, card.project_id);
  return field && { field, value: () => table.values.of(card.id)?.[field.id] };
}

/** Edits a custom field. A card whose project doesn't have it has nothing to edit. */
function editValue(view: TableView, card: BoardCard, name: FieldColumnName, cell: Element): void {
  const at = valueAt(view, card, name);
  if (!at) return;
  const isTyped = !CHOSEN.has(at.field.type);
  // A cell has one line.
  if (isTyped && typedValue(at.value()).includes("\n")) openCardOf(view, card.id);
  else if (isTyped) view.editing.value = { id: card.id, field: name };
  else void pickValue(cell, { ...at, set: (value) => view.table.values.set(card, at.field, value) }).catch(tellFailure);
}

/** Opens a card beside the table. */
export function openCardOf({ table: { board } }: TableView, id: string): void {
  const card = board.card(id);
  if (card) openCard(card);
}

/** A field that is typed in a cell. */
interface TypedCell {
  label: string;
  before: string;
  isNumber: boolean;
  most: number;
  save: (typed: string) => unknown;
}

/** A cell whose value is typed; undefined for a field whose value is chosen. */
export function typedOf(view: TableView, card: BoardCard, field: ColumnName): TypedCell | undefined {
  const { table: { board: { edits }, values }, table } = view;
  const label = text.cards.editOf(table.nameOf(field), card.name);
  if (field === "name") {
    return { label, before: card.name, isNumber: false, most: 255,
      save: (name) => { if (name) void edits.change(card.id, { name }); } };
  }
  if (field === "effort") {
    return { label, before: card.effort ? String(card.effort) : "", isNumber: true, most: 255,
      save: (typed) => edits.change(card.id, { effort: Number(typed) }) };
  }
  const at = isFieldColumn(field) ? valueAt(view, card, field) : undefined;
  if (!at || at.field.type === "date") return undefined;
  const { type } = at.field;
  const save = async (typed: string) => values.set(card, at.field, inputOf(type, typed));
  return { label, before: typedValue(at.value()), isNumber: type === "number", most: MOST_LETTERS,
    save: (typed) => save(typed).catch(tellFailure) };
}

/** A cell while it is typed in. Enter and leaving it save, Escape drops. */
export function CellInput({ view, typed: { label, before, isNumber, most, save } }: { view: TableView;
  typed: TypedCell }) {
  const typed = useSignal(before);
  // The card may change meanwhile: what nobody typed is not saved.
  const begun = useRef(before);
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
    if (isSaved && now !== begun.current) void save(now);
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
  return (
    <input ref={input} class="cell-input" inputMode={isNumber ? "decimal" : "text"} maxLength={most} dir="auto"
      aria-label={label} value={typed.value} onInput={(event) => { typed.value = event.currentTarget.value; }}
      onClick={(event) => event.stopPropagation()} onKeyDown={onKey} onBlur={() => end(true)} />
  );
}

/** A day that is chosen at a cell. */
interface MonthCell {
  label: string;
  day: string;
  isRequired: boolean;
  save: (day: string) => unknown;
}

/** The day of a cell, if its field is one. */
export function monthOf(view: TableView, card: BoardCard, field: ColumnName): MonthCell | undefined {
  const { board: { edits }, values } = view.table;
  if (field === "due") {
    return { label: text.board.due, day: card.deadline?.slice(0, 10) ?? "", isRequired: false,
      save: (day) => edits.change(card.id, { deadline: day ? `${day}T00:00:00Z` : null }) };
  }
  const at = isFieldColumn(field) ? valueAt(view, card, field) : undefined;
  if (at?.field.type !== "date") return undefined;
  return { label: at.field.name, day: typedValue(at.value()), isRequired: at.field.is_required,
    save: (day) => values.set(card, at.field, day || null) };
}

/** The month at a cell, to choose a day from. */
export function CellMonth({ view, month: { label, day, isRequired, save }, anchor }: { view: TableView;
  month: MonthCell; anchor: () => Element | null }) {
  const close = () => { view.editing.value = null; };
  const choose = (chosen: string) => {
    close();
    void save(chosen);
  };
  return (
    <MonthPopover label={label} anchor={anchor} close={close} value={day} today={today()} words={text.dates}
      choose={choose} clear={day && !isRequired ? () => choose("") : undefined} />
  );
}
