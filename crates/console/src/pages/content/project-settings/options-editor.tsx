// The options of a choice: named in place, moved by arrow keys or by dragging, removed, and taken back.

import { useCallback, useEffect, useRef } from "preact/hooks";
import type { OptionDraft, OptionDrafts } from "../../../model/planning/option-drafts";
import { text } from "../../../text";
import { Button } from "../../../ui/button";
import { Icon } from "../../../ui/icon";
import { isComposing } from "../../../ui/keys";
import { useListDrop, useRowDrag } from "../../parts/list-drag";

const MOST_LETTERS = 255;

export function OptionsEditor({ options }: { options: OptionDrafts }) {
  const list = useRef<HTMLUListElement>(null);
  const drop = useCallback((key: string, at: number) => options.move(key, at), [options]);
  const landing = useListDrop(list, { list, drop }).value;
  /** The row that takes the focus once it is drawn. */
  const added = useRef("");
  const add = (above?: string) => { added.current = options.add(above); };
  return (
    <fieldset class="options" aria-describedby="options-help">
      <legend>{text.fields.options}</legend>
      <ul ref={list} class="option-rows">
        {options.rows.value.map((row, at) => (
          <Option key={row.key} {...{ row, at, options, added, add }} />
        ))}
        {landing && landing.top !== null && (
          <li class="landing" aria-hidden="true" style={{ top: `${landing.top}px` }} />
        )}
      </ul>
      <Button name={text.fields.addOption} icon="plus" kind="plain small" onClick={() => add()} />
      <p class="help" id="options-help">{text.fields.optionsHelp}</p>
    </fieldset>
  );
}

interface OptionProps {
  row: OptionDraft;
  at: number;
  options: OptionDrafts;
  added: { current: string };
  add: (above: string) => void;
}

function Option({ row, at, options, added, add }: OptionProps) {
  const { key, isArchived } = row;
  const name = row.name || text.fields.optionAt(at + 1);
  const [input, handle] = [useRef<HTMLInputElement>(null), useRef<HTMLButtonElement>(null)];
  const isMoved = useRef(false);
  // By its handle alone: a text is selected by dragging, too.
  const isDragged = useRowDrag(handle, key, name);
  useEffect(() => { if (added.current === key) input.current?.focus(); added.current = ""; }, []);
  // A row that is drawn in another place loses the focus.
  useEffect(() => { if (isMoved.current) handle.current?.focus(); isMoved.current = false; }, [at]);
  const move = (event: KeyboardEvent) => {
    const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (!by) return;
    event.preventDefault();
    isMoved.current = true;
    options.move(key, at + by);
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || event.ctrlKey || event.metaKey || isComposing(event)) return;
    // Enter is for the next option, and not for the form.
    event.preventDefault();
    add(key);
  };
  return (
    <li class={isDragged.value ? "option-row dragged" : "option-row"} data-item={key}
      data-archived={isArchived ? "" : undefined}>
      <button ref={handle} type="button" class="button plain small handle" aria-label={text.fields.moveOption(name)}
        title={text.fields.moveOption(name)} onKeyDown={move}><Icon name="handle" /></button>
      <input ref={input} aria-label={text.fields.optionAt(at + 1)} maxLength={MOST_LETTERS} dir="auto"
        autocomplete="off" value={row.name} onKeyDown={onKey}
        onInput={(event) => options.change(key, { name: event.currentTarget.value })} />
      {isArchived && <span class="soft">{text.fields.archived}</span>}
      {isArchived && <Button name={text.fields.takeBackOption(name)} icon="visible" kind="plain small" quiet
        onClick={() => options.change(key, { isArchived: false })} />}
      <Button name={text.fields.removeOption(name)} icon="close" kind="plain small" quiet
        onClick={() => options.remove(key)} />
    </li>
  );
}
