// The choice of an import: the tool, its file, the meanings of a table's columns, and the time zone.

import { useSignal } from "@preact/signals";
import { useId, useRef } from "preact/hooks";
import type { ImportTool } from "../../../api/planning/imports";
import { tellFailure } from "../../../model/messages";
import { ownZone, TOOLS, type CardImports } from "../../../model/planning/card-imports";
import { text } from "../../../text";
import { hasFiles } from "../../../ui/dropped";
import { Form, useFailure } from "../../../ui/form";
import { Select } from "../../../ui/picker";
import { begin } from "./begin";
import { ColumnMeanings } from "./column-meanings";

/** The browser's zone first. Some browsers leave out `UTC`. */
const ZONES = [...new Set([ownZone(), "UTC", ...Intl.supportedValuesOf("timeZone")])]
  .map((value) => ({ value, name: value }));
/** The ends of names of files that tools export. */
const ENDS: Readonly<Record<ImportTool, string>> = {
  jira: ".csv,.tsv,.txt", linear: ".csv,.tsv,.txt", github: ".json", trello: ".json", csv: ".csv,.tsv,.txt",
  ndjson: ".ndjson,.jsonl",
};

export function Choice({ imports }: { imports: CardImports }) {
  const tool = imports.tool.value;
  return (
    <Form action={text.imports.tries} send={() => begin(imports, true)}>
      <Select label={text.imports.tool} name="tool" value={tool} help={text.imports.how[tool]}
        choices={TOOLS.map((value) => ({ value, name: text.imports.tools[value] }))}
        onChange={(value) => imports.chooseTool(value as ImportTool)} />
      <FileField imports={imports} />
      {tool === "csv" && imports.file.value && <ColumnMeanings imports={imports} />}
      <Select label={text.imports.zone} name="zone" value={imports.zone.value} help={text.imports.zoneHelp}
        find={text.imports.findZone} choices={ZONES} onChange={(value) => imports.chooseZone(value)} />
      {imports.isSending.value && <p class="soft loading" role="status">{text.imports.sending}</p>}
    </Form>
  );
}

/** The browser's own field for a file, in a place to drop one. */
function FileField({ imports }: { imports: CardImports }) {
  const isOver = useSignal(false);
  const input = useRef<HTMLInputElement>(null);
  const message = useFailure("file");
  const id = useId();
  const take = () => void imports.take(input.current?.files?.[0] ?? null).catch(tellFailure);
  const over = (event: DragEvent) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    isOver.value = true;
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    isOver.value = false;
    const [file] = event.dataTransfer?.files ?? [];
    if (!input.current || !file) return;
    // The field takes one file of those that were dropped.
    const one = new DataTransfer();
    one.items.add(file);
    input.current.files = one.files;
    take();
  };
  return (
    <div class="field">
      <label for="field-file">{text.imports.file}</label>
      <div class={isOver.value ? "import-file lit" : "import-file"} onDragOver={over}
        onDragLeave={() => { isOver.value = false; }} onDrop={drop}>
        <input ref={input} type="file" id="field-file" name="file" onChange={take}
          accept={ENDS[imports.tool.value]}
          aria-invalid={message ? true : undefined} aria-describedby={`${id}-help`}
          aria-errormessage={message ? `${id}-failure` : undefined} />
        <p class="help" id={`${id}-help`}>{text.imports.fileHelp}</p>
      </div>
      {message && <p class="failure" role="alert" id={`${id}-failure`}>{message}</p>}
    </div>
  );
}
