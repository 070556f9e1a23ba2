// The properties of an object, edited in rows of name and value. Nested values are edited as JSON.

import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { ProjectObject } from "../../../api/content/objects";
import { kindOf } from "../../../model/content/properties";
import { PropertyDraft, type DraftRow } from "../../../model/content/property-draft";
import { text } from "../../../text";
import { Button } from "../../../ui/button";
import { openDialog } from "../../../ui/dialog";
import { Form } from "../../../ui/form";
import { InlineSelect } from "../../../ui/inline-select";
import type { FilesView } from "./view";

/** Asks for the properties of an object. Without a change nothing is sent. */
export function askProperties({ files }: FilesView, { id, data }: ProjectObject): void {
  const draft = new PropertyDraft(data);
  openDialog((close) => (
    <>
      <h2>{text.properties.edit}</h2>
      <Form action={text.files.saves} cancel={{ name: text.cancel, run: close }} send={async () => {
        await files.setData(id, data, draft.values());
        close();
      }}>
        <Editor draft={draft} />
      </Form>
    </>
  ), { label: text.properties.edit, kind: "wide" });
}

function Editor({ draft }: { draft: PropertyDraft }) {
  const failure = useSignal("");
  const json = draft.json.value;
  const toggle = () => {
    failure.value = "";
    try {
      draft.toggle();
    } catch (error) {
      failure.value = error instanceof Error ? error.message : String(error);
    }
  };
  return (
    <div class="properties-edited">
      {json === null ? <Rows draft={draft} /> : (
        <div class="field">
          <label for="field-json">{text.files.json}</label>
          <textarea id="field-json" rows={12} spellcheck={false} value={json}
            onInput={(event) => { draft.json.value = event.currentTarget.value; }} />
        </div>
      )}
      <p class="failure" role="alert">{failure.value}</p>
      <div><Button name={json === null ? text.properties.asJson : text.properties.asRows} kind="plain"
        onClick={toggle} /></div>
    </div>
  );
}

function Rows({ draft }: { draft: PropertyDraft }) {
  const added = useSignal(0);
  const add = useRef<HTMLButtonElement>(null);
  return (
    <div class="field">
      <ul class="property-rows">
        {draft.rows.value.map((row) => (
          <Row key={row.id} row={row} draft={draft} isNew={row.id === added.value}
            removed={() => add.current?.focus()} />
        ))}
      </ul>
      <div><Button controlRef={add} name={text.properties.add} icon="plus"
        onClick={() => { added.value = draft.add(); }} /></div>
    </div>
  );
}

interface RowProps {
  row: DraftRow;
  draft: PropertyDraft;
  isNew: boolean;
  removed: () => void;
}

function Row({ row, draft, isNew, removed }: RowProps) {
  const { id, name, value } = row;
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => { if (isNew) field.current?.focus(); }, []);
  const kind = kindOf(value);
  const kinds = Object.entries(text.properties.kinds).map(([own, said]) => ({ value: own, name: said }));
  return (
    <li>
      <input ref={field} value={name} required autocomplete="off" aria-label={text.properties.name} dir="auto"
        onInput={(event) => draft.change(id, { name: event.currentTarget.value })} />
      {kind === "nested" ? <span class="soft">{text.properties.nested}</span>
        : <InlineSelect label={text.properties.kind} choices={kinds} value={kind}
          onChange={(now) => draft.setKind(id, now)} />}
      <Value value={value} change={(now) => draft.change(id, { value: now })} />
      <Button name={text.properties.remove} icon="close" kind="plain small" quiet onClick={() => {
        draft.remove(id);
        removed();
      }} />
    </li>
  );
}

function Value({ value, change }: { value: unknown; change: (value: unknown) => void }) {
  const shared = { "aria-label": text.properties.value, autocomplete: "off" };
  if (typeof value === "boolean") {
    const choices = Object.entries(text.properties.truth).map(([own, name]) => ({ value: own, name }));
    return <span class="property-value"><InlineSelect label={text.properties.value} choices={choices}
      value={String(value)} onChange={(now) => change(now === "true")} /></span>;
  }
  if (typeof value === "number") {
    return <span class="property-value"><input {...shared} type="number" step="any" required defaultValue={value}
      onInput={(event) => change(Number(event.currentTarget.value))} /></span>;
  }
  if (typeof value === "string") {
    return <span class="property-value">{value.includes("\n")
      ? <textarea {...shared} rows={4} value={value} dir="auto"
        onInput={(event) => change(event.currentTarget.value)} />
      : <input {...shared} value={value} dir="auto" onInput={(event) => change(event.currentTarget.value)} />}</span>;
  }
  return <code class="property-value soft" title={text.properties.nestedHelp}>{JSON.stringify(value)}</code>;
}
